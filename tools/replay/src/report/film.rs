//! Films a buddy allocator: its blocks and free lists after each call.
//!
//! The buffer is placed so that the metadata ends where the tree begins and every leaf of the tree
//! is free at the start. Nothing is drawn from a model: each frame is read from the allocator.

use core::mem::MaybeUninit;

use loligo_allocators::{Allocator, BlockState, BuddyAllocator};

use crate::report::data::{Call, Frame};
use crate::report::drive::{Drive, Live};
use crate::trace::{Event, Op};

/// The most leaves before the tree that the metadata may take.
const HEAD_LEAVES_MAX: usize = 64;

/// A buddy allocator over a region.
pub(super) type Buddy<'a> = BuddyAllocator<'a, dyn Allocator + Sync + 'a>;

/// Makes a buddy allocator of `levels` levels over `region_bytes` bytes and lends it out.
pub(super) fn with_buddy<R>(
    region_bytes: usize,
    levels: u32,
    act: impl FnOnce(&Buddy<'_>, usize) -> R,
) -> Option<R> {
    let leaf_bytes = region_bytes >> (levels - 1);
    let mut memory: Vec<u8> = Vec::new();
    memory.try_reserve_exact(2 * region_bytes + HEAD_LEAVES_MAX * leaf_bytes).ok()?;
    let memory: &mut [MaybeUninit<u8>] = memory.spare_capacity_mut();
    let start = memory.as_ptr().addr();
    let tree = (start + HEAD_LEAVES_MAX * leaf_bytes).next_multiple_of(region_bytes);
    let end = tree + region_bytes - start;
    // With too few leaves before it the tree loses its first one, with too many it gets another
    // root.
    for head in 1..=HEAD_LEAVES_MAX {
        let buffer = memory.get_mut(tree - head * leaf_bytes - start..end)?;
        let buddy = BuddyAllocator::from_region("film", leaf_bytes, buffer).ok()?;
        if buddy.levels() == levels && buddy.block_state(0, 0) == BlockState::Free {
            return Some(act(&buddy, tree));
        }
    }
    None
}

/// Looks at a buddy allocator, whose tree starts at a known address.
pub(super) struct Camera<'a> {
    buddy: &'a Buddy<'a>,
    tree: usize,
}

impl<'a> Camera<'a> {
    pub(super) fn new(buddy: &'a Buddy<'a>, tree: usize) -> Self {
        Self { buddy, tree }
    }

    /// Returns a letter a block, in the order of their numbers.
    pub(super) fn states(&self) -> String {
        let mut states = String::new();
        for level in 0..self.buddy.levels() {
            for index in 0..1 << level {
                states.push(match self.buddy.block_state(level, index) {
                    BlockState::Absent => '.',
                    BlockState::Free => 'f',
                    BlockState::Split => 's',
                    BlockState::Allocated => 'a',
                });
            }
        }
        states
    }

    /// Returns the numbers of the free blocks of each level, in the order of its list.
    fn lists(&self) -> Vec<Vec<usize>> {
        let list = |level: u32| {
            let mut list = Vec::new();
            self.buddy.free_list(level, &mut |index| list.push((1 << level) - 1 + index));
            list
        };
        (0..self.buddy.levels()).map(list).collect()
    }

    /// Returns the number of the block that a live block is.
    pub(super) fn number_of(&self, live: Live) -> Option<usize> {
        let offset = live.block.addr().get() - self.tree;
        (0..self.buddy.levels()).find_map(|level| {
            let index = offset / self.buddy.level_bytes(level);
            let found = self.buddy.block_state(level, index) == BlockState::Allocated;
            found.then_some((1 << level) - 1 + index)
        })
    }

    fn frame(&self, call: Call) -> Frame {
        Frame { call, states: self.states(), lists: self.lists() }
    }

    /// Returns the frame with which a film opens.
    pub(super) fn open(&self) -> Frame {
        self.frame(Call::Open)
    }

    /// Does what an event says and adds the frames of it: one, none if the event's block was
    /// refused before, or up to three where a reallocation must move, which is how it is done then.
    pub(super) fn shoot(&self, drive: &mut Drive<'_>, event: Event, film: &mut Vec<Frame>) {
        let bytes = event.bytes as usize;
        match event.op {
            Op::Allocate | Op::AllocateZeroed => {
                drive.apply(event);
                let block = drive.live(event.slot).and_then(|live| self.number_of(live));
                film.push(self.frame(Call::Allocate { bytes, block }));
            }
            Op::Free => {
                if let Some(block) = drive.live(event.slot).and_then(|live| self.number_of(live)) {
                    drive.apply(event);
                    film.push(self.frame(Call::Free { block }));
                }
            }
            Op::Reallocate => self.shoot_reallocation(drive, event, film),
        }
    }

    fn shoot_reallocation(&self, drive: &mut Drive<'_>, event: Event, film: &mut Vec<Frame>) {
        let bytes = event.bytes as usize;
        let Some(block) = drive.live(event.slot).and_then(|live| self.number_of(live)) else {
            return;
        };
        let to = drive
            .resize_in_place(event)
            .then(|| drive.live(event.slot).and_then(|live| self.number_of(live)))
            .flatten();
        film.push(self.frame(Call::Resize { block, bytes, to }));
        if to.is_some() {
            return;
        }
        let spare = drive.spare_slot();
        let fresh = Event { op: Op::Allocate, slot: spare, ..event };
        self.shoot(drive, fresh, film);
        if drive.live(spare).is_some() {
            let old = Event { op: Op::Free, bytes: 0, ..event };
            self.shoot(drive, old, film);
            drive.swap(spare, event.slot);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
