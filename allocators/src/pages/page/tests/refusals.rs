//! Every call into the kernel is refused in turn: nothing is lost except as documented.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use super::{bytes, fill, free, layout, page};
use crate::contract::allocator::{AllocError, Allocator};
use crate::pages::page::PageAllocator;
use crate::pages::page::system::{self, DISCARD, EVERY, MAP, PROTECT, REMAP, UNMAP, each_refusal};

/// All calls except those for the tables' memory, without which a range that the kernel refuses to
/// unmap is abandoned.
const BUT_MAPS: u8 = UNMAP | REMAP | PROTECT | DISCARD;

/// Runs `work` with each refusal; it frees all its blocks. Then no mapping must be left.
fn nothing_is_lost(kinds: u8, work: impl Fn(&PageAllocator)) {
    at_most_is_lost(0, kinds, work);
}

/// As [`nothing_is_lost`], except for `lost` pages.
fn at_most_is_lost(lost: usize, kinds: u8, work: impl Fn(&PageAllocator)) {
    each_refusal(kinds, |refused| {
        let before = system::mapped();
        let pages = PageAllocator::new("refused");
        refused(&mut || work(&pages));
        assert_eq!(pages.verify(), Ok(()), "whole");
        let stats = pages.stats();
        assert_eq!(
            (stats.live, stats.granted, pages.committed_bytes()),
            (0, 0, 0),
            "all was freed"
        );
        // The last free unmaps all parked ranges.
        let last = pages.allocate(layout(1, 1)).expect("the kernel is willing again");
        assert!(bytes(last).iter().all(|&b| b == 0), "fresh");
        free(&pages, last);
        assert_eq!(pages.stats().reserved, 0, "nothing is parked any more");
        drop(pages);
        let left = system::mapped() - before;
        assert!(
            (0..=(lost * page()).cast_signed()).contains(&left),
            "{left} bytes are mapped still"
        );
    });
}

fn take(pages: &PageAllocator, layout: Layout) -> Option<NonNull<[u8]>> {
    let block = pages.allocate(layout).ok()?;
    assert!(bytes(block).iter().all(|&b| b == 0), "a block of {layout:?} is zero");
    fill(block, 0xa5);
    Some(block)
}

#[test]
fn blocks_at_every_alignment() {
    for align in [1, 2, 16, 64] {
        nothing_is_lost(BUT_MAPS, |pages| {
            let blocks = [3, 1, 5].map(|count| take(pages, layout(count * page(), align * page())));
            blocks.into_iter().flatten().for_each(|block| free(pages, block));
        });
    }
}

#[test]
fn blocks_without_memory_for_the_books() {
    nothing_is_lost(MAP, |pages| {
        let blocks = [1; 100].map(|count| take(pages, layout(count * page(), 4 * page())));
        blocks.into_iter().flatten().for_each(|block| free(pages, block));
    });
}

#[test]
fn blocks_that_are_resized() {
    for align in [1, 4] {
        nothing_is_lost(BUT_MAPS, |pages| {
            let mut old = layout(4 * page(), align * page());
            let Some(mut block) = take(pages, old) else { return };
            for count in [9, 2, 3] {
                let new = layout(count * page(), align * page());
                // SAFETY: the block is live and was last asked with the old layout.
                let resized = unsafe { pages.reallocate(block.cast(), old, new) };
                let kept = old.size().min(new.size());
                if let Ok(moved) = resized {
                    (block, old) = (moved, new);
                }
                assert!(bytes(block)[..kept].iter().all(|&b| b == 0xa5), "contents stay");
                fill(block, 0xa5);
            }
            free(pages, block);
        });
    }
}

#[test]
fn a_refused_commit_changes_nothing() {
    nothing_is_lost(PROTECT | DISCARD, commits);
    // The map of a reservation's pages is leaked if the kernel refuses to unmap it.
    at_most_is_lost(1, BUT_MAPS, commits);
}

fn commits(pages: &PageAllocator) {
    let Ok(space) = pages.reserve(8 * page(), 16 * page()) else { return };
    // SAFETY: the pages are not used.
    let guarded = unsafe { space.guard(0..page()) }.is_ok();
    for range in [3..4, 1..8, 5..8] {
        let before = space.committed_bytes();
        let range = range.start * page()..range.end * page();
        match space.commit(range.clone()) {
            Ok(committed) => fill(committed, 0xa5),
            Err(AllocError) => assert_eq!(space.committed_bytes(), before, "nothing changed"),
        }
        assert_eq!(space.verify(), Ok(()), "whole");
    }
    if guarded {
        assert_eq!(space.commit(0..page()), Err(AllocError), "a guard");
    }
    for range in [2..6, 0..8] {
        // SAFETY: the pages are not used.
        let _ = unsafe { space.decommit(range.start * page()..range.end * page()) };
        assert_eq!(space.verify(), Ok(()), "whole");
    }
}

/// Each attempt reserves a slot in the table, and must cancel it.
#[test]
fn refused_reservations_keep_no_room_in_the_table() {
    let pages = PageAllocator::new("pledges");
    drop(pages.reserve(page(), page()).expect("there are addresses"));
    let before = pages.overhead_bytes();
    for _ in 0..1000 {
        // The first is for the map of its pages.
        system::during(MAP, 1..2, || assert!(pages.reserve(page(), page()).is_err(), "refused"));
    }
    assert_eq!(pages.overhead_bytes(), before, "no room is kept");
}

#[test]
fn as_few_calls_as_promised() {
    let pages = PageAllocator::new("calls");
    let kept = [(); 3].map(|()| pages.allocate(layout(1, 1)).expect("there is memory"));
    let block = Cell::new(kept[0]);
    let allocates =
        || block.set(pages.allocate(layout(3 * page(), page())).expect("there is memory"));
    assert_eq!(system::during(EVERY, 0..0, allocates), 1, "one to allocate");
    assert_eq!(system::during(EVERY, 0..0, || free(&pages, block.get())), 1, "one to free");
    let space = pages.reserve(4 * page(), page()).expect("there are addresses");
    // SAFETY: the pages are not used.
    let decommits = || unsafe { space.decommit(0..4 * page()) }.expect("nothing to do");
    assert_eq!(system::during(EVERY, 0..0, decommits), 0, "none where nothing is committed");
    drop(space);
    kept.into_iter().for_each(|block| free(&pages, block));
}
