//! The place of an id in a map, taken or free.

use core::mem;

use loligo_allocators::Allocator;

use super::{Dense, Placement, Secondary};
use crate::id::TableId;

/// The place of an id in a [`Secondary`], returned by [`Secondary::entry`].
pub enum Entry<
    'm,
    'a,
    I: TableId,
    T,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    P: Placement = Dense,
> {
    /// The id has a value.
    Occupied(OccupiedEntry<'m, 'a, I, T, A, P>),
    /// The id has none; another id of its slot may have one, which an insertion drops.
    Vacant(VacantEntry<'m, 'a, I, T, A, P>),
}

impl<'m, I: TableId, T, A: Allocator + ?Sized, P: Placement> Entry<'m, '_, I, T, A, P> {
    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> I {
        match self {
            Self::Occupied(entry) => entry.id(),
            Self::Vacant(entry) => entry.id(),
        }
    }

    /// Returns the value; inserts `value` if there is none.
    pub fn or_insert(self, value: T) -> &'m mut T {
        self.or_insert_with(|| value)
    }

    /// Returns the value; inserts what `make` returns if there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> T) -> &'m mut T {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Returns the value; inserts the default if there is none.
    pub fn or_default(self) -> &'m mut T
    where
        T: Default,
    {
        self.or_insert_with(T::default)
    }

    /// Changes the value if there is one, and returns the entry.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut T)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

/// An id with a value.
pub struct OccupiedEntry<
    'm,
    'a,
    I: TableId,
    T,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    P: Placement = Dense,
> {
    pub(super) map: &'m mut Secondary<'a, I, T, A, P>,
    pub(super) id: I,
    pub(super) place: usize,
}

impl<'m, I: TableId, T, A: Allocator + ?Sized, P: Placement> OccupiedEntry<'m, '_, I, T, A, P> {
    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> I {
        self.id
    }

    /// Returns the value.
    #[must_use]
    pub fn get(&self) -> &T {
        self.map.value_at(self.place)
    }

    /// Returns the value, to be changed.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        self.map.value_at_mut(self.place)
    }

    /// Returns the value, to be changed for as long as the map is borrowed.
    #[must_use]
    pub fn into_mut(self) -> &'m mut T {
        self.map.value_at_mut(self.place)
    }

    /// Sets the value and returns the old one.
    pub fn insert(&mut self, value: T) -> T {
        mem::replace(self.get_mut(), value)
    }

    /// Takes the value out.
    pub fn remove(self) -> T {
        self.map.take(self.place)
    }
}

/// An id without a value, for which there is room.
pub struct VacantEntry<
    'm,
    'a,
    I: TableId,
    T,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    P: Placement = Dense,
> {
    pub(super) map: &'m mut Secondary<'a, I, T, A, P>,
    pub(super) id: I,
    pub(super) place: usize,
}

impl<'m, I: TableId, T, A: Allocator + ?Sized, P: Placement> VacantEntry<'m, '_, I, T, A, P> {
    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> I {
        self.id
    }

    /// Sets the value, and drops the one that another id of the slot left.
    pub fn insert(self, value: T) -> &'m mut T {
        // Dropped last, so that a panic in its destructor finds the map whole.
        drop(self.map.put(self.place, self.id, value));
        self.map.value_at_mut(self.place)
    }
}
