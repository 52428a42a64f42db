//! The set.

use core::fmt::{self, Debug};
use core::hash::{BuildHasher, Hash};
use core::ops::{Deref, DerefMut, SubAssign};

use hashbrown::TryReserveError;

use super::{DefaultHashBuilder, HashMap, refused};
use crate::memory::{MEMORY, Memory};

/// Our set, with memory of one allocator.
type Ours<T, S> = loligo_containers::HashSet<'static, T, S, Memory>;

pub struct HashSet<T, S = DefaultHashBuilder>(Ours<T, S>);

impl<T> HashSet<T> {
    #[must_use]
    pub const fn new() -> Self {
        Self::with_hasher(DefaultHashBuilder::new())
    }
}

impl<T: Eq + Hash> HashSet<T> {
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, DefaultHashBuilder::new())
    }
}

impl<T, S> HashSet<T, S> {
    pub const fn with_hasher(hasher: S) -> Self {
        Self(Ours::with_hasher_in(hasher, &MEMORY))
    }
}

impl<T: Eq + Hash, S: BuildHasher> HashSet<T, S> {
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> Self {
        let mut set = Self::with_hasher(hasher);
        set.reserve(capacity);
        set
    }

    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.0.try_reserve(additional).map_err(|error| refused(&error))
    }
}

impl<T: Debug, S> Debug for HashSet<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T, S> Deref for HashSet<T, S> {
    type Target = Ours<T, S>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T, S> DerefMut for HashSet<T, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T, S: Default> Default for HashSet<T, S> {
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<T: Clone + Eq + Hash, S: BuildHasher + Clone> Clone for HashSet<T, S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Eq + Hash, S: BuildHasher> PartialEq for HashSet<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq + Hash, S: BuildHasher> Eq for HashSet<T, S> {}

impl<T: Eq + Hash, S: BuildHasher> Extend<T> for HashSet<T, S> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.0.extend(elements);
    }
}

impl<'a, T: Copy + Eq + Hash + 'a, S: BuildHasher> Extend<&'a T> for HashSet<T, S> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, elements: I) {
        self.0.extend(elements.into_iter().copied());
    }
}

impl<T: Eq + Hash, S: BuildHasher + Default> FromIterator<T> for HashSet<T, S> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::default();
        set.0.extend(elements);
        set
    }
}

impl<T: Eq + Hash, S: BuildHasher + Default, const N: usize> From<[T; N]> for HashSet<T, S> {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<T: Eq + Hash, S: BuildHasher + Default> From<HashMap<T, (), S>> for HashSet<T, S> {
    fn from(map: HashMap<T, (), S>) -> Self {
        map.into_keys().collect()
    }
}

impl<T, S> IntoIterator for HashSet<T, S> {
    type Item = T;
    type IntoIter = <Ours<T, S> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'s, T, S> IntoIterator for &'s HashSet<T, S> {
    type Item = &'s T;
    type IntoIter = hashbrown::hash_set::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Eq + Hash, S: BuildHasher> SubAssign<&Self> for HashSet<T, S> {
    fn sub_assign(&mut self, other: &Self) {
        self.0.retain(|element| !other.contains(element));
    }
}
