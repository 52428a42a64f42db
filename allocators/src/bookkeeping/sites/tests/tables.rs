//! The tables of sites one by one: growth, remains of removed entries, and planted damage.

use core::ptr::NonNull;

use std::vec::Vec;

use super::{address, same, sites_of_a_program};
use crate::bookkeeping::sites::names::Names;
use crate::bookkeeping::sites::table::Table;
use crate::bookkeeping::sites::{Site, Sites, sealed::Book};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;

/// Slots of the first table, and its maximum number of entries.
const SLOTS: usize = 64;
const MOST: usize = 56;
/// Bytes of a slot of the numbers of sites.
const NUMBER: usize = 2 * size_of::<usize>();

/// The first address whose low 48 bits are all zero; with 32 bits there is none, and 28 bits serve
/// as well.
const ROUND: u64 = if usize::BITS == 64 { 1 << 48 } else { 1 << 28 };

/// Creates a table with the given number of entries, numbered from 1 on, each at 16 times its
/// number above [`ROUND`].
fn table_of(count: u16, books: &TestBacking) -> Table {
    let table = Table::new();
    for number in 1..=count {
        add(&table, beyond(number), number, books);
    }
    table
}

fn beyond(number: u16) -> NonNull<u8> {
    address(ROUND + 16 * u64::from(number))
}

fn add(table: &Table, at: NonNull<u8>, number: u16, books: &TestBacking) {
    table.reserve(1, books).expect("the books have room");
    table.insert(at, number);
}

/// Returns the words of the only block of the books with the given size.
fn words<T>(books: &TestBacking, bytes: usize) -> Vec<NonNull<T>> {
    let mut found = Vec::new();
    books.walk(&mut |block| {
        if block.bytes == bytes {
            found.push(block.address.cast::<T>());
        }
    });
    let &[first] = &found[..] else { panic!("{} blocks of {bytes} bytes", found.len()) };
    // SAFETY: the block has this many words.
    (0..bytes / size_of::<T>()).map(|at| unsafe { first.add(at) }).collect()
}

fn word<T: Copy>(at: NonNull<T>) -> T {
    // SAFETY: the word is in a live block of the books, which is written.
    unsafe { at.read() }
}

fn set<T>(at: NonNull<T>, value: T) {
    // SAFETY: the word is in a live block of the books, to which no reference exists.
    unsafe { at.write(value) };
}

#[test]
fn the_table_grows_when_it_is_full_and_by_half() {
    let books = TestBacking::new();
    let table = Table::new();
    table.reserve(0, &books).expect("nothing is needed");
    assert_eq!(books.requests(), 0, "and nothing taken");
    table.reserve(MOST, &books).expect("the books have room");
    assert_eq!((table.bytes(), books.requests()), (8 * SLOTS, 1), "as many as fit");
    for number in 1..=MOST as u16 {
        add(&table, beyond(number), number, &books);
    }
    assert_eq!((table.bytes(), books.requests()), (8 * SLOTS, 1), "all that was reserved");
    add(&table, beyond(57), 57, &books);
    assert_eq!((table.bytes(), books.requests()), (8 * 96, 2), "one more");
    assert_eq!(table.validate(57), Ok(()), "sound");
    table.release(&books);
}

#[test]
fn what_is_gone_does_not_come_back_when_the_table_grows() {
    for gone in 1..=MOST as u16 {
        let books = TestBacking::new();
        let table = table_of(MOST as u16, &books);
        table.remove(beyond(gone));
        table.reserve(2, &books).expect("the books have room");
        assert_eq!(table.bytes(), 8 * 96, "it has grown");
        assert_eq!((table.len(), table.validate(56)), (55, Ok(())), "without {gone}");
        for number in 1..=MOST as u16 {
            let expected = (number != gone).then_some(number);
            assert_eq!(table.get(beyond(number)), expected, "{number} without {gone}");
        }
        table.release(&books);
    }
}

#[test]
fn what_is_gone_is_no_entry_to_anybody() {
    let books = TestBacking::new();
    let table = table_of(3, &books);
    table.remove(beyond(2));
    for number in 4..200 {
        assert_eq!(table.get(beyond(number)), None, "{number} never was there");
    }
    assert_eq!([1, 2, 3].map(|n| table.get(beyond(n))), [Some(1), None, Some(3)], "the others are");
    table.release(&books);
    assert_eq!((table.bytes(), table.len()), (0, 0), "all freed");
    // A removed entry of the old memory must not affect the new one.
    add(&table, beyond(2), 9, &books);
    assert_eq!((table.get(beyond(2)), table.validate(9)), (Some(9), Ok(())), "it serves again");
    table.remove(beyond(2));
    table.release(&books);
    add(&table, beyond(7), 5, &books);
    assert_eq!((table.len(), table.validate(5)), (1, Ok(())), "nor where it was gone last");
    table.release(&books);
}

#[test]
fn an_address_without_low_bits_is_one_like_others() {
    let books = TestBacking::new();
    for number in [1, 2] {
        let table = table_of(2, &books);
        table.remove(beyond(1));
        // The next removal empties the slot of the previous one, and records the new place.
        add(&table, beyond(3), 3, &books);
        add(&table, address(ROUND), number, &books);
        assert_eq!(table.get(address(ROUND)), Some(number), "it is where the search expects it");
        assert_eq!(table.validate(3), Ok(()), "sound");
        for other in 4..=MOST as u16 + 3 {
            add(&table, beyond(other), 3, &books);
        }
        assert_eq!(table.bytes(), 8 * 96, "the table has grown");
        assert_eq!(table.get(address(ROUND)), Some(number), "and taken it along");
        assert_eq!(table.validate(3), Ok(()), "sound");
        table.remove(address(ROUND));
        table.clear();
        add(&table, beyond(9), 9, &books);
        assert_eq!(table.get(address(ROUND)), None, "removed, and cleared besides");
        add(&table, address(ROUND), number, &books);
        assert_eq!(table.get(address(ROUND)), Some(number), "and here again");
        assert_eq!((table.len(), table.validate(9)), (2, Ok(())), "sound");
        table.release(&books);
    }
}

#[test]
fn a_cleared_table_holds_nothing_of_before() {
    let books = TestBacking::new();
    let table = Table::new();
    table.clear();
    assert_eq!((table.len(), table.validate(0)), (0, Ok(())), "an empty one may be cleared");
    for count in 0..4 {
        for number in 1..=count {
            add(&table, beyond(number), number, &books);
        }
        table.clear();
        add(&table, beyond(100), 1, &books);
        for number in 1..=count {
            assert_eq!(table.get(beyond(number)), None, "{number} of {count}");
        }
        assert_eq!((table.len(), table.validate(1)), (1, Ok(())), "{count} cleared");
        table.clear();
    }
    table.release(&books);
}

/// With 32 bits there are no high bits.
#[cfg(target_pointer_width = "64")]
#[test]
fn the_high_bits_tell_blocks_apart() {
    let books = TestBacking::new();
    let table = table_of(1, &books);
    let (twin, other) = (address(2 * ROUND + 16), address(2 * ROUND + 4096));
    for far in [twin, other] {
        add(&table, far, 2, &books);
        assert_eq!((table.len(), table.get(beyond(1))), (1, Some(1)), "{far:?} is left out");
        assert_eq!(table.get(far), None, "{far:?} is left out");
        assert_eq!(table.at_or_below(far), None, "{far:?} is elsewhere");
    }
    assert_eq!(table.at_or_below(beyond(5)), Some(1), "the nearest below");
    // Once the last one is removed, others can be inserted, also one with the same low bits.
    for far in [twin, other] {
        table.clear();
        add(&table, beyond(1), 1, &books);
        table.remove(beyond(1));
        add(&table, far, 2, &books);
        assert_eq!((table.get(far), table.get(beyond(1))), (Some(2), None), "{far:?} alone");
        assert_eq!((table.len(), table.validate(2)), (1, Ok(())), "{far:?} alone");
    }
    table.release(&books);
}

#[test]
fn damage_to_slots_is_told() {
    let books = TestBacking::new();
    let table = table_of(2, &books);
    let used: Vec<_> =
        words::<u64>(&books, 8 * SLOTS).into_iter().filter(|&at| word(at) != 0).collect();
    let before = [word(used[0]), word(used[1])];
    set(used[0], before[1]);
    let lost = Err("a block of the table of sites cannot be found");
    assert_eq!(table.validate(2), lost, "one is there twice");
    set(used[0], before[0]);
    assert_eq!(table.validate(2), Ok(()), "sound again");
    // The later one is removed, so that the hole separates no entry.
    set(used[1], 0);
    let miscounted = Err("the table of sites is miscounted");
    assert_eq!(table.validate(2), miscounted, "one is missing");
    set(used[1], before[1]);
    assert_eq!(table.validate(2), Ok(()), "sound again");
    // Room is not reserved, so there are more entries than allowed.
    for number in 3..=MOST as u16 {
        table.insert(beyond(number), 1);
    }
    assert_eq!(table.validate(2), Ok(()), "the maximum number");
    table.insert(beyond(57), 1);
    assert_eq!(table.validate(2), miscounted, "one more");
    table.release(&books);
}

/// With 32 bits both tables have blocks of one size.
#[cfg(target_pointer_width = "64")]
#[test]
fn damage_to_names_is_told() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let lines = sites_of_a_program(3);
    for (number, line) in lines.iter().enumerate() {
        sites.reserve(1, line).expect("the books have room");
        sites.note(address(16 * (1 + number as u64)), line);
    }
    assert_eq!(sites.verify(3), Ok(()), "sound");
    let told = |what| {
        let damage = sites.verify(3).expect_err("planted");
        assert_eq!(damage.what, what, "what is broken");
        let table = words::<u64>(&books, 8 * SLOTS)[0].as_ptr().cast::<u8>().cast_const();
        assert_eq!(damage.address, table, "the address is that of the table");
    };
    // Two lines are swapped in the list of 16.
    let list = words::<Site>(&books, 16 * size_of::<Site>());
    let [first, second] = [list[0], list[1]];
    let swap = || {
        // SAFETY: both words are in the list and are written; no reference to them exists.
        unsafe { first.swap(second) };
    };
    swap();
    told("a site has another number than its place");
    swap();
    assert_eq!(sites.verify(3), Ok(()), "sound again");
    // A number of a line that has none, in both words of an empty slot.
    let numbers = words::<usize>(&books, NUMBER * 64);
    let slot = numbers.chunks(2).position(|slot| word(slot[0]) == 0 && word(slot[1]) == 0);
    let slot = 2 * slot.expect("most slots are empty");
    // One with an arbitrary hash; it is either not found or one too many.
    set(numbers[slot], 0x1234_5678);
    set(numbers[slot + 1], 0x1234_5678);
    let damage = sites.verify(3).expect_err("planted");
    assert!(damage.what.contains("the table of addresses"), "{damage}");
    set(numbers[slot], 0);
    set(numbers[slot + 1], 0);
    assert_eq!(sites.verify(3), Ok(()), "sound again");
}

#[test]
fn names_grow_to_twice_as_many_and_go_back() {
    let books = TestBacking::new();
    let names = Names::new();
    let lines = sites_of_a_program(40);
    for round in 0..2 {
        assert_eq!((names.count(), names.bytes()), (0, 0), "round {round}: nothing yet");
        for (place, line) in lines.iter().enumerate() {
            let number = place as u16 + 1;
            assert_eq!(names.enter(line, &books), Ok(Some(number)), "round {round}");
            let listed = [16, 32, 64].into_iter().find(|&most| place < most).expect("a few");
            let bytes = listed * size_of::<Site>() + NUMBER * 64;
            assert_eq!(names.bytes(), bytes, "round {round}: {number} names");
            assert_eq!(books.stats().granted, bytes, "round {round}: all that the books gave");
        }
        for (place, line) in lines.iter().enumerate() {
            assert!(same(Some(names.site(place as u16 + 1)), Some(line)), "round {round}: {place}");
        }
        assert_eq!(names.validate(), Ok(()), "round {round}: sound");
        names.release(&books);
        assert_eq!(books.stats().live, 0, "round {round}: the books have everything back");
    }
}

#[test]
fn room_that_is_pledged_is_kept_until_it_is_used_or_given_up() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let line = &sites_of_a_program(1)[0];
    let block = |number: usize| address(16 * (1 + number as u64));
    for _ in 0..MOST {
        sites.reserve_slot(line).expect("the books have room");
    }
    assert_eq!(sites.table.bytes(), 8 * SLOTS, "as many as fit");
    for _ in 0..MOST {
        sites.cancel();
    }
    for number in 0..MOST {
        sites.reserve_slot(line).expect("the books have room");
        sites.commit(block(number), line);
    }
    assert_eq!((sites.count(), sites.table.bytes()), (MOST, 8 * SLOTS), "each took its own room");
    // One that moves keeps its room.
    let lifted = sites.take(block(0));
    assert!(same(lifted, Some(line)), "it was known");
    assert_eq!((sites.site_of(block(0)), sites.count()), (None, MOST - 1), "it is on its way");
    assert_eq!(sites.take(block(0)), None, "no block is there any more");
    sites.commit(block(100), line);
    assert_eq!((sites.site_of(block(0)), sites.count()), (None, MOST), "it has come");
    assert!(same(sites.site_of(block(100)), Some(line)), "with its site");
    assert_eq!(sites.table.bytes(), 8 * SLOTS, "in its room");
    sites.reserve_slot(line).expect("the books have room");
    assert_eq!(sites.table.bytes(), 8 * 96, "the next needs more");
    sites.cancel();
    sites.verify(MOST).expect("the tables hold together");
}
