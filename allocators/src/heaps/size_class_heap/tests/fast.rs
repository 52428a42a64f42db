//! The quick ways of a size-class heap by themselves, which its growing heap tries first, and the
//! table of regions.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use crate::contract::stats::Stats;
use crate::heaps::size_class_heap::SizeClassHeap;
use crate::heaps::size_class_heap::region::Region;
use crate::heaps::size_class_heap::region_table::INLINE;
use crate::heaps::size_class_heap::small::FRONT_SLOTS;
use crate::heaps::size_classes::{ClassTable, HeapClasses, SizeClasses};

const TABLE: &ClassTable = HeapClasses::TABLE;

type Default = SizeClassHeap<HeapClasses>;

pub(super) fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a valid layout")
}

pub(super) fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); bytes]
}

/// Adds a region; the memory must outlive the size-class heap.
pub(super) fn add<C: SizeClasses>(
    inner: &mut SizeClassHeap<C>,
    memory: &mut [MaybeUninit<u8>],
) -> bool {
    let layout = layout(memory.len(), 1);
    // SAFETY: the tests keep the memory for as long as the size-class heap and use it for nothing
    // else.
    unsafe { inner.add_region(NonNull::from(memory).cast(), layout) }
}

fn take(inner: &mut Default, bytes: usize) -> NonNull<u8> {
    inner.allocate(layout(bytes, 1)).expect("there is room").cast()
}

#[test]
fn a_fresh_engine_has_nothing() {
    let mut inner = Default::new();
    assert_eq!(inner.stats(), Stats::default(), "nothing was counted");
    assert!(!inner.has_emptied() && inner.table_wanted().is_none(), "no regions");
    assert_eq!(inner.take_emptied(), None, "no regions");
    assert!(inner.allocate(layout(1, 1)).is_err(), "no memory");
    for class in 0..TABLE.count() {
        assert_eq!(inner.allocate_front(class, 1), None, "class {class}: nothing waits");
        assert_eq!(inner.allocate_current(class, 1), None, "class {class}: no page");
    }
    assert_eq!(inner.cached_slot(NonNull::dangling(), 0).map(|_| ()), None, "no slot");
    inner.verify().expect("sound");
}

#[test]
fn the_class_of_a_request_depends_on_size_and_alignment() {
    let most = TABLE.bytes_max();
    for bytes in [0, 1, 16, 17, 100, most] {
        let class = Some(TABLE.class_of(bytes));
        for align in [1, 8, 16] {
            assert_eq!(Default::front_class(layout(bytes, align)), class, "{bytes} at {align}");
            assert_eq!(Default::class_for(layout(bytes, align)), class, "{bytes} at {align}");
        }
        assert_eq!(Default::front_class(layout(bytes, 32)), None, "{bytes} at 32");
        let aligned = TABLE.class_of_aligned(bytes, 32);
        assert_eq!(Default::class_for(layout(bytes, 32)), aligned, "{bytes} at 32");
    }
    assert_eq!(Default::class_for(layout(most + 1, 1)), None, "no class in pages is as large");
    let more = TABLE.all_bytes_max();
    for bytes in [most + 1, 1000, more] {
        let class = Some(TABLE.class_of(bytes));
        assert_eq!(Default::front_class(layout(bytes, 16)), class, "{bytes}, of a middle size");
        assert_eq!(Default::front_class(layout(bytes, 32)), None, "{bytes} at 32");
        assert_eq!(Default::class_for(layout(bytes, 1)), None, "{bytes}: not in pages");
    }
    assert_eq!(Default::front_class(layout(more + 1, 1)), None, "no class is as large");
}

#[test]
fn slots_go_to_their_front_and_come_back_last_freed_first() {
    let mut memory = memory(1 << 18);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    for bytes in [16, 48, 64, 256, 496] {
        let class = TABLE.class_of(bytes);
        // The first opens a page, from which the others come.
        let mut blocks = vec![take(&mut inner, bytes)];
        let room = (8192 / TABLE.bytes(class)).clamp(4, FRONT_SLOTS);
        for _ in 0..room {
            let next = inner.allocate_current(class, bytes).map(NonNull::cast);
            blocks.push(next.unwrap_or_else(|| take(&mut inner, bytes)));
        }
        let granted = inner.stats().granted;
        for &block in &blocks[..room] {
            let slot = inner.cached_slot(block, bytes).expect("a live slot of the cached region");
            assert_eq!(inner.slot_bytes(slot), TABLE.bytes(class), "{bytes} bytes");
            let more = TABLE.bytes(class) + 1;
            assert!(inner.cached_slot(block, more).is_none(), "{bytes} bytes: more than it has");
            for inside in [1, 8, 15] {
                let address = NonNull::new(block.as_ptr().wrapping_add(inside)).expect("not null");
                assert!(inner.cached_slot(address, 0).is_none(), "{inside} bytes inside");
            }
            assert!(inner.deallocate_front(slot), "{bytes} bytes: there is room");
            assert!(inner.cached_slot(block, 0).is_none(), "{bytes} bytes: it is free");
        }
        let freed = room * TABLE.bytes(class);
        assert_eq!(inner.stats().granted, granted - freed, "{bytes} bytes");
        inner.verify().expect("sound");
        let last = inner.cached_slot(blocks[room], 0).expect("it is live");
        assert!(!inner.deallocate_front(last), "{bytes} bytes: the front has {room} already");
        for &block in blocks[..room].iter().rev() {
            let again = inner.allocate_front(class, bytes).map(NonNull::cast);
            assert_eq!(again, Some(block), "{bytes} bytes: last freed first");
        }
        assert_eq!(inner.allocate_front(class, bytes), None, "{bytes} bytes: nothing waits");
        assert_eq!(inner.stats().granted, granted, "{bytes} bytes");
        inner.verify().expect("sound");
    }
    let outside = memory.as_ptr_range();
    for address in [outside.start.wrapping_sub(1 << 20), outside.end] {
        let address = NonNull::new(address.cast_mut().cast()).expect("not null");
        assert!(inner.cached_slot(address, 0).is_none(), "outside");
    }
}

#[test]
fn a_slot_goes_to_its_page_where_the_page_stays_as_it_is() {
    let mut memory = memory(1 << 18);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let class = TABLE.class_of(496);
    let slots = TABLE.slots(class) as usize;
    // Three pages are full, the fourth is the current one.
    let blocks: Vec<_> = (0..3 * slots + 2).map(|_| take(&mut inner, 496)).collect();
    let slot = |inner: &Default, at: usize| inner.cached_slot(blocks[at], 0).expect("it is live");
    let full = slot(&inner, 0);
    assert!(!inner.deallocate_to_page(full), "a full page becomes a partial one by this");
    let granted = inner.stats().granted;
    let current = slot(&inner, 3 * slots);
    assert!(inner.deallocate_to_page(current), "the current page stays that");
    assert_eq!(inner.stats().granted, granted - 496, "a slot less");
    assert!(inner.cached_slot(blocks[3 * slots], 0).is_none(), "it is free");
    inner.verify().expect("sound");
    // Fill the front, so that a free by the slow way reaches the page.
    for &block in &blocks[slots..3 * slots] {
        inner.deallocate(block, 496).expect("it is live");
    }
    for &block in &blocks[..3] {
        inner.deallocate(block, 496).expect("it is live");
    }
    inner.verify().expect("sound");
    let partial = slot(&inner, 3);
    let granted = inner.stats().granted;
    assert!(inner.deallocate_to_page(partial), "a partial page stays that");
    assert_eq!(inner.stats().granted, granted - 496, "a slot less");
    assert!(inner.cached_slot(blocks[3], 0).is_none(), "it is free");
    inner.verify().expect("sound");
}

#[test]
fn a_partial_page_takes_all_slots_back_but_its_last() {
    let mut memory = memory(1 << 18);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let slots = TABLE.slots(TABLE.class_of(496)) as usize;
    let blocks: Vec<_> = (0..3 * slots + 1).map(|_| take(&mut inner, 496)).collect();
    // Some fill the front, so that the others go to their pages.
    for &block in blocks[slots..3 * slots].iter().chain(&blocks[..2]) {
        inner.deallocate(block, 496).expect("it is live");
    }
    for (at, &block) in blocks[..slots].iter().enumerate().skip(2) {
        let slot = inner.cached_slot(block, 0).expect("it is live");
        let granted = inner.stats().granted;
        let is_last = at + 1 == slots;
        assert_eq!(inner.deallocate_to_page(slot), !is_last, "slot {at} of {slots}");
        let gone = if is_last { 0 } else { 496 };
        assert_eq!(inner.stats().granted, granted - gone, "slot {at} of {slots}");
        inner.verify().expect("sound");
    }
}

#[test]
fn a_block_of_its_own_is_no_unused_region() {
    let mut memory = memory(1 << 16);
    let mut other = std::vec![MaybeUninit::<u8>::uninit(); 100];
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let own = NonNull::from(other.as_mut_slice());
    let own = NonNull::slice_from_raw_parts(own.cast::<u8>(), own.len());
    assert!(inner.add_huge(own, layout(100, 1)).is_some(), "there is a slot for it");
    let block = take(&mut inner, 1000);
    inner.deallocate(block, 1000).expect("it is live");
    assert!(!inner.has_emptied(), "the only region of many blocks stays");
    inner.deallocate(own.cast(), 100).expect("it is live");
    assert!(inner.has_emptied(), "the block goes back");
    assert_eq!(inner.take_emptied(), Some((own.cast(), layout(100, 1))), "as it was taken");
}

#[test]
fn the_region_that_is_used_becomes_the_hot_one() {
    let mut memories = [(); 3].map(|()| memory(1 << 16));
    let mut inner = Default::new();
    let mut blocks = Vec::new();
    for memory in &mut memories {
        assert!(add(&mut inner, memory), "the memory holds pages");
        let cached = inner.cached_number;
        assert_eq!(cached, blocks.len(), "the one that was added last");
        let block = inner.regions[cached].address(1024);
        blocks.push(NonNull::new(block).expect("a region is not at null"));
        let before = inner.regions.count();
        assert_eq!(before, blocks.len(), "as many as were added");
        if before == 1 {
            assert!(!inner.cache_region_of(blocks[0]), "there is one alone");
        }
    }
    assert!(!inner.cache_region_of(blocks[2]), "it is cached already");
    for at in [0, 1, 2] {
        assert!(inner.cache_region_of(blocks[at]), "region {at} was cold");
        assert_eq!(inner.cached_number, at, "it is cached");
        assert_eq!(inner.cached_region().base, inner.regions[at].base, "with its own base");
        assert!(!inner.cache_region_of(blocks[at]), "region {at} is cached already");
    }
    let outside = NonNull::from(&mut inner.reserved).cast::<u8>();
    assert!(!inner.cache_region_of(outside), "no region has it");
    assert_eq!(inner.stats().reserved, 3 << 16, "all three");
    let unused = inner.take_unused().expect("nothing is damaged").map(|(_, layout)| layout.size());
    assert_eq!((unused, inner.regions.count()), (Some(1 << 16), 2), "one is given back");
    while inner.take_any().is_some() {}
    assert_eq!((inner.regions.count(), inner.stats().reserved), (0, 0), "all are given back");
    assert_eq!(inner.stats().peak_reserved, 3 << 16, "the most there were");
}

#[test]
fn the_table_of_regions_wants_memory_where_it_is_full() {
    let mut memories: Vec<_> = (0..=INLINE).map(|_| memory(16 << 10)).collect();
    let mut inner = Default::new();
    let (last, rest) = memories.split_last_mut().expect("there are some");
    for memory in rest {
        assert!(inner.table_wanted().is_none(), "{} regions", inner.regions.count());
        assert!(add(&mut inner, memory), "{} regions", inner.regions.count());
    }
    assert!(inner.table_wanted().is_some(), "{} regions", inner.regions.count());
    assert!(!add(&mut inner, last), "there is no place for one more");
    assert!(inner.take_any().is_some() && inner.table_wanted().is_none(), "one has gone");
}

#[test]
fn a_region_is_asked_for_with_room_for_its_tables() {
    for granules in [1, 200, 255, 256, 257, 1000, 5000, 70_000] {
        let bytes = Region::bytes_for(granules);
        let mut memory = memory(bytes + 4096);
        let skip = memory.as_ptr().addr().wrapping_neg() % 4096;
        let start = NonNull::from(&mut memory[skip..skip + bytes]).cast();
        // SAFETY: the memory is as long and outlives the region.
        let region = unsafe { Region::new(start, layout(bytes, 4096)) };
        let mut region = region.expect("it holds pages");
        // SAFETY: it was just made, in the memory.
        let region = unsafe { region.as_mut() };
        assert!(region.take_block(granules as u32).is_ok(), "{granules} granules in {bytes}");
        let most = granules * 16 * 103 / 100 + 7 * 4096;
        assert!(bytes <= most, "{bytes} bytes for {granules} granules");
    }
}

#[test]
#[cfg(all(feature = "std", not(loom)))]
fn several_slots_of_a_word_come_back_at_once_or_not_at_all() {
    const WORD: usize = usize::BITS as usize;
    for bytes in [16, 64, 240] {
        let mut memory = memory(1 << 18);
        let mut inner = Default::new();
        assert!(add(&mut inner, &mut memory), "the memory holds pages");
        let class = TABLE.class_of(bytes);
        let slots = TABLE.slots(class) as usize;
        let blocks: Vec<_> = (0..3 * slots).map(|_| take(&mut inner, bytes)).collect();
        let start = inner.regions[0].base;
        let granule = |block: NonNull<u8>| (block.addr().get() - start.addr()) / 16;
        let word_at =
            |word: usize| NonNull::new(start.wrapping_add(word * WORD * 16)).expect("not null");
        let mut words: Vec<(usize, usize)> = Vec::new();
        for &block in &blocks {
            let (word, bit) = (granule(block) / WORD, granule(block) % WORD);
            match words.iter_mut().find(|of| of.0 == word) {
                Some(of) => of.1 |= 1 << bit,
                None => words.push((word, 1 << bit)),
            }
        }
        let mut live = blocks.len();
        for (word, bits) in words {
            let stray = bits ^ usize::MAX;
            if bytes > 16 {
                let more = bits | (stray & stray.wrapping_neg());
                assert!(!inner.deallocate_several(word_at(word), more), "no slot is at one bit");
                inner.verify().expect("unchanged");
            }
            assert!(inner.deallocate_several(word_at(word), bits), "all are live");
            assert!(!inner.deallocate_several(word_at(word), bits), "none is live");
            live -= bits.count_ones() as usize;
            let stats = inner.stats();
            assert_eq!((stats.live, stats.granted), (live, live * TABLE.bytes(class)), "{bytes}");
            inner.verify().expect("sound");
        }
        inner.drain().expect("sound");
        assert!(inner.regions[0].is_unused(), "{bytes} bytes: everything is one free block");
    }
}
