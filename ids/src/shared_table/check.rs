//! What a shared table looks at to find itself whole.
#![expect(clippy::arithmetic_side_effects, reason = "as in `shared_table`")]

use loligo_allocators::Allocator;

use super::SharedTable;
use crate::error::TableDamage;
use crate::id::TableId;
use crate::policy::GenerationEnd;
use crate::sync::{AtomicWord, Ordering, SharedRepr};

impl<I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + ?Sized>
    SharedTable<'_, I, E, A>
{
    /// Checks the table's own structure, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(slots^2): for tests.
    ///
    /// # Errors
    ///
    /// [`TableDamage`] names the first fault found.
    pub fn validate(&mut self) -> Result<(), TableDamage> {
        let wrong = |what, index| Err(TableDamage { what, index });
        let mut queued = 0;
        for (number, lane) in self.all_lanes().enumerate() {
            queued += lane.validate(self.shape.share(number).slots)?;
        }
        let mut live = 0;
        for slot in 0..self.shape.slots() {
            // Relaxed, here and below: `&mut self` comes after whatever was done through `&self`.
            let word = self.word(slot).load(Ordering::Relaxed);
            let is_live = word & I::INDEX_MASK == slot as u64;
            if word & !(I::INDEX_MASK | I::GENERATION_MASK) != if is_live { self.tag } else { 0 } {
                return wrong("a slot has a tag that is not its own", slot as u64);
            }
            live += usize::from(is_live);
        }
        let retired = self.retired.load(Ordering::Relaxed);
        if live + retired + queued != self.shape.slots() {
            return wrong("live, retired and queued slots are not all", live as u64);
        }
        (0..self.shape.count()).try_for_each(|number| self.validate_queue(number))
    }

    /// Checks the entries of a lane's queue.
    fn validate_queue(&self, number: usize) -> Result<(), TableDamage> {
        let wrong = |what, index| Err(TableDamage { what, index });
        let (lane, share) = (self.lane(number), self.shape.share(number));
        let returned = lane.returned.load(Ordering::Relaxed);
        for at in lane.taken.load(Ordering::Relaxed)..returned {
            let slot = self.entry(share, at).load(Ordering::Relaxed);
            let is_of_lane = |&found: &usize| self.shape.lane_of(found) == number;
            let Some(found) = self.slot(slot).filter(|_| slot <= I::INDEX_MASK).filter(is_of_lane)
            else {
                return wrong("the queue holds what is no slot of its lane", slot);
            };
            if self.word(found).load(Ordering::Relaxed) & I::INDEX_MASK == slot {
                return wrong("a slot is queued that is live", slot);
            }
            let queued_again =
                |other: usize| self.entry(share, other).load(Ordering::Relaxed) == slot;
            if (at + 1..returned).any(queued_again) {
                return wrong("a slot is queued twice", slot);
            }
        }
        Ok(())
    }
}
