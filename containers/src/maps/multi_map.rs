//! A hash map with many values a key, those of a key in a row.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose engine's collections (its
//! foundation library of 2012 has this one) take their memory from an allocator object, and his
//! "Allocation Adventures 2: Arrays of Arrays" (2015). Changes:
//!
//! - The values of a key are a slice, in the order in which they were inserted, and none is chained
//!   to another one.
//! - A key is there once, with its hash: the table grows without hashing a key again, and compares
//!   few.

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::maps::hasher::BuildKeyHasher;

mod check;
mod index;
mod remove;
#[cfg(test)]
mod tests;
mod values;
mod visit;

pub use check::MultiMapDamage;
pub use visit::{MultiMapIter, MultiMapIterMut};

use index::{Bucket, Index};
use values::{Run, Values};

/// No key.
const NIL: u32 = u32::MAX;

/// A key, its hash, and where its values are.
struct Keyed<K> {
    hash: u32,
    run: Run,
    key: K,
}

/// Where a value is in a [`MultiMap`]: good until one is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryPlace {
    key: u32,
    at: u32,
}

/// A hash map with any number of values a key, which are a slice.
///
/// The values of a key are in the order in which they were inserted, whatever was removed in
/// between. A key is kept once, with its first value, and goes with its last.
///
/// # Complexity
///
/// Inserting a value is O(1) amortised; the values of its key, or all, move where they have no more
/// room. Removing one moves those of the key that come after it. Finding a key is O(1).
///
/// # Memory
///
/// ```text
/// buckets | hash, 3 | none | hash, 0 | ..           8 bytes each, a power of two, twice the keys at least
/// keys    | hash, where, how many, K | ..           16 bytes + K each
/// values  | a b c . | d | e f g h i . . . | ..      V each: 4, 8, 16 .. slots a key
/// ```
///
/// Nothing while it is empty. Then three blocks, each of which doubles. In addition to key and
/// value a key has 32 to 64 bytes, its place for one more not counted; its values have at most
/// twice the slots that they need, but four where they take 4 bytes or fewer, two where 8 or fewer,
/// and four for two. A quarter of all may be idle before they are moved together. The object is 88
/// bytes with `dyn Allocator` and a hasher without size.
///
/// # Threads
///
/// `Send` where keys, values and hasher are `Send` and the allocator is `Sync`; `Sync` where keys,
/// values and hasher are `Sync`, too.
///
/// # When not to use it
///
/// For one value a key, a `HashMap`. For keys with thousands of values of which the first ones come
/// and go: each removal moves all that come after.
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
/// assert_eq!(tagged.values_of(&id32!("enemy")), [7, 3]);
/// assert_eq!(tagged.count(&id32!("light")), 1);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The index has a bucket for each key, and no other.
/// 2. Each key has a value at least; no two keys are equal.
/// 3. `len` is how many values all keys have.
/// 4. Those of `Values`.
pub struct MultiMap<'a, K, V, S = BuildKeyHasher, A: Allocator + ?Sized = dyn Allocator + 'a> {
    index: Index<'a, A>,
    keys: Array<'a, Keyed<K>, A>,
    values: Values<'a, V, A>,
    len: usize,
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
        Self {
            index: Index::new(memory),
            keys: Array::new_in(memory),
            values: Values::new(memory),
            len: 0,
            hasher,
        }
    }

    /// Returns how many values there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no values.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns how many keys there are.
    #[inline]
    #[must_use]
    pub fn keys_len(&self) -> usize {
        self.keys.len()
    }

    /// Returns how many values there is room for, those that are there included, if each other one
    /// has a key that is not there yet.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let keys = self.keys.capacity().min(self.index.capacity()) - self.keys.len();
        self.len + keys.min(self.values.runs_left() as usize)
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.values.memory()
    }

    /// Returns the hasher.
    #[must_use]
    pub const fn hasher(&self) -> &S {
        &self.hasher
    }

    /// Makes room for `more` values of keys that are not there yet.
    ///
    /// # Complexity
    ///
    /// O(len) where the map grows. No key is hashed.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed but, perhaps, that one of the blocks is larger.
    #[inline]
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        if more > self.keys.capacity() - self.keys.len() {
            self.keys.try_reserve(more)?;
        }
        // A sum that cannot be counted is refused above.
        self.index.try_reserve(self.keys.len().saturating_add(more))?;
        self.values.try_reserve_runs(more, &mut self.keys)
    }

    /// Makes room as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve(&mut self, more: usize) {
        or_panic(self.try_reserve(more));
    }

    /// Drops all keys and values and keeps the memory. If a destructor panics, the others run.
    ///
    /// # Complexity
    ///
    /// O(capacity).
    pub fn clear(&mut self) {
        self.index.clear();
        self.len = 0;
        let rest = Rest { map: self };
        while let Some(Keyed { run, key, .. }) = rest.map.keys.pop() {
            let _dropped_last = key;
            rest.map.values.end_run(run);
        }
    }
}

/// A map whose keys are being dropped: the rest goes at the end.
struct Rest<'m, 'a, K, V, S, A: Allocator + ?Sized> {
    map: &'m mut MultiMap<'a, K, V, S, A>,
}

impl<K, V, S, A: Allocator + ?Sized> Drop for Rest<'_, '_, K, V, S, A> {
    fn drop(&mut self) {
        while let Some(Keyed { run, .. }) = self.map.keys.pop() {
            self.map.values.end_run(run);
        }
        self.map.values.reset();
    }
}

impl<K, V, S, A: Allocator + ?Sized> Drop for MultiMap<'_, K, V, S, A> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<K: Hash + Eq, V, S: BuildHasher, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Adds a value to those of a key, after them all. A key that is there already stays as it is.
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
        let keys = &self.keys;
        match self.index.find(hash, |at| keys[at as usize].key == key) {
            Some(at) => {
                self.values.try_reserve_in(at as usize, &mut self.keys)?;
                self.values.push(&mut self.keys[at as usize].run, value);
            }
            None => {
                self.try_reserve(1)?;
                let run = self.values.begin_run(value);
                let bucket = Bucket { hash, at: self.keys.len() as u32 };
                // There is room for it.
                self.keys.push(Keyed { hash, run, key });
                self.index.insert(bucket);
            }
        }
        self.len += 1;
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

    /// Returns the values of a key in the order in which they were inserted; none if it has none.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn values_of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &[V]
    where
        K: Borrow<Q>,
    {
        self.find(key).map_or(&[], |at| self.values.of(&self.keys[at].run))
    }

    /// Returns the values of a key, to be changed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn values_of_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> &mut [V]
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Some(at) => self.values.of_mut(&self.keys[at].run),
            None => &mut [],
        }
    }

    /// Returns the place of the first value of a key, or `None` if it has none.
    ///
    /// # Complexity
    ///
    /// O(1).
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
    /// assert_eq!(wounds.values_of("orc"), [6, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub fn find_first<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<EntryPlace>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|key| EntryPlace { key: key as u32, at: 0 })
    }

    /// Returns the first value of a key.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_first<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values_of(key).first()
    }

    /// Returns `true` if a key has a value.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }

    /// Returns how many values a key has.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn count<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.values_of(key).len()
    }

    /// Returns the number of a key.
    #[inline]
    fn find<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        let hash = self.hasher.hash_one(key) as u32;
        let at = self.index.find(hash, |at| self.keys[at as usize].key.borrow() == key)?;
        Some(at as usize)
    }
}

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Returns the place of the value that follows one of the same key.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Panics
    ///
    /// If there is no value at the place, as some were removed since.
    #[inline]
    #[must_use]
    pub fn find_next(&self, place: EntryPlace) -> Option<EntryPlace> {
        let next = EntryPlace { at: place.at + 1, ..place };
        (next.at < self.keyed(place).run.len).then_some(next)
    }

    /// Returns the key of a value. O(1).
    ///
    /// # Panics
    ///
    /// If there is no value at the place, as some were removed since.
    #[inline]
    #[must_use]
    pub fn key(&self, place: EntryPlace) -> &K {
        &self.keyed(place).key
    }

    /// Returns the value at a place. O(1).
    ///
    /// # Panics
    ///
    /// If there is none, as some were removed since.
    #[inline]
    #[must_use]
    pub fn value(&self, place: EntryPlace) -> &V {
        &self.values.of(&self.keyed(place).run)[place.at as usize]
    }

    /// Returns the value at a place, to be changed. O(1).
    ///
    /// # Panics
    ///
    /// If there is none, as some were removed since.
    #[inline]
    #[must_use]
    pub fn value_mut(&mut self, place: EntryPlace) -> &mut V {
        let run = match self.keys.get(place.key as usize) {
            Some(keyed) if place.at < keyed.run.len => &keyed.run,
            _ => gone(place),
        };
        &mut self.values.of_mut(run)[place.at as usize]
    }

    /// Returns the key of a place that has a value.
    #[inline]
    fn keyed(&self, place: EntryPlace) -> &Keyed<K> {
        match self.keys.get(place.key as usize) {
            Some(keyed) if place.at < keyed.run.len => keyed,
            _ => gone(place),
        }
    }
}

/// Ends an operation on a place that has no value.
#[cold]
#[inline(never)]
#[track_caller]
fn gone(EntryPlace { key, at }: EntryPlace) -> ! {
    panic!("key {key} of the map has no value {at}: its place was kept over a removal")
}

impl<K: fmt::Debug, V: fmt::Debug, S, A: Allocator + ?Sized> fmt::Debug
    for MultiMap<'_, K, V, S, A>
{
    /// Shows the entries, key by key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
