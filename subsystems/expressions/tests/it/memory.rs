//! Memory for tests: filled with junk, counted, and refused on demand. The tests of other
//! subsystems include this file.

use core::fmt::Debug;

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
    let heap = HeapAllocator::new_in("test heap", &pages);
    let filled = FillAllocator::new_in("test fill", &heap);
    let memory = FailingAllocator::new_in("test memory", refusals, &filled);
    let result = test(&memory);
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    (memory.refused(), result)
}

/// Runs `test` with the first request refused, then with the second, and so on until none is; and
/// again with all refused from the first on, from the second on, and so on. Returns how often
/// something was refused.
pub(crate) fn every_refusal<E: Debug>(
    mut test: impl FnMut(&dyn Allocator) -> Result<(), E>,
) -> u32 {
    let mut count = 0;
    for refusals in [Refusals::Nth, Refusals::From] {
        for number in 0.. {
            let (refused, outcome) = refusing(refusals(number), &mut test);
            if refused == 0 {
                assert!(outcome.is_ok(), "nothing was refused, and yet {outcome:?}");
                break;
            }
            count += 1;
        }
    }
    count
}
