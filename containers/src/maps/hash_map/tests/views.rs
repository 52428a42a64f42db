//! The forms that panic, and maps and sets as others see them.

use std::format;
use std::vec::Vec;

use loligo_allocators::{Allocator, Refusals};

use crate::error::GrowError;
use crate::maps::hash_map::{HashMap, HashSet};
use crate::maps::hasher::BuildKeyHasher;
use crate::testing::test_memory::{Memory, with_memory};

type Map<'a, 'm> = HashMap<'a, u32, u32, BuildKeyHasher, Memory<'m>>;
type Set<'a, 'm> = HashSet<'a, u32, BuildKeyHasher, Memory<'m>>;

#[test]
fn room_that_was_made_is_used() {
    with_memory(|memory| {
        let mut map: Map<'_, '_> = HashMap::try_with_capacity_in(50, memory).expect("memory");
        let mut set: Set<'_, '_> = HashSet::try_with_capacity_in(50, memory).expect("memory");
        assert!(map.capacity() >= 50 && set.capacity() >= 50, "at least as asked for");
        map.reserve(60);
        set.reserve(60);
        let requests = memory.requests();
        for key in 0..60 {
            assert_eq!(map.insert(key, key), None, "{key} is new");
            assert!(set.insert(key), "{key} is new");
        }
        assert_eq!(memory.requests(), requests, "nothing more was asked for");
        assert_eq!((map.insert(3, 30), map[&3]), (Some(3), 30), "the old value comes back");
        assert!(!set.insert(3), "it is there");
        assert_eq!((set.replace(3), set.replace(77)), (Some(3), None), "there, and new");
        assert!(set.contains(&77) && set.len() == 61, "one more");
        assert!(core::ptr::eq(map.memory(), memory), "the allocator that was given");
        assert!(core::ptr::eq(set.memory(), memory), "the allocator that was given");
    });
}

#[test]
fn an_element_that_replaces_is_another() {
    /// Equal by the first number alone.
    #[derive(Clone, Copy, Debug)]
    struct Tagged(u32, u32);
    impl PartialEq for Tagged {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }
    impl Eq for Tagged {}
    impl core::hash::Hash for Tagged {
        fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }
    with_memory(|memory| {
        let mut set: HashSet<'_, Tagged, BuildKeyHasher, Memory<'_>> = HashSet::new_in(memory);
        assert!(set.insert(Tagged(1, 10)) && !set.insert(Tagged(1, 11)), "equal to the first");
        assert_eq!(set.get(&Tagged(1, 0)).map(|tagged| tagged.1), Some(10), "the first stays");
        let replaced = set.replace(Tagged(1, 12)).map(|tagged| tagged.1);
        assert_eq!(replaced, Some(10), "the first comes back");
        assert_eq!(set.get(&Tagged(1, 0)).map(|tagged| tagged.1), Some(12), "the last is there");
    });
}

#[test]
fn they_are_copied_compared_and_printed() {
    with_memory(|memory| {
        let mut map: Map<'_, '_> = HashMap::new_in(memory);
        let mut set: Set<'_, '_> = HashSet::new_in(memory);
        assert_eq!((format!("{map:?}").as_str(), format!("{set:?}").as_str()), ("{}", "{}"));
        map.extend([(1, 10), (2, 20)]);
        set.extend([1, 2]);
        let (mut map_copy, mut set_copy) = (map.clone(), set.clone());
        assert!(map_copy == map && set_copy == set, "equal copies");
        *map_copy.get_mut(&1).expect("it is there") = 11;
        assert!(map_copy != map, "another value");
        map_copy.insert(1, 10);
        map_copy.insert(3, 30);
        set_copy.insert(3);
        assert_ne!(map_copy, map, "one more");
        assert_ne!(map, map_copy, "one less");
        assert_ne!(set_copy, set, "one more");
        assert_ne!(set, set_copy, "one less");
        map_copy.remove(&2);
        set_copy.remove(&2);
        assert!(map_copy != map && set_copy != set, "as many, but others");
        set.remove(&2);
        map.remove(&2);
        assert_eq!((format!("{map:?}").as_str(), format!("{set:?}").as_str()), ("{1: 10}", "{1}"));
    });
}

#[test]
fn they_are_walked_and_handed_over() {
    with_memory(|memory| {
        let mut map: Map<'_, '_> = HashMap::new_in(memory);
        map.extend((0..10).map(|key| (key, key)));
        for (key, value) in &mut map {
            *value += key;
        }
        let mut seen: Vec<(u32, u32)> = (&map).into_iter().map(|(&k, &v)| (k, v)).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..10).map(|key| (key, 2 * key))), "each entry once");
        let mut set: Set<'_, '_> = HashSet::new_in(memory);
        set.extend(0..10);
        let mut seen: Vec<u32> = (&set).into_iter().copied().collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..10), "each element once");
        let (inner_map, inner_set) = (map.into_inner(), set.into_inner());
        assert_eq!((inner_map.len(), inner_map.get(&9)), (10, Some(&18)), "all is in it");
        assert!(inner_set.len() == 10 && inner_set.contains(&9), "all is in it");
        assert_eq!(memory.stats().live, 2, "in the blocks where it was");
    });
}

#[test]
fn a_refusal_is_told_with_its_numbers() {
    with_memory(|memory| {
        memory.refuse(Refusals::From(0));
        let map = Map::try_with_capacity_in(100, memory).map(|map| map.len());
        let set = Set::try_with_capacity_in(100, memory).map(|set| set.len());
        for refused in [map, set] {
            assert!(
                matches!(refused, Err(GrowError::Memory { elements: 100, bytes }) if bytes > 400),
                "{refused:?}"
            );
        }
        let mut set: Set<'_, '_> = HashSet::new_in(memory);
        let error = set.try_reserve(usize::MAX);
        let limit = isize::MAX as u64;
        assert_eq!(
            error,
            Err(GrowError::Length { wanted: usize::MAX as u64, limit }),
            "uncountable"
        );
    });
}

#[test]
#[should_panic(expected = "the allocator has no memory for 1 elements")]
fn an_element_without_memory_panics() {
    with_memory(|memory| {
        memory.refuse(Refusals::From(0));
        let mut set: Set<'_, '_> = HashSet::new_in(memory);
        set.insert(1);
    });
}
