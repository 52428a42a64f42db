//! A copy of a table, with the same ids.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "as many slots count as retired as objects are not yet cloned; a turn is below the \
              number of free slots"
)]

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T: Clone, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Returns a table with clones of all objects under the same ids, in memory of any allocator.
    ///
    /// It has the tag, the limit, the reserved ids and the free list of this one, so both give out
    /// the same ids from here on, and each takes the ids of the other for its own.
    ///
    /// # Complexity
    ///
    /// O(slots). Takes one block.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if memory is refused; nothing was cloned.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::HoleTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut board: HoleTable<u32> = HoleTable::new(&MEMORY);
    /// let pawn = board.insert(1)?;
    /// // A search tries a move on a copy.
    /// let mut tried = board.try_clone(&MEMORY)?;
    /// tried[pawn] = 9;
    /// assert_eq!((board[pawn], tried[pawn]), (1, 9));
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<Table<'b, S, T, I, F, E>, InsertError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<Table<'b, S, T, I, F, E, B>, InsertError> {
        let mut copy = Table::empty(self.limit, Some(memory), self.tag);
        copy.grow_to(self.used)?;
        copy.copy_objects(self);
        copy.copy_dead(self);
        Ok(copy)
    }

    /// Clones the objects into this table, which has the memory, but nothing in it.
    fn copy_objects<B: Allocator + ?Sized>(&mut self, from: &Table<'_, S, T, I, F, E, B>) {
        self.used = from.used;
        // What is not yet cloned counts as retired, so a panic leaves a table that may be dropped.
        self.retired = from.used;
        for (id, object) in from.iter_with_ids() {
            let clone = object.clone();
            let bits = id.bits();
            self.parts.put((bits & I::INDEX_MASK) as usize, bits, self.len(), clone);
            self.retired -= 1;
        }
    }

    /// Copies the slots without an object: free ones in their turn, reserved and retired ones.
    fn copy_dead<B: Allocator + ?Sized>(&mut self, from: &Table<'_, S, T, I, F, E, B>) {
        for slot in 0..from.used {
            if from.is_dead(slot) {
                self.parts.set_word(slot, from.parts.word(slot));
            }
        }
        (self.reserved, self.retired) = (from.reserved, from.retired);
        self.free = from.free;
        for turn in 0..from.free {
            let slot = from.free_in_turn(turn);
            let generation = from.parts.word(slot) & I::GENERATION_MASK;
            self.place_free(slot, generation, self.position(turn));
        }
    }
}
