//! A frame allocates unnoticed from the global heap, and stutters.

use loligo_allocators::AllocError;

use crate::GUARD;

const HEIGHTS: [u32; 8] = [3, 9, 1, 7, 2, 8, 5, 4];

/// A frame's work. It does not look as if it allocated.
#[inline(never)]
fn frame() -> u32 {
    10 * median(&HEIGHTS)
}

/// The bug: it copies its argument, to sort it.
#[inline(never)]
fn median(numbers: &[u32]) -> u32 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

/// The result is right, and the cost is not visible.
pub(crate) fn alone() -> Result<String, AllocError> {
    Ok(format!("ten times the median is {}", frame()))
}

/// The guard is the `#[global_allocator]`, in `main.rs`, and is armed for the frame.
pub(crate) fn hunted() -> Result<String, AllocError> {
    Ok(format!("ten times the median is {}", GUARD.armed(frame)))
}
