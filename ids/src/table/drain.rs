//! Removal of many: all, some, or one after another.
#![expect(clippy::arithmetic_side_effects, reason = "a live place is below the capacity")]

use core::iter::FusedIterator;

use loligo_allocators::Allocator;

use crate::id::{Id, TableId};
use crate::policy::{FreeList, GenerationEnd, Lifo, Retire};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'a, S, T, I, F, E, A>
{
    /// Removes and drops every object. Reserved ids stay reserved, and the memory is kept.
    ///
    /// If a destructor panics, the objects not yet reached stay in the table.
    ///
    /// # Complexity
    ///
    /// O(live); with holes also a step for every 64 slots.
    pub fn clear(&mut self) {
        let mut place = 0;
        while let Some((_, value)) = self.take_next(&mut place) {
            drop(value);
        }
    }

    /// Keeps the objects that `keep` says yes to and drops the others.
    ///
    /// If `keep` or a destructor panics, the objects not yet asked about stay in the table.
    ///
    /// # Complexity
    ///
    /// O(live) calls; with holes also a step for every 64 slots.
    pub fn retain(&mut self, mut keep: impl FnMut(I, &mut T) -> bool) {
        let mut from = 0;
        while let Some(place) = self.parts.next_place(from, self.used, self.len()) {
            let bits = self.parts.bits_at(place);
            // SAFETY: the bits at a live place are those of an id, which are never 0.
            let id = unsafe { I::unchecked(bits) };
            // SAFETY: an object is at a live place, and `self` is borrowed for this alone.
            let object = unsafe { self.parts.object_at(place).as_mut() };
            if keep(id, object) {
                from = place + 1;
            } else {
                // In a packed table the last object moves here and is asked about next.
                from = place;
                drop(self.take_out(bits as usize & self.mask, bits));
            }
        }
    }

    /// Removes the objects one after another and gives each with its id, which is dead by then.
    ///
    /// What is not taken when the iterator is dropped is removed and dropped then; if the iterator
    /// is leaked instead, it stays in the table.
    ///
    /// # Complexity
    ///
    /// O(1) an object; with holes also a step for every 64 slots.
    pub fn drain(&mut self) -> Drain<'_, 'a, S, T, I, F, E, A> {
        Drain { table: self, place: 0 }
    }

    /// Removes the object that is cheapest to remove, from `place` on, and advances `place`.
    fn take_next(&mut self, place: &mut usize) -> Option<(I, T)> {
        if self.is_empty() {
            return None;
        }
        let next = self.parts.cheapest_place(*place, self.used, self.len())?;
        let bits = self.parts.bits_at(next);
        *place = S::Parts::<T, I::Repr>::after(next);
        let value = self.take_out(bits as usize & self.mask, bits);
        // SAFETY: the bits at a live place are those of an id, which are never 0.
        Some((unsafe { I::unchecked(bits) }, value))
    }
}

/// The objects of a [`Table`] on their way out, given by [`Table::drain`].
pub struct Drain<
    't,
    'a,
    S: Shape,
    T,
    I: TableId = Id<T>,
    F: FreeList = Lifo,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + 'a,
> {
    table: &'t mut Table<'a, S, T, I, F, E, A>,
    /// Where to look on.
    place: usize,
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Iterator
    for Drain<'_, '_, S, T, I, F, E, A>
{
    type Item = (I, T);

    #[inline]
    fn next(&mut self) -> Option<(I, T)> {
        self.table.take_next(&mut self.place)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.table.len(), Some(self.table.len()))
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    ExactSizeIterator for Drain<'_, '_, S, T, I, F, E, A>
{
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> FusedIterator
    for Drain<'_, '_, S, T, I, F, E, A>
{
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for Drain<'_, '_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        self.table.clear();
    }
}
