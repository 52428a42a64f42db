//! Tests of what every system must do, by its calls and through the page allocator.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{Access, discard, grow_moving, map, page_size, protect, unmap, whole_pages};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a layout")
}

/// Writes a byte to the start of each page.
fn fill(start: NonNull<u8>, bytes: usize, byte: u8) {
    for at in (0..bytes).step_by(page_size()) {
        // SAFETY: the tests pass pages of theirs that are writable.
        let page = unsafe { start.add(at) };
        // SAFETY: as above.
        unsafe { page.write(byte) };
    }
}

/// Returns `true` if each page starts with that byte.
fn is_filled(start: NonNull<u8>, bytes: usize, byte: u8) -> bool {
    (0..bytes).step_by(page_size()).all(|at| {
        // SAFETY: the tests pass pages of theirs that are readable.
        let page = unsafe { start.add(at) };
        // SAFETY: as above.
        unsafe { page.read() == byte }
    })
}

#[test]
fn pages_are_whole_and_fresh_ones_are_zero() {
    let page = page_size();
    assert!(page.is_power_of_two() && page >= 4096, "{page}");
    assert_eq!((whole_pages(1), whole_pages(page + 1)), (Some(page), Some(2 * page)));
    assert_eq!(whole_pages(usize::MAX), None, "more than an object can have");
    let pages = map(5 * page, Access::ReadWrite, false).expect("there is memory");
    assert!(pages.addr().get().is_multiple_of(page) && is_filled(pages, 5 * page, 0));
    fill(pages, 5 * page, 7);
    assert!(is_filled(pages, 5 * page, 7), "kept");
    // SAFETY: the pages are the test's, and their contents are not needed.
    unsafe { discard(pages, 5 * page, Access::ReadWrite) }.expect("nothing is locked");
    assert!(is_filled(pages, 5 * page, 0), "gone");
    fill(pages, 5 * page, 9);
    // SAFETY: the pages are the test's and not used afterwards.
    unsafe { unmap(pages, 5 * page) }.expect("a whole mapping");
}

#[test]
fn address_space_becomes_memory_and_address_space_again() {
    let page = page_size();
    let bytes = 1024 * page;
    let space = map(bytes, Access::None, true).expect("there are addresses");
    // SAFETY: page 3 is within the mapping.
    let part = unsafe { space.add(3 * page) };
    for round in 1..4 {
        // SAFETY: so here and below, the pages are the test's.
        unsafe { protect(part, 2 * page, Access::ReadWrite) }.expect("there is memory");
        assert!(is_filled(part, 2 * page, 0), "round {round}: fresh");
        fill(part, 2 * page, round);
        // SAFETY: see above.
        unsafe { protect(part, 2 * page, Access::None) }.expect("nothing is locked");
        // SAFETY: see above.
        unsafe { discard(part, 2 * page, Access::None) }.expect("nothing is locked");
    }
    // SAFETY: see above; no page is used afterwards.
    unsafe { unmap(space, bytes) }.expect("a whole mapping, whatever became of its pages");
}

#[test]
fn a_mapping_that_grows_keeps_its_bytes() {
    let page = page_size();
    let pages = map(2 * page, Access::ReadWrite, false).expect("there is memory");
    fill(pages, 2 * page, 5);
    // SAFETY: the pages are the test's, which uses the old addresses no more.
    let grown = unsafe { grow_moving(pages, 2 * page, 40 * page) }.expect("there is memory");
    // SAFETY: the mapping has 40 pages.
    let fresh = unsafe { grown.add(2 * page) };
    assert!(is_filled(grown, 2 * page, 5) && is_filled(fresh, 38 * page, 0));
    // SAFETY: the pages are the test's and not used afterwards.
    unsafe { unmap(grown, 40 * page) }.expect("a whole mapping");
}

#[test]
fn blocks_of_any_alignment_come_and_go() {
    let pages = PageAllocator::new("pages");
    let mut blocks = Vec::new();
    for shift in 0..22 {
        let layout = layout(10_000, 1 << shift);
        let block = pages.allocate(layout).expect("there is memory");
        let start = block.cast::<u8>();
        assert!(start.addr().get().is_multiple_of(layout.align()), "{layout:?}");
        assert!(is_filled(start, block.len(), 0), "{layout:?}: fresh");
        fill(start, block.len(), 1);
        blocks.push((start, layout));
    }
    assert_eq!((pages.stats().live, pages.verify()), (22, Ok(())));
    for (start, layout) in blocks {
        // SAFETY: the block is live, has this layout, and is not used again.
        unsafe { pages.deallocate_sized(start, layout) };
    }
    assert_eq!((pages.stats().live, pages.stats().reserved), (0, 0), "all went back");
}

#[test]
fn a_block_is_resized_with_its_bytes() {
    let (pages, page) = (PageAllocator::new("pages"), page_size());
    let mut old = layout(3 * page, 8);
    let mut block: NonNull<u8> = pages.allocate(old).expect("there is memory").cast();
    fill(block, 3 * page, 3);
    for count in [4, 40, 400, 30, 3, 300] {
        let new = layout(count * page, 8);
        // SAFETY: the block is live and has the layout `old`.
        let moved = unsafe { pages.reallocate(block, old, new) }.expect("there is memory");
        assert!(moved.len() >= count * page, "{count} pages");
        (block, old) = (moved.cast(), new);
        assert!(is_filled(block, 3 * page, 3), "kept with {count} pages");
        pages.verify().expect("sound");
    }
    // SAFETY: the block is live, has this layout, and is not used again.
    unsafe { pages.deallocate_sized(block, old) };
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn a_reservation_is_committed_in_parts() {
    let (pages, page) = (PageAllocator::new("pages"), page_size());
    let space = pages.reserve(256 * page, 1 << 20).expect("there are addresses");
    assert!(space.base().addr().get().is_multiple_of(1 << 20), "aligned");
    let part = space.commit(8 * page..24 * page).expect("there is memory").cast();
    fill(part, 16 * page, 8);
    space.commit(0..16 * page).expect("there is memory");
    assert!(is_filled(part, 16 * page, 8), "kept by a commit over it");
    assert_eq!(pages.committed_bytes(), 24 * page);
    // SAFETY: these pages are not used afterwards.
    unsafe { space.decommit(8 * page..12 * page) }.expect("nothing is locked");
    space.commit(8 * page..12 * page).expect("there is memory");
    assert!(is_filled(part, 4 * page, 0), "fresh again");
    // SAFETY: the part is within the committed pages.
    let rest = unsafe { part.add(4 * page) };
    assert!(is_filled(rest, 12 * page, 8), "the others are kept");
    assert_eq!((space.verify(), pages.verify()), (Ok(()), Ok(())));
    drop(space);
    assert_eq!((pages.stats().reserved, pages.committed_bytes()), (0, 0), "all went back");
}
