//! A set in a sorted array.

use core::borrow::Borrow;
use core::fmt;
use core::ops::RangeBounds;
use core::slice;

use loligo_allocators::Allocator;

use super::{SortedError, SortedMap};
use crate::arrays::array::{Array, ArrayIntoIter};
use crate::error::{GrowError, or_panic};

/// A set in a sorted array: a [`SortedMap`] without values.
///
/// Keys are [inserted](Self::insert) one by one or [pushed](Self::push), to be [sorted](Self::sort)
/// in at once. While keys wait, the set cannot be read through `&self`: that panics and names
/// `sort`.
///
/// # Complexity
///
/// As that of the map.
///
/// # Memory
///
/// `size_of::<T>()` bytes a key in one block, which doubles when it is full, and a block while keys
/// wait.
///
/// # Threads
///
/// `Send` where the keys are `Send` and the allocator is `Sync`; `Sync` where the keys are `Sync`,
/// too.
///
/// # When not to use it
///
/// For small whole numbers, of which many are in the set: a bitmap is smaller.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::SortedSet;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut visible: SortedSet<u32> = SortedSet::new(&MEMORY);
/// // Each light says which objects it sees; some are seen twice.
/// for object in [40, 7, 12, 7, 3, 40] {
///     visible.try_push(object)?;
/// }
/// visible.sort();
/// assert_eq!(visible.as_slice(), [3, 7, 12, 40]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct SortedSet<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    map: SortedMap<'a, T, (), A>,
}

impl<'a, T> SortedSet<'a, T> {
    /// Returns an empty set, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty set with room for `capacity` keys at least.
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

impl<'a, T, A: Allocator + ?Sized> SortedSet<'a, T, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { map: SortedMap::new_in(memory) }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self { map: SortedMap::try_with_capacity_in(capacity, memory)? })
    }

    /// Returns how many keys there are. O(1).
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns `true` if there are no keys, none that wait either. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Returns how many keys there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.map.capacity()
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.map.memory()
    }

    /// Returns all keys in ascending order. O(1).
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn as_slice(&self) -> &[T] {
        self.map.keys()
    }

    /// Visits all keys in ascending order. O(1) a key.
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[inline]
    #[track_caller]
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.map.keys().iter()
    }

    /// Drops all keys, those that wait, too, and keeps the blocks. O(len).
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl<'a, T: Ord> SortedSet<'a, T> {
    /// Returns a set of keys that are sorted already. O(keys).
    ///
    /// # Errors
    ///
    /// [`SortedError`] if they are not in ascending order without duplicates, or there is no
    /// memory.
    pub fn try_from_sorted(
        keys: &[T],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, SortedError>
    where
        T: Copy,
    {
        Self::try_from_sorted_in(keys, memory)
    }
}

impl<'a, T: Ord, A: Allocator + ?Sized> SortedSet<'a, T, A> {
    /// As [`try_from_sorted`](Self::try_from_sorted), and keeps the type of the allocator, so that
    /// its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_sorted`](Self::try_from_sorted).
    pub fn try_from_sorted_in(keys: &[T], memory: &'a A) -> Result<Self, SortedError>
    where
        T: Copy,
    {
        super::error::check(keys, keys.len())?;
        let mut set = Self::new_in(memory);
        set.map.keys = Array::try_from_slice_in(keys, memory)?;
        set.map.values.try_resize(keys.len(), ())?;
        Ok(set)
    }

    /// Returns `true` if the set has a key. O(log len).
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(key)
    }

    /// Returns the place of a key among all. O(log len).
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[must_use]
    #[track_caller]
    pub fn index_of<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.map.index_of(key)
    }

    /// Adds a key and returns whether it is new; what waits is sorted in first. O(len).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the key is dropped and nothing else has changed.
    pub fn try_insert(&mut self, key: T) -> Result<bool, GrowError> {
        Ok(self.map.try_insert(key, ())?.is_none())
    }

    /// Adds a key as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn insert(&mut self, key: T) -> bool {
        or_panic(self.try_insert(key))
    }

    /// Adds a key that is sorted in later, as [`SortedMap::try_push`] does. O(1) amortised.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the key is dropped and nothing else has changed.
    #[inline]
    pub fn try_push(&mut self, key: T) -> Result<(), GrowError> {
        self.map.try_push(key, ())
    }

    /// Adds a key as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push(&mut self, key: T) {
        or_panic(self.try_push(key));
    }

    /// Adds keys as [`try_push`](Self::try_push) does.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one of them; the set is as it was.
    pub fn try_extend(&mut self, keys: impl IntoIterator<Item = T>) -> Result<(), GrowError> {
        self.map.try_extend(keys.into_iter().map(|key| (key, ())))
    }

    /// Returns how many keys wait to be sorted in. O(1).
    #[must_use]
    pub fn pending(&self) -> usize {
        self.map.pending()
    }

    /// Sorts in what was pushed, each key once. As [`SortedMap::sort`].
    #[inline]
    pub fn sort(&mut self) {
        self.map.sort();
    }

    /// Takes a key out and returns it; what waits is sorted in first. O(len).
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        Some(self.map.remove_entry(key)?.0)
    }

    /// Takes the greatest key out; what waits is sorted in first. O(1).
    pub fn pop_last(&mut self) -> Option<T> {
        Some(self.map.pop_last()?.0)
    }

    /// Returns the keys in a range, in ascending order; none if it ends before it begins. O(log
    /// len).
    ///
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    #[must_use]
    #[track_caller]
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> &[T]
    where
        T: Borrow<Q>,
    {
        &self.map.keys[self.map.places(&range)]
    }

    /// Keeps the keys that `keep` says yes to; what waits is sorted in first. As
    /// [`SortedMap::retain`].
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(|key, ()| keep(key));
    }

    /// Gives room back to the allocator, as far as it takes it. What waits is sorted in first.
    /// O(len).
    pub fn shrink_to_fit(&mut self) {
        self.map.shrink_to_fit();
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for SortedSet<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.map.keys.iter();
        f.debug_set().entries(keys.chain(self.map.pending.iter().map(|entry| &entry.key))).finish()
    }
}

impl<T: PartialEq, A: Allocator + ?Sized, B: Allocator + ?Sized> PartialEq<SortedSet<'_, T, B>>
    for SortedSet<'_, T, A>
{
    /// # Panics
    ///
    /// If keys wait to be sorted in.
    fn eq(&self, other: &SortedSet<'_, T, B>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq, A: Allocator + ?Sized> Eq for SortedSet<'_, T, A> {}

/// Adds keys and sorts them in; panics if there is no memory. [`try_extend`](SortedSet::try_extend)
/// returns an error instead, and lets them wait.
impl<T: Ord, A: Allocator + ?Sized> Extend<T> for SortedSet<'_, T, A> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, keys: I) {
        or_panic(self.try_extend(keys));
        self.sort();
    }
}

impl<'t, T, A: Allocator + ?Sized> IntoIterator for &'t SortedSet<'_, T, A> {
    type Item = &'t T;
    type IntoIter = slice::Iter<'t, T>;

    fn into_iter(self) -> slice::Iter<'t, T> {
        self.iter()
    }
}

/// Sorts in what waits first.
impl<'a, T: Ord, A: Allocator + ?Sized> IntoIterator for SortedSet<'a, T, A> {
    type Item = T;
    type IntoIter = ArrayIntoIter<'a, T, A>;

    fn into_iter(mut self) -> ArrayIntoIter<'a, T, A> {
        self.sort();
        self.map.keys.into_iter()
    }
}
