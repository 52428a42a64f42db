//! Maps with many values a key: filled from empty, walked key by key, emptied value by value.

use core::hash::BuildHasher;
use core::hint::black_box;

use hashbrown::{HashMap as Hashbrown, HashTable};
use loligo_containers::{BuildKeyHasher, MultiMap};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// A map with many values a key, as the workloads drive it; all sides hash alike.
pub(crate) trait Many: 'static {
    /// Makes an empty map.
    fn empty() -> Self;

    /// Adds a value to those of a key.
    fn insert(&mut self, key: u32, value: u32);

    /// Returns the sum of the values of a key.
    fn sum_of(&self, key: u32) -> u64;

    /// Takes a value of a key out: the first where there is an order.
    fn remove_one(&mut self, key: u32) -> Option<u32>;
}

/// Ours.
pub(crate) struct OurMany(MultiMap<'static, u32, u32, BuildKeyHasher, Heap>);

/// A vector a key, which has an order as ours has.
pub(crate) struct Vectors(Hashbrown<u32, Vec<u32>, BuildKeyHasher>);

/// hashbrown's table with keys more than once; its values have no order.
pub(crate) struct Duplicates(HashTable<(u32, u32)>);

impl Many for OurMany {
    fn empty() -> Self {
        Self(MultiMap::new_in(&HEAP))
    }

    #[inline(always)]
    fn insert(&mut self, key: u32, value: u32) {
        self.0.insert(key, value);
    }

    #[inline(always)]
    fn sum_of(&self, key: u32) -> u64 {
        self.0.values_of(&key).iter().map(|value| u64::from(*value)).sum()
    }

    #[inline(always)]
    fn remove_one(&mut self, key: u32) -> Option<u32> {
        self.0.remove_first(&key)
    }
}

impl Many for Vectors {
    fn empty() -> Self {
        Self(Hashbrown::with_hasher(BuildKeyHasher::new()))
    }

    #[inline(always)]
    fn insert(&mut self, key: u32, value: u32) {
        self.0.entry(key).or_default().push(value);
    }

    #[inline(always)]
    fn sum_of(&self, key: u32) -> u64 {
        self.0.get(&key).into_iter().flatten().map(|value| u64::from(*value)).sum()
    }

    #[inline(always)]
    fn remove_one(&mut self, key: u32) -> Option<u32> {
        let values = self.0.get_mut(&key)?;
        let value = values.remove(0);
        if values.is_empty() {
            self.0.remove(&key);
        }
        Some(value)
    }
}

#[inline(always)]
fn hash(key: u32) -> u64 {
    BuildKeyHasher::new().hash_one(key)
}

impl Many for Duplicates {
    fn empty() -> Self {
        Self(HashTable::new())
    }

    #[inline(always)]
    fn insert(&mut self, key: u32, value: u32) {
        self.0.insert_unique(hash(key), (key, value), |entry| hash(entry.0));
    }

    #[inline(always)]
    fn sum_of(&self, key: u32) -> u64 {
        let entries = self.0.iter_hash(hash(key)).filter(|entry| entry.0 == key);
        entries.map(|entry| u64::from(entry.1)).sum()
    }

    #[inline(always)]
    fn remove_one(&mut self, key: u32) -> Option<u32> {
        let entry = self.0.find_entry(hash(key), |entry| entry.0 == key).ok()?;
        Some(entry.remove().0.1)
    }
}

/// About how many operations a pass is.
const OPERATIONS: u32 = 400_000;

/// The keys of `entries` values in the order of insertion, `values` of each key, in no order.
fn keys(entries: u32, values: u32) -> Box<[u32]> {
    let mut keys: Box<[u32]> = (0..entries).map(|entry| entry / values * 7).collect();
    Random::new(9).shuffle(&mut keys);
    keys
}

#[inline(never)]
fn filled<M: Many>(keys: &[u32]) -> M {
    let mut map = M::empty();
    for (value, key) in keys.iter().enumerate() {
        map.insert(*key, value as u32);
    }
    map
}

/// Fills maps with `entries` values, from empty to dropped.
pub(crate) fn insert<M: Many>(name: &'static str, entries: u32, values: u32) -> Contender {
    let keys = keys(entries, values);
    let times = OPERATIONS.div_ceil(entries);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(filled::<M>(&keys));
            }
        });
        Pass { ns, operations: u64::from(times) * u64::from(entries) }
    })
}

/// Visits the values of each key, keys in random order. An operation is a value.
pub(crate) fn walk<M: Many>(name: &'static str, entries: u32, values: u32) -> Contender {
    let map = filled::<M>(&keys(entries, values));
    let mut wanted: Box<[u32]> = (0..entries / values).map(|key| key * 7).collect();
    Random::new(10).shuffle(&mut wanted);
    let times = OPERATIONS.div_ceil(entries);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(sum(&map, &wanted));
            }
        });
        Pass { ns, operations: u64::from(times) * u64::from(entries) }
    })
}

#[inline(never)]
fn sum<M: Many>(map: &M, wanted: &[u32]) -> u64 {
    wanted.iter().map(|key| map.sum_of(*key)).fold(0, u64::wrapping_add)
}

/// Takes all values out one by one, keys in random order.
pub(crate) fn remove<M: Many>(name: &'static str, entries: u32, values: u32) -> Contender {
    let keys = keys(entries, values);
    let mut wanted = keys.clone();
    Random::new(11).shuffle(&mut wanted);
    let times = OPERATIONS.div_ceil(entries);
    Contender::new(name, move || {
        let mut ns = 0;
        for _ in 0..times {
            let mut map = filled::<M>(&keys);
            ns += clock::time(|| empty(&mut map, &wanted));
        }
        Pass { ns, operations: u64::from(times) * u64::from(entries) }
    })
}

#[inline(never)]
fn empty<M: Many>(map: &mut M, wanted: &[u32]) {
    for key in wanted {
        assert!(map.remove_one(*key).is_some(), "key {key} has a value left");
    }
}
