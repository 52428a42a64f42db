//! Maps whose keys are numbers that are counted up: no index, no generation, no key twice.

use std::collections::BTreeMap;

use crate::id_table::{IdTable, Object, sum_of};

/// The map as the trait below asks for it.
pub(crate) trait Map: 'static {
    fn with_capacity(count: usize) -> Self;
    fn insert(&mut self, key: u32, object: Object<u32>);
    fn remove(&mut self, key: u32) -> Option<Object<u32>>;
    fn get(&self, key: u32) -> Option<&Object<u32>>;
    fn get_mut(&mut self, key: u32) -> Option<&mut Object<u32>>;
    fn sum(&self) -> u64;
}

/// A map and the next key.
pub(crate) struct Keyed<M> {
    map: M,
    next: u32,
}

/// hashbrown's map with the hasher of rustc-hash.
pub(crate) type FxHashed = Keyed<hashbrown::HashMap<u32, Object<u32>, rustc_hash::FxBuildHasher>>;

/// The standard library's B-tree.
pub(crate) type BTree = Keyed<BTreeMap<u32, Object<u32>>>;

impl<M: Map> IdTable for Keyed<M> {
    type Id = u32;

    fn with_capacity(count: u32) -> Self {
        Self { map: M::with_capacity(count as usize), next: 0 }
    }

    #[inline(always)]
    fn insert(&mut self, object: Object<u32>) -> u32 {
        let key = self.next;
        self.next = key.wrapping_add(1);
        self.map.insert(key, object);
        key
    }

    #[inline(always)]
    fn remove(&mut self, key: u32) -> Option<Object<u32>> {
        self.map.remove(key)
    }

    #[inline(always)]
    fn get(&self, key: u32) -> Option<&Object<u32>> {
        self.map.get(key)
    }

    #[inline(always)]
    fn get_mut(&mut self, key: u32) -> Option<&mut Object<u32>> {
        self.map.get_mut(key)
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        self.map.sum()
    }
}

/// Implements [`Map`] for a map of the standard library's manner.
macro_rules! map {
    ($map:ty, $count:ident => $make:expr) => {
        impl Map for $map {
            fn with_capacity($count: usize) -> Self {
                $make
            }

            #[inline(always)]
            fn insert(&mut self, key: u32, object: Object<u32>) {
                Self::insert(self, key, object);
            }

            #[inline(always)]
            fn remove(&mut self, key: u32) -> Option<Object<u32>> {
                Self::remove(self, &key)
            }

            #[inline(always)]
            fn get(&self, key: u32) -> Option<&Object<u32>> {
                Self::get(self, &key)
            }

            #[inline(always)]
            fn get_mut(&mut self, key: u32) -> Option<&mut Object<u32>> {
                Self::get_mut(self, &key)
            }

            #[inline(always)]
            fn sum(&self) -> u64 {
                sum_of(self.values())
            }
        }
    };
}

map!(
    hashbrown::HashMap<u32, Object<u32>, rustc_hash::FxBuildHasher>,
    count => Self::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher)
);
map!(BTreeMap<u32, Object<u32>>, _count => Self::new());
