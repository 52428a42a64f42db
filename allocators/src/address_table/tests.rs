//! The table of addresses beside std's map.

use core::ptr::NonNull;

use std::collections::HashMap;

use super::AddressTable;
use crate::allocator::Allocator;
use crate::test_backing::{Random, TestBacking};

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
            // Few addresses near each other, so that runs of slots collide and wrap.
            let address = address(0x1000 + 16 * (random.next() % 500));
            let key = address.addr().get();
            if let Some(place) = table.place_of(address).filter(|_| random.next().is_multiple_of(2))
            {
                // Others come and go between a search and what is done with it.
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
                // The slot of what was just removed is there for it to come back, or for another.
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
