//! Blocks without access: which of their bytes count as committed.

use core::ptr::NonNull;

use super::{bytes, fill, flags, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;
use crate::pages::page::state::HUGE_BYTES;

#[test]
fn what_is_open_counts_as_committed_until_the_block_goes() {
    let pages = PageAllocator::new("closed");
    let block = pages.allocate_closed(layout(8 * page(), 8)).expect("there are addresses");
    assert_eq!((pages.stats().granted, pages.committed_bytes()), (8 * page(), 0), "all closed");
    // SAFETY: the pages are the block's and closed.
    unsafe { pages.open(block.cast(), 3 * page()) }.expect("there is memory");
    assert_eq!(pages.committed_bytes(), 3 * page(), "three are open");
    let open = NonNull::slice_from_raw_parts(block.cast::<u8>(), 3 * page());
    assert!(bytes(open).iter().all(|&b| b == 0), "zero");
    fill(open, 1);
    // SAFETY: the page was opened and is not used again.
    unsafe { pages.close(block.cast(), page()) }.expect("nothing is locked");
    assert_eq!(pages.committed_bytes(), 2 * page(), "two are open");
    assert_eq!(pages.verify(), Ok(()), "whole");
    // SAFETY: the block is live and not used again; two pages of it are open.
    unsafe { pages.deallocate_closed(block, 2 * page()) };
    assert_eq!((pages.stats().reserved, pages.committed_bytes()), (0, 0), "all went back");
}

#[test]
fn huge_pages_are_not_asked_for() {
    let pages = PageAllocator::new("closed").with_huge_pages();
    let block = pages.allocate_closed(layout(3 * HUGE_BYTES, 8)).expect("there are addresses");
    assert!(!flags(block.cast()).contains(" hg"), "memory of it is opened page by page");
    // SAFETY: the block is live and no page of it is open.
    unsafe { pages.deallocate_closed(block, 0) };
    assert_eq!(pages.stats().reserved, 0, "all went back");
}
