//! The free list: links between dead slots, kept in the slots themselves.

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::{Repr, TableId};
use crate::policy::{End, FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Takes a slot from the free list, or a fresh one, and returns it with the bits of its next id. The
    /// caller writes them.
    #[inline]
    pub(super) fn acquire(&mut self) -> Result<(usize, u64), InsertError> {
        if self.free <= F::MIN_FREE {
            return self.acquire_fresh();
        }
        let slot = self.head;
        let word = self.parts.word(slot);
        let mut last = word & I::GENERATION_MASK;
        // A retiring table has no such slot on its list.
        if E::END != End::Retire && last == I::GENERATION_MASK {
            if E::END == End::Refuse {
                return Err(spent::<I>(slot));
            }
            last = 0;
        }
        self.head = (word & I::INDEX_MASK) as usize;
        self.free -= 1;
        Ok((slot, self.tag | (last + I::GENERATION_ONE) | slot as u64))
    }

    /// Takes the next slot that was never used; grows the table if there is none.
    #[inline]
    fn acquire_fresh(&mut self) -> Result<(usize, u64), InsertError> {
        if self.used == self.capacity {
            self.grow()?;
        }
        let slot = self.used;
        self.used += 1;
        Ok((slot, self.tag | I::GENERATION_ONE | slot as u64))
    }

    /// Frees a slot whose object is gone, after its last generation.
    #[inline]
    pub(super) fn release(&mut self, slot: usize, generation: u64) {
        // Compared in the id's own width, where the constant fits the instruction.
        let last = I::Repr::narrow(generation) == I::Repr::narrow(I::GENERATION_MASK);
        if E::END == End::Retire && last {
            self.retire(slot);
        } else {
            self.push(slot, generation);
        }
    }

    /// Puts a slot on the free list: at the head where the last freed goes first, else at the tail.
    #[inline]
    pub(super) fn push(&mut self, slot: usize, generation: u64) {
        // Of a word never its own index, which would be a live slot; of a link neither, which would be one
        // on no list. No index is as large as all ones, since a generation has a bit at least.
        let next;
        let mut link = usize::MAX;
        if self.free == 0 {
            next = slot ^ 1;
            self.head = slot;
            self.tail = slot;
        } else if F::LIFO {
            next = self.head;
            self.parts.set_link(self.head, slot);
            self.head = slot;
        } else {
            next = slot ^ 1;
            link = self.tail;
            self.lead_on(self.tail, slot);
            self.tail = slot;
        }
        self.parts.set_link(slot, link);
        self.parts.set_word(slot, generation | next as u64);
        self.free += 1;
    }

    /// Takes a slot out of the free list, wherever it is.
    pub(super) fn unlink(&mut self, slot: usize) {
        let next = self.next_free(slot);
        let back = self.parts.link(slot);
        match (slot == self.head, slot == self.tail) {
            (true, _) => self.head = next,
            (false, true) => {
                self.tail = back;
                self.lead_on(back, back ^ 1);
            }
            (false, false) => {
                self.lead_on(back, next);
                self.parts.set_link(next, back);
            }
        }
        self.free -= 1;
    }

    /// Tells whether a slot below `used` is on the free list.
    pub(super) fn is_free(&self, slot: usize) -> bool {
        self.is_dead(slot) && self.parts.link(slot) != slot
    }

    /// Tells whether a slot below `used` holds no object.
    pub(super) fn is_dead(&self, slot: usize) -> bool {
        (self.parts.word(slot) & I::INDEX_MASK) as usize != slot
    }

    /// Returns the slot that follows a free one on the list; anything for the last.
    pub(super) fn next_free(&self, slot: usize) -> usize {
        (self.parts.word(slot) & I::INDEX_MASK) as usize
    }

    /// Makes a slot dead that is on no list: reserved, or retired if the generation is 0.
    pub(super) fn set_aside(&mut self, slot: usize, generation: u64) {
        self.parts.set_word(slot, generation | (slot ^ 1) as u64);
        self.parts.set_link(slot, slot);
    }

    /// Makes a free slot lead on to another.
    #[inline]
    fn lead_on(&self, slot: usize, next: usize) {
        let generation = self.parts.word(slot) & I::GENERATION_MASK;
        self.parts.set_word(slot, generation | next as u64);
    }

    #[cold]
    fn retire(&mut self, slot: usize) {
        self.set_aside(slot, 0);
        self.retired += 1;
    }
}

#[cold]
#[inline(never)]
fn spent<I: TableId>(slot: usize) -> InsertError {
    InsertError::Spent { index: slot as u64, generations: I::GENERATIONS }
}
