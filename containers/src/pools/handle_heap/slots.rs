//! Where each block is, by the id that names it.

use loligo_allocators::Allocator;
use loligo_ids::{InsertError, TableId};

use super::{BlockId, HandleHeapDamage};
use crate::arrays::array::Array;

#[cfg(test)]
mod tests;

/// No slot.
const NIL: u32 = u32::MAX;

/// A slot in two words, so that an access by id reads one line before the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    /// Odd while a block is there, and then the generation of its id; 0 once all lives are over.
    life: u32,
    /// The place of the block's header, or the next free slot.
    at: u32,
}

impl Slot {
    const fn is_live(self) -> bool {
        self.life & 1 == 1
    }
}

/// The slots of a heap's blocks: 8 bytes each. A table of ids has 20 for them, as it keeps a bit, an
/// index that is checked and a free list that may have a least length.
///
/// # Invariants
///
/// 1. `live` slots have an odd life.
/// 2. From `free` on slots lead through all that have an even life but 0, each once, to [`NIL`].
pub(super) struct Slots<'a, A: Allocator + ?Sized> {
    slots: Array<'a, Slot, A>,
    live: u32,
    /// The first free slot.
    free: u32,
}

impl<'a, A: Allocator + ?Sized> Slots<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { slots: Array::new_in(memory), live: 0, free: NIL }
    }

    /// Returns how many blocks there are.
    pub(super) const fn len(&self) -> u32 {
        self.live
    }

    /// Returns where the block of an id is, or `None` if the id names none.
    #[inline]
    pub(super) fn get(&self, id: BlockId) -> Option<u32> {
        let slot = self.slots.get(id.index() as usize)?;
        (u64::from(slot.life) == id.generation() && slot.is_live()).then_some(slot.at)
    }

    /// Returns where the block of a slot is, or `None` if it has none.
    #[inline]
    pub(super) fn get_by_slot(&self, slot: u32) -> Option<u32> {
        self.slots.get(slot as usize).filter(|slot| slot.is_live()).map(|slot| slot.at)
    }

    /// Notes where the block of a slot is now.
    ///
    /// # Panics
    ///
    /// If the slot has none.
    pub(super) fn set(&mut self, slot: u32, at: u32) {
        match self.slots.get_mut(slot as usize) {
            Some(known) if known.is_live() => known.at = at,
            _ => unreachable!("the block that moved to granule {at} has no id in slot {slot}"),
        }
    }

    /// Gives an id to the block at `at`.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if there is no memory; nothing has changed.
    #[inline]
    pub(super) fn insert(&mut self, at: u32) -> Result<BlockId, InsertError> {
        let index = self.free;
        let Some(slot) = self.slots.get_mut(index as usize) else { return self.insert_behind(at) };
        self.free = slot.at;
        *slot = Slot { life: slot.life | 1, at };
        self.live += 1;
        Ok(id(index, slot.life))
    }

    /// Takes the id back that a block [has](Self::get).
    #[inline]
    pub(super) fn remove(&mut self, id: BlockId) {
        let index = id.index() as u32;
        let slot = &mut self.slots[index as usize];
        debug_assert!(slot.is_live(), "{id:?} names no block");
        // After the last life is none, and the slot stays out of use: no id comes back.
        let life = slot.life.wrapping_add(1);
        *slot = Slot { life, at: self.free };
        if life != 0 {
            self.free = index;
        }
        self.live -= 1;
    }

    /// Returns the places of all blocks.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().filter(|slot| slot.is_live()).map(|slot| slot.at)
    }

    /// Gives back the memory that no slot takes. A slot that had a block stays, as its lives do.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if there is no memory for the copy; nothing has changed.
    pub(super) fn try_shrink_to_fit(&mut self) -> Result<(), InsertError> {
        let slots = self.slots.len();
        self.slots.try_shrink_to_fit().map_err(|_| no_memory(slots))
    }

    /// Checks the invariants.
    pub(super) fn validate(&self) -> Result<(), HandleHeapDamage> {
        let damage = |what| Err(HandleHeapDamage { what, offset: 0 });
        let (mut live, mut free) = (0, 0);
        for slot in &*self.slots {
            live += u32::from(slot.is_live());
            free += u32::from(!slot.is_live() && slot.life != 0);
        }
        if live != self.live {
            return damage("the table of ids miscounts its blocks, found");
        }
        let mut next = self.free;
        for _ in 0..free {
            match self.slots.get(next as usize) {
                Some(slot) if !slot.is_live() && slot.life != 0 => next = slot.at,
                _ => return damage("the free slots of the table of ids lead elsewhere, found"),
            }
        }
        if next == NIL { Ok(()) } else { damage("the free slots of the table of ids go on, found") }
    }

    /// Gives an id to the block at `at` in a slot that was never used.
    #[cold]
    #[inline(never)]
    fn insert_behind(&mut self, at: u32) -> Result<BlockId, InsertError> {
        let index = self.slots.len();
        self.slots.try_push(Slot { life: 1, at }).map_err(|_| no_memory(index + 1))?;
        self.live += 1;
        Ok(id(index as u32, 1))
    }
}

/// Returns the error of a table that has no memory for that many slots.
fn no_memory(slots: usize) -> InsertError {
    let slots = slots as u64;
    InsertError::Memory { slots, bytes: slots.saturating_mul(size_of::<Slot>() as u64) }
}

/// Returns the id of a slot in one of its lives.
#[inline]
fn id(index: u32, life: u32) -> BlockId {
    let bits = u64::from(life) << BlockId::INDEX_BITS | u64::from(index);
    BlockId::from_bits(bits).unwrap_or_else(|| unreachable!("slot {index} has no life"))
}
