//! Maps of slots: our tables, of either shape.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use loligo_ids::{Holes, Lifo, Packed, Retire, Shape, Table};

use super::key::{DefaultKey, Key, SlotId, id_of, key_of};
use crate::fault;
use crate::memory::{MEMORY, Memory};

/// The table of a map.
pub(super) type Slots<S, V> = Table<'static, S, V, SlotId, Lifo, Retire, Memory>;

pub struct Map<S: Shape, K: Key, V> {
    pub(super) table: Slots<S, V>,
    keys: PhantomData<K>,
}

pub type SlotMap<K, V> = Map<Holes, K, V>;
pub type HopSlotMap<K, V> = Map<Holes, K, V>;
pub type DenseSlotMap<K, V> = Map<Packed, K, V>;

impl<S: Shape, V> Map<S, DefaultKey, V> {
    #[must_use]
    pub fn new() -> Self {
        Self::with_key()
    }

    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_key(capacity)
    }
}

impl<S: Shape, K: Key, V> Map<S, K, V> {
    #[must_use]
    pub fn with_key() -> Self {
        Self::of(Table::new_in(&MEMORY))
    }

    #[must_use]
    pub fn with_capacity_and_key(capacity: usize) -> Self {
        let mut map = Self::with_key();
        map.reserve(capacity);
        map
    }

    pub(super) fn of(table: Slots<S, V>) -> Self {
        Self { table, keys: PhantomData }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    #[must_use]
    pub fn capacity(&self) -> usize {
        self.table.capacity()
    }

    pub fn reserve(&mut self, additional: usize) {
        self.table.reserve(additional).expect("there is memory");
    }

    #[must_use]
    pub fn contains_key(&self, key: K) -> bool {
        self.table.contains(id_of(key))
    }

    pub fn insert(&mut self, value: V) -> K {
        key_of(self.table.insert(value).expect("there is memory"))
    }

    pub fn insert_with_key<F: FnOnce(K) -> V>(&mut self, make: F) -> K {
        key_of(self.table.insert_with(|id| make(key_of(id))).expect("there is memory"))
    }

    pub fn remove(&mut self, key: K) -> Option<V> {
        if fault::is_planted() {
            return None;
        }
        self.table.remove(id_of(key))
    }

    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        self.table.retain(|id, value| keep(key_of(id), value));
    }

    pub fn clear(&mut self) {
        self.table.clear();
    }

    pub fn drain(&mut self) -> impl Iterator<Item = (K, V)> {
        self.table.drain().map(|(id, value)| (key_of(id), value))
    }

    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.table.get(id_of(key))
    }

    #[must_use]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.table.get_mut(id_of(key))
    }

    #[must_use]
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.table.get_many_mut(keys.map(id_of))
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + Clone {
        self.table.iter_with_ids().map(|(id, value)| (key_of(id), value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.table.iter_with_ids_mut().map(|(id, value)| (key_of(id), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = K> + Clone {
        self.table.ids().map(key_of)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.table.iter()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.table.iter_mut()
    }
}

impl<S: Shape, K: Key, V: Clone> Clone for Map<S, K, V> {
    fn clone(&self) -> Self {
        Self::of(self.table.clone())
    }
}

impl<S: Shape, V> Default for Map<S, DefaultKey, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Shape, K: Key, V> Index<K> for Map<S, K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.table[id_of(key)]
    }
}

impl<S: Shape, K: Key, V> IndexMut<K> for Map<S, K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.table[id_of(key)]
    }
}
