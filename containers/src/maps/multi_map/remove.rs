//! Removing entries: the last one moves into the gap, and the links follow it.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};

use loligo_allocators::Allocator;

use super::{Entry, EntryPlace, MultiMap, NIL, beyond};

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Takes an entry out. The last entry moves into its place, so other places may mean something
    /// else from now on.
    ///
    /// # Complexity
    ///
    /// O(1). Moves one entry.
    ///
    /// # Panics
    ///
    /// If the place is beyond the entries, as some were removed since.
    #[inline]
    pub fn remove_at(&mut self, place: EntryPlace) -> (K, V) {
        match self.take(place.0) {
            Some(entry) => (entry.key, entry.value),
            None => beyond(place, self.entries.len()),
        }
    }

    /// Keeps the entries that `keep` says yes to and drops the others. It is asked in no order.
    ///
    /// If `keep` or a destructor panics, the entries not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(len).
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        // From the end on, so the entry that moves into a gap is one that was kept.
        for at in (0..self.entries.len()).rev() {
            let entry = &mut self.entries[at];
            if !keep(&entry.key, &mut entry.value) {
                drop(self.take(at as u32));
            }
        }
    }

    /// Takes an entry out of its ring and of the array.
    #[inline]
    fn take(&mut self, at: u32) -> Option<Entry<K, V>> {
        let last = self.entries.len().checked_sub(1)? as u32;
        if at > last {
            return None;
        }
        self.unlink(at);
        if at != last {
            self.entries.swap(at as usize, last as usize);
            self.tell_neighbours(last, at);
        }
        self.entries.pop()
    }

    /// Takes an entry out of its ring.
    #[inline]
    fn unlink(&mut self, at: u32) {
        let Entry { hash, next, before, .. } = self.entries[at as usize];
        self.entries[before as usize].next = next;
        self.entries[next as usize].before = before;
        let mask = self.buckets.len() - 1;
        let first = &mut self.buckets[hash as usize & mask];
        if *first == at {
            *first = if next == at { NIL } else { next };
        }
    }

    /// Updates all references to an entry that moved from `from` to `to`.
    #[inline]
    fn tell_neighbours(&mut self, from: u32, to: u32) {
        let Entry { hash, next, before, .. } = self.entries[to as usize];
        let mask = self.buckets.len() - 1;
        let first = &mut self.buckets[hash as usize & mask];
        if *first == from {
            *first = to;
        }
        if next == from {
            // Alone in its ring.
            let entry = &mut self.entries[to as usize];
            (entry.next, entry.before) = (to, to);
            return;
        }
        self.entries[before as usize].next = to;
        self.entries[next as usize].before = to;
    }
}

impl<K: Hash + Eq, V, S: BuildHasher, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Takes the first value of a key out; `None` if it has none.
    ///
    /// # Complexity
    ///
    /// As [`find_first`](Self::find_first). Moves one entry.
    #[inline]
    pub fn remove_first<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find_first(key)?;
        let (key, value) = self.remove_at(place);
        // Before the value is on its way out: a panic in the key's destructor would leak it there.
        drop(key);
        Some(value)
    }

    /// Drops all values of a key and returns how many they were.
    ///
    /// # Complexity
    ///
    /// O(1) a value, and the entries of other keys in the bucket. Moves as many entries.
    pub fn remove_all<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.retain_of(key, |_| false)
    }

    /// Keeps those values of a key that `keep` says yes to, asked in the order of insertion, drops
    /// the others and returns how many they were.
    ///
    /// If `keep` or a destructor panics, the values not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(1) a value, and the entries of other keys in the bucket. Moves as many entries as it
    /// drops.
    pub fn retain_of<Q: Hash + Eq + ?Sized>(
        &mut self,
        key: &Q,
        mut keep: impl FnMut(&mut V) -> bool,
    ) -> usize
    where
        K: Borrow<Q>,
    {
        let before = self.entries.len();
        let mut next = self.find_first(key);
        while let Some(place) = next {
            next = self.find_next(place);
            let value = &mut self.entries[place.0 as usize].value;
            if keep(value) {
                continue;
            }
            // The last entry moves into the gap; where that is the next one, it is found there.
            let last = self.entries.len() as u32 - 1;
            if next == Some(EntryPlace(last)) {
                next = Some(place);
            }
            drop(self.take(place.0));
        }
        before - self.entries.len()
    }
}
