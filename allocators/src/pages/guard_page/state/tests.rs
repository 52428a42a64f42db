//! Damage reports for counters and lists of guarded blocks that disagree with the table.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Known, Stage, State};
use crate::contract::allocator::{Allocator, Damage};
use crate::pages::guard_page::GuardPageAllocator;
use crate::pages::page::PageAllocator;

/// Changes the state and returns the result of `verify`.
fn said(
    guards: &GuardPageAllocator<'_>,
    change: impl FnOnce(&mut State),
) -> Result<(), &'static str> {
    guards.state.with(|state| change(state));
    guards.verify().map_err(|Damage { what, .. }| what)
}

#[test]
fn each_disagreement_is_told() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(3);
    let layout = Layout::new::<[u64; 4]>();
    let blocks: [NonNull<u8>; 3] =
        [(); 3].map(|()| guards.allocate(layout).expect("there is memory").cast());
    for block in &blocks[..2] {
        // SAFETY: the block is live and not used again.
        unsafe { guards.deallocate(*block) };
    }
    assert_eq!(said(&guards, |_| ()), Ok(()), "sound");
    let counters = Err("the counters of the guarded blocks are not the sums over the table");
    assert_eq!(said(&guards, |state| state.counters.allocated(0, 0)), counters, "a block too many");
    assert_eq!(said(&guards, |state| state.counters.freed(0, 0)), Ok(()), "as it was");
    assert_eq!(said(&guards, |state| state.counters.reserved(1)), counters, "a byte too many");
    assert_eq!(said(&guards, |state| state.counters.released(1)), Ok(()), "as it was");
    let list = Err("the list of freed blocks differs from the table");
    assert_eq!(said(&guards, |state| state.waiting += 1), list, "one more waits");
    assert_eq!(said(&guards, |state| state.closing += 1), list, "and one more is being closed");
    let shorter = said(&guards, |state| (state.waiting, state.closing) = (1, 1));
    assert_eq!(shorter, list, "as many in all, and more are listed than wait");
    assert_eq!(
        said(&guards, |state| (state.waiting, state.closing) = (2, 1)),
        list,
        "one too many"
    );
    assert_eq!(said(&guards, |state| state.closing = 0), Ok(()), "as it was");
    let oldest = guards.state.with(|state| state.oldest.take());
    assert_eq!(said(&guards, |_| ()), list, "nothing is listed");
    assert_eq!(said(&guards, |state| state.oldest = oldest), Ok(()), "as it was");
    let uncounted = Err("more blocks are live than are counted as guarded or forwarded");
    let guarded = guards.state.with(|state| core::mem::take(&mut state.guarded));
    assert_eq!(said(&guards, |_| ()), uncounted, "one is live");
    assert_eq!(said(&guards, |state| state.forwarded += 1), Ok(()), "it may be a forwarded one");
    let back = said(&guards, |state| (state.guarded, state.forwarded) = (guarded, 0));
    assert_eq!(back, Ok(()), "as it was");
    // SAFETY: the block is live and not used again.
    unsafe { guards.deallocate(blocks[2]) };
}

#[test]
fn a_list_that_goes_round_is_told() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(3);
    let layout = Layout::new::<[u64; 4]>();
    let blocks: [NonNull<u8>; 2] =
        [(); 2].map(|()| guards.allocate(layout).expect("there is memory").cast());
    for block in blocks {
        // SAFETY: the block is live and not used again.
        unsafe { guards.deallocate(block) };
    }
    let lead = |state: &State, to: Option<NonNull<u8>>| {
        let known = state.blocks.get(blocks[1]).expect("it waits");
        let Stage::Freed { site, .. } = known.stage else { panic!("it is freed") };
        state.blocks.insert(blocks[1], Known { stage: Stage::Freed { site, next: to }, ..known });
    };
    let list = Err("the list of freed blocks differs from the table");
    assert_eq!(said(&guards, |state| lead(state, Some(blocks[0]))), list, "round and round");
    assert_eq!(said(&guards, |state| lead(state, None)), Ok(()), "as it was");
}

#[test]
fn it_tells_what_is_beneath_and_that_sizes_are_exact() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages);
    assert_eq!(guards.backing().map(Allocator::name), Some("pages"), "it takes its pages there");
    assert!(guards.stats().exact, "requested sizes are recorded");
    let layout = Layout::new::<[u64; 4]>();
    assert_eq!(guards.layout_below(layout), GuardPageAllocator::layout_for(layout), "as stated");
}
