//! What the wrapping adds: refusals that lose nothing, and the same order in every run.

mod views;

use std::string::{String, ToString};
use std::vec::Vec;

use super::{HashMap, HashSet};
use loligo_allocators::{Allocator, Refusals};

use crate::error::GrowError;
use crate::maps::hasher::BuildIdHasher;
use crate::testing::test_memory::{Memory, every_refusal, with_memory};

#[test]
fn a_refusal_changes_nothing_in_a_map() {
    every_refusal(|memory: &Memory<'_>| {
        let mut map: HashMap<'_, u32, String, _, _> = HashMap::new_in(memory);
        let mut there = Vec::new();
        let mut result = Ok(());
        for number in 0..60_u32 {
            match map.try_insert(number, number.to_string()) {
                Ok(old) => {
                    assert_eq!(old, None);
                    there.push(number);
                }
                Err(error) => result = result.and(Err(error)),
            }
            assert_eq!(map.len(), there.len());
        }
        // A key that is there needs no memory, however full the table is.
        for number in &there {
            let old = map.try_insert(*number, "again".to_string());
            assert_eq!(old, Ok(Some(number.to_string())));
        }
        result = result.and(map.try_entry(1000).map(|_| ()));
        assert_eq!(map.len(), there.len());
        result = result.and(map.try_extend((200..300).map(|key| (key, String::new()))));
        map.retain(|_, value| value == "again");
        match map.try_clone() {
            Ok(copy) => assert_eq!(copy, map),
            Err(error) => result = result.and(Err(error)),
        }
        result = result.and(map.try_shrink_to_fit());
        assert_eq!(map.len(), there.len());
        assert!(there.iter().all(|key| map[key] == "again"), "all are still there");
        result
    });
}

#[test]
fn a_refusal_changes_nothing_in_a_set() {
    every_refusal(|memory: &Memory<'_>| {
        let mut set: HashSet<'_, String, _, _> = HashSet::new_in(memory);
        let mut there = 0;
        let mut result = Ok(());
        for number in 0..60_u32 {
            match set.try_insert(number.to_string()) {
                Ok(new) => {
                    assert!(new, "{number} was not there");
                    there += 1;
                }
                Err(error) => result = result.and(Err(error)),
            }
            assert_eq!(set.len(), there);
        }
        let known = set.iter().next().cloned();
        if let Some(known) = known {
            assert_eq!(set.try_insert(known), Ok(false));
        }
        result = result.and(set.try_replace("60".to_string()).map(|_| ()));
        result = result.and(set.try_extend((100..200).map(|number| number.to_string())));
        set.retain(|text| text.len() == 1);
        match set.try_clone() {
            Ok(copy) => assert_eq!(copy, set),
            Err(error) => result = result.and(Err(error)),
        }
        let len = set.len();
        result = result.and(set.try_shrink_to_fit());
        assert_eq!(set.len(), len);
        result
    });
}

#[test]
fn takes_nothing_while_empty_and_gives_all_back() {
    with_memory(|memory| {
        let mut map: HashMap<'_, u64, u64> = HashMap::new_in(memory);
        let mut set: HashSet<'_, u64> = HashSet::new_in(memory);
        assert_eq!(memory.stats().live, 0);
        map.extend((0..1000).map(|key| (key, key * key)));
        set.extend(0..1000);
        assert_eq!(memory.stats().live, 2, "a block each");
        let large = map.allocation_size();
        map.retain(|key, _| *key < 10);
        map.shrink_to_fit();
        assert!(map.allocation_size() < large / 10, "{} bytes", map.allocation_size());
        assert_eq!(map.iter().map(|(_, value)| *value).sum::<u64>(), 285);
        map.clear();
        map.shrink_to_fit();
        assert_eq!(memory.stats().live, 1, "the set's block");
        *map.entry(3).or_insert(0) += 4;
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [(3, 4)]);
        set.clear();
        set.shrink_to_fit();
        assert_eq!(memory.stats().live, 0);
    });
}

#[test]
fn what_cannot_be_given_back_is_kept() {
    with_memory(|memory| {
        let mut map: HashMap<'_, u32, u32, _, Memory<'_>> = HashMap::new_in(memory);
        let mut set: HashSet<'_, u32, _, Memory<'_>> = HashSet::new_in(memory);
        map.extend((0..1000).map(|key| (key, key)));
        set.extend(0..1000);
        map.retain(|key, _| *key < 10);
        set.retain(|key| *key < 10);
        memory.refuse(Refusals::From(0));
        map.shrink_to_fit();
        set.shrink_to_fit();
        assert_eq!((map.len(), set.len(), memory.refused()), (10, 10, 2));
    });
}

#[test]
fn more_than_can_be_counted_is_refused_with_the_number() {
    with_memory(|memory| {
        let mut map: HashMap<'_, u64, u64, _, Memory<'_>> = HashMap::new_in(memory);
        let error = map.try_reserve(usize::MAX);
        let limit = isize::MAX as u64;
        assert_eq!(error, Err(GrowError::Length { wanted: usize::MAX as u64, limit }));
    });
}

#[test]
fn the_order_is_that_of_every_run() {
    with_memory(|memory| {
        let fill = || {
            let mut map: HashMap<'_, u32, (), _, _> =
                HashMap::with_hasher_in(BuildIdHasher::new(), memory);
            map.extend((0..500).map(|key| (key * 7, ())));
            map.keys().copied().collect::<Vec<_>>()
        };
        assert_eq!(fill(), fill());
        let text = || {
            let mut set: HashSet<'_, String, _, _> = HashSet::new_in(memory);
            set.extend((0..100).map(|number| number.to_string()));
            set.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(text(), text());
    });
}

#[test]
#[should_panic(expected = "the allocator has no memory for")]
fn an_insertion_without_memory_panics_and_does_not_abort() {
    with_memory(|memory| {
        let mut map: HashMap<'_, u32, u32, _, Memory<'_>> = HashMap::new_in(memory);
        memory.refuse(Refusals::From(0));
        map.insert(1, 2);
    });
}

#[test]
fn what_cannot_be_shorter_stays_where_it_is() {
    with_memory(|memory| {
        let mut map: HashMap<'_, u32, u32, _, _> = HashMap::new_in(memory);
        let mut set: HashSet<'_, u32, _, _> = HashSet::new_in(memory);
        for number in 0..50 {
            map.insert(number, number);
            set.insert(number);
        }
        assert_eq!((map.try_shrink_to_fit(), set.try_shrink_to_fit()), (Ok(()), Ok(())), "once");
        let at = |map: &HashMap<'_, u32, u32, _, _>, set: &HashSet<'_, u32, _, _>| {
            let value = map.get(&7).map(core::ptr::from_ref);
            (value, set.iter().find(|number| **number == 7).map(core::ptr::from_ref))
        };
        let before = at(&map, &set);
        assert_eq!((map.try_shrink_to_fit(), set.try_shrink_to_fit()), (Ok(()), Ok(())), "again");
        assert_eq!(at(&map, &set), before, "nothing moved");
    });
}
