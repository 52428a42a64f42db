//! The shape of the table: when leaves are joined and removed, their mapped memory, and damage to
//! either.

use core::num::NonZero;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{Entry, Leaf, Place, Table, capacity};
use crate::contract::allocator::Damage;
use crate::pages::page::entry::Kind;
use crate::pages::page::system;
#[cfg(target_os = "linux")]
use crate::pages::page::tests::flags;

/// An entry of addresses that are never touched.
fn entry(start: usize, bytes: usize, align: usize) -> Entry {
    let address = NonZero::new(start).expect("no range begins at 0");
    Entry::new(Kind::Block, NonNull::without_provenance(address), bytes, align)
}

fn page() -> usize {
    system::page_size()
}

/// How many leaves the first page of the directory has room for.
fn first_room() -> usize {
    page() / size_of::<Leaf>()
}

/// Inserts the given number of ranges of a page with a gap between them, by descending addresses.
fn filled(count: usize) -> Table {
    let mut table = Table::new();
    for index in (1..=count).rev() {
        table.reserve_slot().expect("there is memory");
        table.insert(entry(index * 2 * page(), page(), 1));
    }
    table
}

fn lens(table: &Table) -> Vec<usize> {
    (0..table.leaves).map(|leaf| table.leaf(leaf).len).collect()
}

fn starts(table: &Table) -> Vec<usize> {
    let mut starts = Vec::new();
    table.each(|entry| starts.push(entry.start()));
    starts
}

/// Removes the first entry of a leaf.
fn shorten(table: &mut Table, leaf: usize) {
    let mut expected = starts(table);
    let gone = table.entries(leaf)[0].start();
    table.remove(Place { leaf, index: 0 });
    expected.retain(|start| *start != gone);
    assert_eq!(starts(table), expected, "the others stay in order");
    assert_eq!(table.validate(), Ok(()), "whole");
}

#[test]
fn the_directory_doubles_when_it_has_to() {
    let (page, room) = (page(), first_room());
    let mut table = Table::new();
    for _ in 0..room {
        table.reserve_slot().expect("there is memory");
    }
    assert_eq!(table.bytes(), room * page + room * size_of::<Leaf>(), "a page of directory");
    table.reserve_slot().expect("there is memory");
    let twice = 2 * page / size_of::<Leaf>();
    assert_eq!(table.bytes(), (room + 1) * page + twice * size_of::<Leaf>(), "two pages");
    for pledged in (0..=room).rev() {
        table.cancel();
        assert_eq!(table.pledged, pledged, "taken back");
    }
    assert_eq!(table.validate(), Ok(()), "whole");
}

#[test]
fn a_leaf_leaves_a_directory_that_is_full() {
    let room = first_room();
    let mut table = filled((room - 1) * capacity() + 1);
    assert_eq!((table.leaves, table.room), (room, room), "full to the last place");
    for left in (1..capacity()).rev() {
        table.remove(Place { leaf: 0, index: 0 });
        assert_eq!(table.leaf(0).len, left, "the first leaf shrinks");
    }
    shorten(&mut table, 0);
    assert_eq!(table.leaves, room - 1, "and goes");
}

#[test]
fn leaves_that_are_half_full_together_are_joined() {
    let half = capacity() / 2;
    // Which leaf is shortened, of how many, and the upper one of the two that are joined.
    for (at, leaves, upper) in [(0, 2, 0), (1, 2, 0), (1, 3, 1), (2, 3, 1)] {
        let mut table = filled(leaves * capacity());
        let other = if upper == at { at + 1 } else { upper };
        while table.leaf(other).len > 20 {
            shorten(&mut table, other);
        }
        while table.leaf(at).len + 20 > half + 1 {
            shorten(&mut table, at);
        }
        assert_eq!(table.leaves, leaves, "not yet, at {at}: {:?}", lens(&table));
        shorten(&mut table, at);
        assert_eq!(table.leaves, leaves - 1, "half full, at {at}: {:?}", lens(&table));
        assert_eq!(table.leaf(upper).len, half, "into the upper one, at {at}");
    }
}

#[test]
fn a_full_leaf_is_split_in_the_middle() {
    let half = capacity() / 2;
    // One more if the capacity is odd.
    let rest = capacity() - half;
    for (at, expected) in [
        (1, [half + 1, rest]),
        (half, [half + 1, rest]),
        (half + 1, [half, rest + 1]),
        (capacity() - 1, [half, rest + 1]),
    ] {
        let mut table = filled(capacity());
        let start = table.entries(0)[at].start() + page();
        table.reserve_slot().expect("there is memory");
        table.insert(entry(start, page(), 1));
        assert_eq!(lens(&table), expected, "into the half where it belongs");
        assert_eq!(table.at(start).map(|(_, entry)| entry.start()), Some(start), "it is found");
        assert_eq!(table.validate(), Ok(()), "whole");
    }
}

#[test]
fn one_leaf_is_kept_for_the_next_block() {
    let page = page();
    let directory = first_room() * size_of::<Leaf>();
    let mut table = filled(1);
    assert_eq!(table.bytes(), page + directory, "a leaf");
    for count in [1, 3 * capacity(), 1] {
        while table.leaves > 0 {
            table.remove(Place { leaf: 0, index: 0 });
        }
        assert_eq!((table.spares, table.bytes()), (1, page + directory), "kept");
        for index in (1..=count).rev() {
            table.reserve_slot().expect("there is memory");
            table.insert(entry(index * page, page, 1));
        }
        let leaves = count.div_ceil(capacity());
        assert_eq!((table.leaves, table.validate()), (leaves, Ok(())), "filled again");
    }
}

/// Damages a table of three leaves and returns the reported damage.
fn said(harm: impl FnOnce(&mut Table), mend: impl FnOnce(&mut Table)) -> &'static str {
    let mut table = filled(2 * capacity() + 1);
    assert_eq!(table.validate(), Ok(()), "whole");
    harm(&mut table);
    let said = table.validate().map_err(|Damage { what, .. }| what);
    mend(&mut table);
    assert_eq!(table.validate(), Ok(()), "mended");
    said.expect_err("damage was not found")
}

/// Overwrites the second entry of a leaf, and returns the reported damage.
fn said_of(leaf: usize, bad: impl FnOnce(usize) -> Entry) -> &'static str {
    let place = Place { leaf, index: 1 };
    let good = filled(2 * capacity() + 1).entries(leaf)[1];
    said(|table| table.replace(place, bad(good.start())), |table| table.replace(place, good))
}

#[test]
fn damage_to_a_leaf_is_told() {
    let length = "a leaf of the page table has an impossible length";
    for leaf in [0, 1] {
        for wrong in [0, capacity() + 1] {
            let said = said(
                |table| table.leaf_mut(leaf).len = wrong,
                |table| table.leaf_mut(leaf).len = capacity(),
            );
            assert_eq!(said, length, "{wrong} entries");
        }
        let said = said(|t| t.leaf_mut(leaf).top += 1, |t| t.leaf_mut(leaf).top -= 1);
        assert_eq!(said, "a leaf of the page table has a wrong top", "leaf {leaf}");
    }
}

#[test]
fn damage_to_an_entry_is_told() {
    let impossible = "a range of pages has an impossible size or address";
    let overlap = "ranges of pages overlap or are out of order";
    for leaf in [0, 1] {
        let none = said_of(leaf, |start| entry(start, 0, 1));
        assert_eq!(none, impossible, "no bytes");
        let odd = said_of(leaf, |start| entry(start + 1, page(), 1));
        assert_eq!(odd, impossible, "not at a page");
        let odd = said_of(leaf, |start| entry(start, page(), start.next_power_of_two() * 2));
        assert_eq!(odd, impossible, "not aligned as it should be");
        let long = said_of(leaf, |start| entry(start, 2 * page() + 1, 1));
        assert_eq!(long, overlap, "into the next");
    }
}

#[test]
fn damage_to_the_spare_leaves_is_told() {
    let fewer = "the page table has fewer spare leaves than were pledged";
    let more = said(|table| table.spares += 1, |table| table.spares -= 1);
    assert_eq!(more, fewer, "one that is not there");
    let promised = |by: usize| move |table: &mut Table| table.pledged += by;
    let held = |table: &mut Table| table.pledged = 0;
    let spares = filled(2 * capacity() + 1).spares;
    assert_eq!(said(promised(spares + 1), held), fewer, "more were pledged");
    // With a spare for each reserved slot, but no slot in the directory.
    let mut table = filled(2 * capacity() + 1);
    table.reserve_slot().expect("there is memory");
    let room = core::mem::replace(&mut table.room, table.leaves);
    assert_eq!(table.validate().map_err(|damage| damage.what), Err(fewer), "no place");
    table.room = room;
    table.cancel();
    assert_eq!(table.validate(), Ok(()), "mended");
}

#[test]
#[cfg(target_os = "linux")]
fn the_tables_pages_are_memory() {
    let table = filled(1);
    let leaf = table.leaf(0).entries.cast();
    assert!(!flags(leaf).contains(" nr"), "a leaf is backed");
    assert!(!flags(table.directory.cast()).contains(" nr"), "so is the directory");
}

#[test]
fn a_table_that_goes_gives_every_page_back() {
    let before = system::mapped();
    for count in [0, 1, capacity(), 3 * capacity() + 1] {
        let mut table = filled(count);
        for _ in 0..3 {
            table.reserve_slot().expect("there is memory");
        }
        assert!(system::mapped() > before, "{count} ranges and spare leaves");
        drop(table);
        assert_eq!(system::mapped(), before, "after {count} ranges");
    }
}
