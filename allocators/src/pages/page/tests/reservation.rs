//! Reservations: committed pages are memory, the others are not, and all of it is counted.

use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::string::String;
use std::vec;

use super::{bytes, fill, is_resident, misused, page, seeded};
use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::pages::page::{PageAllocator, Reservation, system};

/// Returns `true` if the page at `address` has access, according to the kernel's list of mappings.
pub(super) fn is_readable(address: NonNull<u8>) -> bool {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapping = text.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        (start..end).contains(&address.addr().get()).then_some(rest)
    });
    mapping.is_some_and(|access| access.starts_with("rw"))
}

fn at(space: &Reservation<'_>, index: usize) -> NonNull<u8> {
    // SAFETY: the tests ask for pages of the reservation.
    unsafe { space.base().add(index * page()) }
}

#[test]
fn commit_and_decommit() {
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(100 * page() - 1, 1 << 21).unwrap();
    assert_eq!(space.bytes(), 100 * page(), "whole pages");
    assert_eq!(space.base().addr().get() % (1 << 21), 0, "aligned");
    assert_eq!(pages.stats().reserved, 100 * page(), "reserved");
    assert_eq!(pages.committed_bytes(), 0, "not committed");
    assert!(!is_readable(space.base()), "no access yet");
    assert!(pages.owns(at(&space, 99).as_ptr()), "owned");

    let part = space.commit(10 * page()..20 * page()).unwrap();
    assert_eq!(part.cast::<u8>(), at(&space, 10), "where it was asked");
    assert!(bytes(part).iter().all(|&b| b == 0), "zero");
    fill(part, 1);
    assert_eq!(pages.committed_bytes(), 10 * page(), "counted");
    // An overlapping commit keeps existing contents and counts only new pages.
    let wider = space.commit(5 * page()..25 * page()).unwrap();
    assert_eq!(space.committed_bytes(), 20 * page(), "counted once");
    let expected = |index| u8::from((5..15).contains(&(index / page())));
    let kept = bytes(wider).iter().enumerate();
    assert!(kept.clone().all(|(i, &b)| b == expected(i)), "kept");

    assert!(is_resident(at(&space, 10)), "touched pages have memory");
    // SAFETY: the memory is not used.
    unsafe { space.decommit(8 * page()..12 * page()) }.unwrap();
    assert_eq!(pages.committed_bytes(), 16 * page(), "counted");
    assert!(!is_readable(at(&space, 8)) && !is_readable(at(&space, 11)), "no access");
    assert!(!is_resident(at(&space, 10)), "no memory");
    assert!(is_readable(at(&space, 12)), "the neighbours stay");
    let again = space.commit(8 * page()..12 * page()).unwrap();
    assert!(bytes(again).iter().all(|&b| b == 0), "zero again");
    // SAFETY: the memory is not used.
    unsafe { space.decommit(0..space.bytes()) }.unwrap();
    assert_eq!((pages.committed_bytes(), space.committed_bytes()), (0, 0), "none");
    assert_eq!(pages.verify(), Ok(()), "whole");
    assert_eq!(pages.stats().live, 0, "a reservation is no block");
    drop(space);
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn guards_bar_commits() {
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(10 * page(), page()).unwrap();
    fill(space.commit(0..10 * page()).unwrap(), 1);
    // SAFETY: the memory is not used.
    unsafe { space.guard(4 * page()..6 * page()) }.unwrap();
    assert_eq!(space.committed_bytes(), 8 * page(), "a guard is no memory");
    assert!(!is_readable(at(&space, 4)), "no access");
    assert!(space.commit(0..5 * page()).is_err(), "refused over a guard");
    assert!(space.commit(5 * page()..10 * page()).is_err(), "refused over a guard");
    assert_eq!(space.committed_bytes(), 8 * page(), "a refusal changes nothing");
    // SAFETY: the memory is not used.
    unsafe { space.decommit(4 * page()..5 * page()) }.unwrap();
    assert!(space.commit(0..5 * page()).is_ok(), "the bar is lifted");
    // SAFETY: the memory is not used.
    unsafe { space.guard(0..page()) }.unwrap();
    assert_eq!(space.committed_bytes(), 8 * page(), "one lifted, one more");
    drop(space);
    assert_eq!(pages.committed_bytes(), 0, "all went back");
}

#[test]
fn random_ranges_against_a_model() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum State {
        Reserved,
        Committed(u8),
        Guard,
    }
    for seed in 1..=3 {
        let mut random = seeded(seed);
        let pages = PageAllocator::new("pages");
        let space = pages.reserve(200 * page(), page()).unwrap();
        let mut model = vec![State::Reserved; 200];
        for step in 0..400 {
            let start = random.below(200);
            let end = start + random.below(201 - start);
            let range = start * page()..end * page();
            let part = &mut model[start..end];
            // SAFETY: the model knows what is used: nothing.
            unsafe {
                match random.below(5) {
                    0 => {
                        space.guard(range).unwrap();
                        part.fill(State::Guard);
                    }
                    1 | 2 => {
                        space.decommit(range).unwrap();
                        part.fill(State::Reserved);
                    }
                    _ if part.contains(&State::Guard) => {
                        assert!(space.commit(range).is_err(), "seed {seed}, step {step}");
                    }
                    _ => {
                        let block = space.commit(range).unwrap();
                        for (index, state) in part.iter_mut().enumerate() {
                            let page = &bytes(block)[index * page()..][..page()];
                            let expected = match *state {
                                State::Committed(mark) => mark,
                                _ => 0,
                            };
                            assert!(page.iter().all(|&b| b == expected), "seed {seed}");
                            *state = State::Committed(step as u8);
                        }
                        fill(block, step as u8);
                    }
                }
            }
            let committed = model.iter().filter(|s| matches!(s, State::Committed(_)));
            assert_eq!(space.committed_bytes(), committed.count() * page(), "seed {seed}");
            assert_eq!(pages.committed_bytes(), space.committed_bytes(), "seed {seed}");
            assert_eq!(space.verify(), Ok(()), "seed {seed}");
        }
        for (index, state) in model.iter().enumerate() {
            let readable = is_readable(at(&space, index));
            assert_eq!(readable, matches!(state, State::Committed(_)), "page {index}");
        }
    }
}

/// With 32 bits an address space may have room for any layout.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_terabyte_costs_next_to_nothing() {
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(1 << 40, 1 << 30).unwrap();
    assert_eq!(pages.stats().reserved, 1 << 40, "all counted");
    let end = space.bytes();
    fill(space.commit(end - page()..end).unwrap(), 1);
    assert_eq!(pages.committed_bytes(), page(), "one page");
    assert!(pages.reserve(1 << 50, 1).is_err(), "more than there is");
}

#[test]
fn ranges_are_whole_pages_within() {
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(4 * page(), page()).unwrap();
    for range in [1..page(), 0..page() + 1, 0..5 * page(), 2 * page()..page()] {
        let result = catch_unwind(AssertUnwindSafe(|| space.commit(range.clone())));
        assert!(result.is_err(), "{range:?} is no range of pages");
    }
    assert_eq!(space.commit(2 * page()..2 * page()).unwrap().len(), 0, "none is fine");
    assert_eq!(space.committed_bytes(), 0, "nothing happened");
    let text = std::format!("{space:?}");
    assert!(text.contains("committed_bytes: 0"), "{text}");
}

#[test]
fn a_reservation_is_no_block() {
    let pages = PageAllocator::new("pages");
    let space = pages.reserve(4 * page(), page()).unwrap();
    space.commit(0..4 * page()).unwrap();
    // SAFETY: the misuse under test.
    unsafe {
        misused(Misuse::ForeignFree, || pages.deallocate(space.base()));
        misused(Misuse::ForeignFree, || pages.deallocate(at(&space, 1)));
    }
    pages.walk(&mut |block| panic!("{block:?} is no block"));
}

#[test]
fn a_forgotten_reservation_is_told() {
    let pages = Box::new(PageAllocator::new("forgetful"));
    let space = pages.reserve(page(), page()).unwrap();
    let (base, bytes) = (space.base(), space.bytes());
    core::mem::forget(space);
    let panic = catch_unwind(AssertUnwindSafe(|| drop(pages))).expect_err("it is reported");
    let text = *panic.downcast::<String>().expect("with text");
    assert!(text.contains("`forgetful`") && text.contains("1 forgotten"), "{text}");
    // SAFETY: the pages are not used any more.
    unsafe { system::unmap(base, bytes) }.unwrap();
}

#[test]
fn threads_commit_side_by_side() {
    static PAGES: PageAllocator = PageAllocator::new("shared");
    let space = PAGES.reserve(400 * page(), page()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let space = &space;
            scope.spawn(move || {
                for round in 0..50_u8 {
                    let range = thread * 100 * page()..(thread * 100 + 100) * page();
                    let block = space.commit(range.clone()).unwrap();
                    assert!(bytes(block).iter().all(|&b| b == 0), "fresh");
                    fill(block, round + 1);
                    // SAFETY: this thread alone uses its part.
                    unsafe { space.decommit(range) }.unwrap();
                }
            });
        }
    });
    assert_eq!(space.committed_bytes(), 0, "all decommitted");
    drop(space);
    assert_eq!(PAGES.stats().reserved, 0, "all went back");
}
