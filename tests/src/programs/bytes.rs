//! Programs as bytes: what a fuzzer mutates and what its corpus keeps.
//!
//! Each operation is seven bytes, so that a change of one byte changes one operation:
//!
//! ```text
//! 0      1  2     3      4  5    6
//! +------+--------+------+-------+-------+
//! | kind | slot   | bits | low   | align |
//! +------+--------+------+-------+-------+
//! ```

use super::{AllocatorOp, Space};

/// Bytes of one operation.
const OP_BYTES: usize = 7;

/// Decodes a program. Every input is one; a rest of fewer than seven bytes is left out.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{AllocatorOp, Space, from_bytes};
///
/// let program = from_bytes(&[0, 3, 0, 7, 0x24, 0, 0], &Space::new(64, 20, 12));
/// assert_eq!(program, [AllocatorOp::Allocate { slot: 3, size: 100, align: 1 }]);
/// ```
#[must_use]
pub fn from_bytes(bytes: &[u8], space: &Space) -> Vec<AllocatorOp> {
    bytes
        .chunks_exact(OP_BYTES)
        .map(|op| {
            space.op(
                op[0],
                u16::from_le_bytes([op[1], op[2]]),
                op[3],
                u16::from_le_bytes([op[4], op[5]]),
                op[6],
            )
        })
        .collect()
}

/// Encodes a program, as a seed for a corpus. Of a size only the bit length and sixteen lower bits
/// are kept, of a slot sixteen bits, and of the space past its limits nothing.
#[must_use]
pub fn to_bytes(program: &[AllocatorOp]) -> Vec<u8> {
    program.iter().flat_map(|&op| encode(op)).collect()
}

fn encode(op: AllocatorOp) -> [u8; OP_BYTES] {
    let (kind, slot, size, align, share) = match op {
        AllocatorOp::Allocate { slot, size, align } if size > isize::MAX as usize / 2 => {
            return near_most(slot, size, align);
        }
        AllocatorOp::Allocate { slot, size, align } => (0, slot, size, align, 0),
        AllocatorOp::AllocateZeroed { slot, size, align } => (9, slot, size, align, 0),
        AllocatorOp::Free { slot } => (12, slot, 0, 1, 0),
        AllocatorOp::FreeSized { slot, share } => (17, slot, 0, 1, share),
        AllocatorOp::Resize { slot, size, .. } => (22, slot, size, 1, 0),
        AllocatorOp::Reallocate { slot, size, align, .. } => (25, slot, size, align, 0),
        AllocatorOp::Check => (31, 0, 0, 1, 0),
    };
    let bits = usize::BITS - size.leading_zeros();
    let low = if bits > 17 { size >> (bits - 17) } else { size } as u16;
    let low = if size == 0 { u16::from(share) } else { low };
    record(kind, slot, bits as u8, low, align)
}

fn near_most(slot: u32, size: usize, align: usize) -> [u8; OP_BYTES] {
    record(30, slot, 1, (isize::MAX as usize - size) as u16, align)
}

fn record(kind: u8, slot: u32, bits: u8, low: u16, align: usize) -> [u8; OP_BYTES] {
    let [slot_low, slot_high, ..] = slot.to_le_bytes();
    let [low, high] = low.to_le_bytes();
    // The upper three bits at their greatest make the lower five the shift itself.
    let align = 0xe0 | align.trailing_zeros() as u8;
    [kind, slot_low, slot_high, bits, low, high, align]
}
