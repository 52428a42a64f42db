//! What goes back to the system: old free runs, those of full regions, tables, and how much of it.

#![cfg(target_os = "linux")]

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use crate::contract::allocator::Allocator;
use crate::heaps::size_class_heap::GrowingHeap;
use crate::heaps::size_class_heap::region_table::INLINE;
use crate::heaps::size_classes::DefaultClasses;
use crate::pages::page::PageAllocator;
use crate::testing::test_backing::TestBacking;

type Growing<'a> = GrowingHeap<'a, PageAllocator, DefaultClasses>;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// Calls of `decay` that find a run free before it goes back.
const CALLS: usize = 64;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).expect("a valid layout")
}

/// Takes a block and writes all of it.
fn take(growing: &Growing<'_>, bytes: usize) -> NonNull<u8> {
    let block = growing.allocate(layout(bytes)).expect("there is memory");
    // SAFETY: the block is ours.
    unsafe { block.cast::<u8>().write_bytes(3, block.len()) };
    block.cast()
}

/// Bytes of all blocks of the pages that are in memory.
fn resident(pages: &PageAllocator) -> usize {
    let page = PageAllocator::page_size();
    let mut bytes = 0;
    pages.walk(&mut |block| {
        let mut states = vec![0_u8; block.bytes.div_ceil(page)];
        let start = block.address.as_ptr().cast();
        // SAFETY: the block is mapped, and there is a byte for each of its pages.
        let result = unsafe { libc::mincore(start, block.bytes, states.as_mut_ptr().cast()) };
        assert_eq!(result, 0, "the block is mapped");
        bytes += page * states.iter().filter(|&&state| state & 1 != 0).count();
    });
    bytes
}

fn decay(growing: &Growing<'_>, calls: usize) -> usize {
    (0..calls).map(|_| growing.decay()).sum()
}

#[test]
fn what_is_free_long_enough_goes_back_once() {
    let pages = PageAllocator::new("pages");
    let growing = Growing::growing("growing", &pages, 8 * MIB);
    let (block, stays) = (take(&growing, MIB), take(&growing, 100));
    growing.deallocate(block, MIB);
    let before = resident(&pages);
    assert_eq!(decay(&growing, CALLS - 1), 0, "it is not old enough");
    let given = decay(&growing, 1);
    assert!((MIB - 32 * KIB..=MIB).contains(&given), "all but its ends: {given}");
    assert_eq!(resident(&pages), before - given, "as much as was returned");
    assert_eq!(decay(&growing, 3 * CALLS), 0, "it was not used since");
    growing.verify().expect("sound");
    // A part of it is used again.
    let block = take(&growing, 100 * KIB);
    growing.deallocate(block, 100 * KIB);
    let given = decay(&growing, CALLS);
    assert!((80 * KIB..=112 * KIB).contains(&given), "that part: {given}");
    growing.deallocate(stays, 100);
    growing.give_all();
    assert_eq!(pages.stats().live, 0, "all went back");
}

#[test]
fn what_is_used_each_frame_stays_and_the_rest_of_its_run_goes() {
    let pages = PageAllocator::new("pages");
    let growing = Growing::growing("growing", &pages, 8 * MIB);
    let block = take(&growing, 4 * MIB);
    growing.deallocate(block, 4 * MIB);
    let mut given = 0;
    for _frame in 0..4 * CALLS {
        let block = take(&growing, MIB);
        growing.deallocate(block, MIB);
        given += growing.decay();
    }
    assert!((3 * MIB - 32 * KIB..=3 * MIB).contains(&given), "what no frame used: {given}");
    growing.give_all();
    assert_eq!(pages.stats().live, 0, "all went back");
}

#[test]
fn a_call_gives_a_part_back_and_none_is_forgotten() {
    let pages = PageAllocator::new("pages");
    // One long run, and more runs of one size than a call looks at, in two regions.
    let growing = Growing::growing("growing", &pages, 48 * MIB);
    let small = take(&growing, 100);
    let long = take(&growing, 24 * MIB);
    let blocks: Vec<_> = (0..800).map(|_| take(&growing, 100 * KIB)).collect();
    growing.deallocate(long, 24 * MIB);
    for block in blocks.iter().skip(1).step_by(2) {
        growing.deallocate(*block, 100 * KIB);
    }
    let (before, mut given) = (resident(&pages), 0);
    for _ in 0..20 * CALLS {
        let call = growing.decay();
        assert!(call <= 4 * MIB, "{call} bytes in a call");
        given += call;
    }
    assert!(given >= 24 * MIB + 400 * 64 * KIB, "{given} bytes went back");
    assert_eq!(resident(&pages), before - given, "as much as was returned");
    growing.verify().expect("sound");
    for block in blocks.iter().step_by(2).chain([&small]) {
        growing.deallocate(*block, 0);
    }
    growing.give_all();
    assert_eq!(pages.stats().live, 0, "all went back");
}

#[test]
fn what_a_new_region_is_taken_for_finds_no_memory_idle_in_the_others() {
    let pages = PageAllocator::new("pages");
    let growing = Growing::growing("growing", &pages, 8 * MIB);
    let mut blocks: Vec<_> = (0..70).map(|_| take(&growing, 100 * KIB)).collect();
    let (full, regions) = (resident(&pages), pages.stats().live);
    for nth in (0..35).rev() {
        growing.deallocate(blocks.swap_remove(2 * nth), 100 * KIB);
    }
    assert_eq!(resident(&pages), full, "freeing gives nothing back");
    blocks.push(growing.allocate(layout(4 * MIB)).expect("there is memory").cast());
    assert_eq!(pages.stats().live, regions + 1, "no run has room");
    let now = resident(&pages);
    assert!(now + 35 * 64 * KIB <= full, "{now} bytes in memory, {full} before");
    for block in blocks {
        growing.deallocate(block, 0);
    }
    growing.give_all();
    assert_eq!(pages.stats().live, 0, "all went back");
}

#[test]
fn zeros_of_the_system_are_not_written_again() {
    let pages = PageAllocator::new("pages");
    let growing = Growing::growing("growing", &pages, MIB);
    let bytes = 64 * MIB;
    let block = growing.allocate_zeroed(layout(bytes)).expect("there is memory");
    assert!(resident(&pages) < MIB, "no page of it was touched");
    growing.deallocate(block.cast(), bytes);
    assert_eq!(pages.stats().live, 0, "it went back");
}

/// Of 600 MiB in blocks of 1 KiB 64 stay, so their region does.
#[test]
fn a_heap_that_was_large_becomes_small() {
    let pages = PageAllocator::new("pages");
    let growing = Growing::growing("growing", &pages, 64 * MIB);
    let all = 600 * KIB;
    let blocks: Vec<_> = (0..all)
        .map(|_| {
            let block = growing.allocate(layout(KIB)).expect("there is memory").cast::<u8>();
            // SAFETY: the block is ours.
            unsafe { block.write(3) };
            block
        })
        .collect();
    assert!(resident(&pages) >= 600 * MIB, "all are in memory");
    for (nth, &block) in blocks.iter().enumerate() {
        if !nth.is_multiple_of(all / 64) {
            growing.deallocate(block, KIB);
        }
    }
    growing.shrink();
    let left = resident(&pages);
    assert!(left < 12 * MIB, "{left} bytes for 64 blocks of 1 KiB");
    growing.verify().expect("sound");
    for &block in blocks.iter().step_by(all / 64) {
        // SAFETY: the block is live, and its first byte was written.
        assert_eq!(unsafe { block.read() }, 3, "what stays is whole");
        growing.deallocate(block, KIB);
    }
    growing.shrink();
    assert_eq!((pages.stats().live, growing.stats().reserved), (0, 0), "all went back");
}

#[test]
fn the_table_of_regions_goes_back_while_a_few_regions_stay() {
    let backing = TestBacking::new();
    let chunk = 128 * KIB;
    backing.refuse_above(chunk);
    let growing = GrowingHeap::<_, DefaultClasses>::growing("growing", &backing, chunk);
    let take = || growing.allocate(layout(100 * KIB)).expect("there is memory").cast();
    let first = take();
    let mut blocks: Vec<NonNull<u8>> = (0..2 * INLINE).map(|_| take()).collect();
    assert_eq!(backing.stats().live, 2 * INLINE + 2, "a region each, and the table");
    while let Some(block) = blocks.pop() {
        growing.deallocate(block, 100 * KIB);
    }
    growing.shrink();
    assert_eq!(backing.stats().live, 1, "the first region is all");
    assert_eq!(growing.stats().reserved, backing.stats().granted, "the table is not counted");
    growing.verify().expect("sound");
    blocks.extend((0..2 * INLINE).map(|_| take()));
    growing.verify().expect("sound");
    for block in blocks.into_iter().chain([first]) {
        growing.deallocate(block, 100 * KIB);
    }
    growing.shrink();
    assert_eq!((backing.stats().live, growing.stats().reserved), (0, 0), "all went back");
}

#[test]
fn a_heap_of_a_slice_and_a_backing_that_keeps_its_memory_return_nothing() {
    let backing = TestBacking::new();
    let growing = GrowingHeap::<_, DefaultClasses>::growing("growing", &backing, MIB);
    assert_eq!(growing.decay(), 0, "there is no region");
    let block = growing.allocate(layout(400 * KIB)).expect("there is memory").cast();
    growing.deallocate(block, 400 * KIB);
    assert_eq!((0..2 * CALLS).map(|_| growing.decay()).sum::<usize>(), 0, "it keeps all");
    growing.give_all();
    let mut memory = vec![core::mem::MaybeUninit::<u8>::uninit(); MIB];
    let start = NonNull::from(memory.as_mut_slice()).cast();
    // SAFETY: the memory outlives the growing heap and is used for nothing else.
    let fixed = unsafe { Growing::fixed("fixed", start, MIB) };
    let block = fixed.allocate(layout(400 * KIB)).expect("there is room").cast();
    fixed.deallocate(block, 400 * KIB);
    assert_eq!(decay(&fixed, 2 * CALLS), 0, "the memory is not the system's");
}
