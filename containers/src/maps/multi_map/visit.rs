//! Visiting all entries.

use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use loligo_allocators::Allocator;

use super::{Keyed, MultiMap};

/// All entries of a [`MultiMap`], key by key.
pub struct MultiMapIter<'m, K, V> {
    keys: slice::Iter<'m, Keyed<K>>,
    key: Option<&'m K>,
    values: slice::Iter<'m, V>,
    first: NonNull<V>,
    left: usize,
}

// SAFETY: all that it leads to are shared references to keys and values.
unsafe impl<K: Sync, V: Sync> Send for MultiMapIter<'_, K, V> {}
// SAFETY: as above.
unsafe impl<K: Sync, V: Sync> Sync for MultiMapIter<'_, K, V> {}

impl<K, V> Clone for MultiMapIter<'_, K, V> {
    fn clone(&self) -> Self {
        Self {
            keys: self.keys.clone(),
            key: self.key,
            values: self.values.clone(),
            first: self.first,
            left: self.left,
        }
    }
}

impl<'m, K, V> Iterator for MultiMapIter<'m, K, V> {
    type Item = (&'m K, &'m V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let (Some(key), Some(value)) = (self.key, self.values.next()) {
                self.left -= 1;
                return Some((key, value));
            }
            let Keyed { run, key, .. } = self.keys.next()?;
            self.key = Some(key);
            // SAFETY: a run is within the buffer that begins at `first`.
            let first = unsafe { self.first.add(run.start as usize) };
            // SAFETY: the slots of a run hold values, and the map is borrowed meanwhile.
            let values = unsafe { slice::from_raw_parts(first.as_ptr(), run.len as usize) };
            self.values = values.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for MultiMapIter<'_, K, V> {}

impl<K, V> FusedIterator for MultiMapIter<'_, K, V> {}

/// All entries of a [`MultiMap`], key by key, their values to be changed.
pub struct MultiMapIterMut<'m, K, V> {
    keys: slice::Iter<'m, Keyed<K>>,
    key: Option<&'m K>,
    values: slice::IterMut<'m, V>,
    first: NonNull<V>,
    left: usize,
    borrowed: PhantomData<&'m mut V>,
}

// SAFETY: it leads to shared references to keys and exclusive ones to values.
unsafe impl<K: Sync, V: Send> Send for MultiMapIterMut<'_, K, V> {}
// SAFETY: a shared reference to it leads to nothing that could be changed.
unsafe impl<K: Sync, V: Sync> Sync for MultiMapIterMut<'_, K, V> {}

impl<'m, K, V> Iterator for MultiMapIterMut<'m, K, V> {
    type Item = (&'m K, &'m mut V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(key) = self.key
                && let Some(value) = self.values.next()
            {
                self.left -= 1;
                return Some((key, value));
            }
            let Keyed { run, key, .. } = self.keys.next()?;
            self.key = Some(key);
            // SAFETY: a run is within the buffer that begins at `first`.
            let first = unsafe { self.first.add(run.start as usize) };
            // SAFETY: the slots of a run hold values, no two runs have a slot in common, each is
            // visited once, and the map is borrowed exclusively meanwhile.
            let values = unsafe { slice::from_raw_parts_mut(first.as_ptr(), run.len as usize) };
            self.values = values.iter_mut();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for MultiMapIterMut<'_, K, V> {}

impl<K, V> FusedIterator for MultiMapIterMut<'_, K, V> {}

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Visits all entries, key by key: keys in the order in which they came until one is removed,
    /// and the values of each in the order of insertion.
    ///
    /// # Complexity
    ///
    /// O(1) an entry.
    #[inline]
    pub fn iter(&self) -> MultiMapIter<'_, K, V> {
        MultiMapIter {
            keys: self.keys.iter(),
            key: None,
            values: [].iter(),
            first: self.values.start(),
            left: self.len,
        }
    }

    /// Visits all entries as [`iter`](Self::iter) does, their values to be changed.
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> MultiMapIterMut<'_, K, V> {
        MultiMapIterMut {
            keys: self.keys.iter(),
            key: None,
            values: [].iter_mut(),
            first: self.values.start(),
            left: self.len,
            borrowed: PhantomData,
        }
    }

    /// Visits the keys, each with its values, in the order of [`iter`](Self::iter).
    #[inline]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = (&K, &[V])> {
        self.keys.iter().map(|keyed| (&keyed.key, self.values.of(&keyed.run)))
    }
}

impl<'m, K, V, S, A: Allocator + ?Sized> IntoIterator for &'m MultiMap<'_, K, V, S, A> {
    type Item = (&'m K, &'m V);
    type IntoIter = MultiMapIter<'m, K, V>;

    fn into_iter(self) -> MultiMapIter<'m, K, V> {
        self.iter()
    }
}

impl<'m, K, V, S, A: Allocator + ?Sized> IntoIterator for &'m mut MultiMap<'_, K, V, S, A> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = MultiMapIterMut<'m, K, V>;

    fn into_iter(self) -> MultiMapIterMut<'m, K, V> {
        self.iter_mut()
    }
}
