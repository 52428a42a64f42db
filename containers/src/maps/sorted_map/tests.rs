//! Sorted maps and sets compared with std's trees, without memory, and when comparisons panic.

mod room;
mod views;

use core::cell::Cell;
use core::cmp::Ordering;
use core::panic::AssertUnwindSafe;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use loligo_allocators::Allocator;

use super::{SortedError, SortedMap, SortedSet};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

type Map<'a, 'm> = SortedMap<'a, String, u32, Memory<'m>>;

fn assert_same(map: &Map<'_, '_>, model: &BTreeMap<String, u32>, place: &str) {
    assert_eq!(map.validate(), Ok(()), "{place}");
    assert!(map.iter().eq(model), "{place}: {map:?}, {model:?}");
}

#[test]
fn does_as_a_tree_does() {
    for seed in 1..20 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut map: Map<'_, '_> = SortedMap::new_in(memory);
            let mut model = BTreeMap::new();
            for step in 0..300 {
                one_step(&mut random, &mut map, &mut model, step);
                if map.pending() == 0 {
                    assert_same(&map, &model, &format!("seed {seed}, step {step}"));
                }
            }
            map.sort();
            assert_same(&map, &model, &format!("seed {seed}, at the end"));
            let all: Vec<(String, u32)> = model.into_iter().collect();
            assert!(map.into_iter().eq(all), "seed {seed}, taken apart");
        });
    }
}

/// Does one operation, drawn at random, to both.
fn one_step(
    random: &mut Random,
    map: &mut Map<'_, '_>,
    model: &mut BTreeMap<String, u32>,
    step: u32,
) {
    let key = format!("{:02}", random.below(60));
    let other = format!("{:02}", random.below(60));
    match random.below(14) {
        0..5 => {
            map.push(key.clone(), step);
            model.insert(key, step);
        }
        5 => {
            for place in 0..random.below(50) as u32 {
                let key = format!("{:02}", random.below(100));
                map.push(key.clone(), place);
                model.insert(key, place);
            }
        }
        6 => assert_eq!(map.insert(key.clone(), step), model.insert(key, step)),
        7 => assert_eq!(map.remove(key.as_str()), model.remove(&key)),
        8 => assert_eq!(map.get_mut(key.as_str()), model.get_mut(&key)),
        9 => {
            let made = map.try_get_or_insert_with(key.clone(), || step).expect("there is memory");
            assert_eq!(made, model.entry(key).or_insert(step));
        }
        10 => assert_eq!(map.pop_last(), model.pop_last()),
        11 => {
            map.retain(|key, value| !key.ends_with('3') && *value % 7 > 0);
            model.retain(|key, value| !key.ends_with('3') && *value % 7 > 0);
        }
        12 if key <= other => {
            for (_, value) in map.range_mut(key.clone()..=other.clone()) {
                *value += 1;
            }
            model.range_mut(key.clone()..=other.clone()).for_each(|(_, value)| *value += 1);
            assert!(map.range(key.clone()..other.clone()).eq(model.range(key..other)));
        }
        _ => {
            map.sort();
            assert_eq!(map.get(key.as_str()), model.get(&key));
            assert_eq!(map.contains_key(key.as_str()), model.contains_key(&key));
            assert_eq!(
                (map.first(), map.last()),
                (model.first_key_value(), model.last_key_value())
            );
            assert_eq!(map.len(), model.len());
            map.shrink_to_fit();
        }
    }
}

#[test]
fn the_last_of_equal_keys_wins() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.insert(5, 0);
        for round in 1..=200 {
            map.push(5, round);
            map.push(3, round);
            map.push(9, round);
        }
        map.push(3, 7);
        assert_eq!(map.pending(), 601);
        map.sort();
        assert_eq!((map.keys(), map.values()), ([3, 5, 9].as_slice(), [7, 200, 200].as_slice()));
        let requests = memory.requests();
        map.sort();
        assert_eq!((map.pending(), memory.requests()), (0, requests), "nothing waits");
    });
}

#[test]
fn the_key_that_was_first_stays() {
    /// Equal to all with the same number.
    #[derive(Debug)]
    struct Named(u32, &'static str);
    impl PartialEq for Named {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }
    impl Eq for Named {}
    impl PartialOrd for Named {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Named {
        fn cmp(&self, other: &Self) -> Ordering {
            self.0.cmp(&other.0)
        }
    }
    with_memory(|memory| {
        let mut map: SortedMap<'_, Named, u32, _> = SortedMap::new_in(memory);
        map.insert(Named(2, "old"), 1);
        map.push(Named(2, "pushed"), 2);
        map.sort();
        assert_eq!(map.insert(Named(2, "inserted"), 3), Some(2));
        assert_eq!(map.remove_entry(&Named(2, "asked")).map(|entry| entry.0.1), Some("old"));
    });
}

#[test]
fn what_comes_in_order_does_not_wait() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.try_extend((0..100).map(|key| (key, key))).expect("there is memory");
        assert_eq!((map.pending(), map.len()), (0, 100));
        map.push(50, 1);
        map.push(100, 2);
        assert_eq!(map.pending(), 2, "the second must not overtake the first");
        map.extend([(50, 3)]);
        assert_eq!((map.pending(), map.get(&50), map.len()), (0, Some(&3), 101));
    });
}

#[test]
fn room_that_was_made_and_used_is_not_counted_on() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.try_extend((0..8).map(|key| (10 * key, 0))).expect("there is memory");
        for round in 0..50 {
            // Those that wait fill the room; then they are taken away again, and single keys take
            // their place.
            let waiting: Vec<(u32, u32)> = (0..9).rev().map(|key| (7 * key + round, 1)).collect();
            map.try_extend(waiting).expect("there is memory");
            let room = map.keys.capacity().min(map.values.capacity()) - map.keys.len();
            assert!(map.pending() <= room, "{} wait for {room} places", map.pending());
            assert!(map.pending() == 0 || map.room as usize <= room, "{} of {room}", map.room);
            map.insert(1000 + round, 2);
            map.push(3, round);
            map.push(2, round);
            let room = map.keys.capacity().min(map.values.capacity()) - map.keys.len();
            assert!(map.pending() == 2 && map.room as usize <= room, "{} of {room}", map.room);
            map.shrink_to_fit();
        }
        assert_eq!(map.validate(), Ok(()));
    });
}

#[test]
#[should_panic(expected = "1 entries were pushed and are not sorted in; call `sort`")]
fn reading_while_entries_wait_names_the_remedy() {
    let memory = loligo_allocators::StaticHeap::<8192>::new("pending");
    let mut map: SortedMap<'_, u32, u32> = SortedMap::new_in(&memory);
    map.push(2, 0);
    map.push(1, 0);
    let _ = map.get(&2);
}

#[test]
fn ranges_are_what_a_filter_finds() {
    use core::ops::Bound::{Excluded, Included, Unbounded};
    with_memory(|memory| {
        let mut set: SortedSet<'_, u32, _> = SortedSet::new_in(memory);
        set.extend((0..10).map(|number| 2 * number));
        let bounds = (0..22).flat_map(|at| [Included(at), Excluded(at)]).chain([Unbounded]);
        let bounds: Vec<_> = bounds.collect();
        for start in &bounds {
            for end in &bounds {
                let range = (*start, *end);
                let expected: Vec<u32> = set
                    .iter()
                    .copied()
                    .filter(|key| core::ops::RangeBounds::contains(&range, key))
                    .collect();
                assert_eq!(set.range(range), expected, "{range:?}");
            }
        }
    });
}

#[test]
fn sorted_slices_are_taken_and_others_named() {
    with_memory(|memory| {
        let map = SortedMap::try_from_sorted_in(&[1, 4, 6], &['a', 'b', 'c'], memory)
            .expect("they are sorted");
        assert_eq!((map.get(&4), map.get(&5), map.index_of(&6)), (Some(&'b'), None, Some(2)));
        let unsorted = SortedMap::try_from_sorted_in(&[1, 4, 4], &[0; 3], memory);
        assert_eq!(unsorted.map(drop), Err(SortedError::Order { index: 2 }));
        let fewer = SortedMap::try_from_sorted_in(&[1, 4], &[0; 3], memory);
        assert_eq!(fewer.map(drop), Err(SortedError::Count { keys: 2, values: 3 }));
        let set = SortedSet::try_from_sorted_in(&[9, 8], memory);
        assert_eq!(set.map(drop), Err(SortedError::Order { index: 1 }));
        let set = SortedSet::try_from_sorted_in(&[8, 9], memory).expect("they are sorted");
        assert_eq!((set.len(), set.contains(&9)), (2, true));
    });
}

#[test]
fn a_set_does_as_a_tree_does() {
    for seed in 1..10 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut set: SortedSet<'_, u8, _> = SortedSet::new_in(memory);
            let mut model = BTreeSet::new();
            for step in 0..500 {
                let key = random.next() as u8;
                match random.below(6) {
                    0..3 => {
                        set.push(key);
                        model.insert(key);
                    }
                    3 => assert_eq!(set.insert(key), model.insert(key), "seed {seed}, step {step}"),
                    4 => assert_eq!(set.remove(&key), model.take(&key), "seed {seed}, step {step}"),
                    _ => {
                        set.retain(|other| *other != key / 2);
                        model.retain(|other| *other != key / 2);
                    }
                }
                if set.pending() == 0 {
                    assert!(set.iter().eq(&model), "seed {seed}, step {step}: {set:?}");
                }
            }
            assert_eq!(set.pop_last(), model.pop_last());
            assert!(set.into_iter().eq(model), "seed {seed}");
        });
    }
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut map: Map<'_, '_> = SortedMap::new_in(memory);
        let mut model = BTreeMap::new();
        let mut random = Random::new(3);
        let mut first: Result<(), GrowError> = Ok(());
        for step in 0..60_u32 {
            let key = format!("{:02}", random.below(80));
            let mut after = model.clone();
            let done = match step % 5 {
                0 => {
                    after.insert(key.clone(), step);
                    map.try_insert(key, step).map(drop)
                }
                1 | 2 => {
                    after.insert(key.clone(), step);
                    map.try_push(key, step)
                }
                3 => {
                    let entries: Vec<(String, u32)> =
                        (0..9).map(|n| (format!("{:02}", (n * step) % 80), n)).collect();
                    after.extend(entries.iter().cloned());
                    map.try_extend(entries)
                }
                _ => {
                    let cloned = map.try_clone_in(memory);
                    map.try_reserve(4).and(cloned.map(|mut clone| {
                        clone.sort();
                        assert_eq!(clone, map);
                    }))
                }
            };
            if done.is_ok() {
                model = after;
            }
            let whole = map.pending() == 0;
            if whole {
                assert_same(&map, &model, &format!("step {step}, {done:?}"));
            }
            first = first.and(done);
        }
        map.sort();
        assert_same(&map, &model, "at the end");
        first
    });
}

#[test]
fn sorted_slices_need_memory_twice() {
    every_refusal(|memory: &Memory<'_>| {
        let map = SortedMap::try_from_sorted_in(&[1, 2], &[3, 4], memory);
        let room = SortedMap::<u32, u32, _>::try_with_capacity_in(7, memory);
        assert!(room.as_ref().map_or(7, SortedMap::capacity) >= 7, "{room:?}");
        map.map(drop).and(room.map(drop).map_err(SortedError::from))
    });
}

/// A key that is counted when dropped, and whose comparisons and destructor panic on demand.
struct Fragile<'c> {
    key: u32,
    world: &'c World,
}

/// What fragile keys count in.
#[derive(Default)]
struct World {
    dropped: Cell<u32>,
    /// The number of comparisons until one panics.
    comparisons: Cell<u32>,
    /// The number of drops until one panics.
    drops: Cell<u32>,
}

/// Counts down and panics at 0.
fn count_down(counter: &Cell<u32>) {
    counter.set(counter.get().wrapping_sub(1));
    assert!(counter.get() != 0, "as it was set to");
}

impl Drop for Fragile<'_> {
    fn drop(&mut self) {
        self.world.dropped.set(self.world.dropped.get() + 1);
        count_down(&self.world.drops);
    }
}

impl PartialEq for Fragile<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fragile<'_> {}

impl PartialOrd for Fragile<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fragile<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        count_down(&self.world.comparisons);
        self.key.cmp(&other.key)
    }
}

/// Runs `act` on a map of 20 entries with 10 more that wait, every comparison and then every drop
/// of it panicking in turn, until it goes through; the map must be whole after each, and all must
/// be dropped once.
fn with_every_panic<'c>(
    world: &'c World,
    act: impl Fn(&mut SortedMap<'_, Fragile<'c>, Fragile<'c>, Memory<'_>>),
) {
    for of_drops in [false, true] {
        let counter = if of_drops { &world.drops } else { &world.comparisons };
        let mut through = false;
        let mut number = 1;
        while !through {
            world.dropped.set(0);
            let fragile = |key| Fragile { key, world };
            with_memory(|memory| {
                let mut map = SortedMap::new_in(memory);
                map.extend((0..20).map(|key| (fragile(2 * key), fragile(0))));
                for key in [5, 9, 9, 10, 10, 3, 51, 50, 9, 12] {
                    map.push(fragile(key), fragile(1));
                }
                world.dropped.set(0);
                counter.set(number);
                through = catch_unwind(AssertUnwindSafe(|| act(&mut map))).is_ok();
                counter.set(0);
                let place = format!("{number}, drops: {of_drops}");
                assert_eq!(map.validate(), Ok(()), "{place}");
                let left = 2 * (map.keys.len() + map.pending.len());
                assert_eq!(world.dropped.get() as usize + left, 60, "{place}");
                map.sort();
                assert_eq!(map.validate(), Ok(()), "{place}");
                assert_eq!(map.keys.len(), map.values.len(), "{place}");
            });
            assert_eq!(world.dropped.get(), 60, "{number}: each was dropped once");
            number += 1;
        }
        assert!(number > 2, "nothing panicked");
    }
}

#[test]
fn panics_in_comparisons_and_destructors_leave_the_map_whole() {
    let (world, elsewhere) = (World::default(), World::default());
    with_every_panic(&world, |map| map.sort());
    with_every_panic(&world, |map| map.retain(|key, _| key.key % 3 > 0));
    with_every_panic(&world, |map| {
        map.sort();
        map.clear();
    });
    with_every_panic(&world, |map| {
        map.remove(&Fragile { key: 10, world: &elsewhere });
    });
}

#[test]
fn a_panic_in_retain_drops_those_it_said_no_to() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.extend((0..10).map(|key| (key, key)));
        let asked = catch_unwind(AssertUnwindSafe(|| {
            map.retain(|key, value| {
                assert!(*key < 6, "the seventh is not to be asked about");
                *value += 100;
                key % 2 == 1
            });
        }));
        assert!(asked.is_err(), "nothing panicked");
        assert_eq!(map.keys(), [1, 3, 5, 6, 7, 8, 9]);
        assert_eq!(map.values(), [101, 103, 105, 6, 7, 8, 9]);
    });
}

#[test]
fn merges_few_into_many_and_many_into_few() {
    for (old, new) in [(1000, 3), (3, 1000), (300, 300), (0, 500), (500, 1)] {
        for seed in 1..6 {
            with_memory(|memory| {
                let mut random = Random::new(seed);
                let mut map: SortedMap<'_, usize, usize, _> = SortedMap::new_in(memory);
                let mut model = BTreeMap::new();
                for count in [old, new] {
                    for value in 0..count {
                        let key = random.below(old + new);
                        map.push(key, value);
                        model.insert(key, value);
                    }
                    map.sort();
                    assert!(map.iter().eq(&model), "{old} and {new}, seed {seed}");
                }
            });
        }
    }
}

#[test]
fn prints_what_waits_crosses_threads_and_is_small() {
    fn crosses<T: Send>() {}
    crosses::<SortedMap<'_, u32, u32, dyn Allocator + Sync>>();
    crosses::<SortedSet<'_, u32, dyn Allocator + Sync>>();
    let pointer = size_of::<usize>();
    assert_eq!(size_of::<SortedMap<'_, u32, u32, Memory<'_>>>(), 32 + 6 * pointer);
    assert_eq!(size_of::<SortedMap<'_, u32, u32>>(), 32 + 9 * pointer);
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, char, _> = SortedMap::new_in(memory);
        assert!(map.is_empty() && memory.requests() == 0, "{map:?}");
        map.push(7, 'a');
        map.push(3, 'b');
        assert_eq!(format!("{map:?}"), "{7: 'a', 3: 'b'}");
        map.iter_mut().for_each(|(_, value)| *value = 'c');
        assert_eq!(format!("{:?}", map.clone()), "{3: 'c', 7: 'c'}");
    });
}

#[test]
fn a_value_is_made_where_there_is_room_for_it() {
    every_refusal(|memory: &Memory<'_>| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        let mut made = 0;
        for key in 0..20 {
            let before = made;
            let refused = map.try_get_or_insert_with(key, || {
                made += 1;
                key
            });
            if let Err(refused) = refused {
                assert_eq!(made, before, "a value was made for nothing");
                return Err(refused);
            }
        }
        Ok(())
    });
}

#[test]
fn room_and_values_are_made_without_a_result() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.reserve(10);
        assert!(map.capacity() >= 10, "{}", map.capacity());
        let requests = memory.requests();
        for key in [3, 1, 3, 3] {
            *map.get_or_insert_with(key, || key * 10) += 1;
        }
        assert!(map.iter().eq([(&1, &11), (&3, &33)]), "{map:?}");
        assert_eq!(memory.requests(), requests, "room was made");
    });
}

#[test]
fn a_copy_counts_on_its_own_room() {
    with_memory(|memory| {
        let mut map: SortedMap<'_, u32, u32, _> = SortedMap::new_in(memory);
        map.try_reserve(200).expect("there is memory");
        map.push(200, 0);
        map.push(3, 1);
        let mut copy = map.clone();
        assert_eq!((copy.pending(), copy.validate()), (1, Ok(())));
        (0..150).rev().for_each(|key| copy.push(key, 2));
        assert_eq!(copy.validate(), Ok(()));
        copy.sort();
        assert_eq!((copy.len(), copy.validate()), (151, Ok(())));
        copy.push(0, 3);
        copy.room = 1 << 20;
        let room = copy.capacity() - 151;
        assert_eq!(copy.validate(), Err(SortedError::Room { waiting: 1 << 20, room }));
    });
}
