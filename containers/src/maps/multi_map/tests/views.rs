//! The map as callers see it, invalid places, limits, and damage.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::Refusals;

use crate::error::GrowError;
use crate::maps::hasher::BuildKeyHasher;
use crate::maps::multi_map::{EntryPlace, MultiMap, MultiMapDamage, NIL};
use crate::testing::test_memory::{Memory, with_memory};

type Map<'a> = MultiMap<'a, u32, u32, BuildKeyHasher, Memory<'a>>;

fn filled<'a>(memory: &'a Memory<'a>) -> Map<'a> {
    let mut map = Map::new_in(memory);
    (0..3).for_each(|number| map.insert(number, 10 * number));
    map
}

#[test]
fn a_map_prints_and_walks_its_entries() {
    with_memory(|memory| {
        let mut map = Map::new_in(memory);
        assert!(map.is_empty(), "nothing yet");
        assert_eq!((format!("{map:?}").as_str(), map.capacity()), ("{}", 0), "nothing yet");
        map.insert(1, 10);
        map.insert(2, 20);
        map.insert(1, 11);
        assert!(!map.is_empty() && map.len() == 3, "three entries");
        assert_eq!(format!("{map:?}"), "{1: 10, 2: 20, 1: 11}", "in stored order");
        let walked: Vec<(u32, u32)> = (&map).into_iter().map(|(&k, &v)| (k, v)).collect();
        assert_eq!(walked, [(1, 10), (2, 20), (1, 11)], "in stored order");
        assert_eq!(map.iter().len(), 3, "the walk knows its length");
        for (key, value) in map.iter_mut() {
            *value += key;
        }
        assert!(map.values_of(&1).eq(&[11, 12]), "changed, in order of insertion");
        let _: &BuildKeyHasher = map.hasher();
        assert!(core::ptr::eq(map.memory(), memory), "the allocator that was given");
        assert_eq!((map.count(&1), map.count(&2), map.count(&3)), (2, 1, 0), "by key");
        assert_eq!((map.get_first(&1), map.get_first(&3)), (Some(&11), None), "the first");
        map.clear();
        assert!(map.is_empty() && !map.contains(&1), "nothing any more");
        assert_eq!(map.validate(), Ok(()), "whole");
    });
}

#[test]
fn a_place_leads_to_key_and_value() {
    with_memory(|memory| {
        let mut map = filled(memory);
        map.insert(1, 11);
        let first = map.find_first(&1).expect("it is there");
        let second = map.find_next(first).expect("it is there twice");
        assert_eq!((map.key(second), map.value(second)), (&1, &11), "the second");
        assert_eq!(map.find_next(second), None, "there is no third");
        *map.value_mut(first) = 77;
        assert_eq!(map.get_first(&1), Some(&77), "it was changed");
        assert_eq!(map.remove_at(second), (1, 11), "taken out");
        assert_eq!((map.count(&1), map.validate()), (1, Ok(())), "one is left");
    });
}

#[test]
#[should_panic(expected = "place 3 is beyond the 3 entries of the map: it was kept over a removal")]
fn a_value_beyond_the_last_is_a_bug() {
    with_memory(|memory| {
        let mut map = filled(memory);
        *map.value_mut(EntryPlace(3)) += 1;
    });
}

#[test]
#[should_panic(expected = "place 3 is beyond the 3 entries of the map: it was kept over a removal")]
fn removing_beyond_the_last_is_a_bug() {
    with_memory(|memory| {
        let mut map = filled(memory);
        let _ = map.remove_at(EntryPlace(3));
    });
}

#[test]
#[should_panic(expected = "place 0 is beyond the 0 entries of the map")]
fn removing_from_nothing_is_a_bug() {
    with_memory(|memory| {
        let mut map = Map::new_in(memory);
        let _ = map.remove_at(EntryPlace(0));
    });
}

#[test]
fn more_entries_than_can_be_linked_are_refused() {
    with_memory(|memory| {
        let mut map = filled(memory);
        let limit = u64::from(NIL);
        for wanted in [(1 << 31) + 1, usize::MAX / 2 + 2, usize::MAX] {
            let refused = map.grow_buckets(wanted);
            let expected = GrowError::Length { wanted: wanted as u64, limit };
            assert_eq!(refused, Err(expected), "{wanted} entries");
        }
        assert_eq!(map.validate(), Ok(()), "as it was");
        assert_eq!(map.buckets.len(), 8, "the first buckets");
        map.reserve(5);
        assert_eq!((map.buckets.len(), map.capacity()), (8, 8), "eight entries");
        let requests = memory.requests();
        assert_eq!(map.try_reserve(5), Ok(()), "there is room");
        assert_eq!(memory.requests(), requests, "so nothing is asked for");
        map.reserve(6);
        assert_eq!(map.buckets.len(), 16, "one more doubles them");
        assert!(map.capacity() >= 9 && map.validate().is_ok(), "room for nine");
    });
}

/// Breaks a map of three entries; returns what is said of it.
fn damaged(harm: impl FnOnce(&mut Map<'_>)) -> Option<(&'static str, u64)> {
    let mut found = None;
    with_memory(|memory| {
        let mut map = filled(memory);
        assert_eq!(map.validate(), Ok(()), "whole before it is broken");
        harm(&mut map);
        found = map.validate().err().map(|MultiMapDamage { what, index }| (what, index));
    });
    found
}

/// The bucket of an entry.
fn bucket(map: &Map<'_>, entry: usize) -> usize {
    map.entries[entry].hash as usize & (map.buckets.len() - 1)
}

#[test]
fn every_rule_is_looked_at() {
    let said = MultiMapDamage { what: "a ring does not close", index: 3 };
    assert_eq!(said.to_string(), "a ring does not close at 3", "where");
    let few = "buckets are no power of two, or fewer than entries";
    assert_eq!(damaged(|map| map.buckets.truncate(7)), Some((few, 7)), "seven");
    assert_eq!(damaged(|map| map.buckets.truncate(2)), Some((few, 2)), "two for three entries");
    assert_eq!(damaged(|map| map.buckets.clear()), Some((few, 0)), "none");
    let beyond = "a link leads beyond the entries";
    let first = |map: &mut Map<'_>, to: u32| {
        let at = bucket(map, 0);
        map.buckets[at] = to;
    };
    assert_eq!(damaged(|map| first(map, 3)), Some((beyond, 3)), "just beyond");
    let other = Some(("an entry is in another bucket's ring", 1));
    assert_eq!(damaged(|map| map.entries[1].hash ^= 1), other, "the hash is another");
    let back = "an entry's neighbour does not lead back";
    assert_eq!(damaged(|map| map.entries[1].next = 3), Some((back, 1)), "there is none");
    let lost = "an entry is in no ring; of so many are";
    let unlinked = |map: &mut Map<'_>| {
        // Alone in a ring to which no bucket leads.
        map.entries.push(crate::maps::multi_map::Entry {
            hash: 0,
            next: 3,
            before: 3,
            key: 9,
            value: 9,
        });
    };
    assert_eq!(damaged(unlinked), Some((lost, 3)), "three of four");
    let twice = |map: &mut Map<'_>| {
        // A fourth bucket leads to an entry that was seen.
        let free = map.buckets.iter().rposition(|first| *first == NIL).expect("one of eight");
        map.buckets[free] = 0;
    };
    let found = damaged(twice).map(|(what, _)| what);
    let closes = ["a ring does not close", "an entry is in another bucket's ring"];
    assert!(found.is_some_and(|what| closes.contains(&what)), "{found:?}");
}

#[test]
fn a_bucket_too_many_is_found() {
    with_memory(|memory| {
        let mut map = Map::new_in(memory);
        let key = (0..99).find(|key| {
            let mut map = Map::new_in(memory);
            map.insert(*key, 0);
            bucket(&map, 0) < 7
        });
        map.insert(key.expect("not all keys are in one bucket"), 0);
        map.buckets[7] = 0;
        let said = map.validate().map_err(|MultiMapDamage { what, index }| (what, index));
        assert_eq!(said, Err(("a ring does not close", 7)), "all entries were seen before");
    });
}

#[test]
fn capacity_is_what_needs_no_memory() {
    with_memory(|memory| {
        for capacity in [1, 5, 8, 9, 20, 100] {
            let mut map = Map::new_in(memory);
            map.reserve(capacity);
            let (room, requests) = (map.capacity(), memory.requests());
            assert!(room >= capacity, "{room} of {capacity}");
            (0..room as u32).for_each(|key| map.insert(key, 0));
            assert_eq!(memory.requests(), requests, "nothing is asked for until {room} are there");
            map.insert(0, 0);
            assert!(memory.requests() > requests, "one more needs memory");
        }
    });
}

#[test]
fn as_many_buckets_as_can_be_counted_are_a_matter_of_memory() {
    with_memory(|memory| {
        let mut map = Map::new_in(memory);
        memory.refuse(Refusals::From(0));
        let refused = map.grow_buckets(1 << 31);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
        let wanted = (1 << 31) + 1;
        let refused = Err(GrowError::Length { wanted, limit: u64::from(NIL) });
        assert_eq!(map.grow_buckets(wanted as usize), refused, "one more takes twice as many");
    });
}
