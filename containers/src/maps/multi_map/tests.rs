//! Against a naive model, under refusals, and with keys and values that panic.

mod views;

use core::cell::Cell;
use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_allocators::Allocator;

use super::MultiMap;
use crate::error::GrowError;
use crate::testing::test_memory::{LENGTHS_ARE_LONG, Memory, Random, every_refusal, with_memory};

/// A hasher under which a few buckets hold everything.
#[derive(Default)]
struct Crowded(u64);

impl Hasher for Crowded {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = u64::from(*byte) % 3;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A list of entries in the order of insertion.
#[derive(Default)]
struct Model(Vec<(u32, u64)>);

impl Model {
    fn values_of(&self, key: u32) -> Vec<u64> {
        self.0.iter().filter(|entry| entry.0 == key).map(|entry| entry.1).collect()
    }

    fn remove(&mut self, key: u32, value: u64) {
        let at = self.0.iter().position(|entry| *entry == (key, value)).expect("it is there");
        self.0.remove(at);
    }
}

fn compare<S: BuildHasher>(map: &MultiMap<'_, u32, u64, S, Memory<'_>>, model: &Model, keys: u32) {
    assert_eq!(map.validate(), Ok(()));
    assert_eq!(map.len(), model.0.len());
    for key in 0..keys {
        let values = map.values_of(&key).to_vec();
        assert_eq!(values, model.values_of(key), "the values of key {key}");
        assert_eq!(map.count(&key), values.len());
        assert_eq!(map.contains(&key), !values.is_empty());
        assert_eq!(map.get_first(&key), values.first());
        let mut next = map.find_first(&key);
        for value in &values {
            let place = next.expect("as many places as values");
            assert_eq!((map.key(place), map.value(place)), (&key, value));
            next = map.find_next(place);
        }
        assert_eq!(next, None);
    }
    let mut all: Vec<(u32, u64)> = map.iter().map(|(key, value)| (*key, *value)).collect();
    let mut expected = model.0.clone();
    all.sort_unstable();
    expected.sort_unstable();
    assert_eq!(all, expected);
}

fn model_run<S: BuildHasher + Default>(seed: u64, keys: u32) {
    with_memory(|memory| {
        let mut random = Random::new(seed);
        let mut map: MultiMap<'_, u32, u64, S, _> = MultiMap::with_hasher_in(S::default(), memory);
        let mut model = Model::default();
        for step in 0..600_u64 {
            let key = random.below(keys as usize) as u32;
            match random.below(100) {
                0..50 => {
                    map.insert(key, step);
                    model.0.push((key, step));
                }
                50..65 => {
                    let expected = model.values_of(key).first().copied();
                    assert_eq!(map.remove_first(&key), expected);
                    expected.into_iter().for_each(|value| model.remove(key, value));
                }
                65..80 => {
                    let skip = random.below(4);
                    let mut place = map.find_first(&key);
                    for _ in 0..skip {
                        place = place.and_then(|place| map.find_next(place)).or(place);
                    }
                    if let Some(place) = place {
                        let key = *map.key(place);
                        model.remove(key, map.remove_at(place));
                    }
                }
                80..86 => {
                    let expected = model.values_of(key).len();
                    assert_eq!(map.remove_all(&key), expected);
                    model.0.retain(|entry| entry.0 != key);
                }
                86..94 => {
                    let bit = random.below(3) as u64;
                    let gone = map.retain_of(&key, |value| *value % 3 != bit);
                    let before = model.0.len();
                    model.0.retain(|entry| entry.0 != key || entry.1 % 3 != bit);
                    assert_eq!(gone, before - model.0.len());
                }
                94..98 => {
                    map.retain(|key, value| (u64::from(*key) + *value) % 5 != 0);
                    model.0.retain(|entry| (u64::from(entry.0) + entry.1) % 5 != 0);
                }
                98 => map.reserve(random.below(200)),
                _ => {
                    map.clear();
                    model.0.clear();
                }
            }
            if step % 7 == 0 {
                compare(&map, &model, keys);
            }
        }
        compare(&map, &model, keys);
    });
}

#[test]
fn does_as_a_list_would() {
    for seed in 0..20 {
        std::println!("seed {seed}");
        model_run::<crate::maps::hasher::BuildKeyHasher>(seed, 12);
        model_run::<crate::maps::hasher::BuildIdHasher>(seed, 200);
        model_run::<BuildHasherDefault<Crowded>>(seed, 9);
    }
}

#[test]
fn a_refusal_changes_nothing() {
    every_refusal(|memory| {
        let mut map: MultiMap<'_, u32, String, _, _> = MultiMap::new_in(memory);
        let mut result = Ok(());
        let mut there = Vec::new();
        for number in 0..70_u32 {
            match map.try_insert(number % 5, number.to_string()) {
                Ok(()) => there.push(number),
                Err(error) => result = result.and(Err(error)),
            }
            assert_eq!(map.validate(), Ok(()));
            assert_eq!(map.len(), there.len());
        }
        for key in 0..5 {
            let expected = there.iter().filter(|number| **number % 5 == key).map(u32::to_string);
            assert!(map.values_of(&key).iter().cloned().eq(expected), "the values of {key}");
        }
        let before = map.len();
        result = result.and(map.try_reserve(500));
        assert_eq!(map.len(), before);
        assert_eq!(map.validate(), Ok(()));
        result
    });
}

#[test]
fn takes_no_memory_while_empty_and_refuses_more_than_it_can_count() {
    with_memory(|memory| {
        let mut map: MultiMap<'_, u64, (), _, Memory<'_>> = MultiMap::new_in(memory);
        assert_eq!(memory.stats().live, 0);
        assert_eq!(map.values_of(&3), []);
        assert_eq!(map.remove_first(&3), None);
        assert_eq!(map.remove_all(&3), 0);
        map.clear();
        let refused = map.try_reserve(usize::MAX).expect_err("it is more than can be counted");
        let (wanted, limit) = (usize::MAX as u64, u64::from(u32::MAX));
        if LENGTHS_ARE_LONG {
            assert_eq!(refused, GrowError::Length { wanted, limit });
        } else {
            assert!(matches!(refused, GrowError::Memory { .. }), "{refused}");
        }
        let filled = MultiMap::<u32, u32, _, _>::try_with_capacity_in(100, memory).expect("room");
        assert!(filled.capacity() >= 100, "{}", filled.capacity());
    });
}

/// A value that counts its end, and panics in it on demand.
struct Fuse<'c> {
    dropped: &'c Cell<u32>,
    bad: bool,
}

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
        assert!(!self.bad || std::thread::panicking(), "a destructor that panics");
    }
}

#[test]
fn a_panic_leaves_the_map_whole() {
    with_memory(|memory| {
        let dropped = Cell::new(0);
        let mut map: MultiMap<'_, u32, Fuse<'_>, _, Memory<'_>> = MultiMap::new_in(memory);
        for number in 0..40 {
            map.insert(number % 4, Fuse { dropped: &dropped, bad: number == 9 });
        }
        let mut asked = 0;
        let kept = catch_unwind(AssertUnwindSafe(|| {
            map.retain(|_, _| {
                asked += 1;
                assert!(asked != 6, "a closure that panics");
                asked % 2 == 0
            });
        }));
        assert!(kept.is_err());
        assert_eq!(map.validate(), Ok(()));
        assert_eq!((map.len(), dropped.get()), (37, 3));
        assert!(catch_unwind(AssertUnwindSafe(|| map.remove_all(&1))).is_err());
        assert_eq!(map.validate(), Ok(()));
        assert_eq!(map.len() as u32 + dropped.get(), 40);
        map.insert(7, Fuse { dropped: &dropped, bad: true });
        assert!(catch_unwind(AssertUnwindSafe(|| map.clear())).is_err());
        assert_eq!(map.validate(), Ok(()));
        assert_eq!((map.len(), dropped.get()), (0, 41));
    });
}

/// A key whose comparison panics.
struct Prickly(u32);

impl Hash for Prickly {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

impl PartialEq for Prickly {
    fn eq(&self, other: &Self) -> bool {
        assert!(self.0 != 13 && other.0 != 13, "a comparison that panics");
        self.0 == other.0
    }
}

impl Eq for Prickly {}

#[test]
fn a_panic_in_a_comparison_changes_nothing() {
    with_memory(|memory| {
        let mut map: MultiMap<'_, Prickly, u32, _, Memory<'_>> = MultiMap::new_in(memory);
        for number in 0..50 {
            map.insert(Prickly(number % 13), number);
        }
        map.insert(Prickly(13), 50);
        let inserted = catch_unwind(AssertUnwindSafe(|| map.insert(Prickly(13), 51)));
        let removed = catch_unwind(AssertUnwindSafe(|| map.remove_all(&Prickly(13))));
        assert!(inserted.is_err() && removed.is_err());
        assert_eq!(map.validate(), Ok(()));
        assert_eq!(map.len(), 51);
    });
}

#[test]
#[should_panic(expected = "key 2 of the map has no value 0")]
fn a_place_kept_over_a_removal_is_named() {
    with_memory(|memory| {
        let mut map: MultiMap<'_, u32, u32, _, Memory<'_>> = MultiMap::new_in(memory);
        map.extend_for_test();
        let last = map.find_first(&2).expect("it was inserted");
        map.remove_first(&0);
        let _ = map.value(last);
    });
}

impl MultiMap<'_, u32, u32, crate::maps::hasher::BuildKeyHasher, Memory<'_>> {
    fn extend_for_test(&mut self) {
        (0..3).for_each(|number| self.insert(number, number));
    }
}

#[test]
fn values_of_a_key_that_grows_move_and_are_moved_together_when_much_is_idle() {
    with_memory(|memory| {
        let mut map: MultiMap<'_, u32, String, _, Memory<'_>> = MultiMap::new_in(memory);
        for number in 0..3000_u32 {
            map.insert(number % 100, number.to_string());
            if number % 500 == 499 {
                assert_eq!(map.validate(), Ok(()));
            }
        }
        for key in 0..100 {
            let expected = (0..30).map(|turn| (turn * 100 + key).to_string());
            assert!(map.values_of(&key).iter().cloned().eq(expected), "the values of {key}");
        }
        let bytes = memory.stats().granted;
        // As many values of other keys: they take the place of those that went.
        for key in 0..100 {
            assert_eq!(map.remove_all(&key), 30);
            (0..30).for_each(|_| map.insert(key + 1000, String::new()));
        }
        assert_eq!((map.validate(), map.len(), map.keys_len()), (Ok(()), 3000, 100));
        let now = memory.stats().granted;
        assert!(now <= 2 * bytes, "{now} bytes after {bytes}");
    });
}
