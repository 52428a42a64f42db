//! Memory for tests: a heap that is filled with junk, counts, and refuses on demand. The tests of
//! loligo-sjson include this file.

use core::fmt::Debug;

#[cfg(not(any(unix, windows)))]
use loligo_allocators::FromGlobal;
#[cfg(any(unix, windows))]
use loligo_allocators::PageAllocator;
use loligo_allocators::{Allocator, FailingAllocator, FillAllocator, HeapAllocator, Refusals};

#[path = "../../../allocators/src/testing/test_random.rs"]
mod test_random;

pub(crate) use test_random::Random;

/// What heaps of tests take their regions from: pages, or std's heap where there are none.
#[cfg(any(unix, windows))]
pub(crate) type Backing = PageAllocator;
#[cfg(not(any(unix, windows)))]
pub(crate) type Backing = FromGlobal<'static, std::alloc::System>;

/// Returns a backing of this name.
pub(crate) fn backing(name: &'static str) -> Backing {
    #[cfg(any(unix, windows))]
    return PageAllocator::new(name);
    #[cfg(not(any(unix, windows)))]
    return FromGlobal::new(name, &std::alloc::System);
}

type Heap<'a> = HeapAllocator<'a, Backing>;

/// What tests take their memory from: fresh and freed blocks are filled with junk, so that no code
/// relies on what was there; it panics if it is dropped with live blocks.
pub(crate) type Memory<'a> = FailingAllocator<'a, FillAllocator<'a, Heap<'a>>>;

/// Whether a length may be longer than 32 bits can say. Where it may not, all that is too long is
/// memory that no allocator has.
pub(crate) const LENGTHS_ARE_LONG: bool = usize::BITS > 32;

/// Runs `test` with fresh memory, all of which it must free.
pub(crate) fn with_memory<R>(test: impl FnOnce(&Memory<'_>) -> R) -> R {
    let pages = backing("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let filled = FillAllocator::new_in("test fill", &heap);
    let memory = FailingAllocator::new_in("test memory", Refusals::None, &filled);
    let outcome = test(&memory);
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    outcome
}

/// Runs `test` with the first request refused, then with the second, and so on until none is; and
/// again with all requests refused from the first on, from the second on, and so on. Each time all
/// memory must have been given back. `test` returns the first error that it met, having checked
/// that nothing was lost.
pub(crate) fn every_refusal<E: Debug>(mut test: impl FnMut(&Memory<'_>) -> Result<(), E>) {
    for refusals in [Refusals::Nth, Refusals::From] {
        for number in 0.. {
            let mut done = false;
            with_memory(|memory| {
                memory.refuse(refusals(number));
                let outcome = test(memory);
                done = memory.refused() == 0;
                assert!(
                    !done || outcome.is_ok(),
                    "nothing was refused, and yet it ended with {outcome:?}"
                );
            });
            if done {
                assert!(number > 0, "the test asked for no memory");
                break;
            }
        }
    }
}

/// Returns `true` if `act` requests more than `bytes` bytes at once after it has called the
/// function that it is passed. Such requests are refused.
pub(crate) fn asks_for_more(bytes: usize, act: impl Fn(&Memory<'_>, &mut dyn FnMut())) -> bool {
    let mut asked = false;
    with_memory(|memory| {
        act(memory, &mut || memory.refuse(Refusals::Larger(bytes)));
        asked = memory.refused() > 0;
    });
    asked
}
