//! A few decompressed blocks: resources that are loaded together are in the same ones.

use std::sync::{Mutex, MutexGuard, PoisonError};

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// The most blocks that are kept.
const SLOTS_MAX: usize = 8;

/// Blocks that were decompressed last, each in the slot of its number.
///
/// # Memory
///
/// Two blocks' bytes for each slot that was used, [`SLOTS_MAX`] at the most.
pub(super) struct BlockCache<'a, A: Allocator + ?Sized> {
    slots: Array<'a, Mutex<Slot<'a, A>>, A>,
}

/// A block, and room for what it is decompressed from.
pub(super) struct Slot<'a, A: Allocator + ?Sized> {
    /// Which block it has.
    pub(super) block: Option<u32>,
    /// Its bytes, and more where a longer one was there before.
    pub(super) data: Array<'a, u8, A>,
    /// Room for the bytes in the bundle.
    pub(super) stored: Array<'a, u8, A>,
}

/// Returns the first bytes of a buffer, which is made longer if it is shorter. What was longer stays so: else it
/// would be filled with zeroes each time, before what is read.
pub(super) fn first_bytes<'b, A: Allocator + ?Sized>(
    buffer: &'b mut Array<'_, u8, A>,
    bytes: u32,
) -> Result<&'b mut [u8], GrowError> {
    let bytes = bytes as usize;
    if buffer.len() < bytes {
        buffer.try_resize(bytes, 0)?;
    }
    Ok(&mut buffer[..bytes])
}

impl<'a, A: Allocator + ?Sized> BlockCache<'a, A> {
    /// Makes the slots for a bundle with that number of blocks; they get their memory when they are used.
    pub(super) fn try_new_in(blocks: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut slots = Array::new_in(memory);
        for _ in 0..blocks.min(SLOTS_MAX) {
            let [data, stored] = [Array::new_in(memory), Array::new_in(memory)];
            slots.try_push(Mutex::new(Slot { block: None, data, stored }))?;
        }
        Ok(Self { slots })
    }

    /// Waits for the slot of a block: another thread may be decompressing the same one.
    pub(super) fn slot(&self, block: u32) -> MutexGuard<'_, Slot<'a, A>> {
        let slot = &self.slots[block as usize % self.slots.len()];
        // It has no block while it is changed.
        slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
