//! Visiting the values of a key, and all entries.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;
use core::slice;

use loligo_allocators::Allocator;

use super::{Entry, MultiMap, NIL};

/// The values of a key in the order of their insertion: from [`MultiMap::values_of`].
pub struct ValuesOf<'m, 'q, K, V, Q: ?Sized> {
    entries: &'m [Entry<K, V>],
    key: &'q Q,
    hash: u32,
    /// Where to look on; `NIL` when all was seen.
    at: u32,
    first: u32,
}

impl<'m, 'q, K: Borrow<Q>, V, Q: Hash + Eq + ?Sized> ValuesOf<'m, 'q, K, V, Q> {
    #[inline]
    pub(super) fn new<S: BuildHasher, A: Allocator + ?Sized>(
        map: &'m MultiMap<'_, K, V, S, A>,
        key: &'q Q,
    ) -> Self {
        let hash = map.hasher.hash_one(key) as u32;
        let first = if map.buckets.is_empty() { NIL } else { map.first_of(hash) };
        Self { entries: &map.entries, key, hash, at: first, first }
    }
}

impl<'m, K: Borrow<Q>, V, Q: Eq + ?Sized> Iterator for ValuesOf<'m, '_, K, V, Q> {
    type Item = &'m V;

    #[inline]
    fn next(&mut self) -> Option<&'m V> {
        while self.at != NIL {
            let entry = &self.entries[self.at as usize];
            self.at = if entry.next == self.first { NIL } else { entry.next };
            if entry.hash == self.hash && entry.key.borrow() == self.key {
                return Some(&entry.value);
            }
        }
        None
    }
}

impl<K: Borrow<Q>, V, Q: Eq + ?Sized> FusedIterator for ValuesOf<'_, '_, K, V, Q> {}

/// All entries of a [`MultiMap`] in place.
pub struct MultiMapIter<'m, K, V> {
    entries: slice::Iter<'m, Entry<K, V>>,
}

impl<'m, K, V> Iterator for MultiMapIter<'m, K, V> {
    type Item = (&'m K, &'m V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.entries.next().map(|entry| (&entry.key, &entry.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl<K, V> ExactSizeIterator for MultiMapIter<'_, K, V> {}

impl<K, V> FusedIterator for MultiMapIter<'_, K, V> {}

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Visits all entries in place, which is the order of insertion until one is removed.
    ///
    /// # Complexity
    ///
    /// O(1) an entry, through memory in a row.
    #[inline]
    pub fn iter(&self) -> MultiMapIter<'_, K, V> {
        MultiMapIter { entries: self.entries.iter() }
    }

    /// Visits all entries as [`iter`](Self::iter) does, their values to be changed.
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|entry| (&entry.key, &mut entry.value))
    }
}

impl<'m, K, V, S, A: Allocator + ?Sized> IntoIterator for &'m MultiMap<'_, K, V, S, A> {
    type Item = (&'m K, &'m V);
    type IntoIter = MultiMapIter<'m, K, V>;

    fn into_iter(self) -> MultiMapIter<'m, K, V> {
        self.iter()
    }
}
