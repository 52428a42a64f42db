//! Against a model, at the end of a slot's lives, and with each rule broken.

use std::collections::BTreeMap;
use std::vec::Vec;

use loligo_allocators::Refusals;
use loligo_ids::InsertError;

use super::{NIL, Slot, Slots};
use crate::pools::handle_heap::{BlockId, HandleHeapDamage};
use crate::testing::test_memory::{Memory, Random, with_memory};

type Table<'a> = Slots<'a, Memory<'a>>;

#[test]
fn does_as_a_map_would() {
    for seed in 0..20 {
        std::println!("seed {seed}");
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut slots = Table::new_in(memory);
            let mut known: BTreeMap<u64, u32> = BTreeMap::new();
            let mut gone: Vec<BlockId> = Vec::new();
            for step in 0..600 {
                let drawn = random.below(known.len().max(1));
                let some = known.keys().nth(drawn).copied().and_then(BlockId::from_bits);
                match (some, random.below(3)) {
                    (Some(id), 0) => {
                        slots.remove(id);
                        known.remove(&id.to_bits());
                        gone.push(id);
                    }
                    (Some(id), 1) => {
                        slots.set(id.index() as u32, step);
                        known.insert(id.to_bits(), step);
                    }
                    _ => {
                        let id = slots.insert(step).expect("there is memory");
                        assert_eq!(known.insert(id.to_bits(), step), None, "{id:?} is new");
                    }
                }
                assert_eq!(slots.validate(), Ok(()));
                assert_eq!(slots.len() as usize, known.len());
            }
            assert_eq!(slots.try_shrink_to_fit(), Ok(()));
            for (bits, at) in &known {
                let id = BlockId::from_bits(*bits).expect("it was one");
                assert_eq!(
                    (slots.get(id), slots.get_by_slot(id.index() as u32)),
                    (Some(*at), Some(*at))
                );
            }
            assert!(gone.iter().all(|id| slots.get(*id).is_none()), "none comes back");
            let mut places: Vec<u32> = slots.places().collect();
            let mut expected: Vec<u32> = known.into_values().collect();
            places.sort_unstable();
            expected.sort_unstable();
            assert_eq!(places, expected);
        });
    }
}

#[test]
fn an_id_that_was_never_given_out_names_nothing() {
    with_memory(|memory| {
        let mut slots = Table::new_in(memory);
        let id = slots.insert(7).expect("there is memory");
        slots.remove(id);
        // The slot is free, and its life is even: an id made up of that finds no block.
        for life in 0..5_u64 {
            let made_up = BlockId::from_bits(life << 32);
            assert_eq!(made_up.and_then(|id| slots.get(id)), None, "life {life}");
        }
        let beyond = BlockId::from_bits(1 << 32 | 9).expect("it has a life");
        assert_eq!((slots.get(beyond), slots.get_by_slot(9)), (None, None));
        assert_eq!(slots.get_by_slot(u32::MAX), None);
    });
}

#[test]
fn a_slot_whose_lives_are_over_is_not_used_again() {
    with_memory(|memory| {
        let mut slots = Table::new_in(memory);
        let first = slots.insert(1).expect("there is memory");
        slots.slots[0].life = u32::MAX;
        let last = BlockId::from_bits(u64::from(u32::MAX) << 32).expect("it has a life");
        assert_eq!((slots.get(first), slots.get(last)), (None, Some(1)));
        slots.remove(last);
        assert_eq!((slots.get(last), slots.validate()), (None, Ok(())));
        let next = slots.insert(2).expect("there is memory");
        assert_eq!((next.index(), slots.get(next)), (1, Some(2)), "another slot");
    });
}

#[test]
fn without_memory_there_is_no_id() {
    with_memory(|memory| {
        let mut slots = Table::new_in(memory);
        memory.refuse(Refusals::From(0));
        let refused = InsertError::Memory { slots: 1, bytes: 8 };
        assert_eq!((slots.insert(1), slots.len()), (Err(refused), 0));
        assert_eq!(slots.validate(), Ok(()));
        memory.refuse(Refusals::None);
        assert!(slots.insert(1).is_ok());
    });
}

/// Returns what is found where two of four slots are free and one thing is broken.
fn found(damage: impl FnOnce(&mut Table<'_>)) -> Option<&'static str> {
    let mut found = None;
    with_memory(|memory| {
        let mut slots = Table::new_in(memory);
        let ids = [0; 4].map(|at| slots.insert(at).expect("there is memory"));
        slots.remove(ids[1]);
        slots.remove(ids[2]);
        assert_eq!(slots.validate(), Ok(()), "whole before it is broken");
        damage(&mut slots);
        found = slots.validate().err().map(|HandleHeapDamage { what, .. }| what);
    });
    found
}

#[test]
fn what_is_broken_is_named() {
    let count = Some("the table of ids miscounts its blocks, found");
    assert_eq!(found(|slots| slots.live = 3), count, "one more");
    assert_eq!(found(|slots| slots.slots[0].life += 1), count, "one less");
    let elsewhere = Some("the free slots of the table of ids lead elsewhere, found");
    assert_eq!(found(|slots| slots.free = 0), elsewhere, "to one with a block");
    assert_eq!(found(|slots| slots.free = 4), elsewhere, "beyond the last");
    assert_eq!(found(|slots| slots.free = 1), elsewhere, "past one of them");
    assert_eq!(found(|slots| slots.free = NIL), elsewhere, "to none");
    let on = Some("the free slots of the table of ids go on, found");
    assert_eq!(found(|slots| slots.slots[1].at = 2), on, "round");
    assert_eq!(found(|slots| slots.slots[1] = Slot { life: 0, at: NIL }), on, "to a spent one");
}
