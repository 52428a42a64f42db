//! What a sorted map is to others: something to compare, to print, to extend and to walk over.

use core::fmt;
use core::iter::Zip;
use core::slice;

use loligo_allocators::Allocator;

use super::SortedMap;
use crate::arrays::array::{Array, ArrayIntoIter};
use crate::error::{GrowError, or_panic};

impl<K: Clone, V: Clone, A: Allocator + ?Sized> SortedMap<'_, K, V, A> {
    /// Returns a map with clones of all entries, those that wait, too, in memory of any allocator.
    /// O(len).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<SortedMap<'b, K, V>, GrowError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<SortedMap<'b, K, V, B>, GrowError> {
        let room = self.keys.len() + self.pending.len();
        let mut keys = Array::try_with_capacity_in(room, memory)?;
        let mut values = Array::try_with_capacity_in(room, memory)?;
        keys.try_extend_cloned(&self.keys)?;
        values.try_extend_cloned(&self.values)?;
        let pending = self.pending.try_clone_in(memory)?;
        Ok(SortedMap {
            keys,
            values,
            pending,
            pushed: self.pushed,
            room: self.pending.len() as u32,
        })
    }
}

/// Clones into memory of the same allocator; panics if there is none.
/// [`try_clone`](SortedMap::try_clone) returns an error instead.
impl<K: Clone, V: Clone, A: Allocator + ?Sized> Clone for SortedMap<'_, K, V, A> {
    fn clone(&self) -> Self {
        or_panic(self.try_clone_in(self.memory()))
    }
}

impl<K: PartialEq, V: PartialEq, A: Allocator + ?Sized, B: Allocator + ?Sized>
    PartialEq<SortedMap<'_, K, V, B>> for SortedMap<'_, K, V, A>
{
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    fn eq(&self, other: &SortedMap<'_, K, V, B>) -> bool {
        self.keys() == other.keys() && self.values() == other.values()
    }
}

impl<K: Eq, V: Eq, A: Allocator + ?Sized> Eq for SortedMap<'_, K, V, A> {}

/// The entries in order, and after them those that wait.
impl<K: fmt::Debug, V: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for SortedMap<'_, K, V, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.pending.iter().map(|entry| (&entry.key, &entry.value));
        f.debug_map().entries(self.keys.iter().zip(&self.values).chain(waiting)).finish()
    }
}

/// Adds entries and sorts them in; panics if there is no memory.
/// [`try_extend`](SortedMap::try_extend) returns an error instead, and lets them wait.
impl<K: Ord, V, A: Allocator + ?Sized> Extend<(K, V)> for SortedMap<'_, K, V, A> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        or_panic(self.try_extend(entries));
        self.sort();
    }
}

impl<'t, K, V, A: Allocator + ?Sized> IntoIterator for &'t SortedMap<'_, K, V, A> {
    type Item = (&'t K, &'t V);
    type IntoIter = Zip<slice::Iter<'t, K>, slice::Iter<'t, V>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Sorts in what waits first.
impl<'a, K: Ord, V, A: Allocator + ?Sized> IntoIterator for SortedMap<'a, K, V, A> {
    type Item = (K, V);
    type IntoIter = Zip<ArrayIntoIter<'a, K, A>, ArrayIntoIter<'a, V, A>>;

    fn into_iter(mut self) -> Self::IntoIter {
        self.sort();
        self.keys.into_iter().zip(self.values)
    }
}
