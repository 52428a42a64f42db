//! The block of a table made as small as its slots.
#![expect(clippy::arithmetic_side_effects, reason = "a table in use has at least two slots")]

use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape, slots_for};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Shrinks the block to the slots that were ever used, and deallocates it where there are none.
    ///
    /// A slot that is free keeps its place: its generation is what refuses the ids that it had. A
    /// table in memory of the caller keeps its capacity.
    ///
    /// # Complexity
    ///
    /// O(slots): moves every object to another block. No id is invalidated.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if the smaller block is refused; the table is as it was.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), InsertError> {
        let Some(memory) = self.memory else { return Ok(()) };
        if self.used == self.capacity {
            return Ok(());
        }
        if self.used == 0 {
            self.give_back();
            (self.parts, self.free_end) = (S::Parts::nowhere(), NonNull::dangling());
            (self.capacity, self.mask, self.head) = (0, 0, 0);
            return Ok(());
        }
        let capacity = self.used;
        let layout = Self::layout(capacity).ok_or(Self::refused(capacity))?;
        let block = memory.allocate(layout).map_err(|_| Self::refused(capacity))?.cast();
        // SAFETY: the block was allocated with the layout of a table for `capacity` objects.
        unsafe { self.move_to_block(block, capacity) };
        Ok(())
    }

    /// Shrinks as [`try_shrink_to_fit`](Self::try_shrink_to_fit) does, or keeps the block where a
    /// smaller one is refused, which does no harm.
    pub fn shrink_to_fit(&mut self) {
        let _ = self.try_shrink_to_fit();
    }

    /// Moves the table to another block and deallocates the old one.
    ///
    /// # Safety
    ///
    /// The block has the size and alignment that `capacity` objects need, of which there are as
    /// many as slots in use.
    unsafe fn move_to_block(&mut self, block: NonNull<u8>, capacity: usize) {
        self.unroll_list(self.capacity);
        // SAFETY: the caller's promise.
        let (parts, end) = unsafe { Self::parts_within(block, capacity) };
        // SAFETY: there is room for the slots and the objects, and the blocks are apart.
        unsafe { self.parts.move_to(parts, self.used, self.len()) };
        // SAFETY: the free slots are at the first positions of the list (invariants 5 and 7), and
        // no more than there are slots.
        let from = unsafe { self.free_end.sub(self.free) };
        // SAFETY: as above, in the new block.
        let to = unsafe { end.sub(self.free) };
        // SAFETY: that many are before both ends, in two blocks.
        unsafe { to.copy_from_nonoverlapping(from, self.free) };
        // SAFETY: these are the parts of that block.
        unsafe { parts.format(self.used, capacity) };
        self.give_back();
        (self.parts, self.free_end) = (parts, end);
        self.capacity = capacity;
        self.mask = slots_for(capacity).unwrap_or(1) - 1;
    }
}
