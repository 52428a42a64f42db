//! A program whose global allocator is a heap with a lock.
#![expect(unsafe_code, reason = "it misuses a block on purpose")]

mod forks;
mod work;

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};

static PAGES: PageAllocator = PageAllocator::new("pages");

#[global_allocator]
static GLOBAL: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("global-heap", &PAGES));

fn main() {
    if std::env::args().nth(1).as_deref() == Some("forks") {
        let count = std::env::args().nth(2).and_then(|text| text.parse().ok());
        return forks::check(count.expect("a number of children"));
    }
    let before = GLOBAL.stats().live;
    work::run();
    let stats = GLOBAL.stats();
    assert!(stats.allocations_total > 10_000, "the program's blocks came from here: {stats:?}");
    // The threads keep a few blocks of the standard library for good.
    assert!(stats.live < before + 100, "{} of {before} blocks are live", stats.live);
    GLOBAL.verify().expect("the heap is sound");
}
