//! A hash map with many values a key, chained in one array.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose engine's collections (its
//! foundation library of 2012 has this one) take their memory from an allocator object. Changes:
//!
//! - The values of a key are in the order in which they were inserted, and inserting walks no
//!   chain.
//! - Chains lead both ways, so removing an entry costs the same however many values its key has.
//! - An entry keeps its hash: the table grows without hashing a key again, and compares few.

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::maps::hasher::BuildKeyHasher;

mod check;
mod remove;
#[cfg(test)]
mod tests;
mod visit;

pub use check::MultiMapDamage;
pub use visit::{MultiMapIter, ValuesOf};

/// No entry.
const NIL: u32 = u32::MAX;

/// How many buckets a table begins with.
const FIRST_BUCKETS: usize = 8;

/// A key with one of its values, and where it is in its chain.
struct Entry<K, V> {
    hash: u32,
    /// The next entry of the bucket; of the last one the first.
    next: u32,
    /// The entry before; of the first one the last.
    before: u32,
    key: K,
    value: V,
}

/// Where an entry is in a [`MultiMap`]: good until an entry is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryPlace(u32);

/// A hash map with any number of values a key, chained in one array.
///
/// The values of a key are visited in the order in which they were inserted, whatever was removed
/// in between. All entries are in one array without gaps; the last one takes the place of a removed
/// one.
///
/// # Complexity
///
/// Inserting and removing an entry is O(1) amortised, O(len) where the map grows. Finding a key is
/// O(1) and the values of other keys that share its bucket; there is a bucket for each entry at
/// least, so those are few, unless a key with very many values is among them.
///
/// # Memory
///
/// ```text
/// buckets | first 3 | none | first 0 | ..                        4 bytes each, a power of two, at least len
/// entries | hash, next, before, K, V | hash, next, before, K, V | ..      12 bytes + K + V each
/// ```
///
/// Nothing while it is empty. Then two blocks, each of which doubles. In addition to key and value
/// an entry has 16 bytes in a map that is full and at most 36 in one that just grew, its place for
/// one more entry not counted. The object is 64 bytes with `dyn Allocator` and a hasher without
/// size.
///
/// # Threads
///
/// `Send` where keys, values and hasher are `Send` and the allocator is `Sync`; `Sync` where keys,
/// values and hasher are `Sync`, too.
///
/// # When not to use it
///
/// For one value a key, a `HashMap`. For dozens of values a key that are read over and over, lists
/// that are in a row each: here a key's values stay where they were inserted.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::MultiMap;
/// use loligo_ids::{IdString32, id32};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut tagged: MultiMap<IdString32, u32> = MultiMap::new(&MEMORY);
/// tagged.insert(id32!("enemy"), 7);
/// tagged.insert(id32!("light"), 8);
/// tagged.try_insert(id32!("enemy"), 3)?;
/// assert!(tagged.values_of(&id32!("enemy")).eq(&[7, 3]));
/// assert_eq!(tagged.count(&id32!("light")), 1);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. There are as many buckets as a power of two, and as entries at least; none while there is no
///    memory.
/// 2. A bucket is `NIL` or the first entry of a ring that leads through `next`, and back through
///    `before`.
/// 3. Each entry is in the ring of the bucket that the lower bits of its hash name, once.
/// 4. From the first of a ring on, entries of one key are in the order of their insertion.
pub struct MultiMap<'a, K, V, S = BuildKeyHasher, A: Allocator + ?Sized = dyn Allocator + 'a> {
    buckets: Array<'a, u32, A>,
    entries: Array<'a, Entry<K, V>, A>,
    hasher: S,
}

impl<'a, K, V> MultiMap<'a, K, V, BuildKeyHasher> {
    /// Returns an empty map with the default hasher, which takes its memory from `memory` when it
    /// needs some.
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

impl<'a, K, V, A: Allocator + ?Sized> MultiMap<'a, K, V, BuildKeyHasher, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self::with_hasher_in(BuildKeyHasher::new(), memory)
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut map = Self::new_in(memory);
        map.try_reserve(capacity)?;
        Ok(map)
    }
}

impl<'a, K, V, S> MultiMap<'a, K, V, S> {
    /// Returns an empty map with a hasher of your choice.
    #[must_use]
    pub const fn with_hasher(hasher: S, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::with_hasher_in(hasher, memory)
    }
}

impl<'a, K, V, S, A: Allocator + ?Sized> MultiMap<'a, K, V, S, A> {
    /// As [`with_hasher`](Self::with_hasher), and keeps the type of the allocator, so that its
    /// calls are direct.
    #[must_use]
    pub const fn with_hasher_in(hasher: S, memory: &'a A) -> Self {
        Self { buckets: Array::new_in(memory), entries: Array::new_in(memory), hasher }
    }

    /// Returns how many entries there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if there are no entries.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns how many entries there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.entries.capacity().min(self.buckets.len())
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.entries.memory()
    }

    /// Returns the hasher.
    #[must_use]
    pub const fn hasher(&self) -> &S {
        &self.hasher
    }

    /// Makes room for `more` entries, and for growing after that one by one.
    ///
    /// # Complexity
    ///
    /// O(len) where the map grows, which moves the entries and links them again. No key is hashed.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed but, perhaps, that one of both blocks is larger.
    #[inline]
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        if more > self.entries.capacity() - self.entries.len() {
            self.entries.try_reserve(more)?;
        }
        let needed = self.entries.len() + more;
        if needed > self.buckets.len() {
            return self.grow_buckets(needed);
        }
        Ok(())
    }

    /// Makes room as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve(&mut self, more: usize) {
        or_panic(self.try_reserve(more));
    }

    #[cold]
    #[inline(never)]
    fn grow_buckets(&mut self, needed: usize) -> Result<(), GrowError> {
        // `NIL` is not the place of an entry.
        let limit = u64::from(NIL);
        let refused = GrowError::Length { wanted: needed as u64, limit };
        let count = needed.checked_next_power_of_two().unwrap_or(usize::MAX).max(FIRST_BUCKETS);
        if needed as u64 > limit || count as u64 > 1 << 31 {
            return Err(refused);
        }
        let mut buckets = Array::try_with_capacity_in(count, self.memory())?;
        buckets.try_resize(count, NIL)?;
        let old = core::mem::replace(&mut self.buckets, buckets);
        for first in old.iter().copied().filter(|first| *first != NIL) {
            let mut at = first;
            loop {
                let next = self.entries[at as usize].next;
                self.link(at);
                at = next;
                if at == first {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Makes an entry the last of its bucket's ring.
    #[inline]
    fn link(&mut self, at: u32) {
        let entries = &mut self.entries[..];
        let bucket = entries[at as usize].hash as usize & (self.buckets.len() - 1);
        let first = &mut self.buckets[bucket];
        if *first == NIL {
            *first = at;
            let entry = &mut entries[at as usize];
            (entry.next, entry.before) = (at, at);
            return;
        }
        let last = core::mem::replace(&mut entries[*first as usize].before, at);
        entries[last as usize].next = at;
        let entry = &mut entries[at as usize];
        (entry.next, entry.before) = (*first, last);
    }

    /// Drops all entries and keeps the memory.
    ///
    /// # Complexity
    ///
    /// O(capacity).
    pub fn clear(&mut self) {
        // First, so that a panic in a destructor finds no bucket that leads to what is gone.
        self.buckets.fill(NIL);
        self.entries.clear();
    }
}

impl<K: Hash + Eq, V, S: BuildHasher, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Adds a value to those of a key, after them all.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, however many values the key has; O(len) where the map grows.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; key and value are dropped and nothing else has changed.
    #[inline]
    pub fn try_insert(&mut self, key: K, value: V) -> Result<(), GrowError> {
        let hash = self.hasher.hash_one(&key) as u32;
        self.try_reserve(1)?;
        let at = self.entries.len() as u32;
        self.entries.try_push(Entry { hash, next: at, before: at, key, value })?;
        self.link(at);
        Ok(())
    }

    /// Adds a value as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) {
        or_panic(self.try_insert(key, value));
    }

    /// Returns the place of the first value of a key, or `None` if it has none.
    ///
    /// # Complexity
    ///
    /// O(1) and the entries of other keys in the bucket.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::MultiMap;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut wounds: MultiMap<&str, u32> = MultiMap::new(&MEMORY);
    /// wounds.insert("orc", 5);
    /// wounds.insert("orc", 2);
    /// let mut next = wounds.find_first("orc");
    /// while let Some(place) = next {
    ///     *wounds.value_mut(place) += 1;
    ///     next = wounds.find_next(place);
    /// }
    /// assert!(wounds.values_of("orc").eq(&[6, 3]));
    /// ```
    #[inline]
    #[must_use]
    pub fn find_first<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<EntryPlace>
    where
        K: Borrow<Q>,
    {
        let hash = self.hasher.hash_one(key) as u32;
        let mask = self.buckets.len().checked_sub(1)?;
        let first = self.buckets[hash as usize & mask];
        if first == NIL {
            return None;
        }
        self.find_from(first, first, hash, key)
    }

    /// Returns the place of the value that follows one of the same key.
    ///
    /// # Complexity
    ///
    /// As [`find_first`](Self::find_first).
    ///
    /// # Panics
    ///
    /// If the place is beyond the entries, as some were removed since.
    #[inline]
    #[must_use]
    pub fn find_next(&self, place: EntryPlace) -> Option<EntryPlace> {
        let entry = self.entry(place);
        let first = self.first_of(entry.hash);
        if entry.next == first {
            return None;
        }
        self.find_from(entry.next, first, entry.hash, &entry.key)
    }

    /// Returns the values of a key in the order in which they were inserted.
    ///
    /// # Complexity
    ///
    /// O(1) a value, and the entries of other keys in the bucket.
    #[inline]
    #[must_use]
    pub fn values_of<'m, 'q, Q: Hash + Eq + ?Sized>(
        &'m self,
        key: &'q Q,
    ) -> ValuesOf<'m, 'q, K, V, Q>
    where
        K: Borrow<Q>,
    {
        ValuesOf::new(self, key)
    }

    /// Returns the first value of a key.
    ///
    /// # Complexity
    ///
    /// As [`find_first`](Self::find_first).
    #[inline]
    #[must_use]
    pub fn get_first<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        Some(self.value(self.find_first(key)?))
    }

    /// Returns `true` if a key has a value.
    ///
    /// # Complexity
    ///
    /// As [`find_first`](Self::find_first).
    #[inline]
    #[must_use]
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find_first(key).is_some()
    }

    /// Returns how many values a key has.
    ///
    /// # Complexity
    ///
    /// O(1) a value, and the entries of other keys in the bucket.
    #[must_use]
    pub fn count<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.values_of(key).count()
    }

    /// Looks for a key in a ring, from an entry on to the end before `first`.
    #[inline]
    fn find_from<Q: Eq + ?Sized>(
        &self,
        from: u32,
        first: u32,
        hash: u32,
        key: &Q,
    ) -> Option<EntryPlace>
    where
        K: Borrow<Q>,
    {
        let mut at = from;
        loop {
            let entry = &self.entries[at as usize];
            if entry.hash == hash && entry.key.borrow() == key {
                return Some(EntryPlace(at));
            }
            at = entry.next;
            if at == first {
                return None;
            }
        }
    }
}

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Returns the key of an entry. O(1).
    ///
    /// # Panics
    ///
    /// If the place is beyond the entries, as some were removed since.
    #[inline]
    #[must_use]
    pub fn key(&self, place: EntryPlace) -> &K {
        &self.entry(place).key
    }

    /// Returns the value of an entry. O(1).
    ///
    /// # Panics
    ///
    /// If the place is beyond the entries, as some were removed since.
    #[inline]
    #[must_use]
    pub fn value(&self, place: EntryPlace) -> &V {
        &self.entry(place).value
    }

    /// Returns the value of an entry, to be changed. O(1).
    ///
    /// # Panics
    ///
    /// If the place is beyond the entries, as some were removed since.
    #[inline]
    #[must_use]
    pub fn value_mut(&mut self, place: EntryPlace) -> &mut V {
        let len = self.entries.len();
        match self.entries.get_mut(place.0 as usize) {
            Some(entry) => &mut entry.value,
            None => beyond(place, len),
        }
    }

    #[inline]
    fn entry(&self, place: EntryPlace) -> &Entry<K, V> {
        match self.entries.get(place.0 as usize) {
            Some(entry) => entry,
            None => beyond(place, self.entries.len()),
        }
    }

    /// Returns the first entry of the bucket of a hash, in a map that has buckets.
    #[inline]
    fn first_of(&self, hash: u32) -> u32 {
        self.buckets[hash as usize & (self.buckets.len() - 1)]
    }
}

/// Ends an operation on a place that is none.
#[cold]
#[inline(never)]
#[track_caller]
fn beyond(place: EntryPlace, len: usize) -> ! {
    panic!("place {} is beyond the {len} entries of the map: it was kept over a removal", place.0)
}

impl<K: fmt::Debug, V: fmt::Debug, S, A: Allocator + ?Sized> fmt::Debug
    for MultiMap<'_, K, V, S, A>
{
    /// Shows the entries in place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
