//! How full a table is, and how near the end of its generations.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a generation is at most the last one, and `used` at most the limit"
)]

use loligo_allocators::Allocator;

use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape, offsets};

/// A table's counters, from [`Table::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Slots that hold an object.
    pub live: u64,
    /// Slots whose id is reserved and not yet filled.
    pub reserved: u64,
    /// Slots that are free to be used again.
    pub free: u64,
    /// Of those, slots that the free list holds back.
    pub held_back: u64,
    /// Slots that have lived all their lives and are not used again, with
    /// [`Retire`](crate::Retire): each had 16 777 215 of them with the default id, 4 095 with a
    /// [`SmallId`](crate::SmallId).
    pub retired: u64,
    /// Slots that the table may have and never used.
    pub fresh: u64,
    /// Objects that there is memory for.
    pub capacity: u64,
    /// Slots that the table may have.
    pub limit: u64,
    /// Bytes of the table's block.
    pub bytes: u64,
    /// Lives of a slot.
    pub generations: u64,
    /// The highest generation that a slot has reached.
    pub generation_highest: u64,
    /// How many more ids can be given out before every slot has used all its generations;
    /// `u64::MAX` if that number is greater. With [`Wrap`](crate::Wrap) the table continues after
    /// that.
    pub ids_left: u64,
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Returns how full the table is and how near the end of its generations.
    ///
    /// # Complexity
    ///
    /// O(slots): looks at every slot's generation.
    #[must_use]
    pub fn stats(&self) -> TableStats {
        let fresh = (self.limit - self.used) as u64;
        let mut highest = 0;
        let mut left = fresh.saturating_mul(I::GENERATIONS);
        for slot in 0..self.used {
            let field = self.parts.word(slot) & I::GENERATION_MASK;
            let retired = field == 0 && self.is_dead(slot) && !self.is_free(slot);
            let generation = if retired { I::GENERATIONS } else { field >> I::INDEX_BITS };
            highest = highest.max(generation);
            left = left.saturating_add(I::GENERATIONS - generation);
        }
        TableStats {
            live: self.len() as u64,
            reserved: self.reserved as u64,
            free: self.free as u64,
            held_back: self.free.min(F::MIN_FREE) as u64,
            retired: self.retired as u64,
            fresh,
            capacity: self.capacity as u64,
            limit: self.limit as u64,
            bytes: self.bytes(),
            generations: I::GENERATIONS,
            generation_highest: highest,
            ids_left: left,
        }
    }

    fn bytes(&self) -> u64 {
        if self.capacity == 0 {
            return 0;
        }
        offsets(Self::MEASURES, self.capacity).map_or(0, |all| all.bytes as u64)
    }
}
