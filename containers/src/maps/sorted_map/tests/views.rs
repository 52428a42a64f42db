//! Sets and errors as others see them: printed, compared, walked over, in the words of their
//! messages.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::Refusals;

use crate::error::GrowError;
use crate::maps::sorted_map::{SortedError, SortedMap, SortedSet};
use crate::testing::test_memory::{Memory, with_memory};

type Numbers<'a, 'm> = SortedSet<'a, u32, Memory<'m>>;

#[test]
fn an_error_names_what_is_wrong() {
    let order = SortedError::Order { index: 3 };
    assert_eq!(order.to_string(), "the key 3 is not greater than the one before it", "the key");
    let count = SortedError::Count { keys: 3, values: 2 };
    assert_eq!(count.to_string(), "there are 3 keys and 2 values", "both counts");
    let room = SortedError::Room { waiting: 3, room: 2 };
    assert_eq!(room.to_string(), "3 entries may wait where there is room for 2", "both counts");
    let grow = GrowError::Memory { elements: 8, bytes: 64 };
    assert_eq!(SortedError::from(grow).to_string(), grow.to_string(), "as the cause says it");
    assert_eq!(SortedError::from(grow), SortedError::Grow(grow), "the cause is kept");
}

#[test]
fn a_set_tells_what_it_holds_and_has_room_for() {
    with_memory(|memory| {
        let mut set: Numbers<'_, '_> =
            SortedSet::try_with_capacity_in(20, memory).expect("there is memory");
        assert!(set.is_empty(), "nothing yet");
        assert!(set.capacity() >= 20, "room for {}", set.capacity());
        let requests = memory.requests();
        (0..20).for_each(|key| set.push(key * 10));
        assert_eq!(memory.requests(), requests, "nothing more was asked for");
        assert!(core::ptr::eq(set.memory(), memory), "the allocator that was given");
        assert!(!set.is_empty() && set.len() == 20, "twenty keys");
        let places = [0, 5, 190, 191].map(|key| set.index_of(&key));
        assert_eq!(places, [Some(0), None, Some(19), None], "first, between, last, after");
        assert!(set.iter().eq(&set), "by reference, as by `iter`");
        assert_eq!((&set).into_iter().last(), Some(&190), "to the last");
        memory.refuse(Refusals::From(0));
        let refused = Numbers::try_with_capacity_in(8, memory).map(|set| set.len());
        let expected = GrowError::Memory { elements: 8, bytes: 32 };
        assert_eq!(refused, Err(expected), "there is no memory");
    });
}

#[test]
fn what_waits_is_in_the_set_and_printed_last() {
    with_memory(|memory| {
        let mut set: Numbers<'_, '_> = SortedSet::new_in(memory);
        assert_eq!((set.capacity(), format!("{set:?}").as_str()), (0, "{}"), "nothing");
        set.push(5);
        set.push(3);
        set.push(4);
        assert!(!set.is_empty() && set.pending() == 2, "two wait");
        assert_eq!(format!("{set:?}"), "{5, 3, 4}", "in stored order");
        set.sort();
        assert_eq!(format!("{set:?}"), "{3, 4, 5}", "sorted");
        set.clear();
        assert!(set.is_empty() && set.pending() == 0, "nothing");
        set.push(2);
        set.push(1);
        set.clear();
        assert!(set.is_empty() && set.pending() == 0, "what waited is gone, too");
    });
}

#[test]
fn sets_of_equal_keys_are_equal() {
    with_memory(|memory| {
        let one: Numbers<'_, '_> =
            SortedSet::try_from_sorted_in(&[1, 2, 3], memory).expect("sorted");
        let mut other: Numbers<'_, '_> = SortedSet::new_in(memory);
        other.extend([3, 1]);
        assert!(one != other, "a key is missing");
        assert_eq!(other.pending(), 0, "what extends is sorted in");
        assert!(other.insert(2) && !other.insert(2), "new once");
        assert!(one == other, "equal keys");
        assert_eq!(other.remove(&3), Some(3), "it was there");
        assert!(other.insert(4) && one != other, "as many, but others");
        assert_eq!(other.into_iter().collect::<Vec<_>>(), [1, 2, 4], "taken apart");
    });
}

#[test]
fn a_map_is_walked_by_reference() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, char, Memory<'_>> = SortedMap::new_in(memory);
        map.extend([(2, 'b'), (1, 'a'), (3, 'c')]);
        let seen: Vec<(u32, char)> =
            (&map).into_iter().map(|(&key, &value)| (key, value)).collect();
        assert_eq!(seen, [(1, 'a'), (2, 'b'), (3, 'c')], "in order of the keys");
        assert_eq!(map.values(), ['a', 'b', 'c'], "the values alone");
    });
}

#[test]
#[should_panic(expected = "1 entries were pushed and are not sorted in")]
fn values_are_not_read_while_an_entry_waits() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, char, Memory<'_>> = SortedMap::new_in(memory);
        map.push(2, 'b');
        map.push(1, 'a');
        let _ = map.values();
    });
}

/// Each rule that a map checks of itself, broken on purpose.
#[test]
fn damage_is_found() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, Memory<'_>> = SortedMap::new_in(memory);
        assert_eq!(map.validate(), Ok(()), "nothing is whole");
        map.extend([(1, 1), (2, 2), (3, 3)]);
        assert_eq!(map.validate(), Ok(()), "three entries");
        map.keys.swap(1, 2);
        assert_eq!(map.validate(), Err(SortedError::Order { index: 2 }), "the last is too small");
        map.keys.swap(0, 1);
        assert_eq!(map.validate(), Err(SortedError::Order { index: 1 }), "the second is");
        map.keys[1] = 3;
        assert_eq!(map.validate(), Err(SortedError::Order { index: 1 }), "one is there twice");
        map.keys.pop();
        assert_eq!(map.validate(), Err(SortedError::Count { keys: 2, values: 3 }), "one is lost");
        map.clear();
        map.extend([(5, 5)]);
        map.shrink_to_fit();
        map.push(1, 1);
        let room = map.capacity() - 1;
        assert!(map.pending() == 1 && map.validate().is_ok(), "one waits, with room for it");
        map.room = room as u32;
        assert_eq!(map.validate(), Ok(()), "all the room there is");
        map.room = room as u32 + 1;
        let wrong = SortedError::Room { waiting: room + 1, room };
        assert_eq!(map.validate(), Err(wrong), "more than that");
        map.sort();
        assert_eq!(map.validate(), Ok(()), "what does not wait needs no room");
    });
}

#[test]
fn maps_of_equal_keys_and_values_are_equal() {
    with_memory(|memory| {
        let map = |entries: &[(u32, char)]| {
            let mut map: SortedMap<'_, u32, char, Memory<'_>> = SortedMap::new_in(memory);
            map.extend(entries.iter().copied());
            map
        };
        let one = map(&[(1, 'a'), (2, 'b')]);
        assert!(one == map(&[(2, 'b'), (1, 'a')]), "the same");
        assert!(one != map(&[(1, 'a'), (2, 'c')]), "another value");
        assert!(one != map(&[(1, 'a'), (3, 'b')]), "another key");
        assert!(one != map(&[(1, 'b'), (3, 'a')]), "nothing is the same");
        assert!(one != map(&[(1, 'a')]) && map(&[]) != one, "fewer");
        assert!(map(&[]) == map(&[]), "none");
    });
}

#[test]
fn what_waits_is_sorted_in_before_a_map_is_taken_apart() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, char, Memory<'_>> = SortedMap::new_in(memory);
        let mut set: Numbers<'_, '_> = SortedSet::new_in(memory);
        for (key, value) in [(5, 'e'), (3, 'c'), (4, 'd'), (3, 'f')] {
            map.push(key, value);
            set.push(key);
        }
        assert_eq!((map.pending(), set.pending()), (3, 3), "three wait");
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [(3, 'f'), (4, 'd'), (5, 'e')]);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [3, 4, 5]);
    });
}
