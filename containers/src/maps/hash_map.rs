//! Hash maps and sets on our allocators.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose collections take their
//! memory from an allocator object. Changes: the table is hashbrown's, as a well-kept one is better
//! than another of ours; here it learns to take its memory from our allocators, and to say when
//! there is none.
//!
//! These are types of their own around hashbrown's and not other names for them, since hashbrown
//! ends the program where memory runs out. Everything that reads or removes is hashbrown's, by
//! `Deref`; everything that may grow is defined here, in a form that returns an error and one that
//! panics, under the names that hashbrown's methods have, so that none of those is called by
//! mistake. The few that are left (`entry_ref`, `shrink_to`, the set's `entry` and `get_or_insert`)
//! are safe to call once room was reserved.
#![forbid(unsafe_code)]

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::mem;
use core::ops::{Deref, DerefMut, Index};

use hashbrown::hash_map::{Entry, IntoIter, Iter, IterMut};
use hashbrown::{Equivalent, TryReserveError};
use loligo_allocators::{Allocator, Bridge};

use crate::error::{GrowError, or_panic};
use crate::maps::hasher::BuildKeyHasher;

/// The methods of a map and of a set that make room and give it back, for impls in which `table` is
/// hashbrown's.
macro_rules! sized_methods {
    ($item:literal, $items:literal) => {
        #[doc = concat!("Makes room for `more` ", $items, ".")]
        ///
        /// # Complexity
        ///
        #[doc = concat!("O(len) where the table grows, which moves every ", $item, ".")]
        ///
        /// # Errors
        ///
        /// [`GrowError`]; nothing has changed.
        #[inline]
        pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
            let len = self.table.len();
            self.table.try_reserve(more).map_err(|error| refused(&error, len, more))
        }

        /// Makes room as [`try_reserve`](Self::try_reserve) does.
        ///
        /// # Panics
        ///
        /// If there is no memory.
        pub fn reserve(&mut self, more: usize) {
            or_panic(self.try_reserve(more));
        }

        #[doc = concat!("Gives back what the ", $items, " do not need,")]
        /// by moving them into a table of their size.
        ///
        /// # Complexity
        ///
        /// O(capacity). Takes the smaller block before the larger one is given back.
        ///
        /// # Errors
        ///
        /// [`GrowError`] if there is no memory for the smaller block; nothing has changed.
        pub fn try_shrink_to_fit(&mut self) -> Result<(), GrowError>
        where
            S: Clone,
        {
            let mut smaller = Self::with_hasher_in(self.table.hasher().clone(), self.memory());
            smaller.try_reserve(self.table.len())?;
            if smaller.table.allocation_size() < self.table.allocation_size() {
                smaller.table.extend(self.table.drain());
                *self = smaller;
            }
            Ok(())
        }

        /// Shrinks as [`try_shrink_to_fit`](Self::try_shrink_to_fit) does, or keeps the block where
        /// there is no memory for the smaller one, which does no harm.
        pub fn shrink_to_fit(&mut self)
        where
            S: Clone,
        {
            let _ = self.try_shrink_to_fit();
        }
    };
}

mod set;
#[cfg(test)]
mod tests;

pub use set::HashSet;

/// The hashbrown table of a [`HashMap`].
type Table<'a, K, V, S, A> = hashbrown::HashMap<K, V, S, Bridge<'a, A>>;

/// A hash map: hashbrown's, with its memory from our allocators.
///
/// What reads, changes in place or removes (`get`, `get_mut`, `iter`, `remove`, `retain`, `drain`,
/// ..) is hashbrown's own, as the map can be used as one. What may need memory is written down
/// here, and panics or returns an error where hashbrown's would end the program.
///
/// The hasher `S` is [`KeyHasher`](crate::KeyHasher) by default, so the order of iteration is the
/// same in every run that does the same, on all machines of one word size. For ids and hashed names
/// take [`BuildIdHasher`](crate::BuildIdHasher).
///
/// # Complexity
///
/// O(1) amortised for what names a key, O(len) where the table grows, which moves every entry.
/// Iteration is O(capacity).
///
/// # Memory
///
/// ```text
/// block | entries, from the last to the first | control bytes | 16 more |     a power of two of entries
/// ```
///
/// Nothing while it is empty. Then one block: a `(K, V)` and a byte for each place, of which 7 of 8
/// are used at most and, once it has grown, 7 of 16 at least. The object is 40 bytes, 48 with `dyn
/// Allocator`.
///
/// # Threads
///
/// `Send` where keys, values and hasher are `Send` and the allocator is `Sync`; `Sync` where keys,
/// values and hasher are `Sync`, too.
///
/// # When not to use it
///
/// For many values a key, a [`MultiMap`](crate::MultiMap). For objects that you name yourself, an
/// id table, which compares one word and hashes nothing.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{BuildIdHasher, HashMap};
/// use loligo_ids::{IdString32, id32};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut sounds: HashMap<IdString32, &str, BuildIdHasher> =
///     HashMap::with_hasher(BuildIdHasher::new(), &MEMORY);
/// sounds.try_insert(id32!("door"), "creak")?;
/// sounds.insert(id32!("wind"), "howl");
/// assert_eq!(sounds.get(&id32!("door")), Some(&"creak"));
/// assert_eq!(sounds.remove(&id32!("wind")), Some("howl"));
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct HashMap<'a, K, V, S = BuildKeyHasher, A: Allocator + ?Sized = dyn Allocator + 'a> {
    table: Table<'a, K, V, S, A>,
}

impl<'a, K, V> HashMap<'a, K, V, BuildKeyHasher> {
    /// Returns an empty map with the default hasher, which takes its memory from `memory` when it
    /// needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, K, V, A: Allocator + ?Sized> HashMap<'a, K, V, BuildKeyHasher, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self::with_hasher_in(BuildKeyHasher::new(), memory)
    }
}

impl<'a, K: Eq + Hash, V> HashMap<'a, K, V, BuildKeyHasher> {
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

impl<'a, K: Eq + Hash, V, A: Allocator + ?Sized> HashMap<'a, K, V, BuildKeyHasher, A> {
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

impl<'a, K, V, S> HashMap<'a, K, V, S> {
    /// Returns an empty map with a hasher of your choice.
    #[must_use]
    pub const fn with_hasher(hasher: S, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::with_hasher_in(hasher, memory)
    }
}

impl<'a, K, V, S, A: Allocator + ?Sized> HashMap<'a, K, V, S, A> {
    /// As [`with_hasher`](Self::with_hasher), and keeps the type of the allocator, so that its
    /// calls are direct.
    #[must_use]
    pub const fn with_hasher_in(hasher: S, memory: &'a A) -> Self {
        Self { table: hashbrown::HashMap::with_hasher_in(hasher, Bridge(memory)) }
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub fn memory(&self) -> &'a A {
        self.table.allocator().0
    }

    /// Returns hashbrown's map, for code that is written for it. There it ends the program where
    /// memory runs out.
    #[must_use]
    pub fn into_inner(self) -> hashbrown::HashMap<K, V, S, Bridge<'a, A>> {
        self.table
    }
}

impl<'a, K: Eq + Hash, V, S: BuildHasher, A: Allocator + ?Sized> HashMap<'a, K, V, S, A> {
    sized_methods!("entry", "entries");

    /// Sets the value of a key and returns the one it had. The key that is in the map stays.
    ///
    /// hashbrown's method of this name is another: it refuses keys that are there. For that take
    /// [`try_entry`](Self::try_entry).
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where the table grows, which moves every entry.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if the key is new and there is no memory; key and value are dropped and
    /// nothing else has changed.
    #[inline]
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>, GrowError> {
        match self.try_reserve(1) {
            Ok(()) => Ok(self.table.insert(key, value)),
            // A key that is there needs no memory.
            Err(error) => match self.table.get_mut(&key) {
                Some(old) => {
                    // Before the old value is on its way out: a panic in the key's destructor would
                    // leak it.
                    drop(key);
                    Ok(Some(mem::replace(old, value)))
                }
                None => Err(error),
            },
        }
    }

    /// Sets a value as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        or_panic(self.try_insert(key, value))
    }

    /// Returns the place of a key, taken or free, having made room for it.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one entry more, also where the key is there; the key
    /// is dropped and nothing else has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::HashMap;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut kills: HashMap<&str, u32> = HashMap::new(&MEMORY);
    /// for victim in ["rat", "bat", "rat"] {
    ///     *kills.try_entry(victim)?.or_insert(0) += 1;
    /// }
    /// assert_eq!(kills["rat"], 2);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    #[inline]
    pub fn try_entry(&mut self, key: K) -> Result<Entry<'_, K, V, S, Bridge<'a, A>>, GrowError> {
        self.try_reserve(1)?;
        Ok(self.table.entry(key))
    }

    /// Returns the place of a key as [`try_entry`](Self::try_entry) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V, S, Bridge<'a, A>> {
        or_panic(self.try_entry(key))
    }

    /// Sets many values. Where a key is named twice, the last value stays.
    ///
    /// # Complexity
    ///
    /// O(entries), and O(len) where the table grows. Room is made beforehand for as many as the
    /// iterator promises.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory. If the iterator's lower bound covered all its items,
    /// nothing has changed; else the items before the refusal are in the map.
    pub fn try_extend(
        &mut self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), GrowError> {
        let entries = entries.into_iter();
        self.try_reserve(entries.size_hint().0)?;
        for (key, value) in entries {
            self.try_insert(key, value)?;
        }
        Ok(())
    }

    /// Returns a copy in memory from the same allocator.
    ///
    /// # Complexity
    ///
    /// O(capacity).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for it.
    pub fn try_clone(&self) -> Result<Self, GrowError>
    where
        K: Clone,
        V: Clone,
        S: Clone,
    {
        let mut copy = Self::with_hasher_in(self.table.hasher().clone(), self.memory());
        copy.try_reserve(self.table.len())?;
        copy.table.extend(self.table.iter().map(|(key, value)| (key.clone(), value.clone())));
        Ok(copy)
    }
}

/// Puts hashbrown's error into ours.
#[cold]
fn refused(error: &TryReserveError, len: usize, more: usize) -> GrowError {
    let elements = (len as u64).saturating_add(more as u64);
    match error {
        TryReserveError::CapacityOverflow => {
            GrowError::Length { wanted: elements, limit: isize::MAX as u64 }
        }
        TryReserveError::AllocError { layout } => {
            GrowError::Memory { elements, bytes: layout.size() as u64 }
        }
    }
}

impl<'a, K, V, S, A: Allocator + ?Sized> Deref for HashMap<'a, K, V, S, A> {
    type Target = hashbrown::HashMap<K, V, S, Bridge<'a, A>>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.table
    }
}

impl<K, V, S, A: Allocator + ?Sized> DerefMut for HashMap<'_, K, V, S, A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.table
    }
}

impl<K: Eq + Hash, V, S: BuildHasher, A: Allocator + ?Sized> Extend<(K, V)>
    for HashMap<'_, K, V, S, A>
{
    /// # Panics
    ///
    /// If there is no memory.
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, entries: T) {
        or_panic(self.try_extend(entries));
    }
}

impl<K: Clone + Eq + Hash, V: Clone, S: BuildHasher + Clone, A: Allocator + ?Sized> Clone
    for HashMap<'_, K, V, S, A>
{
    /// # Panics
    ///
    /// If there is no memory.
    fn clone(&self) -> Self {
        or_panic(self.try_clone())
    }
}

impl<K, V, S, A, O> PartialEq<HashMap<'_, K, V, S, O>> for HashMap<'_, K, V, S, A>
where
    K: Eq + Hash,
    V: PartialEq,
    S: BuildHasher,
    A: Allocator + ?Sized,
    O: Allocator + ?Sized,
{
    fn eq(&self, other: &HashMap<'_, K, V, S, O>) -> bool {
        let other = &other.table;
        self.table.len() == other.len()
            && self.table.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Eq + Hash, V: Eq, S: BuildHasher, A: Allocator + ?Sized> Eq for HashMap<'_, K, V, S, A> {}

impl<K, V, S, A, Q> Index<&Q> for HashMap<'_, K, V, S, A>
where
    K: Eq + Hash + Borrow<Q>,
    Q: Equivalent<K> + Hash + ?Sized,
    S: BuildHasher,
    A: Allocator + ?Sized,
{
    type Output = V;

    /// # Panics
    ///
    /// If the key is not in the map.
    fn index(&self, key: &Q) -> &V {
        self.table.get(key).expect("a key that is indexed with is in the map")
    }
}

impl<'a, K, V, S, A: Allocator + ?Sized> IntoIterator for HashMap<'a, K, V, S, A> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V, Bridge<'a, A>>;

    fn into_iter(self) -> Self::IntoIter {
        self.table.into_iter()
    }
}

impl<'m, K, V, S, A: Allocator + ?Sized> IntoIterator for &'m HashMap<'_, K, V, S, A> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.table.iter()
    }
}

impl<'m, K, V, S, A: Allocator + ?Sized> IntoIterator for &'m mut HashMap<'_, K, V, S, A> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = IterMut<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.table.iter_mut()
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S, A: Allocator + ?Sized> fmt::Debug
    for HashMap<'_, K, V, S, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}
