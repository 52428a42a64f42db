//! The space that programs are drawn from.

use crate::limits::Limits;

use super::AllocatorOp;

/// What the operations of a program may name: slots, sizes by bit length, alignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// How many slots there are; about half of them hold a block in the long run.
    pub slots: u16,
    /// The greatest bit length of a size.
    pub size_bits: u32,
    /// The greatest alignment as a power of two.
    pub align_bits: u32,
}

impl Space {
    /// Returns a space with the given number of slots, size bits and alignment bits.
    #[must_use]
    pub const fn new(slots: u16, size_bits: u32, align_bits: u32) -> Self {
        Self { slots, size_bits, align_bits }
    }

    /// Returns a space that reaches just past what `limits` allow.
    #[must_use]
    pub const fn past(limits: &Limits) -> Self {
        Self {
            slots: 64,
            size_bits: usize::BITS - limits.size_max.leading_zeros() + 1,
            align_bits: limits.align_max.trailing_zeros() + 1,
        }
    }

    /// Makes an operation of plain numbers, each of which may be anything. Few of them ask for a
    /// size near `isize::MAX`.
    ///
    /// | `kind % 32` | operation |
    /// |---|---|
    /// | 0..=8, 9..=11 | allocate, allocate zeroed |
    /// | 12..=16, 17..=21 | free, free with a size |
    /// | 22..=24, 25..=29 | resize, reallocate |
    /// | 30 | allocate near `isize::MAX` |
    /// | 31 | check |
    pub(super) fn op(&self, kind: u8, slot: u16, bits: u8, low: u16, align: u8) -> AllocatorOp {
        let slot = u32::from(slot % self.slots);
        let size = size_of(u32::from(bits) % (self.size_bits + 1), low);
        // Small alignments are asked for more often, as programs do.
        let shift = u32::from(align & 0x1f) * u32::from(align >> 5) / 7;
        let align = 1 << (shift % (self.align_bits + 1));
        let share = low as u8;
        match kind % 32 {
            0..=8 => AllocatorOp::Allocate { slot, size, align },
            9..=11 => AllocatorOp::AllocateZeroed { slot, size, align },
            12..=16 => AllocatorOp::Free { slot },
            17..=21 => AllocatorOp::FreeSized { slot, share },
            22..=24 => AllocatorOp::Resize { slot, size, share },
            25..=29 => AllocatorOp::Reallocate { slot, size, align, share },
            30 => {
                let size = isize::MAX as usize - usize::from(low);
                AllocatorOp::Allocate { slot, size, align }
            }
            _ => AllocatorOp::Check,
        }
    }
}

/// Returns a size of that bit length, its upper bits below the first made of `low`, and again its
/// lowest, so that great sizes are odd too.
pub(super) fn size_of(bits: u32, low: u16) -> usize {
    let Some(top) = bits.checked_sub(1) else {
        return 0;
    };
    let low = usize::from(low);
    let lower = match top.checked_sub(16) {
        Some(shift) => low << shift | low & ((1 << shift.min(16)) - 1),
        None => low & ((1 << top) - 1),
    };
    1 << top | lower
}

/// Returns a program of `steps` operations that depends on the seed alone.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{Space, sample};
///
/// let space = Space::new(8, 10, 4);
/// assert_eq!(sample(&space, 100, 7), sample(&space, 100, 7));
/// assert_ne!(sample(&space, 100, 7), sample(&space, 100, 8));
/// ```
#[must_use]
pub fn sample(space: &Space, steps: usize, seed: u64) -> Vec<AllocatorOp> {
    let mut random = seed;
    let mut draw = || {
        // Splitmix: each seed, zero too, gives a different stream.
        random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..steps)
        .map(|_| {
            let word = draw().to_le_bytes();
            space.op(
                word[0],
                u16::from_le_bytes([word[1], word[2]]),
                word[3],
                u16::from_le_bytes([word[4], word[5]]),
                word[6],
            )
        })
        .collect()
}
