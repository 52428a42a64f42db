//! Maps that keep their keys in order.

use core::hint::black_box;
use std::collections::BTreeMap;

use loligo_containers::SortedMap;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// About how many operations a pass is.
const OPERATIONS: u32 = 300_000;

/// How many entries are put in at once.
const BUILT: u32 = 10_000;

/// How many entries are merged in.
const MERGED: u32 = 1_000;

/// A key and its value: an object's hashed name and where it is.
type Entry = (u32, u64);

/// A map that keeps its keys in order.
pub(crate) trait Ordered: 'static {
    /// Makes a map of many entries, in the quickest way that there is; of equal keys the last one
    /// wins.
    fn build(entries: &[Entry]) -> Self;
    /// Adds many entries, as above.
    fn merge(&mut self, entries: &[Entry]);
    fn look_up(&self, key: u32) -> Option<u64>;
    /// Adds all keys and values up.
    fn sum(&self) -> u64;
}

pub(crate) struct OurMap(SortedMap<'static, u32, u64, Heap>);

impl Ordered for OurMap {
    fn build(entries: &[Entry]) -> Self {
        let mut map = Self(SortedMap::new_in(&HEAP));
        map.merge(entries);
        map
    }

    fn merge(&mut self, entries: &[Entry]) {
        self.0.extend(entries.iter().copied());
    }

    #[inline(always)]
    fn look_up(&self, key: u32) -> Option<u64> {
        self.0.get(&key).copied()
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        let mut sum = 0_u64;
        for (key, value) in &self.0 {
            sum = sum.wrapping_add(u64::from(*key)).wrapping_add(*value);
        }
        sum
    }
}

pub(crate) struct Tree(BTreeMap<u32, u64>);

impl Ordered for Tree {
    fn build(entries: &[Entry]) -> Self {
        Self(entries.iter().copied().collect())
    }

    fn merge(&mut self, entries: &[Entry]) {
        self.0.extend(entries.iter().copied());
    }

    #[inline(always)]
    fn look_up(&self, key: u32) -> Option<u64> {
        self.0.get(&key).copied()
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        let mut sum = 0_u64;
        for (key, value) in &self.0 {
            sum = sum.wrapping_add(u64::from(*key)).wrapping_add(*value);
        }
        sum
    }
}

/// A vector of entries, as one writes it by hand.
pub(crate) struct Pairs(Vec<Entry>);

impl Ordered for Pairs {
    fn build(entries: &[Entry]) -> Self {
        let mut pairs = Self(Vec::new());
        pairs.merge(entries);
        pairs
    }

    fn merge(&mut self, entries: &[Entry]) {
        self.0.extend_from_slice(entries);
        // Stable, so that the last of equal ones is the last.
        self.0.sort_by_key(|entry| entry.0);
        self.0.dedup_by(|entry, last| {
            let same = entry.0 == last.0;
            if same {
                last.1 = entry.1;
            }
            same
        });
    }

    #[inline(always)]
    fn look_up(&self, key: u32) -> Option<u64> {
        let index = self.0.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(self.0[index].1)
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        let mut sum = 0_u64;
        for (key, value) in &self.0 {
            sum = sum.wrapping_add(u64::from(*key)).wrapping_add(*value);
        }
        sum
    }
}

/// Draws entries, of which about a tenth have a key that others have, too.
fn draw(seed: u64, count: u32) -> Vec<Entry> {
    let mut random = Random::new(seed);
    (0..count).map(|number| (random.below(5 * count) * 800, u64::from(number))).collect()
}

/// Looks keys up that are there. An operation is a lookup.
pub(crate) fn look_up<M: Ordered, const LEN: u32>(name: &'static str) -> Contender {
    let entries = draw(51, LEN);
    let map = M::build(&entries);
    let mut random = Random::new(52);
    let keys: Vec<u32> =
        (0..OPERATIONS / 10).map(|_| entries[random.below(LEN) as usize].0).collect();
    Contender::new(name, move || {
        look_all_up(&map, &keys);
        let ns = clock::time(|| (0..10).for_each(|_| look_all_up(&map, &keys)));
        Pass { ns, operations: 10 * keys.len() as u64 }
    })
}

/// Builds maps of entries in random order and drops them. An operation is an entry.
pub(crate) fn build<M: Ordered>(name: &'static str) -> Contender {
    let entries = draw(53, BUILT);
    let times = OPERATIONS / BUILT;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                drop(black_box(M::build(black_box(&entries))));
            }
        });
        Pass { ns, operations: u64::from(times * BUILT) }
    })
}

/// Merges entries into a map that is larger. An operation is an entry.
pub(crate) fn merge<M: Ordered>(name: &'static str) -> Contender {
    let (entries, more) = (draw(54, BUILT), draw(55, MERGED));
    let times = OPERATIONS / 10 / MERGED;
    Contender::new(name, move || {
        let mut maps: Vec<M> = (0..times).map(|_| M::build(&entries)).collect();
        let ns = clock::time(|| maps.iter_mut().for_each(|map| map.merge(black_box(&more))));
        Pass { ns, operations: u64::from(times * MERGED) }
    })
}

/// Walks over all entries. An operation is an entry.
pub(crate) fn walk<M: Ordered>(name: &'static str) -> Contender {
    let entries = draw(56, BUILT);
    let map = M::build(&entries);
    let times = 4 * OPERATIONS / BUILT;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(walk_once(black_box(&map)));
            }
        });
        Pass { ns, operations: u64::from(times * BUILT) }
    })
}

#[inline(never)]
fn look_all_up<M: Ordered>(map: &M, keys: &[u32]) {
    let mut sum = 0_u64;
    for key in keys {
        sum = sum.wrapping_add(map.look_up(*key).expect("every key is there"));
    }
    black_box(sum);
}

#[inline(never)]
fn walk_once<M: Ordered>(map: &M) -> u64 {
    map.sum()
}
