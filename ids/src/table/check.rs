//! Walks a table's invariants.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "slots and counts of slots, of which there is memory for each; sums of three are \
              below four times that"
)]

use loligo_allocators::Allocator;

use crate::error::TableDamage;
use crate::id::TableId;
use crate::policy::{End, FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape, slots_for};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Checks the table's own structure, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(slots).
    ///
    /// # Errors
    ///
    /// [`TableDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), TableDamage> {
        if self.used > self.capacity || self.capacity > self.limit {
            return damage("more slots are in use than there are", self.used);
        }
        if F::LIFO && self.head != 0 || self.head >= self.capacity.max(1) {
            return damage("the free list does not begin where it should", self.head);
        }
        if self.free + self.reserved + self.retired > self.used {
            return damage("free, reserved and retired slots are more than all", self.used);
        }
        if E::END != End::Retire && self.retired > 0 {
            return damage("a slot is retired though none should be", self.used);
        }
        let slots = if self.capacity == 0 { 1 } else { slots_for(self.capacity).unwrap_or(0) };
        if self.mask + 1 != slots {
            return damage("the mask does not fit the number of slots", self.mask);
        }
        let mut seen = Seen::default();
        for slot in 0..self.used {
            self.check_slot(slot, &mut seen)?;
        }
        if (seen.live, seen.free, seen.reserved) != (self.len(), self.free, self.reserved) {
            return damage("slots of some state are miscounted", self.used);
        }
        for slot in self.used..slots {
            if self.parts.word(slot) != 0 {
                return damage("a slot that was never used is written", slot);
            }
        }
        // To the end of the bitmap, whose last word may have more bits than there are places.
        for place in self.used..self.capacity.div_ceil(64) * 64 {
            self.parts.check(place, false, self.len()).or_else(|what| damage(what, place))?;
        }
        // So the places to visit are those of the live slots: the bits are theirs, or each has one
        // below their number that no other has. And the list names each free slot once: it is as
        // long as they are many, and each of them is on it.
        Ok(())
    }

    fn check_slot(&self, slot: usize, seen: &mut Seen) -> Result<(), TableDamage> {
        let word = self.parts.word(slot);
        let live = !self.is_dead(slot);
        if live {
            if !self.is_own(word) {
                return damage("a live slot has no generation or another table's tag", slot);
            }
            seen.live += 1;
        } else {
            if word & !(I::INDEX_MASK | I::GENERATION_MASK) != 0 {
                return damage("a dead slot has a tag", slot);
            }
            if (word ^ slot as u64) & 1 == 0 {
                return damage("a dead slot has the lowest bit of its own index", slot);
            }
            if self.is_free(slot) {
                seen.free += 1;
                if E::END == End::Retire && word & I::GENERATION_MASK == I::GENERATION_MASK {
                    return damage("a slot is free that has lived all its lives", slot);
                }
            } else if word & I::INDEX_MASK != (slot ^ 1) as u64 {
                return damage("a slot on no list leads on", slot);
            } else {
                seen.reserved += usize::from(word & I::GENERATION_MASK != 0);
            }
        }
        self.parts.check(slot, live, self.len()).or_else(|what| damage(what, slot))
    }
}

/// Slots by state.
#[derive(Default)]
struct Seen {
    live: usize,
    free: usize,
    reserved: usize,
}

fn damage(what: &'static str, slot: usize) -> Result<(), TableDamage> {
    Err(TableDamage { what, index: slot as u64 })
}
