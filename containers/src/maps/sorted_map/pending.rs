//! Entries that wait to be sorted in.

use core::cmp::Ordering;
use core::mem;

use loligo_allocators::Allocator;

use super::SortedMap;
use super::merge::Merge;
use crate::error::{GrowError, or_panic};

/// An entry that waits.
#[derive(Clone)]
pub(super) struct Pending<K, V> {
    pub(super) key: K,
    pub(super) value: V,
    /// Which push it was since the last sort.
    number: u32,
}

impl<K: Ord, V, A: Allocator + ?Sized> SortedMap<'_, K, V, A> {
    /// Adds an entry that is sorted in later, by [`sort`](Self::sort) or whatever takes the map by
    /// `&mut`. An entry that belongs at the end while none waits is put there at once.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where a block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory to let it wait and to sort it in; it is dropped and no
    /// entry has changed.
    #[inline]
    pub fn try_push(&mut self, key: K, value: V) -> Result<(), GrowError> {
        let waiting = self.pending.len();
        // While none waits, keys come and go without a word to `room`.
        if waiting == 0 || waiting >= self.room as usize {
            self.make_room(waiting + 1)?;
        }
        if waiting == 0 && self.keys.last().is_none_or(|last| *last < key) {
            self.keys.try_push(key)?;
            return self.values.try_push(value);
        }
        self.pending.try_push(Pending { key, value, number: self.pushed })?;
        // It saturates only if sorting panicked: without that, the array of waiting entries is full
        // first.
        self.pushed = self.pushed.saturating_add(1);
        Ok(())
    }

    /// Makes room after the keys and after the values for `waiting` entries.
    #[inline]
    pub(super) fn make_room(&mut self, waiting: usize) -> Result<(), GrowError> {
        self.keys.try_reserve(waiting)?;
        self.values.try_reserve(waiting)?;
        let keys = self.keys.capacity() - self.keys.len();
        let values = self.values.capacity() - self.values.len();
        self.room = keys.min(values) as u32;
        Ok(())
    }

    /// Adds an entry as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push(&mut self, key: K, value: V) {
        or_panic(self.try_push(key, value));
    }

    /// Adds entries as [`try_push`](Self::try_push) does.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one of them: those added before it are dropped, and
    /// the map is as it was. What the iterator holds is not asked for.
    pub fn try_extend(
        &mut self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), GrowError> {
        let (sorted, waiting) = (self.keys.len(), self.pending.len());
        let added = self.push_all(entries.into_iter());
        if added.is_err() {
            let _keys = self.keys.drain(sorted..);
            let _values = self.values.drain(sorted..);
            let _pending = self.pending.drain(waiting..);
        }
        added
    }

    /// Pushes all entries or some of them; room is made at once where the iterator says how many
    /// they are.
    fn push_all(&mut self, mut entries: impl Iterator<Item = (K, V)>) -> Result<(), GrowError> {
        let (at_least, _) = entries.size_hint();
        self.make_room(self.pending.len().saturating_add(at_least))?;
        while let Some((key, value)) = entries.next() {
            self.try_push(key, value)?;
            if self.pending.len() == 1 {
                self.pending.try_reserve(entries.size_hint().0)?;
            }
        }
        Ok(())
    }

    /// Returns how many entries wait to be sorted in. O(1).
    #[inline]
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Sorts in what was pushed: of entries with equal keys the last one pushed stays, with the
    /// value it has and the key that was first in the map. It needs no memory, and frees that of
    /// the waiting entries.
    ///
    /// If a comparison or a destructor panics, each entry is in the map, or waits, or was dropped
    /// for a later one.
    ///
    /// # Complexity
    ///
    /// O(1) if nothing waits. Else O(w log w) for w that wait, O(w log(len / w)) comparisons to
    /// find their places, and O(len) moves of memory.
    #[inline]
    pub fn sort(&mut self) {
        if !self.pending.is_empty() {
            self.sort_in();
        }
    }

    #[cold]
    #[inline(never)]
    fn sort_in(&mut self) {
        // Should a comparison panic, some are merged and have taken from the room.
        self.room = 0;
        self.pending.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        self.pending.dedup_by(|entry, last| {
            let same = entry.key.cmp(&last.key) == Ordering::Equal;
            if same && entry.number > last.number {
                mem::swap(entry, last);
            }
            same
        });
        // SAFETY: there is room for all waiting entries after keys and values (invariant 3), of
        // which there are equally many (invariant 1).
        let merge = unsafe { Merge::new(&mut self.keys, &mut self.values, &mut self.pending) };
        merge.run();
        self.pushed = 0;
        self.pending.shrink_to_fit();
    }
}
