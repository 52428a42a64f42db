//! The steps after the kernel has refused to map or unmap pages, simulated.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;

use super::{bytes, fill, free, layout, misused, page};
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;
use crate::pages::page::PageAllocator;
use crate::pages::page::entry::Entry;
use crate::pages::page::mapping::Refused;
use crate::pages::page::state::Request;
use crate::pages::page::system::{self, Access};

fn map(pages: usize) -> NonNull<u8> {
    system::map(pages * page(), Access::ReadWrite, false).expect("there is memory")
}

fn at(base: NonNull<u8>, index: usize) -> NonNull<u8> {
    // SAFETY: the tests ask for pages of the mapping.
    unsafe { base.add(index * page()) }
}

fn park(pages: &PageAllocator, address: NonNull<u8>, count: usize) {
    pages.pages.state.with(|state| state.park(address, count * page()));
}

/// Runs the steps after a refused request.
fn after_all(pages: &PageAllocator, count: usize) -> Result<Entry, AllocError> {
    let wanted = layout(count * page(), 8);
    let request = Request::new(wanted, false).expect("a small request");
    pages.pages.state.with(|state| state.table.reserve_slot()).expect("there is memory");
    let served = pages.pages.allocate_anyway(wanted, request);
    assert_eq!(pages.verify(), Ok(()), "whole");
    served
}

#[test]
fn what_is_parked_serves_and_the_rest_stays() {
    let pages = PageAllocator::new("parked");
    let base = map(8);
    park(&pages, at(base, 0), 2);
    park(&pages, at(base, 4), 4);
    let entry = after_all(&pages, 3).expect("four pages are parked");
    assert_eq!((entry.address(), entry.mapped()), (at(base, 5), 3 * page()), "the last three");
    let stats = pages.stats();
    assert_eq!((stats.live, stats.granted), (1, 3 * page()), "counted");
    assert_eq!(stats.reserved, 6 * page(), "nothing was swept, as that served");
    free(&pages, entry.slice());
    assert_eq!(pages.stats().reserved, 0, "the last free unmaps all parked ranges");
    // SAFETY: these two pages of the mapping were never parked.
    unsafe { system::unmap(at(base, 2), 2 * page()) }.expect("a separate mapping by now");
}

/// With 32 bits an address space may have room for any layout.
#[cfg(target_pointer_width = "64")]
#[test]
fn what_is_parked_in_vain_is_swept_and_the_kernel_asked_again() {
    let pages = PageAllocator::new("swept");
    park(&pages, map(1), 1);
    let entry = after_all(&pages, 2).expect("there is memory");
    let stats = pages.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (1, 2 * page(), 2 * page()), "swept");
    assert_eq!(pages.committed_bytes(), 2 * page(), "counted");
    assert!(pages.owns(entry.address().as_ptr()), "entered");
    free(&pages, entry.slice());
    // A refusal that persists sweeps as well.
    park(&pages, map(1), 1);
    assert_eq!(pages.allocate(layout(1 << 48, 8)), Err(AllocError), "more than there is");
    assert_eq!(pages.stats().reserved, 0, "swept");
    assert_eq!(after_all(&pages, 1), Err(AllocError), "without a sweep there is no retry");
    assert_eq!(pages.stats().reserved, 0, "nothing was mapped");
}

/// With 32 bits an address space may have room for any layout.
#[cfg(target_pointer_width = "64")]
#[test]
fn refusals_keep_no_pages_of_the_table() {
    let pages = PageAllocator::new("absurd");
    let absurd = layout(1 << 48, 8);
    let mut seen = None;
    for _ in 0..3 {
        assert_eq!(pages.allocate(absurd), Err(AllocError), "more than there is");
        assert_eq!(pages.allocate_closed(absurd), Err(AllocError), "more than there is");
        assert!(pages.reserve(1 << 48, 8).is_err(), "more than there is");
        assert!(after_all(&pages, 1).is_err(), "refused, and nothing is parked");
        let now = pages.overhead_bytes();
        assert_eq!(*seen.get_or_insert(now), now, "each takes its pledge back");
    }
    assert_eq!(pages.stats().reserved, 0, "nothing was mapped");
}

#[test]
fn pages_that_are_stranded_are_parked() {
    let pages = PageAllocator::new("stranded");
    pages.pages.refused(Refused::Clean);
    assert_eq!(pages.stats().reserved, 0, "nothing is left of the attempt");
    let base = map(3);
    pages.pages.refused(Refused::Stranded { address: base, bytes: 3 * page() });
    assert_eq!(pages.stats().reserved, 3 * page(), "kept");
    assert!(!pages.owns(base.as_ptr()), "no block");
    // SAFETY: the misuse under test.
    misused(Misuse::DoubleFree, || unsafe { pages.deallocate(base) });
    let entry = after_all(&pages, 3).expect("three pages are parked");
    assert_eq!(entry.address(), base, "it serves");
    free(&pages, entry.slice());
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn the_last_free_and_the_end_sweep() {
    let mut pages = PageAllocator::new("ending");
    let blocks = [1, 2].map(|n| pages.allocate(layout(n * page(), 8)).expect("there is memory"));
    park(&pages, map(5), 5);
    free(&pages, blocks[0]);
    assert_eq!(pages.stats().reserved, 7 * page(), "a block is left");
    free(&pages, blocks[1]);
    assert_eq!(pages.stats().reserved, 0, "none is left");
    park(&pages, map(5), 5);
    assert_eq!(pages.pages.close(), 0, "no reservation was forgotten");
    assert_eq!(pages.stats().reserved, 0, "swept");
}

#[test]
fn locked_pages_are_zero_when_they_serve_again() {
    let pages = PageAllocator::new("locked");
    let base = map(2);
    fill(NonNull::slice_from_raw_parts(base, 2 * page()), 0xff);
    // SAFETY: locks pages of the test's own.
    if unsafe { libc::mlock(base.as_ptr().cast(), page()) } != 0 {
        std::println!("this process may not lock a page");
    }
    // SAFETY: the pages are the test's and not used any more.
    unsafe { pages.pages.park(base, 2 * page()) };
    assert_eq!(pages.stats().reserved, 2 * page(), "parked");
    let block = after_all(&pages, 2).expect("two pages are parked").slice();
    assert_eq!(block.cast(), base, "the same pages");
    assert!(bytes(block).iter().all(|&b| b == 0), "zero, as fresh pages are");
    free(&pages, block);
}

/// A resize looks a block up, calls the kernel and looks it up again; meanwhile another thread may
/// free it.
#[test]
fn a_block_that_vanishes_while_it_is_resized_is_reported() {
    let pages = PageAllocator::new("raced");
    let block = pages.allocate(layout(4 * page(), 8)).expect("there is memory");
    let stale = pages.pages.expect(block.cast(), None);
    free(&pages, block);
    for bytes in [4 * page() - 1, 2 * page()] {
        let report = misused(Misuse::DoubleFree, || {
            let _ = pages.pages.resize_here(stale, layout(bytes, 8));
        });
        assert!(report.contains("`raced`"), "named: {report}");
    }
    assert_eq!(pages.stats().reserved, 0, "nothing changed");
    assert_eq!(pages.verify(), Ok(()), "whole");
}

#[cfg(feature = "std")]
#[test]
fn a_forgotten_reservation_does_not_cover_another_panic() {
    let left = Cell::new(None);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let pages = PageAllocator::new("forgetful");
        let space = pages.reserve(page(), page()).expect("there are addresses");
        left.set(Some((space.base(), space.bytes())));
        core::mem::forget(space);
        panic!("the first");
    }));
    let panic = panic.expect_err("it panics");
    assert_eq!(panic.downcast_ref(), Some(&"the first"), "the first panic is kept");
    let (base, bytes) = left.get().expect("there was a reservation");
    // SAFETY: the pages are not used any more.
    unsafe { system::unmap(base, bytes) }.expect("a mapping");
}
