//! Making room in a set, and reclaiming what stores have left.

use loligo_allocators::Allocator;

use super::slots::{NO_SLOT, Slot, set_slot_in, slot_in};
use super::{KeyValuesSet, store_in};
use crate::error::GrowError;
use crate::keyed::key_values::{MOST, raise};

/// Set in the first word of garbage, which says how many words it is. No slot has so high a number,
/// so that the two can be distinguished while the set is compacted.
pub(super) const FREE: u32 = 1 << 31;

/// The most stores of a set: as many as an id has indices.
const STORES_MAX: u32 = 1 << 20;

impl<A: Allocator + ?Sized> KeyValuesSet<'_, A> {
    /// Returns how many words the block of a live slot has.
    pub(super) fn block_words(&self, slot: Slot) -> usize {
        store_in(self.words.as_slice(), slot).block.len() + usize::from(slot.is_tailed())
    }

    /// Makes sure that `words` words are free after the blocks, and also a slot.
    pub(super) fn make_room_with_slot(&mut self, words: usize) -> Result<(), GrowError> {
        if self.free != NO_SLOT {
            return self.make_room(words);
        }
        if self.slots == STORES_MAX {
            let limit = u64::from(STORES_MAX);
            return Err(GrowError::Length { wanted: limit + 1, limit });
        }
        self.make_room(words.saturating_add(2))
    }

    /// Makes sure that `words` words are free after the blocks.
    pub(super) fn make_room(&mut self, words: usize) -> Result<(), GrowError> {
        let taken = self.used as usize + 2 * self.slots as usize;
        if words <= self.words.as_slice().len() - taken {
            return Ok(());
        }
        self.make_more_room(taken, words)
    }

    #[cold]
    #[inline(never)]
    fn make_more_room(&mut self, taken: usize, words: usize) -> Result<(), GrowError> {
        let old = self.words.as_slice().len();
        let garbage = self.garbage as usize;
        let wanted = (taken as u64).saturating_add(words as u64);
        let needed = usize::try_from(wanted).unwrap_or(usize::MAX);
        let fits_compacted = needed.saturating_sub(garbage) <= old;
        if fits_compacted && 4 * garbage >= self.used as usize {
            self.compact();
            return Ok(());
        }
        let grown = if needed > MOST {
            Err(GrowError::Length { wanted, limit: MOST as u64 })
        } else {
            // An eighth, so that little is ever free, and each word is still moved a constant
            // number of times.
            self.words.grow(needed, (old / 8).max(16).min(MOST - needed))
        };
        if grown.is_ok() {
            raise(self.words.as_mut_slice(), old, 2 * self.slots as usize);
        } else if fits_compacted {
            self.compact();
            return Ok(());
        }
        grown
    }

    /// Makes the given number of words garbage, or free if they come last.
    pub(super) fn release(&mut self, start: usize, words: usize) {
        if start + words == self.used as usize {
            self.used = start as u32;
        } else if words != 0 {
            self.words.as_mut_slice()[start] = FREE | words as u32;
            self.garbage += words as u32;
        }
    }

    /// Slides all stores together.
    ///
    /// Each block's first word trades places with the slot that leads to it: so the walk over the
    /// blocks knows whose each is, and no block has a word for that.
    pub(super) fn compact(&mut self) {
        if self.garbage == 0 {
            return;
        }
        let slots = self.slots;
        let words = self.words.as_mut_slice();
        for number in 0..slots {
            let Slot { at, meta } = slot_in(words, number);
            let slot = Slot { at, meta };
            if !slot.is_live() || slot.count() == 0 {
                continue;
            }
            let first = core::mem::replace(&mut words[at as usize], number);
            set_slot_in(words, number, Slot { at: first, meta });
        }
        let (mut from, mut to) = (0, 0);
        while from < self.used as usize {
            let number = words[from];
            if number & FREE != 0 {
                from += (number & !FREE) as usize;
                continue;
            }
            let Slot { at: first, meta } = slot_in(words, number);
            words[from] = first;
            let slot = Slot { at: from as u32, meta };
            let size = store_in(words, slot).block.len() + usize::from(slot.is_tailed());
            words.copy_within(from..from + size, to);
            set_slot_in(words, number, Slot { at: to as u32, meta });
            from += size;
            to += size;
        }
        self.used = to as u32;
        self.garbage = 0;
    }
}
