//! Ranges that the kernel refused to unmap, simulated.

use core::ptr::NonNull;

use super::child::{self, check};
use super::{is_mapped, layout, page};
use crate::pages::page::state::State;
use crate::pages::page::system::{self, Access};

fn map(pages: usize, access: Access) -> NonNull<u8> {
    system::map(pages * page(), access, false).unwrap()
}

fn at(base: NonNull<u8>, index: usize) -> NonNull<u8> {
    // SAFETY: the tests ask for pages of the mapping.
    unsafe { base.add(index * page()) }
}

/// Serves a request from parked ranges.
fn reuse(state: &mut State, pages: usize, align: usize) -> Option<NonNull<u8>> {
    let (bytes, grain) = (pages * page(), align.max(page()));
    state.table.reserve_slot().unwrap();
    let entry = state.reuse(layout(bytes, align), bytes, grain);
    if entry.is_none() {
        state.table.cancel();
    }
    assert_eq!(state.validate(), Ok(()), "whole");
    entry.map(|entry| entry.address())
}

fn free(state: &mut State, block: NonNull<u8>) {
    let (entry, sweep) = state.take(block.addr().get(), None).unwrap();
    // SAFETY: the block is the test's own and was taken out of the table.
    unsafe { system::unmap(entry.address(), entry.mapped()) }.unwrap();
    if sweep {
        state.sweep();
    }
    assert_eq!(state.validate(), Ok(()), "whole");
}

#[test]
fn requests_are_cut_off_the_end() {
    let mut state = State::new();
    let base = map(8, Access::None);
    state.park(base, 8 * page());
    assert_eq!(state.stats().reserved, 8 * page(), "kept addresses count");
    assert_eq!(reuse(&mut state, 9, 1), None, "too large");
    let three = reuse(&mut state, 3, 1).unwrap();
    assert_eq!(three, at(base, 5), "the last three pages");
    // SAFETY: the block is live; without access before, it has it now.
    unsafe { three.write_bytes(1, 3 * page()) };
    assert_eq!(reuse(&mut state, 6, 1), None, "no more than five are left");
    let five = reuse(&mut state, 5, 1).unwrap();
    assert_eq!(five, base, "the rest as a whole");
    assert_eq!(reuse(&mut state, 1, 1), None, "nothing is left");
    let stats = state.stats();
    assert_eq!((stats.live, stats.granted), (2, 8 * page()), "counted");
    assert_eq!((stats.reserved, state.committed), (8 * page(), 8 * page()), "counted once");
    free(&mut state, three);
    free(&mut state, five);
    assert_eq!(state.stats().reserved, 0, "all went back");
}

#[test]
fn only_aligned_ends_serve_alignment() {
    let mut state = State::new();
    let base = map(16, Access::ReadWrite);
    state.park(base, 16 * page());
    let mut served = 0;
    while let Some(block) = reuse(&mut state, 1, 4 * page()) {
        assert_eq!(block.addr().get() % (4 * page()), 0, "aligned");
        served += 1;
        assert!(served <= 4, "there are no more aligned pages");
    }
    assert!(served <= 1, "after one the end is not aligned any more");
    // The last free unmaps all parked ranges.
    let one = reuse(&mut state, 1, 1).unwrap();
    let mut live = std::vec![one];
    state.table.each(|entry| {
        let block = entry.kind() == crate::pages::page::entry::Kind::Block;
        if block && entry.address() != one {
            live.push(entry.address());
        }
    });
    for block in live {
        free(&mut state, block);
    }
    assert_eq!(state.stats().reserved, 0, "swept");
}

#[test]
fn neighbours_go_together() {
    let answer = child::run(|| {
        let mut state = State::new();
        let base = map(6, Access::ReadWrite);
        state.park(at(base, 0), 2 * page());
        state.park(at(base, 4), 2 * page());
        check!(state.stats().reserved == 4 * page());
        check!((0..6).all(|index| is_mapped(at(base, index))));
        // The one between joins them, and all can be unmapped.
        state.park(at(base, 2), 2 * page());
        check!(state.stats().reserved == 0);
        check!((0..6).all(|index| !is_mapped(at(base, index))));
        check!(state.validate().is_ok());
        check!(!state.sweep());
        // Separate ranges wait for a sweep.
        let base = map(6, Access::ReadWrite);
        state.park(at(base, 0), 2 * page());
        state.park(at(base, 4), 2 * page());
        check!(state.sweep());
        check!(!is_mapped(base) && !is_mapped(at(base, 5)) && is_mapped(at(base, 2)));
        check!(state.stats().reserved == 0 && state.validate().is_ok());
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

#[test]
fn a_parked_range_is_no_block() {
    let mut state = State::new();
    let base = map(2, Access::ReadWrite);
    state.park(base, 2 * page());
    let start = base.addr().get();
    let double = state.find(start, None).map(|_| ());
    assert_eq!(double, Err(crate::contract::misuse::Misuse::DoubleFree), "it was freed before");
    let within = state.find(start + page(), None).map(|_| ());
    assert_eq!(within, Err(crate::contract::misuse::Misuse::ForeignFree), "never a block");
    assert!(state.sweep(), "swept");
    assert_eq!(state.stats().reserved, 0, "all went back");
}
