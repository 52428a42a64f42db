//! Damage reports for a reservation whose page map is damaged, and tests that its neighbours are
//! untouched.

#[cfg(loom)]
mod loom;

use std::thread;

use crate::contract::allocator::Allocator;
use crate::pages::page::page_map::Use;
use crate::pages::page::system::{Access, MAP, PROTECT, during};
use crate::pages::page::tests::flags;
use crate::pages::page::{PageAllocator, system};

#[test]
fn damage_to_the_map_is_told() {
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(10 * page, page).expect("there are addresses");
    assert_eq!(space.verify(), Ok(()), "sound");
    space.pages.with(|map| map.miscount());
    let said = space.verify().map_err(|damage| damage.what);
    let what = "a reservation's count of committed pages differs from its map";
    assert_eq!(said, Err(what), "a page too many");
    space.pages.with(|map| map.set(0..1, Use::Committed));
    space.pages.with(|map| map.set(0..1, Use::Reserved));
    assert!(space.verify().is_err(), "still");
    pages.pages.state.with(|state| state.committed += page);
    drop(space);
    assert_eq!(pages.committed_bytes(), 0, "as the map counted");
}

#[test]
fn a_reservation_that_is_gone_is_in_no_book() {
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(10 * page, page).expect("there are addresses");
    let base = space.base().as_ptr();
    assert!(pages.owns(base), "owned so far");
    drop(space);
    assert!(!pages.owns(base), "its addresses are anyone's");
    assert_eq!((pages.verify(), pages.stats().reserved), (Ok(()), 0), "whole");
}

/// The kernel refuses to discard pages that are locked in memory; under the memory checkers no
/// pages are locked.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn pages_that_cannot_be_emptied_stay_as_they_were() {
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(4 * page, page).expect("there are addresses");
    let block = space.commit(0..2 * page).expect("there is memory");
    // SAFETY: the pages are committed and no other code uses them.
    unsafe { block.cast::<u8>().write_bytes(7, block.len()) };
    // SAFETY: locks a page of the test's own.
    if unsafe { libc::mlock(block.cast::<u8>().as_ptr().cast(), page) } != 0 {
        std::println!("this process may not lock a page");
        return;
    }
    // SAFETY: only the test uses the memory, if it stays.
    let refused = unsafe { space.decommit(0..2 * page) };
    assert!(refused.is_err(), "locked");
    assert_eq!(space.committed_bytes(), 2 * page, "committed still");
    // SAFETY: the pages are committed still and were written.
    let kept = unsafe { &*block.as_ptr() };
    assert!(kept.iter().all(|&byte| byte == 7), "with their contents");
    // SAFETY: unlocks the page that was locked.
    let unlocked = unsafe { libc::munlock(block.cast::<u8>().as_ptr().cast(), page) };
    assert_eq!(unlocked, 0, "it was locked");
    // SAFETY: nothing uses the memory any more.
    unsafe { space.decommit(0..2 * page) }.expect("nothing is locked");
    assert_eq!(space.committed_bytes(), 0, "none");
}

#[test]
fn a_reservation_that_is_refused_takes_its_pledge_back() {
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let reserve = || pages.reserve(4 * page, page);
    let space = reserve().expect("there are addresses");
    let overhead = pages.overhead_bytes();
    drop(space);
    for _ in 0..3 {
        // The map of pages is allocated, the addresses are refused.
        let asked = during(MAP, 1..2, || assert!(reserve().is_err(), "refused"));
        assert_eq!(asked, 2, "the second call is the last");
        let space = reserve().expect("there are addresses");
        assert_eq!(pages.overhead_bytes(), overhead, "no leaf is kept for the one refused");
        drop(space);
    }
}

#[test]
fn a_commit_that_is_refused_touches_no_page_behind_it() {
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(3 * page, page).expect("there are addresses");
    let behind = space.address(1);
    // As if it had another owner: with access, and not marked in the map.
    // SAFETY: the page is the reservation's, and is not used.
    unsafe { system::protect(behind, page, Access::ReadWrite) }.expect("it is mapped");
    let asked = during(PROTECT, 0..1, || {
        assert!(space.commit(0..page).is_err(), "refused");
    });
    assert_eq!(asked, 2, "closed again");
    assert!(flags(behind).contains(" wr"), "the next page is as it was: {}", flags(behind));
    assert!(!flags(space.base()).contains(" wr"), "the page itself is closed");
    assert_eq!(space.committed_bytes(), 0, "nothing was committed");
}

/// One thread commits a page, another decommits it, and both wait for the owner's count, whose lock
/// is held meanwhile: the thread that raises it must be first, or the count wraps.
#[test]
fn the_owners_count_is_raised_before_another_thread_lowers_it() {
    /// Without a defined order either waiting thread may be first.
    const ROUNDS: usize = 40;
    /// In the right order only one of the two reaches the count, so this many checks see no change.
    const LOOKS: usize = 2000;
    let page = system::page_size();
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(page, page).expect("there are addresses");
    let wait_for = |committed| {
        for _ in 0..LOOKS {
            if space.pages.try_with(|map| map.committed()) == Some(committed) {
                return;
            }
            thread::yield_now();
        }
    };
    for round in 0..ROUNDS {
        thread::scope(|scope| {
            pages.pages.state.with(|_| {
                scope.spawn(|| {
                    space.commit(0..page).expect("there is memory");
                });
                wait_for(1);
                scope.spawn(|| {
                    // SAFETY: nothing uses the memory.
                    unsafe { space.decommit(0..page) }.expect("the kernel takes it");
                });
                wait_for(0);
            });
        });
        let (owner, own) = (pages.committed_bytes(), space.committed_bytes());
        assert_eq!(owner, own, "round {round}: both counts are one number");
    }
}
