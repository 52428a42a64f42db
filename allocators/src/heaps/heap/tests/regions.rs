//! Regions that a heap is given one by one.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::Random;
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::heap::HeapAllocator;
use crate::testing::test_backing::TestBacking;

fn region(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); bytes]
}

/// Fills the heap with blocks; returns them.
fn filled(heap: &HeapAllocator<'_>, layout: Layout) -> Vec<NonNull<u8>> {
    core::iter::from_fn(|| heap.allocate(layout).ok()).map(NonNull::cast).collect()
}

fn emptied(heap: &HeapAllocator<'_>, blocks: Vec<NonNull<u8>>) {
    for block in blocks {
        // SAFETY: the blocks are live, and each is freed once.
        unsafe { heap.deallocate(block) };
    }
    heap.verify().expect("the heap is sound");
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn blocks_come_from_all_regions_more_of_them_than_the_heap_has_room_for() {
    let mut regions: Vec<_> = (0..40).map(|number| region((32 << 10) + number * 40)).collect();
    let mut first = region(32 << 10);
    let heap = HeapAllocator::from_region("regions", &mut first);
    let layout = Layout::from_size_align(1000, 8).expect("a fixed layout");
    let of_one = filled(&heap, layout);
    let count = of_one.len();
    emptied(&heap, of_one);
    for region in &mut regions {
        heap.add_region(region).expect("it holds pages");
    }
    // Some hold the wider tables of regions.
    let blocks = filled(&heap, layout);
    assert!(blocks.len() > 38 * count, "{} blocks, {count} in one region", blocks.len());
    heap.verify().expect("the heap is sound");
    emptied(&heap, blocks);
    let again = filled(&heap, layout);
    assert!(again.len() > 38 * count, "no region was lost when they were all empty");
    emptied(&heap, again);
}

#[test]
fn blocks_of_all_sizes_come_and_go_in_regions_of_all_sizes() {
    let mut random = Random::new(77);
    let mut regions: Vec<_> = (0..6).map(|number| region(20_000 << number)).collect();
    let mut first = region(20_000);
    let heap = HeapAllocator::from_region("regions", &mut first);
    let mut waiting = regions.iter_mut();
    let mut live: Vec<(NonNull<u8>, Layout)> = Vec::new();
    for turn in 0..20_000 {
        if turn % 2_000 == 0
            && let Some(region) = waiting.next()
        {
            heap.add_region(region).expect("it holds pages");
        }
        let layout = Layout::from_size_align(random.size(14), 1 << random.below(7));
        let layout = layout.expect("a small layout");
        if random.below(2) == 0 {
            if let Ok(block) = heap.allocate(layout) {
                live.push((block.cast(), layout));
            }
        } else if !live.is_empty() {
            let (block, layout) = live.swap_remove(random.below(live.len()));
            // SAFETY: the block is live and has this layout.
            unsafe { heap.deallocate_sized(block, layout) };
        }
        if turn % 1_000 == 0 {
            heap.verify().expect("the heap is sound");
            assert_eq!(heap.stats().live, live.len());
        }
    }
    emptied(&heap, live.into_iter().map(|(block, _)| block).collect());
}

#[test]
fn what_cannot_be_a_region_is_refused() {
    let (mut first, mut small, mut second) = (region(4_000), region(5_000), region(64 << 10));
    let heap = HeapAllocator::from_region("small", &mut first);
    let layout = Layout::new::<u64>();
    assert_eq!(heap.allocate(layout), Err(AllocError), "not even the first is large enough");
    assert_eq!(heap.add_region(&mut small), Err(AllocError));
    heap.add_region(&mut second).expect("it holds pages");
    let block = heap.allocate(layout).expect("there is room");
    emptied(&heap, vec![block.cast()]);

    let mut other = region(64 << 10);
    let backing = TestBacking::new();
    let growing = HeapAllocator::new_in("growing", &backing);
    assert_eq!(growing.add_region(&mut other), Err(AllocError), "it has a backing");
}
