//! The arena: a table with holes.

use core::ops;

use super::index::{Generation, Index};
use crate::arena_table::{self, ArenaTable};
use crate::fault;
use crate::memory::MEMORY;

#[derive(Debug)]
pub struct Arena<T> {
    table: ArenaTable<T>,
}

impl<T> Arena<T> {
    #[must_use]
    pub fn new() -> Self {
        Self { table: ArenaTable::new_in(&MEMORY) }
    }

    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut arena = Self::new();
        arena.table.reserve(capacity).expect("there is memory");
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

    pub fn insert(&mut self, value: T) -> Index {
        Index::of(self.table.insert(value).expect("there is memory"))
    }

    /// Ours refuses a slot that is taken, so what is there is removed first.
    pub fn insert_at(&mut self, index: Index, value: T) -> Option<T> {
        let old = self.remove_by_slot(index.slot).map(|(_, old)| old);
        self.table.insert_at(index.id(), value).expect("the slot is free");
        old
    }

    /// Ours does not say which life a free slot is in: the first one is taken for it.
    pub fn insert_at_slot(&mut self, slot: u32, value: T) -> (Index, Option<T>) {
        let first = Generation::from_u32(1).expect("1 is not 0");
        let old = self.table.id_by_slot(slot.into()).map(Index::of);
        let generation = old.map_or(first, |old| old.generation.next());
        let index = Index { slot, generation };
        (index, self.insert_at(index, value))
    }

    #[must_use]
    pub fn contains(&self, index: Index) -> bool {
        self.table.contains(index.id())
    }

    #[must_use]
    pub fn contains_slot(&self, slot: u32) -> Option<Index> {
        self.table.id_by_slot(slot.into()).map(Index::of)
    }

    #[must_use]
    pub fn get(&self, index: Index) -> Option<&T> {
        self.table.get(index.id())
    }

    #[must_use]
    pub fn get_mut(&mut self, index: Index) -> Option<&mut T> {
        self.table.get_mut(index.id())
    }

    pub fn get2_mut(&mut self, one: Index, other: Index) -> (Option<&mut T>, Option<&mut T>) {
        arena_table::get2_mut(&mut self.table, one.id(), other.id())
    }

    pub fn remove(&mut self, index: Index) -> Option<T> {
        if fault::is_planted() {
            return None;
        }
        self.table.remove(index.id())
    }

    /// A removal and an insertion at the slot's next life.
    pub fn invalidate(&mut self, index: Index) -> Option<Index> {
        let value = self.table.remove(index.id())?;
        let next = Index { generation: index.generation.next(), ..index };
        self.table.insert_at(next.id(), value).expect("the slot was freed");
        Some(next)
    }

    #[must_use]
    pub fn get_by_slot(&self, slot: u32) -> Option<(Index, &T)> {
        self.table.get_by_slot(slot.into()).map(|(id, value)| (Index::of(id), value))
    }

    #[must_use]
    pub fn get_by_slot_mut(&mut self, slot: u32) -> Option<(Index, &mut T)> {
        self.table.get_mut_by_slot(slot.into()).map(|(id, value)| (Index::of(id), value))
    }

    pub fn remove_by_slot(&mut self, slot: u32) -> Option<(Index, T)> {
        self.table.remove_by_slot(slot.into()).map(|(id, value)| (Index::of(id), value))
    }

    pub fn clear(&mut self) {
        self.table.clear();
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Index, &T)> {
        self.table.iter_with_ids().map(|(id, value)| (Index::of(id), value))
    }

    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (Index, &mut T)> {
        self.table.iter_with_ids_mut().map(|(id, value)| (Index::of(id), value))
    }

    pub fn drain(&mut self) -> impl ExactSizeIterator<Item = (Index, T)> {
        self.table.drain().map(|(id, value)| (Index::of(id), value))
    }

    pub fn retain<F: FnMut(Index, &mut T) -> bool>(&mut self, mut keep: F) {
        self.table.retain(|id, value| keep(Index::of(id), value));
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Ours taken apart yields the objects alone: with their ids they are drained.
impl<T> IntoIterator for Arena<T> {
    type Item = (Index, T);
    type IntoIter = std::vec::IntoIter<(Index, T)>;

    fn into_iter(mut self) -> Self::IntoIter {
        self.drain().collect::<Vec<_>>().into_iter()
    }
}

impl<T> ops::Index<Index> for Arena<T> {
    type Output = T;

    fn index(&self, index: Index) -> &T {
        &self.table[index.id()]
    }
}

impl<T> ops::IndexMut<Index> for Arena<T> {
    fn index_mut(&mut self, index: Index) -> &mut T {
        &mut self.table[index.id()]
    }
}
