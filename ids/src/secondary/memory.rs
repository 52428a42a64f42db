//! The memory of a map: its constructors, its growth and its deallocation.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem;

use loligo_allocators::Allocator;

use super::{Placement, Secondary};
use crate::error::InsertError;
use crate::id::TableId;
use crate::table::{HoleParts, Measures, Parts, align, offsets, slots_for};

impl<'a, I: TableId, T, P: Placement> Secondary<'a, I, T, dyn Allocator + 'a, P> {
    /// Returns an empty map that takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, I: TableId, T, A: Allocator + ?Sized, P: Placement> Secondary<'a, I, T, A, P> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        let parts = HoleParts::nowhere();
        Self { parts, mask: 0, len: 0, capacity: 0, memory, owned: PhantomData }
    }

    /// Shrinks the block to the values that there are: up to the highest index of a [`Secondary`],
    /// by halves of a [`SparseSecondary`](crate::SparseSecondary).
    ///
    /// # Complexity
    ///
    /// O(capacity): moves every value to another block.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if the smaller block is refused; the map is as it was.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), InsertError> {
        let capacity = P::least_capacity::<T, I>(self.parts, self.len, self.capacity);
        if capacity == self.capacity {
            return Ok(());
        }
        if capacity == 0 {
            self.give_back();
            (self.parts, self.mask, self.capacity) = (HoleParts::nowhere(), 0, 0);
            return Ok(());
        }
        self.rebuild(capacity)
    }

    /// Shrinks as [`try_shrink_to_fit`](Self::try_shrink_to_fit) does, or keeps the block where a
    /// smaller one is refused, which does no harm.
    pub fn shrink_to_fit(&mut self) {
        let _ = self.try_shrink_to_fit();
    }

    /// Makes room for the value of an id and returns the place that it is to have, or has.
    #[inline]
    pub(super) fn make_room(&mut self, id: I) -> Result<usize, InsertError> {
        let bits = id.bits();
        let index = bits & I::INDEX_MASK;
        if P::capacity_for::<I>(index, self.len, self.capacity) != Some(self.capacity) {
            self.grow(index)?;
        }
        Ok(P::place::<T, I>(self.parts, self.mask, bits))
    }

    /// Moves all values to another block, which has room for them.
    pub(super) fn rebuild(&mut self, capacity: usize) -> Result<(), InsertError> {
        let (parts, mask) = Self::block_for(self.memory, capacity)?;
        for place in self.parts.walk(self.capacity, self.len) {
            let word = self.parts.word(place);
            let to = P::place::<T, I>(parts, mask, word);
            // SAFETY: a value is at a live place (invariant 2), and this block is left for good.
            let value = unsafe { self.parts.object_at(place).read() };
            parts.put(to, word, 0, value);
        }
        self.give_back();
        (self.parts, self.mask, self.capacity) = (parts, mask, capacity);
        Ok(())
    }

    /// Takes a block without values for `capacity` places, and returns its parts and mask.
    pub(super) fn block_for(
        memory: &A,
        capacity: usize,
    ) -> Result<(HoleParts<T, I::Repr>, usize), InsertError> {
        let layout = Self::layout(capacity).ok_or(Self::refused(capacity))?;
        let block = memory.allocate(layout).map_err(|_| Self::refused(capacity))?;
        // SAFETY: the block was requested with the layout of that many values.
        let parts = unsafe { HoleParts::within(block.cast(), Self::MEASURES, capacity) };
        // SAFETY: these are the parts of that block.
        unsafe { parts.format(0, capacity) };
        Ok((parts, slots_for(capacity).map_or(0, |slots| slots.saturating_sub(1))))
    }

    /// Deallocates the block, if there is one. The map is not to use it any more.
    pub(super) fn give_back(&mut self) {
        if self.capacity == 0 {
            return;
        }
        let Some(layout) = Self::layout(self.capacity) else {
            unreachable!("the block was taken with a layout");
        };
        // SAFETY: the block came from this allocator with this layout, and is not used any more.
        unsafe { self.memory.deallocate_sized(self.parts.block(), layout) };
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, index: u64) -> Result<(), InsertError> {
        match P::capacity_for::<I>(index, self.len, self.capacity) {
            Some(capacity) => self.rebuild(capacity),
            None => {
                let slots = usize::try_from(index).unwrap_or(usize::MAX);
                Err(Self::refused(slots))
            }
        }
    }

    fn layout(capacity: usize) -> Option<Layout> {
        let bytes = offsets(Self::MEASURES, capacity)?.bytes;
        Layout::from_size_align(bytes, align(Self::MEASURES)).ok()
    }

    const MEASURES: Measures = HoleParts::<T, I::Repr>::MEASURES;

    #[cold]
    fn refused(slots: usize) -> InsertError {
        let bytes = offsets(Self::MEASURES, slots).map_or(u64::MAX, |all| all.bytes as u64);
        InsertError::Memory { slots: slots as u64, bytes }
    }
}

/// Drops what is left of the values, and gives the memory back even if a destructor panics.
struct Rest<'s, 'a, I: TableId, T, A: Allocator + ?Sized, P: Placement>(
    &'s mut Secondary<'a, I, T, A, P>,
);

impl<I: TableId, T, A: Allocator + ?Sized, P: Placement> Drop for Rest<'_, '_, I, T, A, P> {
    fn drop(&mut self) {
        // Only a panic leaves values here; a second one aborts, as it does with `Vec`.
        if mem::needs_drop::<T>() {
            self.0.clear();
        }
        self.0.give_back();
    }
}

impl<I: TableId, T, A: Allocator + ?Sized, P: Placement> Drop for Secondary<'_, I, T, A, P> {
    fn drop(&mut self) {
        let rest = Rest(self);
        if mem::needs_drop::<T>() {
            rest.0.clear();
        }
    }
}
