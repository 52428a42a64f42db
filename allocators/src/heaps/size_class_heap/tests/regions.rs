//! Regions that come and go: which is cached, which is returned, and those that are one block.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::contract::misuse::Misuse;
use crate::heaps::size_class_heap::check::WalkState;
use crate::heaps::size_class_heap::region::{Region, region_in};
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::HeapClasses;

type Default = SizeClassHeap<HeapClasses>;

fn take(inner: &mut Default, bytes: usize) -> NonNull<u8> {
    inner.allocate(layout(bytes, 1)).expect("there is room").cast()
}

fn add_huge(inner: &mut Default, memory: &mut [MaybeUninit<u8>]) -> NonNull<u8> {
    let bytes = memory.len();
    let whole = NonNull::from(memory).cast::<u8>();
    let whole = NonNull::slice_from_raw_parts(whole, bytes);
    inner.add_huge(whole, layout(bytes, 1)).expect("there is a slot").cast()
}

#[test]
fn a_region_of_one_block_is_never_hot() {
    let mut memories = [(); 3].map(|()| memory(1 << 16));
    let mut inner = Default::new();
    let [first, second, third] = &mut memories;
    let huge = add_huge(&mut inner, first);
    assert!(add(&mut inner, second), "the memory holds pages");
    assert_eq!(inner.cached_number, 1, "the one with pages");
    assert!(!inner.cache_region_of(huge), "a block alone is not cached");
    assert_eq!(inner.cached_region().base, inner.regions[1].base, "as before");
    let other = add_huge(&mut inner, third);
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (1, inner.regions[1].base),
        "as before"
    );
    assert!(!inner.cache_region_of(other) && !inner.cache_region_of(huge), "nor are they then");
    let unused = inner.take_unused().expect("nothing is damaged");
    assert!(unused.is_some_and(|(memory, _)| memory != huge && memory != other), "that with pages");
    assert_eq!(inner.cached_region().initialised as usize * 256, 0, "none is cached any more");
    assert_eq!(inner.take_unused(), Ok(None), "the others are live blocks");
    assert_eq!(inner.deallocate(huge, 0), Ok(()), "it is live");
    assert_eq!(inner.take_emptied().map(|(memory, _)| memory), Some(huge), "with its memory");
    while inner.take_any().is_some() {}
}

#[test]
fn with_the_hot_region_another_one_is_heated() {
    let mut memories = [(); 4].map(|()| memory(1 << 16));
    let mut inner = Default::new();
    let [first, rest @ ..] = &mut memories;
    let huge = add_huge(&mut inner, first);
    for memory in rest {
        assert!(add(&mut inner, memory), "the memory holds pages");
    }
    let blocks = [1, 2, 3].map(|region: usize| {
        NonNull::new(inner.regions[region].address(1024)).expect("a region is not at null")
    });
    assert!(inner.cache_region_of(blocks[1]), "the second with pages");
    // Taking the first of those without a block leaves the cached one as it is.
    let gone = inner.take_unused().expect("nothing is damaged").map(|(memory, _)| memory);
    assert!(gone.is_some(), "region 1");
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (2, inner.regions[2].base),
        "as before"
    );
    let gone = inner.take_unused().expect("nothing is damaged").map(|(memory, _)| memory);
    assert!(gone.is_some(), "region 2, the cached one");
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (3, inner.regions[3].base),
        "the one left"
    );
    let owned = inner.owns(blocks[1].as_ptr());
    assert!(!owned && inner.owns(blocks[2].as_ptr()) && inner.owns(huge.as_ptr()), "what is left");
    while inner.take_any().is_some() {}
    assert_eq!(inner.cached_region().initialised as usize * 256, 0, "nothing is cached");
}

#[test]
fn the_first_region_can_be_heated_again() {
    let mut memories = [(); 2].map(|()| memory(1 << 16));
    let mut third = memory(1 << 16);
    let mut inner = Default::new();
    for memory in &mut memories {
        assert!(add(&mut inner, memory), "the memory holds pages");
    }
    let first = NonNull::new(inner.regions[0].address(0)).expect("a region is not at null");
    assert!(inner.cache_region_of(first), "of two the other one");
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (0, inner.regions[0].base),
        "the first"
    );
    let second = NonNull::new(inner.regions[1].address(0)).expect("a region is not at null");
    assert!(inner.cache_region_of(second), "and back");
    // Where the cached one goes the first is cached; where another goes the cached one stays.
    assert!(add(&mut inner, &mut third), "the memory holds pages");
    assert!(inner.cache_region_of(second), "the second of three");
    inner.drop_region(2);
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (1, inner.regions[1].base),
        "as before"
    );
    inner.drop_region(1);
    assert_eq!(
        (inner.cached_number, inner.cached_region().base),
        (0, inner.regions[0].base),
        "the first"
    );
    assert!(inner.take_any().is_some() && inner.take_any().is_none(), "it was the last");
}

#[test]
fn a_free_heats_its_region_and_any_way_of_serving_shows_what_is_new() {
    let mut memories = [(); 2].map(|()| memory(1 << 16));
    let mut inner = Default::new();
    let [first, second] = &mut memories;
    assert!(add(&mut inner, first), "the memory holds pages");
    let block = inner.allocate_exhaustive(layout(100, 1)).expect("there is room").cast::<u8>();
    assert!(inner.cached_slot(block, 100).is_some(), "its page is known to the quick ways");
    let next = inner.allocate_current(Default::class_for(layout(100, 1)).expect("it is small"), 9);
    assert!(next.is_some(), "the page is the current one");
    assert!(add(&mut inner, second), "the memory holds pages");
    assert_eq!(inner.cached_number, 1, "the one that was added last");
    inner.deallocate(block, 0).expect("it is live");
    assert_eq!(inner.cached_number, 0, "the one of the block");
    let grown = take(&mut inner, 3000);
    inner.resize(grown, layout(3000, 1), layout(20_000, 1)).expect("all after it is free");
    let known = inner.regions[0].initialised as usize * 256;
    assert_eq!(
        inner.cached_region().initialised as usize * 256,
        known,
        "its new pages are known to the quick ways"
    );
    while inner.take_any().is_some() {}
}

#[test]
fn what_lies_behind_the_known_pages_is_no_slot() {
    // Tables that were never written read as full of slots of the first class.
    let mut memory = vec![MaybeUninit::new(1_u8); 1 << 17];
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let region = &inner.regions[0];
    let fresh = NonNull::new(region.address(region.initialised * 256)).expect("not null");
    assert!(inner.cached_slot(fresh, 0).is_none(), "no slot");
    assert!(!inner.deallocate_hot(fresh, 0), "no block");
}

#[test]
fn a_region_that_is_not_empty_stays() {
    let mut memories = [(); 2].map(|()| memory(1 << 16));
    let mut huge = memory(20_000);
    let mut inner = Default::new();
    for memory in &mut memories {
        assert!(add(&mut inner, memory), "the memory holds pages");
    }
    add_huge(&mut inner, &mut huge);
    let blocks = [(); 4].map(|()| take(&mut inner, 3000));
    assert!(inner.cache_region_of(blocks[0]), "they are in the first region");
    assert!(inner.deallocate_hot(blocks[0], 3000), "it is live");
    assert!(!inner.has_emptied(), "three are left");
    inner.deallocate(blocks[1], 3000).expect("it is live");
    assert!(!inner.has_emptied(), "two are left");
    assert!(inner.deallocate_hot(blocks[3], 3000), "it is live");
    inner.deallocate(blocks[2], 3000).expect("it is live");
    assert!(inner.has_emptied(), "both regions are empty");
    // The one that waits is not noted any more once any has gone.
    assert!(inner.take_unused().is_ok_and(|gone| gone.is_some()), "one goes");
    assert!(!inner.has_emptied(), "the other stays");
    while inner.take_any().is_some() {}
}

#[test]
fn damage_to_the_block_behind_is_found_by_the_quick_free() {
    // The damage is done to memory that is nobody's, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let blocks = [(); 3].map(|()| take(&mut inner, 3000));
    inner.deallocate(blocks[1], 3000).expect("it is live");
    let header = blocks[1].as_ptr().wrapping_sub(8).cast::<u32>();
    // SAFETY: the header is before the block, in the region.
    unsafe { header.write(0) };
    assert!(!inner.deallocate_hot(blocks[0], 3000), "what is after it is damaged");
    let wrong = Refusal::Wrong(Misuse::Damaged, blocks[1].as_ptr().cast_const());
    assert_eq!(inner.allocate(layout(10, 1)), Err(wrong), "it is remembered");
}

#[test]
fn a_block_whose_neighbour_is_not_known_is_shown_without_a_size() {
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let blocks = [(); 2].map(|()| take(&mut inner, 3000));
    let before = blocks[1].as_ptr().wrapping_sub(4).cast::<u32>();
    // SAFETY: the second word of the header is before the block, in the region.
    unsafe { before.write(0x5555_5555) };
    let mut state = WalkState::default();
    let walked: Vec<_> = core::iter::from_fn(|| inner.walk_next(&mut state)).collect();
    let bytes: Vec<_> = walked.iter().map(|block| (block.address, block.bytes)).collect();
    assert_eq!(bytes, [(blocks[0], 3000), (blocks[1], 0)], "the second is damaged");
}

#[test]
fn the_quick_way_knows_the_pages_that_it_has_reached() {
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let blocks = [(); 2].map(|()| inner.allocate_hot_core(30_000).expect("there is room"));
    for block in blocks {
        assert!(inner.deallocate_hot(block.cast(), 30_000), "its page is known");
    }
}

#[test]
fn a_resize_to_more_than_any_region_is_refused() {
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let slot = take(&mut inner, 64);
    let same = inner.resize(slot, layout(64, 1), layout(64, 1)).map(|block| block.len());
    assert_eq!(same, Ok(64), "all that it has");
    let block = take(&mut inner, 3000);
    // With 64 bits, more than the granules that the 32 bits of a size can count.
    let greatest = if cfg!(target_pointer_width = "64") { 36 } else { 30 };
    for more in [1_usize << greatest, (1 << greatest) + 1000] {
        let huge = Layout::from_size_align(more, 1).expect("a layout");
        assert_eq!(inner.resize(block, layout(3000, 1), huge), Err(Refusal::NoRoom), "{more}");
    }
    assert_eq!(inner.allocated_size(block), Ok(3000), "as it was");
}

#[test]
fn a_page_was_reached_for_good() {
    let mut memory = memory(1 << 17);
    let region = region_in(&mut memory).expect("it holds pages");
    let give = |region: &mut Region, block| {
        region.clear_start(block);
        let header = region.header(block).expect("a sound header");
        region.give_block(block, header).expect("sound neighbours");
    };
    let block = region.take_block(1000).expect("there is room");
    give(region, block);
    let block = region.take_block(10).expect("there is room");
    assert_eq!(region.take_pages(1, false), Ok(1), "it was reached by the first block");
    region.set_kind(1, 1);
    region.check_core().expect("the core is whole");
    give(region, block);
}
