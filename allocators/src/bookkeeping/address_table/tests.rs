//! The address table against std's map.

use core::ptr::NonNull;

use std::collections::HashMap;

use super::{AddressTable, SLOTS_MAX, SLOTS_MIN, Slot};
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::{Random, TestBacking, panic_of};

/// An address that is never touched.
fn address(number: u64) -> NonNull<u8> {
    let number = usize::try_from(number).expect("a small number");
    NonNull::without_provenance(core::num::NonZero::new(number).expect("not zero"))
}

#[test]
fn behaves_as_a_map() {
    let books = TestBacking::new();
    for seed in 1..=8_u64 {
        let mut random = Random::new(seed);
        let table = AddressTable::new();
        let mut model: HashMap<usize, u32> = HashMap::new();
        for step in 0..4000_u32 {
            // Few addresses, close to each other, so that runs of slots collide and wrap around.
            let address = address(0x1000 + 16 * (random.next() % 500));
            let key = address.addr().get();
            if let Some(place) = table.place_of(address).filter(|_| random.next().is_multiple_of(2))
            {
                // Other entries are inserted and removed between a search and the use of its
                // result.
                let other = self::address(0x1000 + 16 * (random.next() % 500));
                if other != address {
                    let key = other.addr().get();
                    assert_eq!(table.remove(other), model.remove(&key), "seed {seed} step {step}");
                    assert!(table.place_of(other).is_none(), "seed {seed} step {step}");
                }
                assert_eq!(
                    Some(table.at(place)),
                    model.get(&key).copied(),
                    "seed {seed} step {step}"
                );
                if random.next().is_multiple_of(2) {
                    table.set_at(place, step);
                    model.insert(key, step);
                } else {
                    table.remove_at(place);
                    model.remove(&key);
                }
            } else if random.next() % 5 < 3 {
                table.reserve(&books).expect("the books have room");
                table.insert(address, step);
                model.insert(key, step);
            } else {
                assert_eq!(table.remove(address), model.remove(&key), "seed {seed} step {step}");
            }
            if random.next().is_multiple_of(4) && table.remove(address).is_some() {
                // The slot of the last removed entry can be reused by it or by another.
                let again =
                    if random.next().is_multiple_of(2) { address } else { self::address(0x900) };
                table.insert(again, step + 1);
                model.remove(&key);
                model.insert(again.addr().get(), step + 1);
            }
            assert_eq!(table.get(address), model.get(&key).copied(), "seed {seed} step {step}");
            assert_eq!(table.len(), model.len(), "seed {seed} step {step}");
            if step % 64 == 0 {
                table.validate().unwrap_or_else(|what| panic!("seed {seed} step {step}: {what}"));
            }
        }
        let mut shown = HashMap::new();
        table.for_each(|address, value| assert_eq!(shown.insert(address, value), None));
        assert_eq!(shown, model, "seed {seed}");
        table.release(&books);
        assert_eq!(table.bytes(), 0, "seed {seed}");
    }
    assert_eq!(books.stats().live, 0, "the books have everything back");
}

/// A table with the addresses 16, 32 and so on, whose values are their numbers.
fn table_of(entries: u32, books: &TestBacking) -> AddressTable<u32> {
    let table = AddressTable::new();
    for number in 1..=entries {
        table.reserve(books).expect("the books have room");
        table.insert(address(16 * u64::from(number)), number);
    }
    table
}

/// An address that hashes to the first slot of the smallest table.
fn address_of_the_first_slot(table: &AddressTable<u32>) -> NonNull<u8> {
    assert_eq!(table.capacity.get(), SLOTS_MIN, "the smallest table");
    let first = (1..).map(|number| address(16 * number));
    let mut first = first.filter(|address| table.home(address.addr().get()) == 0);
    first.next().expect("each slot has its addresses")
}

#[test]
fn what_was_removed_last_is_gone_until_it_comes_back() {
    let books = TestBacking::new();
    let table = table_of(3, &books);
    let (first, other) = (address(16), address(0x9000));
    assert_eq!(table.remove(first), Some(1), "it was there");
    table.insert(other, 9);
    assert_eq!((table.len(), table.get(first)), (3, None), "another came first");
    table.validate().expect("the table is sound");
    assert_eq!(table.remove(other), Some(9), "it was there");
    table.insert(other, 10);
    assert_eq!((table.len(), table.get(other)), (3, Some(10)), "it is back in its slot");
    table.validate().expect("the table is sound");
    table.release(&books);
}

#[test]
fn what_is_gone_does_not_come_back_with_a_larger_table() {
    let books = TestBacking::new();
    // As many as fit into the smallest table.
    let table = table_of(48, &books);
    assert_eq!(table.remove(address(32)), Some(2), "it was there");
    table.reserve(&books).expect("there is room");
    table.insert(address(0x9000), 49);
    assert_eq!(table.capacity.get(), SLOTS_MIN, "the table is full and what is gone in it");
    table.reserve(&books).expect("the books have room");
    assert_eq!(table.capacity.get(), 2 * SLOTS_MIN, "the table has grown");
    assert_eq!((table.len(), table.get(address(32))), (48, None), "gone");
    table.validate().expect("the table is sound");
    table.release(&books);
}

#[test]
fn a_table_that_was_released_serves_again() {
    let books = TestBacking::new();
    let table = table_of(5, &books);
    let place = table.place_of(address(32)).expect("it is there");
    table.remove(address(16)).expect("it is there");
    table.release(&books);
    assert_eq!((table.len(), table.bytes()), (0, 0), "empty");
    assert_eq!(table.get(address(32)), None, "empty");
    let told = panic_of(|| {
        table.at(place);
    });
    assert_eq!(told, "an entry is in the table until it is taken out", "a place of the old table");
    table.reserve(&books).expect("the books have room");
    table.insert(address(32), 7);
    assert_eq!((table.len(), table.get(address(32))), (1, Some(7)), "it serves again");
    table.validate().expect("the table is sound");
    table.release(&books);
}

#[test]
fn the_place_of_what_was_taken_out_is_refused() {
    let books = TestBacking::new();
    let table = table_of(1, &books);
    let first = address_of_the_first_slot(&table);
    for entry in [first, address(16)] {
        table.insert(entry, 3);
        table.insert(address(0x9000), 4);
        let place = table.place_of(entry).expect("it is there");
        table.remove_at(place);
        let told = panic_of(|| table.set_at(place, 5));
        assert_eq!(told, "an entry is in the table until it is taken out", "it is gone");
        assert_eq!(table.get(entry), None, "nothing was set");
    }
    table.insert(first, 3);
    let place = table.place_of(first).expect("it is there");
    assert_eq!(place.at, 0, "the slot that the capacity of an empty table names");
    table.release(&books);
    let told = panic_of(|| {
        table.at(place);
    });
    assert_eq!(told, "an entry is in the table until it is taken out", "nothing is there");
}

#[test]
fn a_table_grows_to_the_most_slots_and_no_further() {
    let books = TestBacking::new();
    let table = AddressTable::<u32>::new();
    books.refuse_from(0);
    table.capacity.set(SLOTS_MAX / 2);
    assert_eq!(table.grow(&books), Err(AllocError), "the books refuse");
    // With 32 bits such a table is larger than an object can be.
    let asked = u64::from(usize::BITS == 64);
    assert_eq!(books.requests(), asked, "they were asked for the largest table");
    table.capacity.set(SLOTS_MAX);
    assert_eq!(table.grow(&books), Err(AllocError), "the numbers of slots have 32 bits");
    assert_eq!(books.requests(), asked, "the books were not even asked");
    table.capacity.set(0);
}

#[test]
fn a_damaged_table_is_told() {
    let books = TestBacking::new();
    let table = table_of(3, &books);
    table.used.set(2);
    assert_eq!(table.validate(), Err("the table of addresses is miscounted"), "one too few");
    table.used.set(4);
    assert_eq!(table.validate(), Err("the table of addresses is miscounted"), "one too many");
    table.used.set(3);
    assert_eq!(table.validate(), Ok(()), "as it was");
    let place = table.place_of(address(32)).expect("it is there");
    // The slot of one address contains another, which is searched for elsewhere.
    let stray = (100..).map(|number| address(16 * number));
    let mut stray = stray.filter(|stray| table.address_at(table.find(stray.addr().get())) == 0);
    let stray = stray.find(|stray| table.find(stray.addr().get()) != place.at);
    let stray = stray.expect("most slots are empty");
    table.set(place.at, Slot::new(stray.addr().get(), 2));
    let told = table.validate();
    assert_eq!(told, Err("an entry of the table of addresses cannot be found"), "{stray:p}");
    table.release(&books);
}

impl<V: Copy> AddressTable<V> {
    /// Sets another number of entries, and returns the old one, for tests of structures that
    /// contain a table.
    pub(crate) fn miscount(&self, used: u32) -> u32 {
        self.used.replace(used)
    }
}
