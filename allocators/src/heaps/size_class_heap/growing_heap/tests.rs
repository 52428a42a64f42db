//! How a growing heap takes regions: their sizes, refusals, huge blocks, and what it returns.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::GrowingHeap;
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::size_class_heap::region_table::INLINE;
use crate::heaps::size_classes::HeapClasses;
use crate::testing::test_backing::TestBacking;

type Owned<'a, B> = GrowingHeap<'a, B, HeapClasses>;

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a valid layout")
}

fn take<B: Allocator + ?Sized>(growing: &Owned<'_, B>, bytes: usize) -> NonNull<u8> {
    growing.allocate(layout(bytes, 1)).expect("there is memory").cast()
}

#[test]
fn regions_begin_as_asked_and_double() {
    for (asked, first) in [(0, 65_536), (1, 65_536), (65_536, 65_536), (100_000, 102_400)] {
        let backing = TestBacking::new();
        let growing = Owned::growing("growing", &backing, asked);
        let one = take(&growing, 40_000);
        assert_eq!(backing.stats().granted, first, "{asked} bytes asked");
        let mut blocks = vec![one];
        while backing.stats().live == 1 {
            blocks.push(take(&growing, 40_000));
        }
        assert_eq!(backing.stats().granted, 3 * first, "{asked} bytes asked: the next is double");
        for block in blocks {
            growing.deallocate(block, 40_000);
        }
        growing.give_all();
    }
}

#[test]
fn half_is_asked_for_where_the_whole_is_refused() {
    let backing = TestBacking::new();
    let growing = Owned::growing("growing", &backing, 1 << 20);
    backing.refuse_nth(0);
    let block = take(&growing, 100);
    assert_eq!((backing.requests(), backing.stats().granted), (2, 1 << 19), "the second time");
    growing.deallocate(block, 100);
    growing.shrink();
    assert_eq!(backing.stats().granted, 0, "all went back");
    backing.refuse_from(0);
    assert_eq!(growing.allocate(layout(100, 1)), Err(AllocError), "nothing is served");
    // 1 MiB, as the last was half of it, and so on down to 64 KiB.
    assert_eq!(backing.requests(), 2 + 5, "1 MiB to 64 KiB");
}

#[test]
fn a_region_that_holds_no_page_goes_back() {
    let backing = TestBacking::new();
    let growing = Owned::growing("growing", &backing, 0);
    assert_eq!(growing.take_only(4096), Err(AllocError), "a page is not enough");
    assert_eq!((backing.requests(), backing.stats().live), (1, 0), "it went back");
    assert_eq!(growing.take_only(1 << 16), Ok(()), "16 are");
    assert_eq!(growing.allocate(layout(1 << 16, 1)), Err(AllocError), "never another");
    assert_eq!(backing.requests(), 2, "it was not asked");
    growing.give_all();
}

#[test]
fn a_fixed_region_stays() {
    let mut memory = vec![MaybeUninit::<u8>::uninit(); 1 << 16];
    let start = NonNull::from(memory.as_mut_slice()).cast();
    // SAFETY: the memory outlives the growing heap and is used for nothing else.
    let growing = unsafe { Owned::<TestBacking>::fixed("growing", start, 1 << 16) };
    growing.shrink();
    let block = take(&growing, 100);
    assert_eq!(growing.allocate(layout(1 << 16, 1)), Err(AllocError), "there is no more");
    growing.deallocate(block, 100);
    growing.shrink();
    growing.deallocate(take(&growing, 100), 100);
}

#[test]
fn blocks_go_back_by_every_way_once() {
    let backing = TestBacking::new();
    let growing = Owned::growing("growing", &backing, 0);
    let mut blocks: Vec<_> = (0..300).map(|at| (take(&growing, 496), at)).collect();
    blocks.extend((0..20).map(|at| (take(&growing, 5000), at)));
    assert!(backing.stats().live >= 2, "several regions");
    // Every second one first, so that fronts are full, pages partial, and the cached region
    // changes.
    blocks.sort_by_key(|&(block, at)| (at % 2, block));
    for (index, &(block, _)) in blocks.iter().enumerate() {
        let size = growing.allocated_size(block);
        assert!(size == 496 || size >= 5000, "{size}");
        if index % 3 == 0 {
            assert!(growing.deallocate_owned(block, 0), "it is in a region");
        } else {
            growing.deallocate(block, size);
        }
        let live = blocks.len() - index - 1;
        assert_eq!(growing.stats().live, live, "one less");
        if index % 16 == 0 {
            growing.verify().expect("sound");
        }
    }
    let mut other = 0_u64;
    assert!(!growing.deallocate_owned(NonNull::from(&mut other).cast(), 0), "no region has it");
    // Slots of the cached region, then of the other one, with a full front each.
    growing.deallocate_elsewhere(take(&growing, 3000), 3000, Location::caller());
    growing.shrink();
    assert_eq!(backing.stats().live, 0, "all went back");
}

#[test]
fn a_slot_that_was_freed_last_is_handed_out_next() {
    let backing = TestBacking::new();
    let growing = Owned::growing("growing", &backing, 0);
    let [first, second] = [(); 2].map(|()| take(&growing, 64));
    growing.deallocate(first, 64);
    assert_eq!(take(&growing, 64), first, "it waited in the front");
    assert!(growing.deallocate_owned(first, 64), "it is in a region");
    assert_eq!(take(&growing, 64), first, "it waited in the front");
    // Another region becomes the cached one.
    let mut large = Vec::new();
    while backing.stats().live == 1 {
        large.push(take(&growing, 40_000));
    }
    growing.deallocate(first, 64);
    assert_eq!(take(&growing, 64), first, "it waited in the front");
    for block in [first, second].into_iter().chain(large) {
        growing.deallocate(block, 0);
    }
    growing.give_all();
    assert_eq!(backing.stats().live, 0, "all went back");
}

#[test]
fn a_heap_over_chunks_of_one_size_takes_as_many_as_it_needs() {
    // Two blocks fit into a chunk, and a backing that refuses more than a chunk.
    let backing = TestBacking::new();
    let chunk = 128 << 10;
    backing.refuse_above(chunk);
    let growing = Owned::growing("growing", &backing, chunk);
    let mut blocks: Vec<_> = (0..300).map(|_| take(&growing, 50_000)).collect();
    assert!(backing.stats().live > 100, "as many regions, and the table");
    growing.verify().expect("sound");
    let mut walked = Vec::new();
    growing.walk(&mut |block| walked.push(block.address));
    walked.sort();
    let mut sorted = blocks.clone();
    sorted.sort();
    assert_eq!(walked, sorted, "all are walked");
    // From the middle outwards, so that regions go in no order.
    while !blocks.is_empty() {
        growing.deallocate(blocks.swap_remove(blocks.len() / 2), 50_000);
        if blocks.len().is_multiple_of(50) {
            growing.verify().expect("sound");
        }
    }
    growing.shrink();
    assert_eq!((backing.stats().live, growing.stats().reserved), (0, 0), "all went back");
}

#[cfg(any(unix, windows))]
#[test]
fn huge_blocks_are_the_backings_and_there_is_no_most() {
    use crate::pages::page::PageAllocator;

    let huge = layout((1 << 30) + 1, 1);
    let pages = PageAllocator::new("pages");
    let growing = Owned::growing("growing", &pages, 0);
    let block = growing.allocate(huge).expect("there are addresses");
    assert_eq!((block.len(), pages.stats().live), (huge.size(), 1), "as asked");
    growing.deallocate(block.cast(), huge.size());
    assert_eq!((pages.stats().live, growing.stats().reserved), (0, 0), "it went back at once");
    // With 32 bits there are addresses for few.
    let most = if usize::BITS == 64 { 40 } else { 1 };
    let blocks: Vec<_> = (0..most).map(|_| growing.allocate(huge).expect("addresses")).collect();
    growing.verify().expect("sound");
    let mut walked = Vec::new();
    growing.walk(&mut |block| walked.push((block.address, block.bytes)));
    let expected: Vec<_> = blocks.iter().map(|block| (block.cast(), huge.size())).collect();
    assert_eq!(walked, expected, "all of them");
    for (nth, block) in blocks.into_iter().enumerate() {
        growing.deallocate(block.cast(), if nth % 2 == 0 { 0 } else { huge.size() });
        growing.verify().expect("sound");
    }
    let table = usize::from(most > INLINE);
    assert_eq!((pages.stats().live, growing.stats().live), (table, 0), "the table of numbers");
    growing.shrink();
    assert_eq!((pages.stats().live, growing.stats().reserved), (0, 0), "it went back, too");
    let only = Owned::growing("only", &pages, 0);
    assert_eq!(only.take_only(1 << 16), Ok(()), "one region");
    assert_eq!(only.allocate(huge), Err(AllocError), "never another");
    only.give_all();
    assert_eq!(pages.stats().live, 0, "all went back");
}
