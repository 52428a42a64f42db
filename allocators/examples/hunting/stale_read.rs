//! A block is read after its free, and usually the old contents are still there.

use loligo_allocators::{AllocError, Allocator, FillAllocator, HeapAllocator, PageAllocator};

use crate::raw;

/// Takes a step back and asks how far it was.
fn level(memory: &dyn Allocator) -> Result<String, AllocError> {
    let path = raw::take(memory, 64)?;
    raw::put(path, 8, 1200);
    raw::free(memory, path);
    // The bug: this belongs before the free.
    let metres = raw::get(path, 8);
    Ok(format!("the path is {metres} metres long, {metres:#x} in hexadecimal"))
}

/// It works, until another request gets the block between the two lines.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)
}

/// A freed block is overwritten at once, so a late read returns nonsense at once.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let filled = FillAllocator::new("level", &heap);
    level(&filled)
}
