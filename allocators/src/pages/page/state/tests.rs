//! Damage reports for counters that are not the sums over the table, and none for blocks in flight.

// Its ground is one mapping, of which parts go; Windows unmaps whole mappings alone.
#[cfg(not(windows))]
mod parked;

use core::alloc::Layout;
use core::ptr::NonNull;

use super::State;
use crate::contract::allocator::{Allocator, Damage};
use crate::contract::stats::Stats;
use crate::pages::page::{PageAllocator, Reservation};

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 1).expect("a valid layout")
}

/// Changes the state and returns the result of `verify`.
fn said(pages: &PageAllocator, change: impl FnOnce(&mut State)) -> Result<(), &'static str> {
    pages.pages.state.with(|state| change(state));
    pages.verify().map_err(|Damage { what, .. }| what)
}

#[test]
fn a_fresh_one_has_counted_nothing() {
    let pages = PageAllocator::new("pages");
    assert_eq!(pages.stats(), Stats { exact: true, ..Stats::default() }, "nothing so far");
    assert_eq!((pages.overhead_bytes(), pages.committed_bytes()), (0, 0), "nothing is mapped");
}

#[test]
fn counters_that_are_not_the_sums_are_told() {
    let wrong = Err("the counters of the page allocator are not the sums over its table");
    let pages = PageAllocator::new("pages");
    let page = PageAllocator::page_size();
    let block: NonNull<u8> = pages.allocate(layout(100)).expect("there is memory").cast();
    assert_eq!(said(&pages, |_| ()), Ok(()), "sound");
    assert_eq!(said(&pages, |state| state.parked += 1), wrong, "nothing is parked");
    assert_eq!(said(&pages, |state| state.parked -= 1), Ok(()), "as it was");
    assert_eq!(said(&pages, |state| state.reservations += 1), wrong, "nothing is reserved");
    assert_eq!(said(&pages, |state| state.reservations -= 1), Ok(()), "as it was");
    assert_eq!(said(&pages, |state| state.counters.allocated(1, 0)), wrong, "a block too many");
    assert_eq!(said(&pages, |state| state.in_flight += 1), Ok(()), "it may be in flight");
    assert_eq!(said(&pages, |state| state.parked += 1), wrong, "parked ranges are not");
    assert_eq!(said(&pages, |state| state.parked -= 1), Ok(()), "as it was");
    assert_eq!(said(&pages, |state| state.counters.allocated(2, 0)), Ok(()), "fewer than granted");
    assert_eq!(said(&pages, |state| state.counters.allocated(page, 0)), wrong, "more than granted");
    assert_eq!(said(&pages, |state| state.counters.freed(page, 0)), Ok(()), "as it was");
    let more = 2 * page;
    assert_eq!(said(&pages, |state| state.counters.allocated(0, more)), wrong, "than is reserved");
    assert_eq!(said(&pages, |state| state.counters.freed(0, more)), Ok(()), "as it was");
    let back = said(&pages, |state| {
        state.counters.freed(2, 0);
        state.counters.freed(1, 0);
        state.in_flight -= 1;
    });
    assert_eq!(back, Ok(()), "as it was");
    // SAFETY: the block is live and not used again.
    unsafe { pages.deallocate(block) };
}

#[test]
fn the_books_are_the_table_and_the_maps_of_reservations() {
    let pages = PageAllocator::new("pages");
    let page = PageAllocator::page_size();
    let block: NonNull<u8> = pages.allocate(layout(100)).expect("there is memory").cast();
    let books = || pages.pages.state.with(|state| (state.table.bytes(), state.page_maps));
    let (table, maps) = books();
    assert!(table >= page, "a leaf and the directory: {table}");
    assert_eq!((maps, pages.overhead_bytes()), (0, table), "no reservations");
    let reservation: Reservation<'_> = pages.reserve(100 * page, page).expect("room");
    let (table, maps) = books();
    assert_eq!((maps, pages.overhead_bytes()), (page, table + page), "a map of one page");
    drop(reservation);
    let (table, maps) = books();
    assert_eq!((maps, pages.overhead_bytes()), (0, table), "the map went with it");
    // SAFETY: the block is live and not used again.
    unsafe { pages.deallocate(block) };
}
