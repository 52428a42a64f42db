//! Programs on allocators as bytes that keep all of them, for a child process.
//!
//! ```text
//! 0      1       2       3      4          8          16
//! +------+-------+-------+------+----------+----------+
//! | kind | align | share | zero | slot u32 | size u64 |
//! |      | log2  |       |      |          |          |
//! +------+-------+-------+------+----------+----------+
//! ```

use crate::programs::AllocatorOp;

/// Bytes of a record.
const RECORD_BYTES: usize = 16;

/// Returns a program as records.
pub(super) fn to_records(program: &[AllocatorOp]) -> Vec<u8> {
    program.iter().flat_map(|op| record(*op)).collect()
}

/// Reads records; `None` if the bytes are not records.
pub(super) fn of_records(bytes: &[u8]) -> Option<Vec<AllocatorOp>> {
    let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
    rest.is_empty().then(|| records.iter().map(op).collect())?
}

fn record(op: AllocatorOp) -> [u8; RECORD_BYTES] {
    let kind = match op {
        AllocatorOp::Allocate { .. } => 0,
        AllocatorOp::AllocateZeroed { .. } => 1,
        AllocatorOp::Free { .. } => 2,
        AllocatorOp::FreeSized { .. } => 3,
        AllocatorOp::Resize { .. } => 4,
        AllocatorOp::Reallocate { .. } => 5,
        AllocatorOp::Check => 6,
    };
    let mut record = [0; RECORD_BYTES];
    record[0] = kind;
    record[1] = op.align().map_or(0, |align| align.trailing_zeros() as u8);
    record[2] = op.share().unwrap_or(0);
    record[4..8].copy_from_slice(&op.slot().unwrap_or(0).to_le_bytes());
    record[8..].copy_from_slice(&(op.size().unwrap_or(0) as u64).to_le_bytes());
    record
}

fn op(record: &[u8; RECORD_BYTES]) -> Option<AllocatorOp> {
    let [kind, shift, share, _, a, b, c, d, size @ ..] = *record;
    let slot = u32::from_le_bytes([a, b, c, d]);
    let size = u64::from_le_bytes(size) as usize;
    let align = 1_usize.checked_shl(shift.into())?;
    Some(match kind {
        0 => AllocatorOp::Allocate { slot, size, align },
        1 => AllocatorOp::AllocateZeroed { slot, size, align },
        2 => AllocatorOp::Free { slot },
        3 => AllocatorOp::FreeSized { slot, share },
        4 => AllocatorOp::Resize { slot, size, share },
        5 => AllocatorOp::Reallocate { slot, size, align, share },
        6 => AllocatorOp::Check,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::programs::{Space, sample};

    use super::{of_records, to_records};

    #[test]
    fn records_keep_all_of_a_program() {
        let program = sample(&Space::new(900, 33, 21), 2000, 5);
        assert_eq!(of_records(&to_records(&program)), Some(program), "the same program");
        assert_eq!(of_records(&[0; 17]), None, "a rest is no record");
        assert_eq!(of_records(&[9; 16]), None, "no operation has the kind 9");
    }
}
