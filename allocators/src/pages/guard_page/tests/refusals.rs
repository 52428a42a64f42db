//! Every call into the kernel is refused in turn: no block and no span is lost.

use std::vec::Vec;

use super::{SIDES, free, layout};
use crate::contract::allocator::Allocator;
use crate::pages::guard_page::GuardPageAllocator;
use crate::pages::page::PageAllocator;
use crate::pages::page::system::{self, DISCARD, MAP, PROTECT, REMAP, UNMAP, each_refusal};

/// Runs an allocator with the given number of waiting and guarded blocks while calls are refused;
/// it frees all its blocks.
fn nothing_is_lost(kinds: u8, waiting: usize, guarded: usize) {
    for side in SIDES {
        each_refusal(kinds, |refused| {
            let before = system::mapped();
            let pages = PageAllocator::new("pages");
            let guards = GuardPageAllocator::new("guards", &pages)
                .with_side(side)
                .with_quarantine(waiting)
                .with_guarded_max(guarded);
            let mut live = Vec::new();
            refused(&mut || {
                for size in [1, 5000, 100, 9000] {
                    live.extend(guards.allocate(layout(size, 16)).ok());
                }
                live.drain(..live.len() / 2).for_each(|block| free(&guards, block.cast()));
            });
            assert_eq!((guards.verify(), pages.verify()), (Ok(()), Ok(())), "whole");
            assert_eq!(guards.stats().live, live.len(), "each block is counted");
            live.drain(..).for_each(|block| free(&guards, block.cast()));
            assert!(guards.waiting_blocks() <= waiting, "no more wait than may");
            guards.flush();
            assert_eq!(guards.stats().live, 0, "all was freed");
            drop(guards);
            assert_eq!((pages.stats().live, pages.committed_bytes()), (0, 0), "no span is left");
            drop(pages);
            assert_eq!(system::mapped(), before, "nothing is mapped any more");
        });
    }
}

#[test]
fn of_guarded_blocks() {
    for waiting in [0, 2] {
        nothing_is_lost(UNMAP | REMAP | PROTECT | DISCARD, waiting, 100);
        nothing_is_lost(MAP, waiting, 100);
    }
}

#[test]
fn of_forwarded_blocks() {
    nothing_is_lost(UNMAP | REMAP | PROTECT | DISCARD, 0, 1);
    nothing_is_lost(MAP, 2, 0);
}
