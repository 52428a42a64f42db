//! The arena: a table with holes.

use core::iter::Map;
use core::ops;

use loligo_ids::{Holes, IterWithIds};

use super::index::Index;
use crate::arena_table::{self, ArenaTable, SlotId};
use crate::fault;
use crate::memory::MEMORY;

/// The objects with their indices. It is named, as an opaque type counts as one with a destructor.
pub type Iter<'a, T> =
    Map<IterWithIds<'a, Holes, T, SlotId>, fn((SlotId, &'a T)) -> (Index, &'a T)>;

#[derive(Clone, Debug)]
pub struct Arena<T> {
    pub(super) table: ArenaTable<T>,
    /// How many objects there may be before the arena grows. In the peer this is the capacity; ours
    /// has at least what is asked for.
    room: usize,
}

impl<T> Arena<T> {
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut arena = Self { table: ArenaTable::new_in(&MEMORY), room: 0 };
        arena.reserve(capacity);
        arena
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    #[must_use]
    pub fn capacity(&self) -> usize {
        self.table.capacity()
    }

    pub fn reserve(&mut self, additional: usize) {
        self.room = self.room.max(self.len()) + additional;
        self.table.reserve(self.room - self.len()).expect("there is memory");
    }

    pub fn clear(&mut self) {
        self.table.clear();
    }

    pub fn try_insert(&mut self, value: T) -> Result<Index, T> {
        if self.len() >= self.room { Err(value) } else { Ok(self.insert(value)) }
    }

    pub fn try_insert_with<F: FnOnce(Index) -> T>(&mut self, make: F) -> Result<Index, F> {
        if self.len() >= self.room { Err(make) } else { Ok(self.insert_with(make)) }
    }

    pub fn insert(&mut self, value: T) -> Index {
        Index(self.table.insert(value).expect("there is memory"))
    }

    pub fn insert_with(&mut self, make: impl FnOnce(Index) -> T) -> Index {
        Index(self.table.insert_with(|id| make(Index(id))).expect("there is memory"))
    }

    pub fn remove(&mut self, index: Index) -> Option<T> {
        if fault::is_planted() {
            return None;
        }
        self.table.remove(index.0)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(Index, &mut T) -> bool) {
        self.table.retain(|id, value| keep(Index(id), value));
    }

    #[must_use]
    pub fn contains(&self, index: Index) -> bool {
        self.table.contains(index.0)
    }

    #[must_use]
    pub fn get(&self, index: Index) -> Option<&T> {
        self.table.get(index.0)
    }

    #[must_use]
    pub fn get_mut(&mut self, index: Index) -> Option<&mut T> {
        self.table.get_mut(index.0)
    }

    pub fn get2_mut(&mut self, one: Index, other: Index) -> (Option<&mut T>, Option<&mut T>) {
        arena_table::get2_mut(&mut self.table, one.0, other.0)
    }

    #[must_use]
    pub fn get_unknown_gen(&self, slot: usize) -> Option<(&T, Index)> {
        self.table.get_by_slot(slot as u64).map(|(id, value)| (value, Index(id)))
    }

    #[must_use]
    pub fn get_unknown_gen_mut(&mut self, slot: usize) -> Option<(&mut T, Index)> {
        self.table.get_mut_by_slot(slot as u64).map(|(id, value)| (value, Index(id)))
    }

    pub fn iter(&self) -> Iter<'_, T> {
        self.table.iter_with_ids().map(|(id, value)| (Index(id), value))
    }

    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (Index, &mut T)> {
        self.table.iter_with_ids_mut().map(|(id, value)| (Index(id), value))
    }

    pub fn drain(&mut self) -> impl ExactSizeIterator<Item = (Index, T)> {
        self.table.drain().map(|(id, value)| (Index(id), value))
    }
}

impl<T> IntoIterator for Arena<T> {
    type Item = T;
    type IntoIter = <ArenaTable<T> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.table.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Arena<T> {
    type Item = (Index, &'a mut T);
    type IntoIter = std::vec::IntoIter<(Index, &'a mut T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut().collect::<Vec<_>>().into_iter()
    }
}

impl<T> Extend<T> for Arena<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.table.extend(values);
    }
}

impl<T> FromIterator<T> for Arena<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut arena = Self::new();
        arena.extend(values);
        arena
    }
}

impl<T> ops::Index<Index> for Arena<T> {
    type Output = T;

    fn index(&self, index: Index) -> &T {
        &self.table[index.0]
    }
}

impl<T> ops::IndexMut<Index> for Arena<T> {
    fn index_mut(&mut self, index: Index) -> &mut T {
        &mut self.table[index.0]
    }
}
