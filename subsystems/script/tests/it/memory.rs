//! Memory for tests: filled with junk, counted, and refused on demand.

use loligo_allocators::{
    Allocator, FailingAllocator, FillAllocator, HeapAllocator, PageAllocator, Refusals,
};

/// Runs `test` with a separate allocator, and asserts that all of its memory is freed.
pub(crate) fn with_memory<R>(test: impl FnOnce(&dyn Allocator) -> R) -> R {
    refusing(Refusals::None, test).1
}

/// Runs `test` with memory that refuses; returns how often it did.
pub(crate) fn refusing<R>(refusals: Refusals, test: impl FnOnce(&dyn Allocator) -> R) -> (u64, R) {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new("test heap", &pages);
    let filled = FillAllocator::new("test fill", &heap);
    let memory = FailingAllocator::new("test memory", refusals, &filled);
    let result = test(&memory);
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    (memory.refused(), result)
}
