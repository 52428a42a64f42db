//! A program whose global allocator is a static heap, from before `main`.
#![expect(unsafe_code, reason = "it misuses a block on purpose")]

mod work;

use loligo_allocators::{Allocator, StaticHeap};

#[global_allocator]
static GLOBAL: StaticHeap<{ 64 << 20 }> = StaticHeap::new("global-static");

fn main() {
    let before = GLOBAL.stats().live;
    work::run();
    let stats = GLOBAL.stats();
    assert!(stats.allocations_total > 10_000, "the program's blocks came from here: {stats:?}");
    assert!(stats.live < before + 100, "{} of {before} blocks are live", stats.live);
    GLOBAL.verify().expect("the heap is sound");
}
