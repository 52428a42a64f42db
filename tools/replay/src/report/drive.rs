//! Drives an allocator through the events of a trace, for its state rather than for time.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::trace::{Event, Op};

/// A block that is alive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    pub(super) block: NonNull<u8>,
    pub(super) layout: Layout,
}

/// An allocator and the blocks that the events so far left alive in it. A refused request leaves
/// its slot empty, and later events of that slot do nothing. What is alive at the end is freed on
/// drop.
pub(super) struct Drive<'a> {
    allocator: &'a dyn Allocator,
    slots: Vec<Option<Live>>,
    live_bytes: u64,
    refused: u64,
}

impl<'a> Drive<'a> {
    /// Starts with no block alive; `slots` is one more than the greatest slot of the events. One
    /// more slot is kept to spare.
    pub(super) fn new(allocator: &'a dyn Allocator, slots: usize) -> Self {
        Self { allocator, slots: vec![None; slots + 1], live_bytes: 0, refused: 0 }
    }

    /// Returns the bytes asked for by the live blocks.
    pub(super) fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Returns how many requests the allocator has refused.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the live block of a slot.
    pub(super) fn live(&self, slot: u32) -> Option<Live> {
        self.slots[slot as usize]
    }

    /// Returns the slot that no event names.
    pub(super) fn spare_slot(&self) -> u32 {
        self.slots.len() as u32 - 1
    }

    /// Lets two slots change their blocks.
    pub(super) fn swap(&mut self, one: u32, other: u32) {
        self.slots.swap(one as usize, other as usize);
    }

    /// Does what an event says.
    pub(super) fn apply(&mut self, event: Event) {
        match event.op {
            Op::Allocate | Op::AllocateZeroed => self.allocate(event),
            Op::Free => self.free(event.slot),
            Op::Reallocate => self.reallocate(event),
        }
    }

    /// Asks for a block. Contents are of no interest here, so a zeroed block is asked for as any.
    fn allocate(&mut self, event: Event) {
        let layout = layout_of(event);
        let block = layout.and_then(|layout| {
            let block = self.allocator.allocate(layout).ok()?.cast();
            Some(Live { block, layout })
        });
        match block {
            Some(live) => self.live_bytes += live.layout.size() as u64,
            None => self.refused += 1,
        }
        self.slots[event.slot as usize] = block;
    }

    fn free(&mut self, slot: u32) {
        let Some(live) = self.slots[slot as usize].take() else {
            return;
        };
        self.live_bytes -= live.layout.size() as u64;
        // SAFETY: the block came from this allocator with this layout, and the slot, where the only
        // copy of it stood, is empty now.
        unsafe { self.allocator.deallocate_sized(live.block, live.layout) };
    }

    fn reallocate(&mut self, event: Event) {
        if self.resize_in_place(event) {
            return;
        }
        let (Some(old), Some(layout)) = (self.live(event.slot), layout_of(event)) else {
            return;
        };
        // SAFETY: the block is live in this allocator with this layout; its slot is rewritten
        // below.
        let moved = unsafe { self.allocator.reallocate(old.block, old.layout, layout) };
        match moved {
            Ok(block) => self.replace(event.slot, block.cast(), layout),
            Err(_) => self.refused += 1,
        }
    }

    /// Changes the size of a slot's block without moving it; returns whether that went well.
    pub(super) fn resize_in_place(&mut self, event: Event) -> bool {
        let (Some(old), Some(layout)) = (self.live(event.slot), layout_of(event)) else {
            return false;
        };
        // SAFETY: the block is live in this allocator with this layout, and the alignment of an
        // event is that of its block.
        let resized = unsafe { self.allocator.resize_in_place(old.block, old.layout, layout) };
        if let Ok(block) = resized {
            self.replace(event.slot, block.cast(), layout);
        }
        resized.is_ok()
    }

    fn replace(&mut self, slot: u32, block: NonNull<u8>, layout: Layout) {
        let old = self.slots[slot as usize].replace(Live { block, layout });
        self.live_bytes -= old.map_or(0, |old| old.layout.size() as u64);
        self.live_bytes += layout.size() as u64;
    }
}

impl Drop for Drive<'_> {
    fn drop(&mut self) {
        for slot in 0..self.slots.len() {
            self.free(slot as u32);
        }
    }
}

/// Returns the layout that an event asks for, if this machine can express it.
fn layout_of(event: Event) -> Option<Layout> {
    let bytes = usize::try_from(event.bytes).ok()?;
    Layout::from_size_align(bytes, 1 << event.align_log2).ok()
}

#[cfg(test)]
mod tests;
