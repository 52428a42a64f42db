//! What `validate` finds, each rule by its own words, and the counters.

use std::vec::Vec;

use crate::error::{InsertError, TableDamage};
use crate::id::{Id, TableId};
use crate::policy::{GenerationEnd, Refuse, Retire, Wrap};
use crate::shared_table::SharedTable;
use crate::shared_table::lane::{Lane, Lanes};
use crate::sync::Ordering;
use crate::test_backing::TestBacking;

type Brief = Id<u8, u32, 4, 3>;
type Of<'a> = SharedTable<'a, Brief, Retire, TestBacking>;

/// Breaks a table of 5 slots, of which 0 and 2 are live and 3, 4 and 1 are queued, the last one not
/// yet collected; returns what is said of it.
fn found(damage: fn(&mut Of<'_>)) -> Option<(&'static str, u64)> {
    let backing = TestBacking::new();
    let mut table = Of::new_in(5, &backing).expect("memory");
    let ids = [0; 3].map(|_| table.create().expect("five are free"));
    assert!(table.remove(ids[1]), "it was alive");
    assert_eq!(table.validate(), Ok(()), "whole before it is broken");
    damage(&mut table);
    table.validate().err().map(|TableDamage { what, index }| (what, index))
}

fn lane<'t>(table: &'t mut Of<'_>) -> &'t mut Lane {
    // SAFETY: the table has a lane, and is borrowed mutably.
    unsafe { table.lanes.as_mut() }
}

#[test]
fn every_rule_is_looked_at() {
    let ends = "the queue's ends are out of order";
    let beyond = |table: &mut Of<'_>| table.lane(0).taken.store(6, Ordering::Relaxed);
    assert_eq!(found(beyond), Some((ends, 6)), "more is taken than was collected");
    assert_eq!(found(|table| lane(table).collected = 7), Some((ends, 3)), "more than was returned");
    let longer = |table: &mut Of<'_>| table.lane(0).returned.store(9, Ordering::Relaxed);
    assert_eq!(found(longer), Some((ends, 3)), "more than there are slots");
    let all = "live, retired and queued slots are not all";
    let retired = |table: &mut Of<'_>| table.retired.store(1, Ordering::Relaxed);
    assert_eq!(found(retired), Some((all, 2)), "one too many");
    let fewer = |table: &mut Of<'_>| table.lane(0).returned.store(5, Ordering::Relaxed);
    assert_eq!(found(fewer), Some((all, 2)), "one is lost");
    let none = "the queue holds what is no slot of its lane";
    let behind =
        |table: &mut Of<'_>| table.entry(table.shape.share(0), 3).store(5, Ordering::Relaxed);
    assert_eq!(found(behind), Some((none, 5)), "the slot after the last");
    let wide =
        |table: &mut Of<'_>| table.entry(table.shape.share(0), 4).store(16 | 4, Ordering::Relaxed);
    assert_eq!(found(wide), Some((none, 20)), "more than an index");
    let live = "a slot is queued that is live";
    let lives =
        |table: &mut Of<'_>| table.entry(table.shape.share(0), 3).store(2, Ordering::Relaxed);
    assert_eq!(found(lives), Some((live, 2)), "slot 2 lives");
    let tag = "a slot has a tag that is not its own";
    assert_eq!(found(|table| table.tag ^= 1 << 7), Some((tag, 0)), "slot 0 lives with another");
    let dead = |table: &mut Of<'_>| table.word(1).store(1 << 7 | 1 << 4, Ordering::Relaxed);
    assert_eq!(found(dead), Some((tag, 1)), "slot 1 is dead");
    let twice = "a slot is queued twice";
    let next =
        |table: &mut Of<'_>| table.entry(table.shape.share(0), 4).store(3, Ordering::Relaxed);
    assert_eq!(found(next), Some((twice, 3)), "one after the other");
    let last =
        |table: &mut Of<'_>| table.entry(table.shape.share(0), 5).store(3, Ordering::Relaxed);
    assert_eq!(found(last), Some((twice, 3)), "first and last");
}

#[test]
fn the_counters_are_those_of_the_slots() {
    let backing = TestBacking::new();
    let mut table = Of::new_in(5, &backing).expect("memory");
    assert_eq!((table.capacity(), table.len()), (5, 0), "five slots, none alive");
    assert!(table.is_empty(), "none alive");
    let id = table.create().expect("five are free");
    assert!(!table.is_empty() && table.len() == 1, "one alive");
    assert_eq!((table.index_of(id), id.generation()), (Some(0), 1), "the first slot's first life");
    // A slot that is none, whose lowest bits are those of one.
    for index in [5, 8, 15] {
        let other = Brief::from_bits(id.to_bits() & !15 | index).expect("an id");
        assert!(!table.contains(other) && !table.remove(other), "there is no slot {index}");
    }
    assert!(table.remove(id) && table.is_empty(), "none alive");
    assert_eq!((table.collect(), table.collect()), (1, 0), "collected once");
    // The queue is used up to its end, more than one round, before the next one is collected.
    let all = [0; 5].map(|_| table.create().expect("five are free"));
    assert_eq!(all.map(|id| id.index()), [1, 2, 3, 4, 0], "in turn");
    assert_eq!(table.len(), 5, "all of them");
    let full = InsertError::Full { limit: 5, live: 5, reserved: 0, retired: 0, held_back: 0 };
    assert_eq!(table.create(), Err(full), "no sixth");
    assert!(all.iter().all(|&id| table.remove(id)), "all were alive");
    let held = InsertError::Full { limit: 5, live: 0, reserved: 0, retired: 0, held_back: 5 };
    assert_eq!(table.create(), Err(held), "not before they are collected");
    assert_eq!((table.len(), table.collect()), (0, 5), "all at once");
    assert_eq!(table.validate(), Ok(()), "whole");
}

/// What becomes of a slot that has lived its seven lives, by the table's policy.
#[test]
fn the_last_life_ends_as_the_policy_says() {
    fn lives<E: GenerationEnd>(table: &mut SharedTable<'_, Brief, E, TestBacking>, count: u32) {
        for life in 1..=count {
            let id = table.create().expect("the slot is free");
            let expected = (1 + (life - 1) % 7, 0, table.tag());
            let parts = (id.generation(), id.index(), id.tag().into());
            assert_eq!(parts, expected, "life {life}");
            assert!(table.remove(id) && !table.contains(id) && table.collect() <= 1, "it ends");
            assert_eq!(table.validate(), Ok(()), "whole");
        }
    }
    let backing = TestBacking::new();
    let mut wraps = SharedTable::<'_, Brief, Wrap, _>::new_in(1, &backing).expect("memory");
    lives(&mut wraps, 20);
    assert_eq!((wraps.len(), wraps.is_empty()), (0, true), "it goes on");
    let mut refuses = SharedTable::<'_, Brief, Refuse, _>::new_in(1, &backing).expect("memory");
    lives(&mut refuses, 7);
    let spent = InsertError::Spent { index: 0, generations: 7 };
    assert_eq!(refuses.create(), Err(spent), "it says so");
    let mut retires = SharedTable::<'_, Brief, Retire, _>::new_in(1, &backing).expect("memory");
    lives(&mut retires, 7);
    let full = InsertError::Full { limit: 1, live: 0, reserved: 0, retired: 1, held_back: 0 };
    assert_eq!(retires.create(), Err(full), "there is no other slot");
    assert_eq!((retires.len(), retires.validate()), (0, Ok(())), "the retired one is not alive");
}

/// The default id, whose tag keeps the ids of another table out.
#[test]
fn an_id_of_another_table_is_refused() {
    type Ids<'a> = SharedTable<'a, Id<u8>, Retire, TestBacking>;
    let backing = TestBacking::new();
    let mut one = Ids::new_in(3, &backing).expect("memory");
    assert!((1..=255).contains(&one.tag()), "a table takes a tag");
    let mut other = Ids::new_in(3, &backing).expect("memory").with_tag(one.tag() ^ 1);
    let (id, foreign) = (one.create().expect("free"), other.create().expect("free"));
    assert_eq!((id.index(), id.generation(), id.tag()), (0, 1, one.tag()), "its own");
    assert_eq!((foreign.index(), foreign.generation(), foreign.tag()), (0, 1, other.tag()));
    assert!(one.contains(id) && !one.contains(foreign), "one of them");
    assert_eq!((one.index_of(foreign), one.remove(foreign)), (None, false), "not another's");
    assert!(one.remove(id) && !one.contains(id) && one.collect() == 1, "its own");
    assert_eq!((one.validate(), other.validate()), (Ok(()), Ok(())), "whole");
    // One tag: not distinguished.
    let twin = Ids::new_in(3, &backing).expect("memory").with_tag(other.tag());
    assert_eq!(twin.create(), Ok(foreign), "the same id");
}

#[test]
#[should_panic(expected = "the table gave out ids before it got tag 3")]
fn a_tag_after_the_first_id_is_refused() {
    let backing = TestBacking::new();
    let mut table = Of::new_in(1, &backing).expect("memory");
    let id = table.create().expect("free");
    assert!(table.remove(id) && table.collect() == 1, "nothing is alive");
    drop(table.with_tag(3));
}

#[test]
fn a_retired_slot_is_not_alive() {
    let backing = TestBacking::new();
    let mut table = Of::new_in(3, &backing).expect("memory");
    // The three take turns, so each lives seven times.
    for turn in 1..=21 {
        let id = table.create().expect("it is free");
        assert!(table.remove(id) && table.collect() <= 1, "turn {turn}");
        assert_eq!((table.len(), table.validate()), (0, Ok(())), "turn {turn}");
    }
    let mut table = Of::new_in(16, &backing).expect("memory");
    assert_eq!(table.validate(), Ok(()), "as many as the index names");
    let all = [0; 16].map(|_| table.create().expect("it is free"));
    assert!(all.iter().all(|&id| table.remove(id)) && table.collect() == 16, "all of them");
    assert_eq!(table.validate(), Ok(()), "the last one is a slot as well");
}

#[test]
fn more_slots_than_memory_has_are_refused_unasked() {
    type Wide = Id<u8, u64, 62, 2>;
    const MANY: usize = 1 << (usize::BITS - 2);
    let backing = TestBacking::new();
    for slots in [MANY, MANY >> 1, MANY >> 3] {
        let refused = SharedTable::<'_, Wide, Retire, _>::new_in(slots, &backing).err();
        let expected = InsertError::Memory { slots: slots as u64, bytes: u64::MAX };
        assert_eq!(refused, Some(expected), "{slots} slots");
    }
    type Narrow = Id<u8, u32, 20, 12>;
    let many = SharedTable::<'_, Narrow, Retire, _>::new_in((1 << 20) + 1, &backing).err();
    let limit = Narrow::SLOTS;
    let full = InsertError::Full { limit, live: 0, reserved: 0, retired: 0, held_back: 0 };
    assert_eq!(many, Some(full), "the index names no more");
    assert_eq!(backing.requests(), 0, "nobody was asked");
}

/// A table of three lanes of four slots and one of three.
#[test]
fn lanes_take_turns_and_help_each_other() {
    type Ids<'a> = SharedTable<'a, Id<u8, u32, 6, 8>, Retire, TestBacking>;
    let backing = TestBacking::new();
    let mut table = Ids::with_lanes(Lanes::of(15, 2), &backing).expect("memory");
    let create = |table: &Ids<'_>, count: usize| -> Vec<_> {
        (0..count).map(|_| table.create().expect("a slot is ready")).collect()
    };
    let indices = |ids: &[Id<u8, u32, 6, 8>]| ids.iter().map(|id| id.index()).collect::<Vec<_>>();
    let all = create(&table, 15);
    assert_eq!(indices(&all), (0..15).collect::<Vec<_>>(), "lane after lane");
    assert!(table.create().is_err(), "no sixteenth");
    // Each returns to its lane.
    assert!(all.iter().rev().all(|&id| table.remove(id)), "all were alive");
    assert_eq!((table.validate(), table.len(), table.collect()), (Ok(()), 0, 15), "whole");
    let next = create(&table, 5);
    assert_eq!(indices(&next), [7, 6, 5, 4, 11], "the second lane, then the third");
    assert_eq!((table.validate(), table.len()), (Ok(()), 5), "whole");
    assert!(table.remove(next[0]), "it was alive");
    assert_eq!((table.collect(), table.collect()), (1, 0), "once");
    // The third lane is in turn; the fourth was passed over by the collection of nothing.
    assert_eq!(indices(&create(&table, 2)), [10, 9], "the third lane");
    assert_eq!(table.validate(), Ok(()), "whole");
}

/// Every count of slots is divided so that each slot belongs to one lane.
#[test]
fn slots_are_divided_into_few_lanes() {
    for slots in (0..2_000).chain([1 << 20, (1 << 20) + 1, usize::MAX]) {
        let lanes = Lanes::new(slots);
        assert!(lanes.count() <= 8, "{slots} slots in {} lanes", lanes.count());
        let sum: usize = (0..lanes.count()).map(|number| lanes.share(number).slots).sum();
        assert_eq!(sum, slots, "all of them");
        for number in 0..lanes.count() {
            let share = lanes.share(number);
            assert!(share.slots > 0, "lane {number} of {slots} slots has some");
            let last = share.entry(share.slots - 1);
            let of = (lanes.lane_of(share.entry(0)), lanes.lane_of(last));
            assert_eq!(of, (number, number), "{slots} slots");
        }
    }
    let full = [513, 1_000, 1_024].map(|slots| Lanes::new(slots).count());
    assert_eq!(full, [5, 8, 8], "five to eight lanes");
}
