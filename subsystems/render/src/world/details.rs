//! What meshes have besides their triangles: levels of detail, with the level that each object has
//! in each view, and boxes that hide what they cover.

use core::sync::atomic::{AtomicU8, Ordering};

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::lod::{LodSet, NO_LEVEL};

/// What one mesh has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Detail {
    pub(super) lods: Option<LodSet>,
    /// Two corners of a box.
    pub(super) occluder: Option<[Vec3; 2]>,
}

/// The details of meshes by number, and a column of levels for each view.
///
/// A column is there for views only once a mesh has levels.
pub(super) struct Details<'a, A: Allocator + ?Sized> {
    meshes: Array<'a, Detail, A>,
    /// Whether a mesh has levels, or had some.
    has_lods: bool,
    /// By the number of the view, then by the row of the mesh.
    ///
    /// Tasks that cull share the world. Each byte is that of one row, which is in the piece of one
    /// task for each view; views that share a column choose the same level in any order. So the
    /// order of their accesses means nothing, and the end of the tasks orders them with the next
    /// frame's.
    chosen: Array<'a, Array<'a, AtomicU8, A>, A>,
}

impl<'a, A: Allocator + ?Sized> Details<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { meshes: Array::new_in(memory), has_lods: false, chosen: Array::new_in(memory) }
    }

    pub(super) fn try_set_lods(
        &mut self,
        number: u32,
        lods: Option<LodSet>,
    ) -> Result<(), GrowError> {
        self.has_lods |= lods.is_some();
        self.try_change(number, lods.is_some(), |detail| detail.lods = lods)
    }

    pub(super) fn try_set_occluder(
        &mut self,
        number: u32,
        occluder: Option<[Vec3; 2]>,
    ) -> Result<(), GrowError> {
        self.try_change(number, occluder.is_some(), |detail| detail.occluder = occluder)
    }

    /// Returns the details of the meshes whose objects have this number; 0 are none.
    #[inline]
    pub(super) fn get(&self, details: u32) -> Option<&Detail> {
        self.meshes.get(details.checked_sub(1)? as usize)
    }

    /// Returns `true` if a mesh may hide something.
    pub(super) fn has_occluders(&self) -> bool {
        self.meshes.iter().any(|detail| detail.occluder.is_some())
    }

    fn try_change(
        &mut self,
        number: u32,
        is_something: bool,
        change: impl FnOnce(&mut Detail),
    ) -> Result<(), GrowError> {
        let at = number as usize;
        if at >= self.meshes.len() {
            if !is_something {
                return Ok(());
            }
            self.meshes.try_resize(at + 1, Detail::default())?;
        }
        change(&mut self.meshes[at]);
        Ok(())
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
        if !self.has_lods {
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
        columns + lists + self.meshes.capacity() * size_of::<Detail>()
    }

    pub(super) fn validate(&self, rows: usize) -> Result<(), &'static str> {
        if self.chosen.iter().any(|column| column.len() != rows) {
            return Err("a view remembers the levels of more or fewer meshes than there are");
        }
        Ok(())
    }
}
