//! Ids that are stale, of another table, or made of any bits: `None`, and nothing else.

use std::collections::BTreeSet;
use std::vec::Vec;

use crate::error::InsertAtError;
use crate::id::{Id, SmallId, TableId};
use crate::policy::{Fifo, FreeList, Lifo, Retire, Wrap};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::{Random, TestBacking};

/// With `Retire` no id is ever given out twice, and none but the live ones is answered.
fn never_twice<S: Shape, I: TableId>(seed: u64) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let mut table = Table::<S, u64, I, Fifo<2>, Retire, _>::with_limit_in(40, &backing);
    let (mut ever, mut live, mut dead) = (BTreeSet::new(), Vec::new(), Vec::new());
    for step in 0..4000 {
        if random.below(2) == 0 {
            let Ok(id) = table.insert(step) else { continue };
            assert!(ever.insert(id), "{id:?} was given out before");
            live.push((id, step));
        } else if !live.is_empty() {
            let (id, value) = live.swap_remove(random.below(live.len()));
            assert_eq!(table.remove(id), Some(value), "the object of {id:?}");
            dead.push(id);
        }
        for _ in 0..3 {
            if dead.is_empty() {
                continue;
            }
            let id = dead[random.below(dead.len())];
            assert!(!table.contains(id) && table.get(id).is_none(), "{id:?} is dead");
            assert!(table.get_mut(id).is_none() && table.remove(id).is_none(), "{id:?} is dead");
            assert!(table.index_of(id).is_none() && !table.give_up(id), "{id:?} is dead");
            assert!(table.fill(id, 0).is_err(), "{id:?} is dead");
        }
    }
    assert_eq!(table.len(), live.len(), "no dead id took anything away");
}

#[test]
fn no_id_comes_back_and_no_stale_one_is_answered() {
    for seed in 0..6 {
        never_twice::<Holes, Id<u8>>(seed);
        never_twice::<Packed, Id<u8>>(seed + 10);
        never_twice::<Holes, SmallId<u8>>(seed + 40);
        never_twice::<Holes, Id<u8, u32, 6, 4>>(seed + 20);
        never_twice::<Packed, Id<u8, u64, 48, 16>>(seed + 30);
    }
}

/// All bit patterns of a small id, ids with generation 0 (as plain data may hold them) included.
fn every_pattern<S: Shape>(limit: usize) {
    type Any = Id<u8, u32, 4, 3>;
    let backing = TestBacking::new();
    let mut table =
        Table::<S, u64, Any, Lifo, Retire, _>::with_limit_in(limit, &backing).with_tag(1);
    let mut live = BTreeSet::new();
    for round in 0..40 {
        if round % 5 == 4 {
            let gone: Vec<Any> = live.iter().copied().step_by(2).collect();
            for id in gone {
                assert_eq!(table.remove(id), Some(u64::from(id.to_bits())), "its own object");
                live.remove(&id);
            }
        } else if let Ok(id) = table.reserve_id()
            && round % 3 > 0
        {
            table.fill(id, u64::from(id.to_bits())).expect("it is reserved");
            live.insert(id);
        }
        for bits in 1..1 << 9 {
            let id = bytemuck::cast::<u32, Option<Any>>(bits).expect("not 0");
            let expected = live.contains(&id).then(|| u64::from(bits));
            assert_eq!(table.get(id).copied(), expected, "{bits:b}");
            assert_eq!(table.contains(id), expected.is_some(), "{bits:b}");
            if expected.is_none() {
                assert!(table.remove(id).is_none(), "{bits:b}");
            }
        }
        for bits in [1_u32, 15, 1 << 7, 1 << 7 | 3, 2 << 7 | 1 << 4] {
            let id = bytemuck::cast::<u32, Option<Any>>(bits).expect("not 0");
            let refused = table.insert_at(id, 0).expect_err("no generation, or another's tag");
            assert!(matches!(refused, InsertAtError::Foreign { own: 1, .. }), "{refused}");
        }
    }
    table.validate().expect("whole");
}

#[test]
fn any_bits_are_answered_with_none() {
    for limit in [1, 2, 3, 16] {
        every_pattern::<Holes>(limit);
        every_pattern::<Packed>(limit);
    }
}

/// A table that never uses all slots that the index can name, and the word of every slot in any
/// state: ids of slots that it does not have lead to those that it has.
fn every_pattern_of_a_wider_index<S: Shape, F: FreeList>(seed: u64) {
    type Wide = Id<u8, u32, 7, 2>;
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    // Half of the index, so that both tables that grow and those that are full are looked at.
    let mut table = Table::<S, u64, Wide, F, Wrap, _>::with_limit_in(64, &backing).with_tag(0);
    let mut live = BTreeSet::new();
    for step in 0..400 {
        // It fills up, then empties to the last, in any order.
        let most = 1 << random.below(7);
        if step % 2 == 0 {
            while live.len() < most
                && let Ok(id) = table.insert(0)
            {
                *table.get_mut(id).expect("just made") = u64::from(id.to_bits());
                live.insert(id);
            }
        } else {
            let keep = random.below(3);
            for id in live.clone() {
                if random.below(3) >= keep {
                    assert_eq!(table.remove(id), Some(u64::from(id.to_bits())), "its own object");
                    live.remove(&id);
                }
            }
        }
        for bits in 1..1 << 9 {
            let id = bytemuck::cast::<u32, Option<Wide>>(bits).expect("not 0");
            let expected = live.contains(&id).then(|| u64::from(bits));
            assert_eq!(table.contains(id), expected.is_some(), "{bits:b} at step {step}");
            assert_eq!(table.get(id).copied(), expected, "{bits:b} at step {step}");
        }
        table.validate().expect("whole");
    }
}

#[test]
fn ids_of_slots_that_a_table_does_not_have_name_nothing() {
    for seed in 0..4 {
        every_pattern_of_a_wider_index::<Holes, Lifo>(seed);
        every_pattern_of_a_wider_index::<Packed, Lifo>(seed);
        every_pattern_of_a_wider_index::<Holes, Fifo<3>>(seed);
        every_pattern_of_a_wider_index::<Packed, Fifo>(seed);
    }
}

#[test]
fn an_id_of_another_table_is_none_where_they_have_tags() {
    type Tagged = Id<u8, u32, 16, 12>;
    let backing = TestBacking::new();
    let mut tables: Vec<Table<'_, Holes, usize, Tagged, Lifo, Retire, _>> =
        (0..16).map(|tag| Table::new_in(&backing).with_tag(tag)).collect();
    let ids: Vec<Tagged> =
        tables.iter_mut().enumerate().map(|(n, table)| table.insert(n).expect("room")).collect();
    for (n, table) in tables.iter_mut().enumerate() {
        assert_eq!(table.tag(), n as u64, "the tag as given");
        for (m, &id) in ids.iter().enumerate() {
            assert_eq!(table.get(id).copied(), (n == m).then_some(n), "id of {m} in {n}");
        }
        let reserved = table.reserve_id().expect("room");
        assert!(table.is_reserved(reserved), "its own");
        let other = Tagged::from_bits(reserved.to_bits() ^ 1 << 28).expect("an id");
        assert!(!table.is_reserved(other) && !table.give_up(other), "another's");
    }
}

#[test]
#[should_panic(expected = "tag 16 does not fit into the 4 bits")]
fn a_tag_that_does_not_fit_is_refused() {
    let backing = TestBacking::new();
    let _ = Table::<Holes, u8, Id<u8, u32, 16, 12>, Lifo, Retire, _>::new_in(&backing).with_tag(16);
}
