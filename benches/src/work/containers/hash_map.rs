//! A hash map that is filled from empty, so that it grows, and one that is looked into.

use core::hint::black_box;

use hashbrown::HashMap as Hashbrown;
use loligo_allocators::Allocator;
use loligo_containers::{BuildKeyHasher, HashMap};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;
use crate::random::Random;

/// A map as the workloads drive it; both sides hash alike.
pub(crate) trait Map: 'static {
    /// Makes an empty map.
    fn empty() -> Self;

    /// Sets the value of a key.
    fn insert(&mut self, key: u32, value: u64);

    /// Returns the value of a key.
    fn get(&self, key: u32) -> Option<u64>;
}

/// Ours, through `&dyn Allocator`.
pub(crate) struct OurMap(HashMap<'static, u32, u64>);

/// hashbrown's, over the global allocator.
pub(crate) struct GlobalMap(Hashbrown<u32, u64, BuildKeyHasher>);

impl Map for OurMap {
    fn empty() -> Self {
        let memory: &'static dyn Allocator = &HEAP;
        Self(HashMap::new_in(memory))
    }

    #[inline(always)]
    fn insert(&mut self, key: u32, value: u64) {
        self.0.insert(key, value);
    }

    #[inline(always)]
    fn get(&self, key: u32) -> Option<u64> {
        self.0.get(&key).copied()
    }
}

impl Map for GlobalMap {
    fn empty() -> Self {
        Self(Hashbrown::with_hasher(BuildKeyHasher::new()))
    }

    #[inline(always)]
    fn insert(&mut self, key: u32, value: u64) {
        self.0.insert(key, value);
    }

    #[inline(always)]
    fn get(&self, key: u32) -> Option<u64> {
        self.0.get(&key).copied()
    }
}

/// About how many operations a pass is.
const OPERATIONS: u32 = 400_000;

/// Returns the given number of different keys in random order.
fn keys(count: u32) -> Box<[u32]> {
    let mut keys: Box<[u32]> = (0..count).map(|key| key.wrapping_mul(7)).collect();
    Random::new(7).shuffle(&mut keys);
    keys
}

/// Fills maps with `count` keys each, from empty to dropped.
pub(crate) fn insert<M: Map>(name: &'static str, count: u32) -> Contender {
    let keys = keys(count);
    let times = OPERATIONS.div_ceil(count);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(filled::<M>(&keys));
            }
        });
        Pass { ns, operations: u64::from(times) * u64::from(count) }
    })
}

#[inline(never)]
fn filled<M: Map>(keys: &[u32]) -> M {
    let mut map = M::empty();
    for key in keys {
        map.insert(*key, u64::from(*key));
    }
    map
}

/// Looks `count` keys up in random order.
pub(crate) fn lookup<M: Map>(name: &'static str, count: u32) -> Contender {
    let mut keys = keys(count);
    let map = filled::<M>(&keys);
    Random::new(8).shuffle(&mut keys);
    let times = OPERATIONS.div_ceil(count);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(sum(&map, &keys));
            }
        });
        Pass { ns, operations: u64::from(times) * u64::from(count) }
    })
}

#[inline(never)]
fn sum<M: Map>(map: &M, keys: &[u32]) -> u64 {
    keys.iter().map(|key| map.get(*key).unwrap_or(0)).fold(0, u64::wrapping_add)
}
