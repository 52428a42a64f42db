//! The hash set.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::ops::{Deref, DerefMut};

use hashbrown::hash_set::{IntoIter, Iter};
use loligo_allocators::{Allocator, Bridge};

use super::refused;
use crate::error::{GrowError, or_panic};
use crate::maps::hasher::BuildKeyHasher;

/// The hashbrown table of a [`HashSet`].
type Table<'a, T, S, A> = hashbrown::HashSet<T, S, Bridge<'a, A>>;

/// A hash set: hashbrown's, with its memory from our allocators.
///
/// As with [`HashMap`](crate::HashMap), what reads or removes (`contains`, `iter`, `union`,
/// `remove`, ..) is hashbrown's own, and what may need memory is defined here. There is no `entry`,
/// `get_or_insert` or the like, as `get` and [`try_insert`](Self::try_insert) replace them:
/// hashbrown's, called through `Deref`, end the program where memory runs out, unless room was
/// reserved.
///
/// # Complexity
///
/// O(1) amortised for what names an element, O(len) where the table grows, which moves every
/// element. Iteration is O(capacity).
///
/// # Memory
///
/// ```text
/// block | elements, from the last to the first | control bytes | 16 more |    a power of two of elements
/// ```
///
/// Nothing while it is empty. Then one block: a `T` and a byte for each place, of which 7 of 8 are
/// used at most and, once it has grown, 7 of 16 at least. The object is 40 bytes, 48 with `dyn
/// Allocator`.
///
/// # Threads
///
/// `Send` where elements and hasher are `Send` and the allocator is `Sync`; `Sync` where elements
/// and hasher are `Sync`, too.
///
/// # When not to use it
///
/// For small indices: a bit each is less, and quicker.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::HashSet;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut visited: HashSet<(i32, i32)> = HashSet::new(&MEMORY);
/// assert!(visited.try_insert((2, 3))?);
/// assert!(!visited.try_insert((2, 3))?, "been there");
/// assert!(visited.contains(&(2, 3)));
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct HashSet<'a, T, S = BuildKeyHasher, A: Allocator + ?Sized = dyn Allocator + 'a> {
    table: Table<'a, T, S, A>,
}

impl<'a, T> HashSet<'a, T, BuildKeyHasher> {
    /// Returns an empty set with the default hasher, which takes its memory from `memory` when it
    /// needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, T, A: Allocator + ?Sized> HashSet<'a, T, BuildKeyHasher, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self::with_hasher_in(BuildKeyHasher::new(), memory)
    }
}

impl<'a, T: Eq + Hash> HashSet<'a, T, BuildKeyHasher> {
    /// Returns an empty set with room for `capacity` elements at least.
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

impl<'a, T: Eq + Hash, A: Allocator + ?Sized> HashSet<'a, T, BuildKeyHasher, A> {
    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut set = Self::new_in(memory);
        set.try_reserve(capacity)?;
        Ok(set)
    }
}

impl<'a, T, S> HashSet<'a, T, S> {
    /// Returns an empty set with a hasher of your choice.
    #[must_use]
    pub const fn with_hasher(hasher: S, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::with_hasher_in(hasher, memory)
    }
}

impl<'a, T, S, A: Allocator + ?Sized> HashSet<'a, T, S, A> {
    /// As [`with_hasher`](Self::with_hasher), and keeps the type of the allocator, so that its
    /// calls are direct.
    #[must_use]
    pub const fn with_hasher_in(hasher: S, memory: &'a A) -> Self {
        Self { table: hashbrown::HashSet::with_hasher_in(hasher, Bridge(memory)) }
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub fn memory(&self) -> &'a A {
        self.table.allocator().0
    }

    /// Returns hashbrown's set, for code that is written for it. There it ends the program where
    /// memory runs out.
    #[must_use]
    pub fn into_inner(self) -> hashbrown::HashSet<T, S, Bridge<'a, A>> {
        self.table
    }
}

impl<T: Eq + Hash, S: BuildHasher, A: Allocator + ?Sized> HashSet<'_, T, S, A> {
    sized_methods!("element", "elements");

    /// Adds an element; returns whether it is new. An equal one that is in the set stays.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where the table grows, which moves every element.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if the element is new and there is no memory; it is dropped and nothing else
    /// has changed.
    #[inline]
    pub fn try_insert(&mut self, element: T) -> Result<bool, GrowError> {
        match self.try_reserve(1) {
            Ok(()) => Ok(self.table.insert(element)),
            Err(_) if self.table.contains(&element) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Adds an element as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn insert(&mut self, element: T) -> bool {
        or_panic(self.try_insert(element))
    }

    /// Puts an element in the place of an equal one, which is returned, or adds it.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one element more; it is dropped and nothing else has
    /// changed.
    pub fn try_replace(&mut self, element: T) -> Result<Option<T>, GrowError> {
        self.try_reserve(1)?;
        Ok(self.table.replace(element))
    }

    /// Replaces an element as [`try_replace`](Self::try_replace) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn replace(&mut self, element: T) -> Option<T> {
        or_panic(self.try_replace(element))
    }

    /// Adds many elements.
    ///
    /// # Complexity
    ///
    /// O(elements), and O(len) where the table grows. Room is made beforehand for as many as the
    /// iterator promises.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory. If the iterator's lower bound covered all its items,
    /// nothing has changed; else the items before the refusal are in the set.
    pub fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), GrowError> {
        let elements = elements.into_iter();
        self.try_reserve(elements.size_hint().0)?;
        for element in elements {
            self.try_insert(element)?;
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
        T: Clone,
        S: Clone,
    {
        let mut copy = Self::with_hasher_in(self.table.hasher().clone(), self.memory());
        copy.try_reserve(self.table.len())?;
        copy.table.extend(self.table.iter().cloned());
        Ok(copy)
    }
}

impl<'a, T, S, A: Allocator + ?Sized> Deref for HashSet<'a, T, S, A> {
    type Target = hashbrown::HashSet<T, S, Bridge<'a, A>>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.table
    }
}

impl<T, S, A: Allocator + ?Sized> DerefMut for HashSet<'_, T, S, A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.table
    }
}

impl<T: Eq + Hash, S: BuildHasher, A: Allocator + ?Sized> Extend<T> for HashSet<'_, T, S, A> {
    /// # Panics
    ///
    /// If there is no memory.
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        or_panic(self.try_extend(elements));
    }
}

impl<T: Clone + Eq + Hash, S: BuildHasher + Clone, A: Allocator + ?Sized> Clone
    for HashSet<'_, T, S, A>
{
    /// # Panics
    ///
    /// If there is no memory.
    fn clone(&self) -> Self {
        or_panic(self.try_clone())
    }
}

impl<T, S, A, O> PartialEq<HashSet<'_, T, S, O>> for HashSet<'_, T, S, A>
where
    T: Eq + Hash,
    S: BuildHasher,
    A: Allocator + ?Sized,
    O: Allocator + ?Sized,
{
    fn eq(&self, other: &HashSet<'_, T, S, O>) -> bool {
        let other = &other.table;
        self.table.len() == other.len() && self.table.iter().all(|element| other.contains(element))
    }
}

impl<T: Eq + Hash, S: BuildHasher, A: Allocator + ?Sized> Eq for HashSet<'_, T, S, A> {}

impl<'a, T, S, A: Allocator + ?Sized> IntoIterator for HashSet<'a, T, S, A> {
    type Item = T;
    type IntoIter = IntoIter<T, Bridge<'a, A>>;

    fn into_iter(self) -> Self::IntoIter {
        self.table.into_iter()
    }
}

impl<'s, T, S, A: Allocator + ?Sized> IntoIterator for &'s HashSet<'_, T, S, A> {
    type Item = &'s T;
    type IntoIter = Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.table.iter()
    }
}

impl<T: fmt::Debug, S, A: Allocator + ?Sized> fmt::Debug for HashSet<'_, T, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}
