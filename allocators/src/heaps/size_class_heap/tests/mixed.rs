//! Sparse pages: which are divided, for whom, and what is served when no memory can be had.

use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::heaps::size_class_heap::page_id::split_id;
use crate::heaps::size_class_heap::region::{KIND_MIXED, NIL, PageState};
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{ClassTable, HeapClasses, SizeClasses};

const TABLE: &ClassTable = HeapClasses::TABLE;

type Default = SizeClassHeap<HeapClasses>;

fn class(bytes: usize) -> usize {
    TABLE.class_of(bytes)
}

fn take(inner: &mut Default, bytes: usize) -> NonNull<u8> {
    inner.allocate(layout(bytes, 1)).expect("there is room").cast()
}

fn free(inner: &mut Default, block: NonNull<u8>) {
    inner.deallocate(block, 0).expect("it is live");
}

/// Fills the given number of pages with blocks of a size and opens one more; returns the blocks by
/// page.
fn fill(inner: &mut Default, bytes: usize, pages: usize) -> Vec<Vec<NonNull<u8>>> {
    let slots = TABLE.slots(class(bytes)) as usize;
    let full = (0..pages).map(|_| (0..slots).map(|_| take(inner, bytes)).collect()).collect();
    take(inner, bytes);
    full
}

/// Frees all of a page's blocks but those that are kept, and empties the front.
fn thin(inner: &mut Default, bytes: usize, page: &[NonNull<u8>], keep: impl Fn(usize) -> bool) {
    for (at, block) in page.iter().enumerate() {
        if !keep(at) {
            free(inner, *block);
        }
    }
    inner.drain_front(class(bytes)).expect("nothing is damaged");
}

/// Runs `act` with a size-class heap of one region of 60 pages or so.
fn with_engine(act: impl FnOnce(&mut Default)) {
    let mut memory = memory(1 << 18);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    act(&mut inner);
}

/// The kind of the page that a block is in.
fn kind(inner: &Default, block: NonNull<u8>) -> u8 {
    let (region, offset) = inner.find(block.as_ptr()).expect("it is in a region");
    inner.regions[region].kind((offset / 4096) as u32)
}

#[test]
fn a_page_is_divided_where_a_quarter_or_less_is_in_use() {
    for bytes in [16, 64, 496] {
        let slots = TABLE.slots(class(bytes)) as usize;
        let quarter = slots.div_ceil(4);
        for (used, divided) in [(1, true), (quarter, true), (quarter + 1, false)] {
            with_engine(|inner| {
                let pages = fill(inner, bytes, 1);
                thin(inner, bytes, &pages[0], |at| at < used);
                let before = inner.classes[class(bytes)];
                let other = class(96);
                assert_eq!(inner.divide_sparse(other, false), Ok(divided), "{used} of {bytes}");
                let now = inner.classes[class(bytes)];
                let is_mixed = kind(inner, pages[0][0]) == KIND_MIXED;
                assert_eq!(is_mixed, divided, "{used} of {bytes}");
                let gone = if divided { (1, used as u64) } else { (0, 0) };
                let moved = (before.pages - now.pages, now.mixed - before.mixed);
                assert_eq!(moved, gone, "{used} of {bytes}");
                assert_eq!(before.out - now.out, gone.1, "{used} of {bytes}");
                inner.verify().expect("sound");
                // In need, any page with a free unit will do.
                let exhaustive = inner.divide_sparse(other, true);
                assert_eq!(exhaustive, Ok(!divided), "{used} of {bytes}");
                inner.verify().expect("sound");
            });
        }
    }
}

#[test]
fn a_page_without_a_free_unit_is_not_divided() {
    with_engine(|inner| {
        // Eight slots of 64 bytes are a unit; one in each stays.
        let pages = fill(inner, 64, 1);
        thin(inner, 64, &pages[0], |at| at % 8 == 0);
        assert_eq!(inner.divide_sparse(class(96), false), Ok(false), "all units are touched");
        assert_ne!(kind(inner, pages[0][0]), KIND_MIXED, "it stays as it is");
    });
    with_engine(|inner| {
        // The first unit alone is free.
        let pages = fill(inner, 64, 1);
        thin(inner, 64, &pages[0], |at| at >= 8 && at % 8 == 0);
        assert_eq!(inner.divide_sparse(class(96), false), Ok(true), "one unit is enough");
        let block = take(inner, 96);
        assert_eq!(block, pages[0][0], "it is in that unit");
        inner.verify().expect("sound");
    });
}

#[test]
fn only_another_class_gives_up_a_page() {
    with_engine(|inner| {
        assert_eq!(inner.divide_sparse(0, true), Ok(false), "there are no pages");
        let pages = fill(inner, 64, 1);
        assert_eq!(inner.divide_sparse(class(96), true), Ok(false), "none is partial");
        thin(inner, 64, &pages[0], |at| at == 0);
        assert_eq!(inner.divide_sparse(class(64), true), Ok(false), "its own stays as it is");
        assert_ne!(kind(inner, pages[0][0]), KIND_MIXED, "its own stays as it is");
    });
    with_engine(|inner| {
        // Most of their slots wait in the front, the others are free: when it comes to it, no page
        // is left.
        let pages = fill(inner, 496, 2);
        for block in pages.iter().flatten() {
            free(inner, *block);
        }
        assert_ne!(inner.classes[class(496)].partial, NIL, "it is partial so far");
        assert_eq!(inner.divide_sparse(class(96), false), Ok(false), "it went back as a whole");
        assert_eq!(inner.classes[class(496)].partial, NIL, "it went back as a whole");
        inner.verify().expect("sound");
    });
}

#[test]
fn eight_pages_are_looked_at() {
    for (others, divided) in [(7, true), (8, false)] {
        with_engine(|inner| {
            let pages = fill(inner, 496, others + 1);
            // The first that has a free slot is the last in the list.
            thin(inner, 496, &pages[0], |at| at == 0);
            for page in &pages[1..] {
                thin(inner, 496, page, |at| at > 1);
            }
            assert_eq!(inner.divide_sparse(class(96), false), Ok(divided), "after {others}");
            inner.verify().expect("sound");
        });
    }
}

#[test]
fn a_unit_is_free_if_no_live_slot_reaches_into_it() {
    with_engine(|inner| {
        let pages = fill(inner, 64, 1);
        let (region, offset) = inner.find(pages[0][0].as_ptr()).expect("it is in a region");
        assert_eq!(region, 0, "the only one");
        let id = (offset / 4096) as u32;
        let free_units = |inner: &Default| inner.free_units(id, Some(class(64)));
        assert_eq!(free_units(inner), 0, "all are in use");
        thin(inner, 64, &pages[0], |at| at < 8);
        assert_eq!(free_units(inner), 0b1111_1110, "the last ends where the unit does");
        thin(inner, 64, &pages[0][7..8], |_| false);
        assert_eq!(free_units(inner), 0b1111_1110, "the first ones are there");
    });
    with_engine(|inner| {
        // Slots of 496 bytes: the second reaches from the first unit into the second.
        let pages = fill(inner, 496, 1);
        let (_, offset) = inner.find(pages[0][0].as_ptr()).expect("it is in a region");
        let id = (offset / 4096) as u32;
        thin(inner, 496, &pages[0], |at| at == 1);
        assert_eq!(inner.free_units(id, Some(class(496))), 0b1111_1100, "two units");
    });
}

#[test]
fn a_mixed_page_without_a_free_unit_leaves_the_list() {
    with_engine(|inner| {
        let pages = fill(inner, 496, 1);
        thin(inner, 496, &pages[0], |at| at == 0 || at == 4);
        assert_eq!(inner.divide_sparse(class(496) - 1, false), Ok(true), "it is sparse");
        // The units from 5 on serve first, then 1 and 2 do, until nothing is left.
        let mut count = 0;
        let mixed = loop {
            let block = take(inner, 448);
            if kind(inner, block) != KIND_MIXED {
                break inner.mixed;
            }
            count += 1;
        };
        assert_eq!((count, mixed), (5, NIL), "a block a unit, and no page has a free one");
        inner.verify().expect("sound");
    });
}

/// A size-class heap without free memory but what the blocks of these sizes leave in their pages.
fn used_up(inner: &mut Default) {
    while inner.allocate(layout(4000, 1)).is_ok() {}
    while inner.allocate(layout(600, 1)).is_ok() {}
}

#[test]
fn in_need_a_page_is_divided_or_a_larger_slot_serves() {
    with_engine(|inner| {
        let pages = fill(inner, 496, 1);
        used_up(inner);
        thin(inner, 496, &pages[0], |at| at < 3);
        assert_eq!(inner.allocate(layout(64, 1)), Err(Refusal::NoRoom), "no memory is left");
        let block = inner.allocate_exhaustive(layout(64, 1)).expect("the page has free units");
        assert_eq!((block.len(), kind(inner, block.cast())), (64, KIND_MIXED), "out of the page");
        inner.verify().expect("sound");
    });
    with_engine(|inner| {
        let [small, large] = [80, 128].map(|bytes| {
            let slots = TABLE.slots(class(bytes)) as usize;
            [(0..slots).map(|_| take(inner, bytes)).collect::<Vec<_>>()]
        });
        used_up(inner);
        // A slot of each page is free, in a unit that others use.
        thin(inner, 80, &small[0], |at| at != 1);
        thin(inner, 128, &large[0], |at| at != 1);
        let fitting = inner.allocate_exhaustive(layout(64, 64)).expect("a larger slot is free");
        assert_eq!((fitting.cast(), fitting.len()), (large[0][1], 128), "80 is no multiple of 64");
        let refused = inner.allocate_exhaustive(layout(64, 64));
        assert_eq!(refused, Err(Refusal::NoRoom), "no other is");
        let plain = inner.allocate_exhaustive(layout(65, 1)).expect("a slot of 80 is free");
        assert_eq!((plain.cast(), plain.len()), (small[0][1], 80), "the least that holds it");
        assert_eq!(
            inner.allocate_exhaustive(layout(1, 1)).map(|_| ()),
            Err(Refusal::NoRoom),
            "full"
        );
        inner.verify().expect("sound");
    });
}

#[test]
fn in_need_classes_without_a_free_slot_are_passed_over() {
    with_engine(|inner| {
        let slots = TABLE.slots(class(128)) as usize;
        let large: Vec<_> = (0..slots).map(|_| take(inner, 128)).collect();
        used_up(inner);
        thin(inner, 128, &large, |at| at != 1);
        let block = inner.allocate_exhaustive(layout(65, 1)).expect("a slot of 128 is free");
        assert_eq!((block.cast(), block.len()), (large[1], 128), "two classes are between");
        inner.verify().expect("sound");
    });
}

#[test]
fn in_need_pages_that_are_used_more_are_divided_too() {
    for keep in [3, 5] {
        with_engine(|inner| {
            let pages = fill(inner, 496, 10);
            for _ in 1..8 {
                take(inner, 496);
            }
            used_up(inner);
            thin(inner, 496, &pages[0], |at| at < keep);
            // Of the others, which are looked at before, no unit is free.
            for page in &pages[1..] {
                thin(inner, 496, page, |at| at != 3);
            }
            let block = inner.allocate_exhaustive(layout(48, 1)).expect("units are free");
            assert_eq!((block.len(), kind(inner, block.cast())), (48, KIND_MIXED), "{keep}");
            inner.verify().expect("sound");
        });
    }
}

#[test]
fn behind_eight_mixed_pages_that_are_full_a_fresh_one_serves() {
    with_engine(|inner| {
        let pages = fill(inner, 496, 9);
        for page in &pages {
            thin(inner, 496, page, |at| at == 0);
        }
        for _ in &pages {
            inner.retire(class(64)).expect("sound");
            assert_eq!(inner.divide_sparse(class(64), true), Ok(true), "it is sparse");
            while inner.classes[class(64)].current.left() > 0 {
                take(inner, 64);
            }
        }
        inner.retire(class(64)).expect("sound");
        assert_ne!(inner.mixed, NIL, "all nine may have free units, as far as is known");
        let block = inner.allocate(layout(96, 1)).expect("there is memory").cast();
        assert_ne!(kind(inner, block), KIND_MIXED, "a fresh page");
        assert_ne!(inner.mixed, NIL, "eight were looked at");
        inner.verify().expect("sound");
    });
}

/// A size-class heap of 70 pages of which most is idle, as many blocks of each kept; returns the
/// frontier.
fn sparse(inner: &mut Default, pages: usize, keep: usize) -> u32 {
    for page in fill(inner, 496, pages) {
        thin(inner, 496, &page, |at| at < keep);
    }
    inner.regions[0].frontier
}

#[test]
fn before_new_memory_is_taken_sparse_pages_are_divided() {
    // Pages, blocks that stay in each, and whether one of them is divided.
    for (pages, keep, divided) in [(70, 1, true), (70, 3, false), (40, 1, false)] {
        let mut memory = memory(1 << 19);
        let mut inner = Default::new();
        assert!(add(&mut inner, &mut memory), "the memory holds pages");
        let frontier = sparse(&mut inner, pages, keep);
        let block = take(&mut inner, 96);
        let is_mixed = kind(&inner, block) == KIND_MIXED;
        assert_eq!(is_mixed, divided, "{keep} of 8 in {pages} pages");
        let is_fresh = inner.regions[0].frontier > frontier;
        assert_eq!(is_fresh, !divided, "{keep} of 8 in {pages} pages");
        inner.verify().expect("sound");
    }
    // A page that was used before and is free serves before any is divided.
    let mut memory = memory(1 << 19);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let spare = fill(&mut inner, 448, 1);
    let frontier = sparse(&mut inner, 70, 1);
    thin(&mut inner, 448, &spare[0], |_| false);
    let block = take(&mut inner, 96);
    assert_eq!((block, inner.regions[0].frontier), (spare[0][0], frontier), "the free page");
    assert_ne!(kind(&inner, block), KIND_MIXED, "as a whole");
}

#[test]
fn idle_bytes_are_counted_in_whole_pages() {
    // 23 pages of idle slots in 66, of the first class, and a byte less of another.
    let is_sparse = |slots: u64| {
        let mut inner = Default::new();
        inner.classes[0].pages = 66;
        inner.classes[0].out = 66 * u64::from(TABLE.slots(0)) - slots;
        inner.is_sparse()
    };
    assert!(is_sparse(23 * 256), "just 23 pages");
    assert!(!is_sparse(23 * 256 - 1), "a slot less");
}

#[test]
fn partial_pages_serve_before_others_and_pages_are_counted() {
    with_engine(|inner| {
        let class = class(496);
        let pages = fill(inner, 496, 2);
        assert_eq!(inner.classes[class].pages, 3, "two and the open one");
        // What the open page has left.
        for _ in 1..8 {
            take(inner, 496);
        }
        thin(inner, 496, &pages[0], |at| at != 5);
        assert_eq!(take(inner, 496), pages[0][5], "the free slot of a page");
        assert_eq!(inner.classes[class].pages, 3, "no page more");
        thin(inner, 496, &pages[1], |_| false);
        assert_eq!(inner.classes[class].pages, 2, "an empty one went back");
        let (region, page) = split_id(1);
        assert_eq!((region, inner.regions[0].kind(page)), (0, 0), "to the core");
        assert_eq!(
            inner.edit_desc(0, |desc| desc.state),
            PageState::Current,
            "the one that serves"
        );
        inner.verify().expect("sound");
    });
}
