//! The slots of a set: where stores are, and which ids name them.

use loligo_allocators::Allocator;

use super::{KeyValuesSet, StoreId};
use crate::keyed::key_values::view::{KeyValuesRef, head_words};

/// The bits of a slot that are no generation.
pub(super) const KIND: u32 = (1 << 20) - 1;

/// Set where the store has words for texts and arrays, whose number is before it.
pub(super) const TAILED: u32 = 1 << 19;

/// The value of those bits in a slot without a store.
pub(super) const FREE_SLOT: u32 = KIND;

/// The most keys of a store.
pub(super) const KEYS_MAX: usize = (1 << 19) - 2;

/// The end of the list of free slots.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// The generation that is a slot's last.
const LAST: u32 = (1 << 12) - 1;

/// Two words: where the store begins, or which slot is the next free one; and the generation over
/// the kind and the number of keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) at: u32,
    pub(super) meta: u32,
}

impl Slot {
    #[inline(always)]
    pub(super) const fn is_live(self) -> bool {
        self.meta & KIND != FREE_SLOT
    }

    #[inline(always)]
    pub(super) const fn is_tailed(self) -> bool {
        self.meta & TAILED != 0
    }

    #[inline(always)]
    pub(super) const fn count(self) -> usize {
        (self.meta & (TAILED - 1)) as usize
    }

    pub(super) const fn generation(self) -> u32 {
        self.meta >> 20
    }

    /// Returns the id that names the store in slot `number`.
    pub(super) fn id(self, number: u32) -> Option<StoreId> {
        StoreId::from_bits(self.generation() << 20 | number)
    }
}

impl<A: Allocator + ?Sized> KeyValuesSet<'_, A> {
    /// Returns the number of the slot that an id names, if there is a store.
    #[inline(always)]
    pub(super) fn live_slot(&self, id: StoreId) -> Option<u32> {
        let number = id.index();
        if number >= self.slots {
            return None;
        }
        let slot = self.slot(number);
        (slot.generation() == id.generation() && slot.is_live()).then_some(number)
    }

    /// Returns the store that an id names, to be read: what [`live_slot`](Self::live_slot) and
    /// `store_in` return, without a check of what the invariants say.
    #[inline(always)]
    pub(super) fn find(&self, id: StoreId) -> Option<KeyValuesRef<'_>> {
        let number = id.index();
        if number >= self.slots {
            return None;
        }
        let words = self.words.as_slice();
        let start = words.as_ptr();
        // SAFETY: the last `2 * slots` words are the slots, of which this is one (invariant 2).
        let slot = unsafe { start.add(words.len() - 2 * number as usize - 2) };
        // SAFETY: as above; a slot is two words.
        let [at, meta] = unsafe { *slot.cast::<[u32; 2]>() };
        // The generation is above the kind, so this is below 2^20 only if it is that of the id, and
        // then it is the kind.
        let kind = meta.wrapping_sub(id.to_bits() & !KIND);
        if kind >= FREE_SLOT {
            return None;
        }
        let (count, front) = ((kind & (TAILED - 1)) as usize, kind / TAILED);
        // SAFETY: the block of a live slot begins there, and one without a block says 0, where at
        // least its own two words are (invariants 1 to 3).
        let block = unsafe { start.add(at as usize) };
        // SAFETY: as above. It is the number of words of texts only if the store has some.
        let tail = unsafe { *block } & 0_u32.wrapping_sub(front);
        // SAFETY: the block has that word if it has texts or arrays (invariant 3).
        let block = unsafe { block.add(front as usize) };
        let length = head_words(count) + tail as usize;
        // SAFETY: the blocks of live slots are this long, within the words (invariants 1 and 3).
        Some(KeyValuesRef { block: unsafe { core::slice::from_raw_parts(block, length) }, count })
    }

    #[inline(always)]
    pub(super) fn slot(&self, number: u32) -> Slot {
        slot_in(self.words.as_slice(), number)
    }

    pub(super) fn set_slot(&mut self, number: u32, slot: Slot) {
        set_slot_in(self.words.as_mut_slice(), number, slot);
    }

    /// Gives a free slot, or a new one for which there is room, to a store that is at `at`.
    pub(super) fn take_slot(&mut self, at: u32, kind: u32) -> StoreId {
        let (number, generation) = if self.free == NO_SLOT {
            self.slots += 1;
            (self.slots - 1, 1)
        } else {
            let number = self.free;
            let slot = self.slot(number);
            self.free = slot.at;
            (number, slot.generation())
        };
        self.live += 1;
        let slot = Slot { at, meta: generation << 20 | kind };
        self.set_slot(number, slot);
        match slot.id(number) {
            Some(id) => id,
            None => unreachable!("the generations of slots begin at 1"),
        }
    }

    /// Takes a slot back; it lives again unless this was its last life.
    pub(super) fn free_slot(&mut self, number: u32) {
        self.live -= 1;
        let generation = self.slot(number).generation();
        if generation == LAST {
            self.set_slot(number, Slot { at: NO_SLOT, meta: LAST << 20 | FREE_SLOT });
        } else {
            let meta = (generation + 1) << 20 | FREE_SLOT;
            self.set_slot(number, Slot { at: self.free, meta });
            self.free = number;
        }
    }
}

#[inline(always)]
pub(super) fn slot_in(words: &[u32], number: u32) -> Slot {
    let at = words.len() - 2 * number as usize - 2;
    Slot { at: words[at], meta: words[at + 1] }
}

pub(super) fn set_slot_in(words: &mut [u32], number: u32, slot: Slot) {
    let at = words.len() - 2 * number as usize - 2;
    words[at] = slot.at;
    words[at + 1] = slot.meta;
}
