//! The faulty allocator's longer faults: sizes that change, counters and walks.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Stats};

use super::{Fault, FaultyAllocator, GRANULE, turn_byte};

impl FaultyAllocator {
    /// The size that a live block was asked with.
    pub(super) fn asked(&self, block: NonNull<u8>) -> usize {
        let mut asked = 0;
        self.inner.walk(&mut |live| {
            if live.address == block {
                asked = live.bytes;
            }
        });
        asked
    }

    pub(super) fn is_live(&self, block: NonNull<u8>) -> bool {
        let mut found = false;
        self.inner.walk(&mut |live| found |= live.address == block);
        found
    }

    pub(super) fn faulty_resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let asked = self.asked(block);
        // SAFETY: the caller promises a live block; so below.
        let bytes = unsafe { self.inner.allocated_size(block) };
        if self.has(Fault::GrowsOverNeighbour) && new.size() > bytes && new.size() < 4 * bytes {
            let granted = new.size().next_multiple_of(GRANULE);
            return Ok(NonNull::slice_from_raw_parts(block, granted));
        }
        if self.has(Fault::ResizeMoves) {
            // SAFETY: as above.
            return unsafe { self.inner.reallocate(block, old, align_more(new)) };
        }
        // SAFETY: as above.
        let answer = unsafe { self.inner.resize_in_place(block, old, new) };
        let Ok(answer) = answer else {
            match self.fault {
                Fault::CountsRefusedResize => self.skew(|skew| skew.allocations_total += 1),
                // SAFETY: the block is live, and that is the fault.
                Fault::WritesOnRefusedResize => unsafe { turn_byte(block) },
                _ => {}
            }
            return Err(AllocError);
        };
        match self.fault {
            Fault::ForgetsResize => self.skew(|skew| {
                let wrong = asked.wrapping_sub(new.size());
                skew.requested = skew.requested.wrapping_add(wrong);
            }),
            Fault::ResizeShortSlice if answer.len() > bytes => {
                return Ok(NonNull::slice_from_raw_parts(block, bytes));
            }
            // SAFETY: the block is live, and that is the fault.
            Fault::LosesOnResize => unsafe { turn_byte(block) },
            _ => {}
        }
        Ok(answer)
    }

    pub(super) fn faulty_reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.align() <= old.align()
            && let Ok(resized) = self.faulty_resize(block, old, new)
        {
            return Ok(resized);
        }
        let wanted = match self.fault {
            Fault::ReallocateAlignsTo16 => {
                Layout::from_size_align(new.size(), 1).map_err(|_| AllocError)?
            }
            _ => new,
        };
        let Ok(moved) = self.allocate(wanted) else {
            match self.fault {
                Fault::FreesOnRefusal => self.free(block),
                // SAFETY: the block is live, and that is the fault.
                Fault::WritesOnRefusedReallocate => unsafe { turn_byte(block) },
                _ => {}
            }
            return Err(AllocError);
        };
        let mut bytes = old.size().min(new.size());
        if self.has(Fault::LosesLastByte) {
            bytes = bytes.saturating_sub(1);
        }
        // SAFETY: both blocks are live and hold at least `bytes` bytes; a fault that gives out a
        // block twice makes them overlap, which this copy allows.
        unsafe { moved.cast::<u8>().copy_from(block, bytes) };
        if !self.has(Fault::KeepsOldBlock) {
            self.free(block);
        }
        Ok(moved)
    }

    /// The counters as this allocator shows them.
    pub(super) fn shown_stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        let skew = self.skew.get();
        stats.live = stats.live.wrapping_add(skew.live);
        stats.requested = stats.requested.wrapping_add(skew.requested);
        stats.granted = stats.granted.wrapping_add(skew.granted);
        stats.allocations_total = stats.allocations_total.wrapping_add(skew.allocations_total);
        stats.granted_total = stats.granted_total.wrapping_add(skew.granted_total);
        stats.peak_granted = stats.peak_granted.max(stats.granted);
        stats.reserved = stats.reserved.max(stats.granted);
        match self.fault {
            Fault::RequestedTooBig if stats.live > 3 => stats.requested = stats.granted + 1,
            Fault::ReservedTooSmall if stats.live > 3 => stats.reserved = stats.granted - 1,
            Fault::InexactButAsked => stats.exact = false,
            Fault::ForgetsPeak => stats.peak_requested = stats.requested,
            Fault::DoublesPeak => stats.peak_granted *= 2,
            _ => {}
        }
        stats
    }

    /// The live blocks as this allocator shows them.
    pub(super) fn shown_walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut blocks = Vec::new();
        self.inner.walk(&mut |block| blocks.push(block));
        match self.fault {
            Fault::WalkMisses if !blocks.is_empty() => drop(blocks.remove(0)),
            Fault::WalkRepeats if !blocks.is_empty() => blocks.push(blocks[0]),
            Fault::WalkReplaces if blocks.len() > 1 => {
                blocks.pop();
                blocks.push(blocks[0]);
            }
            Fault::WalkBackwards => blocks.reverse(),
            Fault::WalkWrongSizes => blocks.iter_mut().for_each(|block| block.bytes += 1000),
            _ => {}
        }
        blocks.into_iter().for_each(visit);
    }
}

/// The layout with an alignment that a resize in place cannot keep.
fn align_more(layout: Layout) -> Layout {
    Layout::from_size_align(layout.size(), layout.align().max(GRANULE) * 2).unwrap_or(layout)
}
