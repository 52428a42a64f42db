//! Large blocks: their limits and counters, the quick way to them, regions that empty, resizing.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::contract::misuse::Misuse;
use crate::heaps::size_class_heap::region::{CORE_BYTES_MAX, Region};
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{ClassTable, HeapClasses, SizeClasses};

const TABLE: &ClassTable = HeapClasses::TABLE;

type Default = SizeClassHeap<HeapClasses>;

fn take(inner: &mut Default, bytes: usize) -> NonNull<u8> {
    inner.allocate(layout(bytes, 1)).expect("there is room").cast()
}

#[test]
fn what_is_huge_goes_beyond_a_limit_of_size_or_alignment() {
    for (bytes, align, huge) in
        [(CORE_BYTES_MAX, 1, false), (CORE_BYTES_MAX + 1, 1, true), (1, CORE_BYTES_MAX, false)]
    {
        assert_eq!(Default::is_huge(layout(bytes, align)), huge, "{bytes} bytes at {align}");
    }
    // With 32 bits there is no layout of such an alignment.
    if let Ok(asked) = Layout::from_size_align(1, 2 * CORE_BYTES_MAX) {
        assert!(Default::is_huge(asked), "aligned to more");
    }
}

#[test]
fn a_region_has_room_for_the_header_and_the_alignment() {
    // Sizes at the edge of a page, where a granule more is a page more.
    for (bytes, align, granules) in [
        (256 * 16 - 8, 1, 256),
        (256 * 16 - 7, 1, 257),
        (256 * 16 - 8, 16, 256),
        (254 * 16 - 8, 32, 256),
        (254 * 16 - 8, 64, 258),
        (1, 4096, 257),
    ] {
        let asked = Default::region_bytes_for(layout(bytes, align));
        assert_eq!(asked, Region::bytes_for(granules), "{bytes} bytes at {align}");
    }
    assert!(Region::bytes_for(257) > Region::bytes_for(256), "a page more");
}

#[test]
fn what_is_passed_on_is_counted_with_the_rest() {
    let mut inner = Default::new();
    inner.count_passed_on(10, 16);
    let stats = inner.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (1, 16, 16), "one block");
    assert_eq!((stats.requested_total, stats.granted_total), (10, 16), "one block");
    inner.recount_passed_on(16, 48, 20);
    inner.recount_passed_on(48, 32, 0);
    let stats = inner.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (1, 32, 32), "grown and shrunk");
    assert_eq!((stats.requested_total, stats.granted_total), (30, 48), "what it grew by");
    assert_eq!((stats.peak_granted, stats.peak_reserved), (48, 48), "the most there was");
    inner.count_reserved(100);
    assert_eq!((inner.stats().reserved, inner.stats().peak_reserved), (132, 132), "a table");
    inner.uncount_reserved(100);
    inner.uncount_passed_on(32);
    let stats = inner.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (0, 0, 0), "all is gone");
    assert_eq!((stats.allocations_total, stats.peak_reserved), (1, 132), "there was one");
}

#[test]
fn a_block_of_a_region_of_its_own_is_given_back_with_it() {
    let mut inner = Default::new();
    let mut memory = memory(20_000);
    let whole = NonNull::from(memory.as_mut_slice());
    let whole = NonNull::slice_from_raw_parts(whole.cast::<u8>(), whole.len());
    let asked = layout(19_000, 1);
    let block = inner.add_huge(whole, asked).expect("there is a slot");
    assert_eq!((block.cast::<u8>(), block.len()), (whole.cast(), 19_000), "as asked");
    let block = block.cast::<u8>();
    assert_eq!(inner.allocated_size(block), Ok(19_000), "as asked");
    let stats = inner.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (1, 19_000, 19_000), "one block");
    let at = block.as_ptr().cast_const();
    let wrong = Err(Refusal::Wrong(Misuse::WrongSize, at));
    assert_eq!(inner.deallocate(block, 19_001), wrong, "a byte too many");
    let grown = inner.resize(block, asked, layout(19_001, 1));
    assert_eq!(grown, Err(Refusal::NoRoom), "it has no more");
    let same = inner.resize(block, asked, layout(5, 1)).expect("it may have less");
    assert_eq!((same.cast(), same.len()), (block, 19_000), "it stays as it is");
    assert!(!inner.has_emptied(), "it is live");
    assert_eq!(inner.deallocate(block, 19_000), Ok(()), "it is live");
    assert!(inner.has_emptied(), "its region waits");
    assert_eq!(inner.take_emptied(), Some((block, asked)), "as it was taken");
    assert_eq!(inner.take_emptied(), None, "once");
    assert_eq!((inner.stats().live, inner.stats().reserved), (0, 0), "all is gone");
}

#[test]
fn large_blocks_come_and_go_by_the_quick_way() {
    let mut memory = memory(1 << 18);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let most = TABLE.bytes_max();
    for bytes in [CORE_BYTES_MAX + 1, isize::MAX as usize] {
        assert_eq!(inner.allocate_hot_core(bytes), None, "{bytes} bytes go another way");
    }
    let mut blocks = Vec::new();
    for bytes in [most + 1, most + 15, 5000, 9000, 30_000] {
        let block = inner.allocate_hot_core(bytes).expect("there is room");
        assert!(block.len() >= bytes && block.len() < bytes + 24, "{bytes}: {}", block.len());
        blocks.push(block);
        inner.verify().expect("sound");
    }
    let live: usize = blocks.iter().map(|block| block.len()).sum();
    assert_eq!((inner.stats().live, inner.stats().granted), (5, live), "all of them");
    let slot = take(&mut inner, 64);
    assert!(!inner.deallocate_hot(slot, 65), "more than it has");
    assert!(inner.deallocate_hot(slot, 64), "a slot, too");
    assert_eq!(take(&mut inner, 64), slot, "it waited in its front");
    for block in blocks {
        let (start, granted) = (block.cast::<u8>(), block.len());
        for inside in [1, 8, 16] {
            let address = NonNull::new(start.as_ptr().wrapping_add(inside)).expect("not null");
            assert!(!inner.deallocate_hot(address, 0), "{inside} bytes inside");
        }
        assert!(!inner.deallocate_hot(start, granted + 1), "more than it has");
        assert!(inner.deallocate_hot(start, granted), "it is live");
        assert!(!inner.deallocate_hot(start, 0), "it is free");
        inner.verify().expect("sound");
    }
    assert_eq!(inner.stats().live, 1, "the slot");
    let outside = memory.as_ptr_range().end.cast_mut().cast();
    let outside = NonNull::new(outside).expect("not null");
    assert!(!inner.deallocate_hot(outside, 0), "outside");
}

#[test]
fn damage_found_on_the_quick_way_is_reported_on_the_next_slow_one() {
    // The damage is done to memory that is nobody's, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let block = take(&mut inner, 3000);
    let header = block.as_ptr().wrapping_sub(8).cast::<u32>();
    // SAFETY: the header is before the block, in the region.
    let before = unsafe { header.replace(0) };
    assert!(!inner.deallocate_hot(block, 3000), "its header is damaged");
    let wrong = Refusal::Wrong(Misuse::Damaged, block.as_ptr().cast_const());
    assert_eq!(inner.allocate(layout(10, 1)), Err(wrong), "it is remembered");
    // SAFETY: as above.
    unsafe { header.write(before) };
    assert!(inner.deallocate_hot(block, 3000), "as it was");
}

#[test]
fn an_empty_region_goes_where_another_is_empty_too() {
    let mut memories = [(); 2].map(|()| memory(1 << 16));
    let mut inner = Default::new();
    let mut blocks = Vec::new();
    for memory in &mut memories {
        assert!(add(&mut inner, memory), "the memory holds pages");
        // More than half of a region, so that each has one.
        blocks.push(take(&mut inner, 40_000));
    }
    assert_eq!(inner.deallocate(blocks[0], 0), Ok(()), "it is live");
    assert!(!inner.has_emptied(), "the other region is in use");
    let again = take(&mut inner, 40_000);
    assert_eq!(inner.deallocate(blocks[1], 0), Ok(()), "it is live");
    assert!(!inner.has_emptied(), "the other region is in use");
    assert_eq!(inner.deallocate(again, 0), Ok(()), "it is live");
    assert!(inner.has_emptied(), "both are empty");
    assert!(inner.take_emptied().is_some(), "one goes back");
    assert_eq!((inner.regions.count(), inner.has_emptied()), (1, false), "one stays");
    let last = take(&mut inner, 40_000);
    assert_eq!(inner.deallocate(last, 0), Ok(()), "it is live");
    assert!(!inner.has_emptied(), "the only region stays");
}

#[test]
fn a_large_block_is_resized_where_it_lies_and_counted() {
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let slot = take(&mut inner, 64);
    let refused = inner.resize(slot, layout(64, 1), layout(65, 1));
    assert_eq!(refused, Err(Refusal::NoRoom), "a slot has no more");
    let same = inner.resize(slot, layout(64, 1), layout(1, 1)).map(|block| block.len());
    assert_eq!(same, Ok(64), "a slot stays as it is");

    let old = layout(3000, 1);
    let block = take(&mut inner, 3000);
    let before = inner.stats();
    let have = inner.allocated_size(block).expect("it is live");
    let wrong = Refusal::Wrong(Misuse::WrongSize, block.as_ptr().cast_const());
    let resized = inner.resize(block, layout(have + 1, 1), layout(10, 1));
    assert_eq!(resized, Err(wrong), "it never had as many");
    let huge = Layout::from_size_align(CORE_BYTES_MAX + 1, 1).expect("a layout");
    assert_eq!(inner.resize(block, old, huge), Err(Refusal::NoRoom), "too much for a region");
    assert_eq!(inner.stats(), before, "nothing has changed");
    let grown = inner.resize(block, old, layout(20_000, 1)).expect("all after it is free");
    let after = inner.stats();
    assert_eq!(after.granted, before.granted - have + grown.len(), "the new size");
    assert_eq!(after.requested_total, before.requested_total + 17_000, "what is asked more");
    let more = (grown.len() - have) as u64;
    assert_eq!(after.granted_total, before.granted_total + more, "what is granted more");
    assert!(inner.deallocate_hot(block, 20_000), "it is known where it ends");
    let block = take(&mut inner, 20_000);
    let before = inner.stats();
    inner.resize(block, layout(20_000, 1), old).expect("it shrinks");
    let after = inner.stats();
    let totals = (after.requested_total, after.granted_total);
    assert_eq!(totals, (before.requested_total, before.granted_total), "nothing more");
    inner.verify().expect("sound");
}

#[test]
fn pages_are_sparse_where_more_than_a_third_is_idle() {
    let class = Default::class_for(layout(496, 1)).expect("a class has it");
    let slots = u64::from(TABLE.slots(class));
    // Half of the pages of each of two classes are idle: as many slots in as many pages.
    let is_sparse = |pages: u32, idle: u64| {
        let mut inner = Default::new();
        let other = class - 1;
        inner.classes[other].pages = pages / 2;
        inner.classes[other].out = u64::from(pages / 2) * u64::from(TABLE.slots(other));
        inner.classes[class].pages = pages - pages / 2;
        inner.classes[class].out = u64::from(pages - pages / 2) * slots - idle;
        inner.is_sparse()
    };
    assert!(is_sparse(66, 33 * slots), "half of the memory is idle");
    assert!(!is_sparse(64, 32 * slots), "too few pages to look for");
    assert!(is_sparse(65, 33 * slots), "just enough");
    assert!(!is_sparse(66, 0), "nothing is idle");
    // 22 pages of idle slots in 66 are a third, and not more.
    assert!(!is_sparse(66, 182), "a third");
    assert!(is_sparse(66, 190), "more than a third");
}
