//! Advice to the kernel about a mapping: whether huge pages are requested, whether it is backed.
//! And blocks at addresses that no request would get.

use core::ptr::NonNull;
use std::{format, fs};

use super::{fill, flags, free, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;
use crate::pages::page::entry::Entry;
use crate::pages::page::state::HUGE_BYTES;
use crate::pages::page::system::{self, Access};

/// Whether the kernel supports huge pages.
fn is_known() -> bool {
    fs::exists("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or(false)
}

fn is_advised(block: NonNull<u8>) -> bool {
    flags(block).contains(" hg")
}

/// Creates a block one page after a boundary of 2 MiB, with `room` bytes free after it, unless
/// another thread takes them.
fn misplaced(pages: &PageAllocator, size: usize, room: usize) -> NonNull<u8> {
    let whole = 2 * HUGE_BYTES + size + room;
    let base = system::map(whole, Access::ReadWrite, false).expect("there is memory");
    let front = (base.addr().get().wrapping_neg() & (HUGE_BYTES - 1)) + page();
    // SAFETY: the front is less than half of the mapping.
    let block = unsafe { base.add(front) };
    // SAFETY: the mapping is the test's own, and this part of it is not used.
    unsafe { system::unmap(base, front) }.expect("a front can be cut off");
    // SAFETY: the mapping reaches beyond the block.
    let end = unsafe { block.add(size) };
    // SAFETY: as for the front.
    unsafe { system::unmap(end, whole - front - size) }.expect("a tail can be cut off");
    pages.pages.state.with(|state| {
        state.table.reserve_slot().expect("there is memory");
        state.enter(Entry::block(block, layout(size, 8)));
    });
    block
}

#[test]
fn huge_pages_are_not_asked_for_unasked() {
    let pages = PageAllocator::new("plain");
    assert!(format!("{pages:?}").contains("huge: false"), "{pages:?}");
    let old = layout(2 * HUGE_BYTES, 8);
    let block = pages.allocate(old).expect("there is memory");
    assert!(!is_advised(block.cast()), "a fresh block");
    let new = layout(2 * HUGE_BYTES, 1 << 30);
    // SAFETY: the block is live and has the layout `old`.
    let moved = unsafe { pages.reallocate(block.cast(), old, new) }.expect("there is memory");
    assert!(!is_advised(moved.cast()), "a block that was moved");
    free(&pages, moved);
    let pages = PageAllocator::new("huge").with_huge_pages();
    assert!(format!("{pages:?}").contains("huge: true"), "{pages:?}");
}

#[test]
fn a_block_that_grows_where_it_lies_is_advised_if_asked() {
    for huge in [false, true] {
        let pages = PageAllocator::new("grown");
        let pages = if huge { pages.with_huge_pages() } else { pages };
        let (old, new) = (layout(page(), 8), layout(2 * HUGE_BYTES, 8));
        let mut has_grown = false;
        for _ in 0..100 {
            let block = misplaced(&pages, page(), 3 * HUGE_BYTES);
            // SAFETY: the block is live and has the layout `old`.
            let grown = unsafe { pages.resize_in_place(block, old, new) };
            if grown.is_ok() {
                assert_eq!(is_advised(block), huge && is_known(), "asked for: {huge}");
                has_grown = true;
            }
            // SAFETY: the block is live.
            unsafe { pages.deallocate(block) };
            if has_grown {
                break;
            }
        }
        assert!(has_grown, "another thread took the room a hundred times");
    }
}

#[test]
fn only_a_block_that_becomes_larger_is_moved_to_where_huge_pages_are() {
    let pages = PageAllocator::new("huge").with_huge_pages();
    let (old, new) = (layout(2 * HUGE_BYTES, 8), layout(2 * HUGE_BYTES - 5, 8));
    let block = misplaced(&pages, 2 * HUGE_BYTES, 0);
    // SAFETY: the block is live and has the layout `old`.
    let same = unsafe { pages.reallocate(block, old, new) }.expect("it fits where it is");
    assert_eq!(same.cast(), block, "as many pages stay where they are");
    assert!(!is_advised(block), "no system call is made for that");
    free(&pages, same);
    let (old, new) = (layout(HUGE_BYTES / 2, 8), layout(HUGE_BYTES + page(), 8));
    let block = misplaced(&pages, HUGE_BYTES / 2, 2 * HUGE_BYTES);
    fill(NonNull::slice_from_raw_parts(block, page()), 3);
    // SAFETY: the block is live and has the layout `old`.
    let moved = unsafe { pages.reallocate(block, old, new) }.expect("there is memory");
    assert_eq!(moved.addr().get() % HUGE_BYTES, 0, "though there was room after it");
    assert!(super::bytes(moved)[..page()].iter().all(|&b| b == 3), "kept");
    free(&pages, moved);
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn a_move_by_page_tables_holds_no_second_copy() {
    let pages = PageAllocator::new("moved");
    let (old, new) = (layout(5 * page(), 8), layout(5 * page(), 1 << 30));
    let block = pages.allocate(old).expect("there is memory");
    // SAFETY: the block is live and has the layout `old`.
    let moved = unsafe { pages.reallocate(block.cast(), old, new) }.expect("there is memory");
    assert_eq!(moved.addr().get() % (1 << 30), 0, "aligned");
    assert_eq!(pages.stats().peak_granted, 5 * page(), "of no more pages either");
    free(&pages, moved);
}

#[test]
fn addresses_alone_are_not_backed() {
    let strict = fs::read_to_string("/proc/sys/vm/overcommit_memory")
        .is_ok_and(|text| text.starts_with('2'));
    let pages = PageAllocator::new("backed");
    let block = pages.allocate(layout(3 * page(), 8)).expect("there is memory");
    assert!(!flags(block.cast()).contains(" nr"), "a block is memory");
    let space = pages.reserve(3 * page(), page()).expect("there are addresses");
    // A kernel with strict accounting ignores such advice.
    assert_eq!(flags(space.base()).contains(" nr"), !strict, "a reservation is not backed");
    free(&pages, block);
}
