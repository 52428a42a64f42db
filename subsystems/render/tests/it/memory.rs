//! Memory for tests: filled with junk, and counted.

use loligo_allocators::{
    Allocator, FailingAllocator, FillAllocator, HeapAllocator, PageAllocator, Refusals,
};

/// Runs `test` with a separate allocator, and asserts that all of its memory is freed. The second
/// argument returns the number of requests so far.
pub(crate) fn with_memory<R>(test: impl FnOnce(&dyn Allocator, &dyn Fn() -> u64) -> R) -> R {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let filled = FillAllocator::new_in("test fill", &heap);
    let memory = FailingAllocator::new_in("test memory", Refusals::None, &filled);
    let outcome = test(&memory, &|| memory.requests());
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    outcome
}
