//! Memory that is counted and refused.

use loligo_allocators::{Allocator, FailingAllocator, Refusals, StaticHeap};

/// Where all of it comes from. It outlives the inputs, as mapping pages for each of them would take
/// longer than most need; between two of them nothing in it is live.
static HEAP: StaticHeap<{ 64 << 20 }> = StaticHeap::new("heap");

/// Runs something over a heap that has no more than so many bytes in a block, and looks whether all
/// is given back in the end. A reader that believes a length is refused then, and shows it by its
/// error.
///
/// # Panics
///
/// If memory is kept, or the heap is damaged.
pub fn within(bytes_max: usize, run: impl FnOnce(&dyn Allocator)) {
    let failing = FailingAllocator::new_in("failing", Refusals::Larger(bytes_max), &HEAP);
    run(&failing);
    assert_eq!(failing.stats().live, 0, "blocks are kept");
    HEAP.verify().unwrap_or_else(|damage| panic!("the heap is damaged: {damage}"));
}
