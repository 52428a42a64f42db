//! Tests of the groups: exact memory, hashes, sites with equal hashes, and damage that `validate`
//! finds.

mod twin_a;
mod twin_b;

use core::panic::Location;
use core::ptr;
use std::vec::Vec;

use super::{Group, Groups, hash_of, mix};
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::TestBacking;
use crate::wrappers::trace::array::tests::{NO_ROOM, TOO_LONG};
use crate::wrappers::trace::stack::Stack;
use crate::wrappers::trace::tests::many_sites;

impl Groups {
    /// Gives a group another hash, under which it is not found; calling it twice restores the hash.
    pub(in crate::wrappers::trace) fn lose(&self, number: u32) {
        self.update(number, |group| group.hash = !group.hash);
    }
}

/// The error of `validate` for a group that is in no slot, or in two.
pub(in crate::wrappers::trace) const LOST: &str = "a site cannot be found in its index";

type Site = &'static Location<'static>;

#[track_caller]
fn here() -> Site {
    Location::caller()
}

/// Creates groups of one site and `count` stacks, each of one frame.
fn stacked(count: usize, site: Site, books: &TestBacking) -> Groups {
    let groups = Groups::new();
    for frame in 1..=count {
        let number = groups.of(site, Some(&Stack::of(&[frame])), books);
        assert_eq!(number, Ok(frame as u32 - 1), "each stack is another group");
    }
    groups.validate().expect("sound");
    groups
}

#[test]
fn the_tables_take_the_room_that_they_document() {
    let sites = many_sites();
    for keeps_stacks in [false, true] {
        let books = TestBacking::new();
        let groups = Groups::new();
        assert_eq!(groups.bytes(), 0, "nothing is taken before it is needed");
        for count in 1..=if keeps_stacks { 300 } else { sites.len() } {
            let stack = keeps_stacks.then(|| Stack::of(&[count, 1]));
            let site = sites[if keeps_stacks { 0 } else { count - 1 }];
            assert_eq!(groups.of(site, stack.as_ref(), &books), Ok(count as u32 - 1), "a new one");
            let slots = (2 * count).next_power_of_two().max(64);
            let items = count.next_power_of_two().max(16);
            let each = size_of::<Group>() + if keeps_stacks { size_of::<Stack>() } else { 0 };
            assert_eq!(groups.bytes(), 4 * slots + items * each, "{count} groups");
            assert_eq!(groups.bytes(), books.stats().granted, "{count} groups");
            groups.validate().expect("sound");
            for number in 0..count {
                let stack = keeps_stacks.then(|| Stack::of(&[number + 1, 1]));
                let site = sites[if keeps_stacks { 0 } else { number }];
                let found = groups.of(site, stack.as_ref(), &books);
                assert_eq!(found, Ok(number as u32), "{count} groups: each is found again");
                assert!(groups.stack(number as u32) == stack, "{number} has its stack");
            }
        }
        groups.release(&books);
        assert_eq!((groups.bytes(), groups.len()), (0, 0), "all is freed");
    }
}

#[test]
fn a_hash_is_of_line_column_length_and_frames() {
    let mixed = |word: u64| {
        let product = (u128::from(word) * 0x9e37_79b9_7f4a_7c15) as u64;
        let (upper, lower) = (product / 0x1_0000_0000, product % 0x1_0000_0000);
        upper * 0x1_0000_0000 + (lower ^ upper)
    };
    for word in [0, 1, 2, 0xffff_ffff, 0x1_0000_0000, 0x0123_4567_89ab_cdef, u64::MAX] {
        assert_eq!(mix(word), mixed(word), "{word:#x}");
    }
    for site in many_sites() {
        let (line, column) = (u64::from(site.line()), u64::from(site.column()));
        let place = line * 0x1_0000_0000 + column * 0x1_0000 + site.file().len() as u64;
        let hash = mixed(place);
        assert_eq!(hash_of(site, None), hash, "{site}");
        assert_eq!(hash_of(site, Some(&Stack::NONE)), hash, "{site}");
        let frames = [1, usize::MAX / 3, usize::MAX];
        let hash = frames.iter().fold(hash, |hash, &frame| mixed(hash ^ frame as u64));
        assert_eq!(hash_of(site, Some(&Stack::of(&frames))), hash, "{site} with frames");
    }
}

#[test]
fn sites_and_stacks_that_hash_alike_are_apart() {
    let books = TestBacking::new();
    let groups = Groups::new();
    let (one, other) = (twin_a::here(), twin_b::here());
    assert_eq!(hash_of(one, None), hash_of(other, None), "{one} and {other} are alike");
    for _ in 0..2 {
        assert_eq!(groups.of(one, None, &books), Ok(0), "the one came first");
        assert_eq!(groups.of(other, None, &books), Ok(1), "it has another file");
        groups.validate().expect("sound");
    }
    assert!(*groups.get(0).site == *one && *groups.get(1).site == *other, "each has its site");
    groups.release(&books);
    // A second frame can cancel any difference of the first, if it has as many bits as a hash.
    if usize::BITS == 32 {
        return;
    }
    let site = here();
    let hash = hash_of(site, None);
    let second = mix(hash ^ 1) ^ 3 ^ mix(hash ^ 2);
    let stacks = [Stack::of(&[1, 3]), Stack::of(&[2, second as usize])];
    assert_eq!(hash_of(site, Some(&stacks[0])), hash_of(site, Some(&stacks[1])), "made alike");
    for _ in 0..2 {
        for (number, stack) in stacks.iter().enumerate() {
            assert_eq!(groups.of(site, Some(stack), &books), Ok(number as u32), "other frames");
        }
        groups.validate().expect("sound");
    }
    groups.release(&books);
}

/// Copies of a location, as two codegen units may have for one line.
const HERE: Location<'static> = *Location::caller();
static ONE: Location<'static> = HERE;
static OTHER: Location<'static> = HERE;

#[test]
fn copies_of_a_location_are_one_site() {
    let books = TestBacking::new();
    let groups = Groups::new();
    assert!(!ptr::eq(&raw const ONE, &raw const OTHER), "they are at different addresses");
    for site in [&ONE, &OTHER, &ONE] {
        assert_eq!(groups.of(site, None, &books), Ok(0), "one line is one site");
        assert_eq!(groups.of(site, Some(&Stack::NONE), &books), Ok(0), "with no frames as well");
    }
    assert_eq!(groups.len(), 1, "one line is one site");
    groups.validate().expect("sound");
    groups.release(&books);
}

#[test]
fn a_site_with_a_stack_is_another_than_without() {
    let books = TestBacking::new();
    let groups = Groups::new();
    let site = here();
    assert_eq!(groups.of(site, None, &books), Ok(0), "the first");
    assert_eq!(groups.of(here(), None, &books), Ok(1), "the second");
    assert_eq!(groups.of(site, None, &books), Ok(0), "the site asked for last");
    for _ in 0..2 {
        assert_eq!(groups.of(site, Some(&Stack::of(&[1])), &books), Ok(2), "it came from a frame");
        assert_eq!(groups.of(site, Some(&Stack::of(&[2])), &books), Ok(3), "and from another");
        groups.validate().expect("sound");
    }
    let stacks: Vec<usize> = (0..4)
        .map(|number| groups.stack(number).expect("stacks are kept").frames().len())
        .collect();
    assert_eq!(stacks, [0, 0, 1, 1], "the first two were asked for before stacks were kept");
    // A stack that was passed once does not belong to a site without one.
    let groups_of_stack = stacked(1, site, &books);
    assert_eq!(groups_of_stack.last.get(), None, "only a site without a stack is cached");
    groups_of_stack.release(&books);
    groups.release(&books);
}

#[test]
fn released_groups_starts_again() {
    let books = TestBacking::new();
    let groups = Groups::new();
    let site = here();
    for _ in 0..2 {
        assert_eq!(groups.of(site, None, &books), Ok(0), "the first");
        assert_eq!(groups.len(), 1, "it is there");
        let Group { blocks, bytes, total, oldest, .. } = groups.get(0);
        assert_eq!((blocks, bytes, total, oldest), (0, 0, 0, 0), "nothing is counted yet");
        groups.release(&books);
        assert_eq!(groups.len(), 0, "it is gone");
    }
}

#[test]
fn there_are_no_more_than_2_to_the_30_groups() {
    const MAX: usize = (u32::MAX / 4) as usize;
    let books = TestBacking::new();
    books.refuse_from(0);
    let groups = Groups::new();
    // With 32 bits this number is larger than an object can be.
    let asked = u64::from(usize::BITS == 64);
    for (count, requests) in [(MAX - 1, asked), (MAX, asked), (MAX + 1, asked)] {
        groups.groups.claim_len(count);
        assert_eq!(groups.add(0, here(), None, &books), Err(AllocError), "{count} groups");
        assert_eq!(books.requests(), requests, "{count} groups: the books were asked or not");
    }
    groups.groups.claim_len(0);
}

#[test]
fn what_is_broken_is_told() {
    let books = TestBacking::new();
    let groups = stacked(1, here(), &books);
    for capacity in [0, 1] {
        let was = groups.index.claim_capacity(capacity);
        let what = if capacity == 0 { NO_ROOM } else { TOO_LONG };
        assert_eq!(groups.validate(), Err(what), "an index of 64 slots");
        groups.index.claim_capacity(was);
    }
    let was = groups.groups.claim_capacity(0);
    assert_eq!(groups.validate(), Err(NO_ROOM), "groups without room");
    groups.groups.claim_capacity(was);
    let was = groups.stacks.claim_capacity(0);
    assert_eq!(groups.validate(), Err(NO_ROOM), "stacks without room");
    groups.stacks.claim_capacity(was);
    groups.validate().expect("mended");
    groups.lose(0);
    assert_eq!(groups.validate(), Err(LOST), "a hash that leads elsewhere");
    groups.lose(0);
    groups.validate().expect("mended");
    // Another slot refers to the group as well.
    let empty = (0..64).find(|&at| groups.index.get(at) == 0).expect("most are");
    groups.index.update(empty, |slot| *slot = 1);
    assert_eq!(groups.validate(), Err(LOST), "a group in two slots");
    groups.index.update(empty, |slot| *slot = 0);
    groups.validate().expect("mended");
    groups.release(&books);

    let groups = stacked(33, here(), &books);
    let slots = groups.index.claim_len(64);
    assert_eq!(groups.validate(), Err("the index of sites is too full"), "33 in 64 slots");
    groups.index.claim_len(slots);
    groups.validate().expect("mended");
    let stacks = groups.stacks.claim_len(32);
    assert_eq!(groups.validate(), Err("some stacks of sites are missing"), "one is");
    groups.stacks.claim_len(stacks);
    groups.validate().expect("mended");
    groups.release(&books);
}
