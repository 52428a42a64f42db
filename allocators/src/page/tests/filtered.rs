//! What is done where the kernel refuses one call of many.

use core::ptr::NonNull;
use std::vec::Vec;

use super::child::check;
use super::limits::address_space;
use super::reservation::is_readable;
use super::{fill, layout, page};
use crate::allocator::{AllocError, Allocator};
use crate::page::PageAllocator;
use crate::page::entry::{Entry, Kind};
use crate::page::system::{self, Access};
use crate::page::table::Table;
use crate::test_filter::{Lengths, refuse, run};

const ALIGN: usize = 1 << 30;

/// An allocator whose table has all the pages it needs, and the address space of the process.
fn prepared() -> (PageAllocator, usize) {
    let pages = PageAllocator::new("filtered");
    let block = pages.allocate(layout(1, 1)).unwrap();
    // SAFETY: the block is live.
    unsafe { pages.deallocate(block.cast()) };
    let _ = pages.allocate(layout(1 << 48, 1));
    address_space();
    let space = address_space();
    (pages, space)
}

/// The bytes that are asked for so that three pages can be aligned.
fn span() -> usize {
    3 * page() + ALIGN - page()
}

/// Asks for three pages that are aligned, in vain, which leaves nothing behind.
fn refused(pages: &PageAllocator, before: usize) -> u32 {
    check!(pages.allocate(layout(3 * page(), ALIGN)) == Err(AllocError));
    check!(address_space() == before);
    check!((pages.stats().reserved, pages.committed_bytes()) == (0, 0));
    check!(pages.verify().is_ok());
    0
}

#[test]
fn a_front_that_stays_is_given_back_with_the_rest() {
    run(|| {
        let (pages, before) = prepared();
        check!(refuse(libc::SYS_munmap, &Lengths::AllBut(&[page(), 3 * page(), span()])));
        refused(&pages, before)
    });
}

#[test]
fn a_tail_that_stays_is_given_back_with_the_rest() {
    run(|| {
        let (pages, before) = prepared();
        // The kernel puts the same request at the same place again.
        let probe = system::map(span(), Access::None, true).unwrap();
        let front = probe.addr().get().wrapping_neg() & (ALIGN - 1);
        // SAFETY: nobody else knows of the mapping.
        check!(unsafe { system::unmap(probe, span()) }.is_ok());
        let tail = span() - 3 * page() - front;
        check!(refuse(libc::SYS_munmap, &Lengths::Of(&[tail])));
        refused(&pages, before)
    });
}

#[test]
fn pages_that_get_no_access_are_given_back() {
    run(|| {
        let (pages, before) = prepared();
        check!(refuse(libc::SYS_mprotect, &Lengths::Of(&[3 * page()])));
        refused(&pages, before)
    });
}

#[test]
fn what_the_kernel_takes_back_by_no_means_is_parked() {
    run(|| {
        let (pages, before) = prepared();
        let books = pages.overhead_bytes();
        check!(refuse(libc::SYS_munmap, &Lengths::AllBut(&[])));
        check!(pages.allocate(layout(3 * page(), ALIGN)) == Err(AllocError));
        // The parked range has its entry too.
        let more = pages.overhead_bytes() - books;
        check!(address_space() == before + 3 * page() + more);
        check!((pages.stats().reserved, pages.committed_bytes()) == (3 * page(), 0));
        check!(pages.stats().live == 0 && pages.verify().is_ok());
        0
    });
}

#[test]
fn an_alignment_asks_for_no_more_than_it_needs() {
    run(|| {
        let (pages, _) = prepared();
        let most = 3 * page() + ALIGN;
        check!(refuse(libc::SYS_mmap, &Lengths::Of(&[most, most + page(), 8 * page()])));
        let Ok(block) = pages.allocate(layout(3 * page(), ALIGN)) else {
            return line!();
        };
        // SAFETY: the block is live.
        unsafe { pages.deallocate(block.cast()) };
        // What lies right as it comes is not asked for twice: in one of two places it does.
        let mut blocks = Vec::new();
        let mut served = 0;
        for _ in 0..4 {
            if let Ok(block) = pages.allocate(layout(7 * page(), 2 * page())) {
                served += 1;
                blocks.push(block);
            }
            let Ok(between) = pages.allocate(layout(page(), 1)) else {
                return line!();
            };
            blocks.push(between);
        }
        check!(served > 0);
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { pages.deallocate(block.cast()) };
        }
        check!(pages.stats().reserved == 0);
        0
    });
}

#[test]
fn a_tail_that_cannot_be_cut_off_stays() {
    run(|| {
        let (pages, _) = prepared();
        check!(refuse(libc::SYS_munmap, &Lengths::Of(&[5 * page()])));
        let (old, new) = (layout(8 * page(), 8), layout(3 * page(), 8));
        let block = pages.allocate(old).unwrap();
        fill(block, 7);
        let before = (pages.stats(), pages.committed_bytes());
        // SAFETY: the block is live and has the layout `old`.
        let cut = unsafe { pages.resize_in_place(block.cast(), old, new) };
        check!(cut == Err(AllocError));
        check!((pages.stats(), pages.committed_bytes()) == before);
        check!(pages.verify().is_ok());
        check!(super::bytes(block).iter().all(|&b| b == 7));
        // SAFETY: the block is live and has the layout `old` still.
        unsafe { pages.deallocate_sized(block.cast(), old) };
        check!(pages.stats().reserved == 0);
        0
    });
}

#[test]
fn leaves_that_cannot_go_are_kept() {
    run(|| {
        let entry = |index: usize| {
            let address = NonNull::without_provenance(core::num::NonZero::new(index * page())?);
            Some(Entry::new(Kind::Block, address, page(), page()))
        };
        let mut table = Table::new();
        for index in (1..=600).rev() {
            check!(table.pledge().is_ok());
            table.insert(entry(index).unwrap());
        }
        let before = table.bytes();
        check!(refuse(libc::SYS_munmap, &Lengths::Of(&[page()])));
        while let Some((place, _)) = table.at_or_below(usize::MAX) {
            table.remove(place);
        }
        check!(table.bytes() == before && table.validate().is_ok());
        0
    });
}

#[test]
fn pages_that_stay_closed_are_not_written() {
    run(|| {
        let (pages, _) = prepared();
        let base = system::map(7 * page(), Access::None, false).unwrap();
        check!(refuse(libc::SYS_madvise, &Lengths::Of(&[7 * page()])));
        check!(refuse(libc::SYS_mprotect, &Lengths::Of(&[7 * page()])));
        // SAFETY: the pages are the test's own and unused.
        unsafe { pages.pages.park(base, 7 * page()) };
        check!(pages.stats().reserved == 7 * page() && pages.verify().is_ok());
        0
    });
}

#[test]
fn where_nothing_is_committed_the_kernel_is_not_called() {
    run(|| {
        let (pages, _) = prepared();
        let space = pages.reserve(20 * page(), page()).unwrap();
        check!(refuse(libc::SYS_mprotect, &Lengths::Of(&[6 * page()])));
        check!(space.commit(0..6 * page()) == Err(AllocError));
        // SAFETY: nothing uses the memory.
        check!(unsafe { space.guard(0..6 * page()) }.is_ok());
        // SAFETY: nothing uses the memory.
        check!(unsafe { space.decommit(0..6 * page()) }.is_ok());
        check!(space.committed_bytes() == 0 && space.verify().is_ok());
        0
    });
}

/// The page behind a reservation is somebody else's.
#[test]
fn a_commit_that_fails_closes_no_page_behind_the_reservation() {
    run(|| {
        let (pages, _) = prepared();
        let mut held = Vec::new();
        for _ in 0..20 {
            let block = pages.allocate(layout(6 * page(), 8)).unwrap();
            let space = pages.reserve(6 * page(), page()).unwrap();
            held.push(block);
            // SAFETY: the end of the reservation.
            let behind = unsafe { space.base().add(space.bytes()) };
            if !is_readable(behind) {
                continue;
            }
            check!(refuse(libc::SYS_mprotect, &Lengths::Of(&[6 * page()])));
            check!(space.commit(0..6 * page()) == Err(AllocError));
            check!(is_readable(behind));
            drop(space);
            for block in held {
                fill(block, 1);
                // SAFETY: the block is live.
                unsafe { pages.deallocate(block.cast()) };
            }
            check!(pages.stats().reserved == 0);
            return 0;
        }
        line!()
    });
}
