//! The map.

use core::fmt::{self, Debug};
use core::hash::{BuildHasher, Hash};
use core::ops::{Deref, DerefMut};

use hashbrown::TryReserveError;

use super::{DefaultHashBuilder, refused};
use crate::fault;
use crate::memory::{MEMORY, Memory};

/// Our map, with memory of one allocator.
type Ours<K, V, S> = loligo_containers::HashMap<'static, K, V, S, Memory>;

pub struct HashMap<K, V, S = DefaultHashBuilder>(Ours<K, V, S>);

impl<K, V> HashMap<K, V> {
    #[must_use]
    pub const fn new() -> Self {
        Self::with_hasher(DefaultHashBuilder::new())
    }
}

impl<K: Eq + Hash, V> HashMap<K, V> {
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, DefaultHashBuilder::new())
    }
}

impl<K, V, S> HashMap<K, V, S> {
    pub const fn with_hasher(hasher: S) -> Self {
        Self(Ours::with_hasher_in(hasher, &MEMORY))
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> HashMap<K, V, S> {
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> Self {
        let mut map = Self::with_hasher(hasher);
        map.reserve(capacity);
        map
    }

    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.0.try_reserve(additional).map_err(|error| refused(&error))
    }
}

impl<K: Debug, V: Debug, S> Debug for HashMap<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<K, V, S> Deref for HashMap<K, V, S> {
    type Target = Ours<K, V, S>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K, V, S> DerefMut for HashMap<K, V, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<K, V, S: Default> Default for HashMap<K, V, S> {
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<K: Clone + Eq + Hash, V: Clone, S: BuildHasher + Clone> Clone for HashMap<K, V, S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash, V: PartialEq, S: BuildHasher> PartialEq for HashMap<K, V, S> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Eq + Hash, V: Eq, S: BuildHasher> Eq for HashMap<K, V, S> {}

impl<K: Eq + Hash, V, S: BuildHasher> Extend<(K, V)> for HashMap<K, V, S> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let left_out = usize::from(fault::is_planted());
        self.0.extend(entries.into_iter().skip(left_out));
    }
}

impl<'a, K: Copy + Eq + Hash, V: Copy, S: BuildHasher> Extend<(&'a K, &'a V)> for HashMap<K, V, S> {
    fn extend<I: IntoIterator<Item = (&'a K, &'a V)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(key, value)| (*key, *value)));
    }
}

impl<'a, K: Copy + Eq + Hash, V: Copy, S: BuildHasher> Extend<&'a (K, V)> for HashMap<K, V, S> {
    fn extend<I: IntoIterator<Item = &'a (K, V)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().copied());
    }
}

impl<K: Eq + Hash, V, S: BuildHasher + Default> FromIterator<(K, V)> for HashMap<K, V, S> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

impl<K: Eq + Hash, V, S: BuildHasher + Default, const N: usize> From<[(K, V); N]>
    for HashMap<K, V, S>
{
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V, S> IntoIterator for HashMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = <Ours<K, V, S> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'m, K, V, S> IntoIterator for &'m HashMap<K, V, S> {
    type Item = (&'m K, &'m V);
    type IntoIter = hashbrown::hash_map::Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'m, K, V, S> IntoIterator for &'m mut HashMap<K, V, S> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = hashbrown::hash_map::IterMut<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<K, V, S> HashMap<K, V, S> {
    pub fn into_keys(self) -> impl ExactSizeIterator<Item = K> {
        self.0.into_inner().into_keys()
    }

    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> {
        self.0.into_inner().into_values()
    }
}

impl<K, V, S, Q> core::ops::Index<&Q> for HashMap<K, V, S>
where
    K: Eq + Hash + core::borrow::Borrow<Q>,
    Q: hashbrown::Equivalent<K> + Hash + ?Sized,
    S: BuildHasher,
{
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        &self.0[key]
    }
}
