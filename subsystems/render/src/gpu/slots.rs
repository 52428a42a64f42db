//! What is uploaded by number.

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::gpu::error::GpuRenderError;

/// How many textures, shaders, materials or meshes there can be: numbers are below.
pub const NUMBERS_MAX: u32 = 1 << 16;

/// A row of slots, found by number.
pub(super) struct Slots<'a, T, A: Allocator + ?Sized> {
    what: &'static str,
    slots: Array<'a, Option<T>, A>,
}

impl<'a, T, A: Allocator + ?Sized> Slots<'a, T, A> {
    pub(super) const fn new_in(what: &'static str, memory: &'a A) -> Self {
        Self { what, slots: Array::new_in(memory) }
    }

    pub(super) fn memory(&self) -> &'a A {
        self.slots.memory()
    }

    /// Makes room for a number.
    pub(super) fn try_reserve(&mut self, number: u32) -> Result<(), GpuRenderError> {
        let (what, limit) = (self.what, NUMBERS_MAX);
        if number >= limit {
            return Err(GpuRenderError::Number { what, number, limit });
        }
        let more = (number as usize + 1).saturating_sub(self.slots.len());
        self.slots.try_reserve(more)?;
        (0..more).for_each(|_| self.slots.push(None));
        Ok(())
    }

    /// Puts something into the slot of a number for which there is room; returns what was there.
    pub(super) fn replace(&mut self, number: u32, by: T) -> Option<T> {
        self.slots[number as usize].replace(by)
    }

    /// Empties the slot of a number; returns what was there.
    pub(super) fn take(&mut self, number: u32) -> Option<T> {
        self.slots.get_mut(number as usize)?.take()
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.slots.get(number as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.slots.get_mut(number as usize)?.as_mut()
    }

    /// Returns what a number names, or says that it names nothing.
    #[inline]
    pub(super) fn expect(&self, number: u32) -> Result<&T, GpuRenderError> {
        self.get(number).ok_or(GpuRenderError::Nothing { what: self.what, number })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }
}
