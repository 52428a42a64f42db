//! The free list: a stack or a ring of slots, each of which knows its position in it.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "positions and counts of slots are at most the capacity, and below twice that \
              before they are wrapped; a generation that is raised was not the last"
)]

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::{Repr, TableId};
use crate::policy::{End, FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Takes a slot from the free list, or a fresh one, and returns it with the bits of its next
    /// id. The caller writes them.
    #[inline]
    pub(super) fn acquire(&mut self) -> Result<(usize, u64), InsertError> {
        if self.free <= F::MIN_FREE {
            return self.acquire_fresh();
        }
        let slot = self.free_slot(self.first());
        let mut last = self.parts.word(slot) & I::GENERATION_MASK;
        // A retiring table has no such slot on its list.
        if E::END != End::Retire && last == I::GENERATION_MASK {
            if E::END == End::Refuse {
                return Err(spent::<I>(slot));
            }
            last = 0;
        }
        self.drop_first();
        Ok((slot, self.own_tag() | (last + I::GENERATION_ONE) | slot as u64))
    }

    /// Takes the next slot that was never used; grows the table if there is none.
    #[inline]
    fn acquire_fresh(&mut self) -> Result<(usize, u64), InsertError> {
        if self.used == self.capacity {
            self.grow()?;
        }
        let slot = self.used;
        self.used += 1;
        Ok((slot, self.own_tag() | I::GENERATION_ONE | slot as u64))
    }

    /// Returns the tag where an id has it. The compiler knows that there is none where no bits are
    /// left for it.
    #[inline]
    pub(super) fn own_tag(&self) -> u64 {
        if I::TAG_BITS == 0 { 0 } else { self.tag }
    }

    /// Frees a slot whose object is gone, after its last generation.
    #[inline]
    pub(super) fn release(&mut self, slot: usize, bits: u64) {
        if E::END == End::Retire && is_last::<I>(bits) {
            self.retire(slot);
        } else {
            // A dead slot has no tag. Where there is none, the bits are what is to be written.
            let tagged = I::TAG_BITS > 0;
            let generation = bits & I::GENERATION_MASK;
            self.push_bits(slot, if tagged { generation | slot as u64 } else { bits });
        }
    }

    /// Puts a slot on the free list: first where the last freed goes first, else last.
    #[inline]
    pub(super) fn push(&mut self, slot: usize, generation: u64) {
        self.push_bits(slot, generation | slot as u64);
    }

    /// As [`push`](Self::push), for the generation and the index in one number.
    #[inline]
    fn push_bits(&mut self, slot: usize, bits: u64) {
        let position = if F::LIFO { self.free } else { self.wrapped(self.head + self.free) };
        self.place_bits(slot, bits, position);
        self.free += 1;
    }

    /// Takes the slot at a position out of the free list. The slot that would have been next takes
    /// over the position.
    pub(super) fn unlink(&mut self, position: usize) {
        let next = self.free_slot(self.first());
        self.place_free(next, self.parts.word(next) & I::GENERATION_MASK, position);
        self.drop_first();
    }

    /// Returns the position of a slot on the free list, or `None` if it is not on it.
    ///
    /// What the slot says of its position holds where the list names the slot there.
    pub(super) fn position_of(&self, slot: usize) -> Option<usize> {
        let number = (self.parts.word(slot) ^ slot as u64) & I::INDEX_MASK;
        // Two positions have one number.
        let odd = usize::try_from(number).ok()?;
        let even = odd.checked_sub(1)?;
        if self.lists(slot, even) {
            return Some(even);
        }
        self.lists(slot, odd).then_some(odd)
    }

    /// Returns `true` if a slot below `used` is on the free list.
    pub(super) fn is_free(&self, slot: usize) -> bool {
        self.position_of(slot).is_some()
    }

    /// Returns `true` if a slot below `used` holds no object.
    pub(super) fn is_dead(&self, slot: usize) -> bool {
        // In 64 bits: where an address has fewer, the index of an image may have more.
        self.parts.word(slot) & I::INDEX_MASK != slot as u64
    }

    /// Returns `true` if a slot is dead and not on the free list.
    pub(super) fn is_unlisted(&self, slot: usize) -> bool {
        self.is_dead(slot) && !self.is_free(slot)
    }

    /// Returns the `turn`th slot to be used again, of those that are free.
    pub(super) fn free_in_turn(&self, turn: usize) -> usize {
        self.free_slot(self.position(turn))
    }

    /// Returns the slot that follows a free one on the list, or `None` for the last.
    pub(super) fn next_free(&self, position: usize) -> Option<usize> {
        if F::LIFO {
            return position.checked_sub(1).map(|below| self.free_slot(below));
        }
        let next = self.wrapped(position + 1);
        let last = self.wrapped(self.head + self.free - 1);
        (position != last).then(|| self.free_slot(next))
    }

    /// Makes a slot dead that is on no list: reserved, or retired if the generation is 0.
    pub(super) fn set_aside(&mut self, slot: usize, generation: u64) {
        self.parts.set_word(slot, generation | (slot ^ 1) as u64);
    }

    /// Turns the list around.
    pub(super) fn reverse_list(&mut self) {
        for position in 0..self.free / 2 {
            let other = self.free - 1 - position;
            let (low, high) = (self.free_slot(position), self.free_slot(other));
            self.place_free(low, self.parts.word(low) & I::GENERATION_MASK, other);
            self.place_free(high, self.parts.word(high) & I::GENERATION_MASK, position);
        }
    }

    /// Moves the free list from where it ended in a smaller block. Positions are counted from the
    /// end, so they stay.
    ///
    /// # Safety
    ///
    /// Before both ends are `capacity` positions, in one block.
    pub(super) unsafe fn move_list(&self, end: NonNull<I::Repr>, capacity: usize) {
        // A stack follows the objects' ids, of which nothing more is to be moved here.
        let len = if F::LIFO { self.free } else { capacity };
        // SAFETY: the caller's promise; a list is not longer than that.
        let from = unsafe { end.sub(len) };
        // SAFETY: as above.
        let to = unsafe { self.free_end.sub(len) };
        // SAFETY: as above; entries of a ring that were not written are copied as what they are.
        unsafe { to.cast::<MaybeUninit<I::Repr>>().copy_from(from.cast(), len) };
    }

    /// Makes a ring of `capacity` positions begin at the first, so that it can have more.
    pub(super) fn unroll_list(&mut self, capacity: usize) {
        if F::LIFO || self.head == 0 {
            return;
        }
        // SAFETY: that many positions are before the end of the list (invariant 7).
        let first = unsafe { self.free_end.cast::<MaybeUninit<I::Repr>>().sub(capacity) };
        // SAFETY: as above, written or not, and `self` is borrowed for this alone.
        let ring = unsafe { slice::from_raw_parts_mut(first.as_ptr(), capacity) };
        // Backwards, as positions are counted.
        ring.rotate_right(self.head);
        self.head = 0;
        for position in 0..self.free {
            let slot = self.free_slot(position);
            self.place_free(slot, self.parts.word(slot) & I::GENERATION_MASK, position);
        }
    }

    /// Writes a slot to a position of the list, and the position to the slot.
    #[inline]
    pub(super) fn place_free(&self, slot: usize, generation: u64, position: usize) {
        self.place_bits(slot, generation | slot as u64, position);
    }

    /// As [`place_free`](Self::place_free), for the generation and the index in one number.
    #[inline]
    fn place_bits(&self, slot: usize, bits: u64, position: usize) {
        let entry = self.entry(position);
        // SAFETY: the position is the table's own.
        unsafe { entry.write(I::Repr::narrow(slot as u64)) };
        // Numbers are odd, so that the index in the word of a dead slot is not its own, however
        // many of its bits the table's mask leaves; `position_of` knows that two positions have
        // one.
        self.parts.set_word(slot, bits ^ (position as u64 | 1));
    }

    /// Returns the slot at a position of the list.
    #[inline]
    fn free_slot(&self, position: usize) -> usize {
        // SAFETY: callers name positions of the list, which were written.
        unsafe { self.entry(position).read() }.wide() as usize
    }

    /// Returns where a position of the list is.
    #[inline]
    fn entry(&self, position: usize) -> NonNull<I::Repr> {
        // SAFETY: callers name positions below the capacity, which are before the end (invariant
        // 7).
        unsafe { self.free_end.sub(position + 1) }
    }

    /// Returns `true` if the list names a slot at a position.
    fn lists(&self, slot: usize, position: usize) -> bool {
        let turn = if F::LIFO || position >= self.head {
            position - self.head
        } else {
            position + self.capacity - self.head
        };
        position < self.capacity && turn < self.free && self.free_slot(position) == slot
    }

    /// Returns the position of the slot that is used next.
    #[inline]
    fn first(&self) -> usize {
        if F::LIFO { self.free - 1 } else { self.head }
    }

    /// Returns the position of the slot that is used as the `turn`th.
    pub(super) fn position(&self, turn: usize) -> usize {
        if F::LIFO { self.free - 1 - turn } else { self.wrapped(self.head + turn) }
    }

    /// Takes the first slot off the list.
    #[inline]
    fn drop_first(&mut self) {
        self.free -= 1;
        if !F::LIFO {
            self.head = self.wrapped(self.head + 1);
        }
    }

    /// Returns the position in the ring, for one that is less than once around.
    #[inline]
    fn wrapped(&self, position: usize) -> usize {
        if position < self.capacity { position } else { position - self.capacity }
    }

    #[cold]
    #[inline(never)]
    fn retire(&mut self, slot: usize) {
        self.set_aside(slot, 0);
        self.retired += 1;
    }
}

/// Returns `true` if bits have the last generation. Where no tag is above it, all smaller numbers
/// have another one, and a comparison in the id's own width is a single instruction.
#[inline]
fn is_last<I: TableId>(bits: u64) -> bool {
    if I::TAG_BITS == 0 {
        I::Repr::narrow(bits) >= I::Repr::narrow(I::GENERATION_MASK)
    } else {
        bits & I::GENERATION_MASK == I::GENERATION_MASK
    }
}

#[cold]
#[inline(never)]
fn spent<I: TableId>(slot: usize) -> InsertError {
    InsertError::Spent { index: slot as u64, generations: I::GENERATIONS }
}
