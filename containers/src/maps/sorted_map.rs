//! Maps and sets in sorted arrays.
//!
//! After Niklas Frykholm, "An Example in Data-Oriented Design: Sound Parameters" (2011), which
//! names binary search in a sorted array first among what is better than a tree of nodes. Changes:
//!
//! - Keys and values are in two arrays, so a search touches no value.
//! - What is pushed waits unsorted and is merged in at once; of equal keys the last one pushed
//!   wins.

use core::borrow::Borrow;
use core::iter::Zip;
use core::mem;
use core::ops::{Bound, Range, RangeBounds};
use core::slice;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};

mod error;
mod merge;
mod pending;
mod set;
#[cfg(test)]
mod tests;
mod traits;

pub use error::SortedError;
pub use set::SortedSet;

use pending::Pending;

/// A map in two sorted arrays, one of keys and one of values.
///
/// ```text
/// keys    | 3 | 8 | 21 | room |      a binary search reads these alone
/// values  | c | a |  f | room |      at the same place as its key
/// pending | 5 d 0 | 8 b 1 |          pushed, in the order of the pushes
/// ```
///
/// # Two ways to fill it
///
/// [`insert`](Self::insert) puts an entry where it belongs and moves those after it.
/// [`push`](Self::push) lets it wait, unless it belongs at the end: then [`sort`](Self::sort) sorts
/// those that wait and merges them in, all at once. Of equal keys the last one pushed wins, over
/// those that were in the map, too.
///
/// While entries wait, the map cannot be read through `&self`: that panics and names `sort`.
/// Whatever takes `&mut self`, [`get_mut`](Self::get_mut) included, sorts first by itself.
///
/// # Complexity
///
/// A lookup is O(log len) comparisons without a branch that depends on a key. An insertion or
/// removal in the middle is O(len), of plain moves of memory. Filling by pushes is O(pushes * log
/// pushes + len).
///
/// # Memory
///
/// Nothing before the first entry. Then `size_of::<K>() + size_of::<V>()` bytes an entry in two
/// blocks, each of which doubles when it is full; a third block while entries wait, with key, value
/// and 4 bytes each, which is freed when they are sorted in. The object itself is 80 bytes, 104
/// with `dyn Allocator`.
///
/// # Threads
///
/// `Send` where keys and values are `Send` and the allocator is `Sync`; `Sync` where they are
/// `Sync`, too.
///
/// # When not to use it
///
/// Where single entries come and go all the time among thousands, or order and ranges are not
/// needed: a hash map finds a key in O(1).
///
/// # Examples
///
/// The keys of an animation's events, by frame:
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::SortedMap;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut events: SortedMap<u32, &str> = SortedMap::new(&MEMORY);
/// for (frame, event) in [(30, "swing"), (12, "left foot"), (24, "right foot"), (30, "hit")] {
///     events.try_push(frame, event)?;
/// }
/// events.sort();
/// assert_eq!(events.get(&30), Some(&"hit"), "the last one pushed wins");
/// // What happened between two ticks:
/// let since: Vec<_> = events.range(13..=30).collect();
/// assert_eq!(since, [(&24, &"right foot"), (&30, &"hit")]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. There are as many keys as values.
/// 2. The keys are in ascending order, none twice (as far as their order is one at all).
/// 3. After the keys and after the values there is room for all waiting entries; while some wait,
///    for `room` in all.
pub struct SortedMap<'a, K, V, A: Allocator + ?Sized = dyn Allocator + 'a> {
    keys: Array<'a, K, A>,
    values: Array<'a, V, A>,
    pending: Array<'a, Pending<K, V>, A>,
    /// How many were pushed since the last sort, so that the last of equal ones is known.
    pushed: u32,
    /// How many can wait until room must be made after keys and values. Has no meaning while none
    /// waits.
    room: u32,
}

impl<'a, K, V> SortedMap<'a, K, V> {
    /// Returns an empty map, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty map with room for `capacity` entries at least.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        capacity: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(capacity, memory)
    }
}

impl<'a, K, V, A: Allocator + ?Sized> SortedMap<'a, K, V, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            keys: Array::new_in(memory),
            values: Array::new_in(memory),
            pending: Array::new_in(memory),
            pushed: 0,
            room: 0,
        }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut map = Self::new_in(memory);
        map.keys = Array::try_with_capacity_in(capacity, memory)?;
        map.values = Array::try_with_capacity_in(capacity, memory)?;
        Ok(map)
    }

    /// Returns how many entries there are. O(1).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in: only then is known how many keys they have.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys().len()
    }

    /// Returns `true` if there are no entries, none that wait either. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.pending.is_empty()
    }

    /// Returns how many entries there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.keys.capacity().min(self.values.capacity())
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.keys.memory()
    }

    /// Returns all keys in ascending order. O(1).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn keys(&self) -> &[K] {
        if !self.pending.is_empty() {
            unsorted(self.pending.len());
        }
        &self.keys
    }

    /// Returns all values in the order of their keys. O(1).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn values(&self) -> &[V] {
        if !self.pending.is_empty() {
            unsorted(self.pending.len());
        }
        &self.values
    }

    /// Visits all entries in ascending order of their keys. O(1) an entry.
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[track_caller]
    pub fn iter(&self) -> Zip<slice::Iter<'_, K>, slice::Iter<'_, V>> {
        self.keys().iter().zip(self.values())
    }

    /// Drops all entries, those that wait, too, and keeps the blocks. O(len).
    pub fn clear(&mut self) {
        self.pushed = 0;
        self.room = 0;
        // Should a destructor panic, the drop of the other two still counts all as gone.
        let _keys = self.keys.drain(..);
        let _values = self.values.drain(..);
        let _pending = self.pending.drain(..);
    }

    /// Checks that the keys are in ascending order: keys whose order changes while they are in the
    /// map, or is not a total order, break it. Checks also that there is room for the entries that
    /// wait. O(len).
    ///
    /// # Errors
    ///
    /// [`SortedError::Order`] names the first place where the order is broken; the others that
    /// there may be are faults of the map's own.
    pub fn validate(&self) -> Result<(), SortedError>
    where
        K: Ord,
    {
        error::check(&self.keys, self.values.len())?;
        let room = self.capacity() - self.keys.len();
        let waiting = self.pending.len().max(self.room as usize);
        if waiting > room && !self.pending.is_empty() {
            return Err(SortedError::Room { waiting, room });
        }
        Ok(())
    }
}

impl<'a, K: Ord, V> SortedMap<'a, K, V> {
    /// Returns a map of entries that are sorted already.
    ///
    /// # Complexity
    ///
    /// O(entries): a comparison each, and two copies of memory.
    ///
    /// # Errors
    ///
    /// [`SortedError`] if the slices are not of one length, the keys not in ascending order without
    /// duplicates, or there is no memory.
    pub fn try_from_sorted(
        keys: &[K],
        values: &[V],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, SortedError>
    where
        K: Copy,
        V: Copy,
    {
        Self::try_from_sorted_in(keys, values, memory)
    }
}

impl<'a, K: Ord, V, A: Allocator + ?Sized> SortedMap<'a, K, V, A> {
    /// As [`try_from_sorted`](Self::try_from_sorted), and keeps the type of the allocator, so that
    /// its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_sorted`](Self::try_from_sorted).
    pub fn try_from_sorted_in(keys: &[K], values: &[V], memory: &'a A) -> Result<Self, SortedError>
    where
        K: Copy,
        V: Copy,
    {
        error::check(keys, values.len())?;
        let mut map = Self::new_in(memory);
        map.keys = Array::try_from_slice_in(keys, memory)?;
        map.values = Array::try_from_slice_in(values, memory)?;
        Ok(map)
    }

    /// Makes room for `more` entries. O(len) where a block must move. Entries that wait are sorted
    /// in.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; no entry has changed.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        self.sort();
        self.keys.try_reserve(more)?;
        self.values.try_reserve(more)
    }

    /// Makes room as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve(&mut self, more: usize) {
        or_panic(self.try_reserve(more));
    }

    /// Returns the place of a key, or where it would be put. O(log len).
    #[inline]
    #[track_caller]
    fn search<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        // The standard library's search chooses by a conditional move, not by a branch.
        self.keys().binary_search_by(|probe| probe.borrow().cmp(key))
    }

    /// Returns the place of a key among [`keys`](Self::keys) and [`values`](Self::values). O(log
    /// len).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn index_of<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.search(key).ok()
    }

    /// Returns the value of a key. O(log len).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(self.search(key).ok()?)
    }

    /// Returns the value of a key, to be changed, after sorting in what waits. O(log len) if
    /// nothing does.
    #[inline]
    #[must_use]
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.sort();
        let index = self.search(key).ok()?;
        self.values.get_mut(index)
    }

    /// Returns `true` if the map has a key. O(log len).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.search(key).is_ok()
    }

    /// Puts a value under a key and returns the one that was there; the key that was there stays.
    /// What waits is sorted in first.
    ///
    /// # Complexity
    ///
    /// O(log len) if the key was there or is the greatest, else O(len).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; key and value are dropped and no entry has changed.
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>, GrowError> {
        self.sort();
        match self.search(&key) {
            Ok(index) => {
                // Before the old value is on its way out: a panic in the key's destructor would
                // leak it there.
                drop(key);
                Ok(Some(mem::replace(&mut self.values[index], value)))
            }
            Err(index) => {
                self.insert_at(index, key, value)?;
                Ok(None)
            }
        }
    }

    /// Puts a value under a key as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        or_panic(self.try_insert(key, value))
    }

    /// Returns the value of a key, to be changed, after putting there what `make` returns if it has
    /// none. What waits is sorted in first.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the key is dropped, nothing was made and no entry has
    /// changed.
    pub fn try_get_or_insert_with(
        &mut self,
        key: K,
        make: impl FnOnce() -> V,
    ) -> Result<&mut V, GrowError> {
        self.sort();
        let index = match self.search(&key) {
            Ok(index) => index,
            Err(index) => {
                // First, so that nothing is made where there is no room for it.
                self.make_room(1)?;
                self.insert_at(index, key, make())?;
                index
            }
        };
        Ok(&mut self.values[index])
    }

    /// Returns or makes the value of a key as
    /// [`try_get_or_insert_with`](Self::try_get_or_insert_with) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        or_panic(self.try_get_or_insert_with(key, make))
    }

    /// Takes the entry of a key out and returns its value. What waits is sorted in first. O(len).
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (key, value) = self.remove_entry(key)?;
        // Before the value is in its way out: a panic in the key's destructor would leak it there.
        drop(key);
        Some(value)
    }

    /// Takes the entry of a key out. What waits is sorted in first. O(len).
    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.sort();
        let index = self.search(key).ok()?;
        Some((self.keys.remove(index), self.values.remove(index)))
    }

    /// Takes the entry with the greatest key out. What waits is sorted in first. O(1).
    pub fn pop_last(&mut self) -> Option<(K, V)> {
        self.sort();
        self.keys.pop().zip(self.values.pop())
    }

    /// Returns the entry with the least key. O(1).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[must_use]
    #[track_caller]
    pub fn first(&self) -> Option<(&K, &V)> {
        self.keys().first().zip(self.values.first())
    }

    /// Returns the entry with the greatest key. O(1).
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[must_use]
    #[track_caller]
    pub fn last(&self) -> Option<(&K, &V)> {
        self.keys().last().zip(self.values.last())
    }

    /// Visits all entries in ascending order of their keys, to change the values. What waits is
    /// sorted in first.
    pub fn iter_mut(&mut self) -> Zip<slice::Iter<'_, K>, slice::IterMut<'_, V>> {
        self.sort();
        self.keys.iter().zip(self.values.iter_mut())
    }

    /// Visits the entries whose keys are in a range, in ascending order; none if the range ends
    /// before it begins.
    ///
    /// # Complexity
    ///
    /// O(log len), and O(1) an entry.
    ///
    /// # Panics
    ///
    /// If entries wait to be sorted in.
    #[track_caller]
    pub fn range<Q: Ord + ?Sized>(
        &self,
        range: impl RangeBounds<Q>,
    ) -> Zip<slice::Iter<'_, K>, slice::Iter<'_, V>>
    where
        K: Borrow<Q>,
    {
        let places = self.places(&range);
        self.keys[places.clone()].iter().zip(&self.values[places])
    }

    /// Visits the entries of a range as [`range`](Self::range) does, to change the values. What
    /// waits is sorted in first.
    pub fn range_mut<Q: Ord + ?Sized>(
        &mut self,
        range: impl RangeBounds<Q>,
    ) -> Zip<slice::Iter<'_, K>, slice::IterMut<'_, V>>
    where
        K: Borrow<Q>,
    {
        self.sort();
        let places = self.places(&range);
        self.keys[places.clone()].iter().zip(&mut self.values[places])
    }

    /// Keeps the entries that `keep` says yes to and drops the others when it has been asked about
    /// all. What waits is sorted in first. O(len).
    ///
    /// If `keep` panics, those that it said no to are dropped and the others stay.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.sort();
        let mut sieve = Sieve { map: self, kept: 0, asked: 0 };
        while sieve.asked < sieve.map.keys.len() {
            let Sieve { map, kept, asked } = &mut sieve;
            if keep(&map.keys[*asked], &mut map.values[*asked]) {
                map.keys.swap(*kept, *asked);
                map.values.swap(*kept, *asked);
                *kept += 1;
            }
            *asked += 1;
        }
    }

    /// Gives room back to the allocator, as far as it takes it. What waits is sorted in first.
    /// O(len).
    pub fn shrink_to_fit(&mut self) {
        self.sort();
        self.keys.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    fn insert_at(&mut self, index: usize, key: K, value: V) -> Result<(), GrowError> {
        self.keys.try_reserve(1)?;
        self.values.try_reserve(1)?;
        // Neither can fail or panic now.
        self.keys.try_insert(index, key)?;
        self.values.try_insert(index, value)
    }

    /// Returns the places of the keys in a range.
    #[track_caller]
    fn places<Q: Ord + ?Sized>(&self, range: &impl RangeBounds<Q>) -> Range<usize>
    where
        K: Borrow<Q>,
    {
        let keys = self.keys();
        let below = |bound: &Q| keys.partition_point(|key| key.borrow() < bound);
        let up_to = |bound: &Q| keys.partition_point(|key| key.borrow() <= bound);
        let start = match range.start_bound() {
            Bound::Included(first) => below(first),
            Bound::Excluded(before) => up_to(before),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => up_to(last),
            Bound::Excluded(end) => below(end),
            Bound::Unbounded => keys.len(),
        };
        start.min(end)..end
    }
}

/// A map while its entries are asked about: those that stay are before `kept`, those that do not
/// before `asked`, in no order. Dropped it drops those, also when a closure panics.
struct Sieve<'s, 'a, K, V, A: Allocator + ?Sized> {
    map: &'s mut SortedMap<'a, K, V, A>,
    kept: usize,
    asked: usize,
}

impl<K, V, A: Allocator + ?Sized> Drop for Sieve<'_, '_, K, V, A> {
    fn drop(&mut self) {
        // Both are closed up, also when a destructor panics.
        let _keys = self.map.keys.drain(self.kept..self.asked);
        let _values = self.map.values.drain(self.kept..self.asked);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn unsorted(pending: usize) -> ! {
    panic!("{pending} entries were pushed and are not sorted in; call `sort` before reading")
}
