//! Secondary maps: ours, with a place for every slot and with places for the values alone.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};
use std::hash::RandomState;

use loligo_ids::{Dense, Placement, Secondary, Sparse};

use super::key::{Key, SlotId, id_of, key_of};
use crate::fault;
use crate::memory::{MEMORY, Memory};

/// The map of a secondary map.
type Values<P, V> = Secondary<'static, SlotId, V, Memory, P>;

/// `S` is the peer's hasher. Ours has one hash.
pub struct SecondaryOf<P: Placement, K: Key, V, S> {
    pub(super) values: Values<P, V>,
    of: PhantomData<(K, S)>,
}

pub type SecondaryMap<K, V> = SecondaryOf<Dense, K, V, ()>;
pub type SparseSecondaryMap<K, V, S = RandomState> = SecondaryOf<Sparse, K, V, S>;

impl<K: Key, V> SecondaryOf<Dense, K, V, ()> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<K: Key, V> SecondaryOf<Sparse, K, V, RandomState> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<P: Placement, K: Key, V, S> SecondaryOf<P, K, V, S> {
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    #[must_use]
    pub fn contains_key(&self, key: K) -> bool {
        self.values.contains(id_of(key))
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.values.insert(id_of(key), value).expect("there is memory")
    }

    pub fn remove(&mut self, key: K) -> Option<V> {
        if fault::is_planted() {
            return None;
        }
        self.values.remove(id_of(key))
    }

    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        self.values.retain(|id, value| keep(key_of(id), value));
    }

    pub fn clear(&mut self) {
        self.values.clear();
    }

    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(id_of(key))
    }

    #[must_use]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(id_of(key))
    }

    #[must_use]
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.values.get_many_mut(keys.map(id_of))
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + Clone {
        self.values.iter().map(|(id, value)| (key_of(id), value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.values.iter_mut().map(|(id, value)| (key_of(id), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = K> + Clone {
        self.values.iter().map(|(id, _)| key_of(id))
    }

    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.values.iter().map(|(_, value)| value)
    }
}

impl<P: Placement, K: Key, V, S> Default for SecondaryOf<P, K, V, S> {
    fn default() -> Self {
        Self { values: Secondary::new_in(&MEMORY), of: PhantomData }
    }
}

impl<P: Placement, K: Key, V: Clone, S> Clone for SecondaryOf<P, K, V, S> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), of: PhantomData }
    }
}

impl<P: Placement, K: Key, V, S> Extend<(K, V)> for SecondaryOf<P, K, V, S> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, values: I) {
        self.values.extend(values.into_iter().map(|(key, value)| (id_of(key), value)));
    }
}

impl<P: Placement, K: Key, V, S> FromIterator<(K, V)> for SecondaryOf<P, K, V, S> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(values: I) -> Self {
        let mut map = Self::default();
        map.extend(values);
        map
    }
}

impl<P: Placement, K: Key, V: PartialEq, S> PartialEq for SecondaryOf<P, K, V, S> {
    fn eq(&self, other: &Self) -> bool {
        let is_in_other = |(key, value)| other.get(key) == Some(value);
        self.len() == other.len() && self.iter().all(is_in_other)
    }
}

impl<P: Placement, K: Key, V: core::fmt::Debug, S> core::fmt::Debug for SecondaryOf<P, K, V, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.values.fmt(f)
    }
}

impl<P: Placement, K: Key, V, S> Index<K> for SecondaryOf<P, K, V, S> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.values[id_of(key)]
    }
}

impl<P: Placement, K: Key, V, S> IndexMut<K> for SecondaryOf<P, K, V, S> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[id_of(key)]
    }
}
