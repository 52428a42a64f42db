//! The map as callers see it, invalid places, limits, and damage.

use core::panic::AssertUnwindSafe;
use std::format;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::error::GrowError;
use crate::maps::hasher::BuildKeyHasher;
use crate::maps::multi_map::index::Bucket;
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
        assert_eq!(format!("{map:?}"), "{1: 10, 1: 11, 2: 20}", "key by key");
        let walked: Vec<(u32, u32)> = (&map).into_iter().map(|(&k, &v)| (k, v)).collect();
        assert_eq!(walked, [(1, 10), (1, 11), (2, 20)], "key by key");
        assert_eq!(map.iter().len(), 3, "the walk knows its length");
        assert_eq!(map.iter_mut().len(), 3, "this one too");
        for (key, value) in &mut map {
            *value += key;
        }
        assert_eq!(map.values_of(&1), [11, 12], "changed, in order of insertion");
        map.values_of_mut(&1)[0] = 7;
        assert_eq!(map.values_of(&1), [7, 12], "changed");
        assert!(map.values_of_mut(&5).is_empty(), "there are none");
        map.values_of_mut(&1)[0] = 11;
        assert!(map.keys().eq([(&1, &[11, 12][..]), (&2, &[22][..])]), "keys with their values");
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
        assert_eq!(map.remove_at(second), 11, "taken out");
        assert_eq!((map.count(&1), map.validate()), (1, Ok(())), "one is left");
    });
}

/// Places that have no value in a map of the keys 0 to 2.
const NO_PLACES: [EntryPlace; 3] =
    [EntryPlace { key: 3, at: 0 }, EntryPlace { key: 1, at: 1 }, EntryPlace { key: NIL, at: 9 }];

#[test]
fn a_place_without_a_value_is_a_bug() {
    for place in NO_PLACES {
        let said = |act: fn(&mut Map<'_>, EntryPlace)| {
            let mut text = String::new();
            with_memory(|memory| {
                let mut map = filled(memory);
                let panic = catch_unwind(AssertUnwindSafe(|| act(&mut map, place)));
                let payload = panic.expect_err("there is no value");
                text = *payload.downcast::<String>().expect("a message");
                assert_eq!(map.validate(), Ok(()), "as it was");
            });
            text
        };
        for text in [
            said(|map, place| _ = map.value(place)),
            said(|map, place| *map.value_mut(place) += 1),
            said(|map, place| _ = map.key(place)),
            said(|map, place| _ = map.find_next(place)),
            said(|map, place| _ = map.remove_at(place)),
        ] {
            let EntryPlace { key, at } = place;
            let expected = format!("key {key} of the map has no value {at}: its place was kept");
            assert!(text.starts_with(&expected), "{text}");
        }
    }
}

#[test]
fn more_keys_than_can_be_counted_are_refused() {
    with_memory(|memory| {
        let mut map = filled(memory);
        for wanted in [(1_u64 << 32) - 1, 1 << 40] {
            let Ok(more) = usize::try_from(wanted) else { continue };
            let refused = map.index.try_reserve(more);
            let expected = GrowError::Length { wanted, limit: u64::from(NIL) };
            assert_eq!(refused, Err(expected), "{wanted} keys");
        }
        assert_eq!(map.validate(), Ok(()), "as it was");
        assert_eq!((map.index.buckets.len(), map.index.capacity()), (8, 4), "the first buckets");
        map.reserve(1);
        assert_eq!(map.index.buckets.len(), 8, "four keys");
        let requests = memory.requests();
        assert_eq!(map.try_reserve(1), Ok(()), "there is room");
        assert_eq!(memory.requests(), requests, "so nothing is asked for");
        map.reserve(2);
        assert_eq!(map.index.buckets.len(), 16, "one more doubles them");
        assert!(map.capacity() >= 5 && map.validate().is_ok(), "room for five");
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
        // What was broken may not be dropped.
        map.keys.clear();
    });
    found
}

#[test]
fn every_rule_is_looked_at() {
    let said = MultiMapDamage { what: "two keys share a slot before", index: 3 };
    assert_eq!(said.to_string(), "two keys share a slot before at 3", "where");
    let few = "buckets are no power of two, or too few for the keys";
    assert_eq!(damaged(|map| map.index.buckets.truncate(7)), Some((few, 7)), "seven");
    assert_eq!(damaged(|map| map.index.buckets.truncate(2)), Some((few, 2)), "two for three");
    let used = "the buckets in use are not as many as keys, but";
    let emptied = |map: &mut Map<'_>| {
        let bucket = Bucket { hash: map.keys[1].hash, at: 1 };
        let at = map.index.bucket_of(bucket).expect("it is there");
        map.index.buckets[at] = Bucket::EMPTY;
    };
    assert_eq!(damaged(emptied), Some((used, 2)), "a bucket is gone");
    let led = "a key has no bucket that its hash leads to";
    assert_eq!(damaged(|map| map.keys[1].hash ^= 1), Some((led, 1)), "the hash is another");
    let none = "a key has no values, or more than slots";
    assert_eq!(damaged(|map| map.keys[2].run.len = 0), Some((none, 2)), "without");
    assert_eq!(damaged(|map| map.keys[2].run.len = 5), Some((none, 2)), "five in four slots");
    let beyond = "a key's values are beyond the end";
    assert_eq!(damaged(|map| map.keys[0].run.start = 9), Some((beyond, 0)), "just beyond");
    assert_eq!(damaged(|map| map.keys[0].run.slots = 13), Some((beyond, 0)), "too many");
    let counted = "the values are another number than was counted; they are";
    assert_eq!(damaged(|map| map.len = 4), Some((counted, 3)), "four");
    let idle = "slots are in two runs or in none; idle are";
    assert_eq!(damaged(|map| map.values.idle = 1), Some((idle, 1)), "one too many");
    let shared = "two keys share a slot before";
    assert_eq!(damaged(|map| map.keys[2].run.start = 1), Some((shared, 8)), "the first's");
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
            map.insert(room as u32, 0);
            assert!(memory.requests() > requests, "one more needs memory");
        }
    });
}
