//! The levels of detail of meshes, and which level each object has in each view.

use core::sync::atomic::{AtomicU8, Ordering};

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::lod::{LodSet, NO_LEVEL};

/// The levels of meshes by number, and a column of levels for each view.
///
/// A column is there for views only once a mesh has levels.
pub(super) struct Lods<'a, A: Allocator + ?Sized> {
    sets: Array<'a, Option<LodSet>, A>,
    /// By the number of the view, then by the row of the mesh.
    ///
    /// Tasks that cull share the world. Each byte is that of one row, which is in the piece of one
    /// task for each view; views that share a column choose the same level in any order. So the
    /// order of their accesses means nothing, and the end of the tasks orders them with the next
    /// frame's.
    chosen: Array<'a, Array<'a, AtomicU8, A>, A>,
}

impl<'a, A: Allocator + ?Sized> Lods<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { sets: Array::new_in(memory), chosen: Array::new_in(memory) }
    }

    pub(super) fn try_set(&mut self, number: u32, set: Option<LodSet>) -> Result<(), GrowError> {
        let at = number as usize;
        if at >= self.sets.len() {
            if set.is_none() {
                return Ok(());
            }
            self.sets.try_resize(at + 1, None)?;
        }
        self.sets[at] = set;
        Ok(())
    }

    /// Returns the levels of the meshes whose objects have this number; 0 are none.
    #[inline]
    pub(super) fn get(&self, lods: u32) -> Option<&LodSet> {
        self.sets.get(lods.checked_sub(1)? as usize)?.as_ref()
    }

    /// Chooses the level of a row in a view.
    #[inline]
    pub(super) fn choose(&self, set: &LodSet, view: u8, row: u32, size: f32) -> u8 {
        let column = self.chosen.get(usize::from(view));
        let Some(chosen) = column.and_then(|column| column.get(row as usize)) else {
            return set.level(NO_LEVEL, size);
        };
        let before = chosen.load(Ordering::Relaxed);
        let level = set.level(before, size);
        if level != before {
            chosen.store(level, Ordering::Relaxed);
        }
        level
    }

    /// Makes columns for as many views and rows.
    pub(super) fn try_remember(&mut self, views: usize, rows: usize) -> Result<(), GrowError> {
        if self.sets.is_empty() {
            return Ok(());
        }
        let memory = self.chosen.memory();
        while self.chosen.len() < views {
            let mut column = Array::try_with_capacity_in(rows, memory)?;
            column.extend((0..rows).map(|_| AtomicU8::new(NO_LEVEL)));
            self.chosen.try_push(column)?;
        }
        Ok(())
    }

    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        self.chosen.iter_mut().try_for_each(|column| column.try_reserve(more))
    }

    /// Appends a row, for which there is room.
    pub(super) fn push(&mut self) {
        self.chosen.iter_mut().for_each(|column| column.push(AtomicU8::new(NO_LEVEL)));
    }

    pub(super) fn swap_remove(&mut self, row: usize) {
        for column in &mut self.chosen {
            column.swap_remove(row);
        }
    }

    /// Forgets the levels of a row, whose mesh is another one.
    pub(super) fn forget(&mut self, row: usize) {
        for column in &mut self.chosen {
            *column[row].get_mut() = NO_LEVEL;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let columns = self.chosen.iter().map(|column| column.capacity()).sum::<usize>();
        let lists = self.chosen.capacity() * size_of::<Array<'_, AtomicU8, A>>();
        columns + lists + self.sets.capacity() * size_of::<Option<LodSet>>()
    }

    pub(super) fn validate(&self, rows: usize) -> Result<(), &'static str> {
        if self.chosen.iter().any(|column| column.len() != rows) {
            return Err("a view remembers the levels of more or fewer meshes than there are");
        }
        Ok(())
    }
}
