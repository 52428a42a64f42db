//! A loop goes one step too far and reads: no guard word changes, and the sum is a little wrong.

use loligo_allocators::{AllocError, Allocator, GuardPageAllocator, HeapAllocator, PageAllocator};

use crate::raw;

/// Adds up eight weights. The bug: a range that includes its end.
fn total(memory: &dyn Allocator) -> Result<u32, AllocError> {
    let (weights, other) = (raw::take(memory, 32)?, raw::take(memory, 32)?);
    (0..8).for_each(|index| raw::put(weights, index, 10));
    (0..8).for_each(|index| raw::put(other, index, 1));
    let mut sum = 0;
    for index in 0..=8 {
        sum += raw::get(weights, index);
    }
    raw::free(memory, weights);
    raw::free(memory, other);
    Ok(sum)
}

/// The number after the block is added as well.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    Ok(format!("eight weights of 10 are {} together", total(&heap)?))
}

/// After the block is a page without access, so the read itself stops the program.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let suspect = GuardPageAllocator::new("level", &pages);
    let sum = suspect.while_reporting_faults(|| total(&suspect))??;
    Ok(format!("{sum}"))
}
