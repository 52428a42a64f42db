//! The memory of rows compared with that of vectors.

use crate::outcome::Reading;
use crate::work::containers::arrays::{Arrays, Lens, Lists, Vectors, filled};

/// Returns what a block takes of the C library's heap: what may be used of it and the 8 bytes of
/// its size.
pub(crate) fn malloc_bytes(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::malloc(bytes) };
    assert!(!block.is_null(), "the C library has no {bytes} bytes");
    // SAFETY: the block is live.
    let usable = unsafe { libc::malloc_usable_size(block) };
    // SAFETY: as above, and it is not used again.
    unsafe { libc::free(block) };
    usable + 8
}

/// Returns our bytes over those of vectors, both filled in random order.
///
/// Much depends on where a size that doubles is at the moment, so it is the mean over nine numbers
/// of rows, an octave apart from first to last.
pub(crate) fn built(rows: u32, most: u32) -> Reading {
    over_vectors(rows, most, |_| ())
}

/// Returns the same after compacting ours; the vectors are as they were built.
pub(crate) fn compacted(rows: u32, most: u32) -> Reading {
    over_vectors(rows, most, Arrays::compact)
}

fn over_vectors(rows: u32, most: u32, change: fn(&mut Arrays)) -> Reading {
    let ratios: Vec<f64> = (0..9)
        .map(|step| {
            let rows = (f64::from(rows) * (f64::from(step) / 8.0).exp2()) as u32;
            let lens = Lens::up_to(most, rows);
            let (mut ours, _) = filled::<Arrays>(lens);
            change(&mut ours);
            let (theirs, _) = filled::<Vectors>(lens);
            ours.bytes() as f64 / theirs.bytes() as f64
        })
        .collect();
    Reading::single(ratios.iter().sum::<f64>() / ratios.len() as f64)
}
