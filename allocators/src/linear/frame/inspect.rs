//! Searching, walking and verifying the records of a frame.

use core::ptr::NonNull;

use super::FrameAllocator;
use super::record::{Record, stride};
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::Misuse;

impl<B: Allocator + ?Sized, S: SiteBook> FrameAllocator<'_, B, S> {
    /// Returns the number of records.
    pub(super) fn records(&self) -> usize {
        (self.ground.addr() - self.table.get().addr()) / size_of::<Record>()
    }

    /// Returns the `n`th oldest record.
    pub(super) fn record(&self, n: usize) -> Record {
        // SAFETY: callers pass numbers below `records`; that many records are below the ground.
        let place = unsafe { self.ground.sub(n + 1) };
        // SAFETY: as above.
        unsafe { place.read() }
    }

    /// Returns the offset at which the run or gap of record `n` ends.
    pub(super) fn end_of(&self, n: usize) -> usize {
        if n + 1 == self.records() {
            self.offset_of(self.cursor.get())
        } else {
            self.record(n + 1).offset()
        }
    }

    /// Returns the record of the live block at `block`, or the misuse that the address shows.
    ///
    /// # Complexity
    ///
    /// O(1) for the last block, O(log runs) for others.
    pub(super) fn find(&self, block: NonNull<u8>) -> Result<Record, Misuse> {
        let offset = self.offset_of(block);
        if offset >= self.table.get().addr() - self.memory.addr().get() {
            return Err(Misuse::ForeignFree);
        }
        let cursor = self.offset_of(self.cursor.get());
        if offset >= cursor {
            // Free memory: a block was here, or can be here later.
            return Err(Misuse::DoubleFree);
        }
        // The cursor is not at the start, so there is a record, and the newest is not a gap.
        let youngest = self.youngest();
        if offset == cursor - youngest.stride() {
            return Ok(youngest);
        }
        // The last record that starts at or before the offset is at `at` or above, below `above`.
        let (mut at, mut above) = (0, self.records());
        while above - at > 1 {
            let middle = at + (above - at) / 2;
            if self.record(middle).offset() <= offset {
                at = middle;
            } else {
                above = middle;
            }
        }
        let found = self.record(at);
        if found.is_gap() {
            return Err(Misuse::ForeignFree);
        }
        if !(offset - found.offset()).is_multiple_of(found.stride()) {
            return Err(Misuse::InteriorFree);
        }
        if self.dead.get(offset) {
            return Err(Misuse::DoubleFree);
        }
        Ok(found)
    }

    /// Resizes the last block; `record` is that of its run.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the block is not the last or there is no room.
    pub(super) fn resize_last(
        &self,
        block: NonNull<u8>,
        record: Record,
        bytes: usize,
    ) -> Result<(), AllocError> {
        let cursor = self.offset_of(self.cursor.get());
        let offset = self.offset_of(block);
        if offset + record.stride() != cursor {
            return Err(AllocError);
        }
        // The block leaves its run: with the run's record if it is alone in it, else with a new
        // record.
        let only = offset == record.offset();
        let needed = if only { 0 } else { size_of::<Record>() };
        if stride(bytes) + needed > self.room() + record.stride() {
            return Err(AllocError);
        }
        if bytes < record.bytes() {
            self.count_freed((record.bytes() - bytes) as u64);
        } else {
            let more = (bytes - record.bytes()) as u64;
            self.allocated_total.set(self.allocated_total.get() + more);
        }
        // First: the pushed record may be in the bytes that the block gives up.
        self.mark_resized(offset, record.bytes(), bytes);
        self.cut_last(block, only);
        self.push(bytes);
        Ok(())
    }

    /// Unpoisons the bytes that a block gained, or poisons those that it lost.
    fn mark_resized(&self, offset: usize, old: usize, new: usize) {
        if new > old {
            mark::undefined(self.at(offset + old), new - old);
        } else {
            mark::no_access(self.at(offset + new), old - new);
        }
    }

    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        for n in 0..self.records() {
            let record = self.record(n);
            if record.is_gap() {
                continue;
            }
            for offset in (record.offset()..self.end_of(n)).step_by(record.stride()) {
                if !self.dead.get(offset) {
                    visit(Block { address: self.at(offset), bytes: record.bytes(), site: None });
                }
            }
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        let damage = |what, offset: usize| {
            let address = self.memory.as_ptr().wrapping_add(offset);
            Err(Damage { what, address })
        };
        // SAFETY: the ground is written when the frame is created and stays as long as it does.
        if unsafe { self.ground.read() } != Record::GROUND {
            return damage("the end of the table is overwritten", 0);
        }
        let cursor = self.offset_of(self.cursor.get());
        let (mut end, mut odd, mut live, mut live_bytes) = (0, 0, 0, 0);
        let mut last_is_dead = false;
        for n in 0..self.records() {
            let record = self.record(n);
            if record.offset() != end {
                return damage("a record does not start where the one before it ends", end);
            }
            end = self.end_of(n);
            if end <= record.offset() || end > cursor {
                return damage("a record is out of order", record.offset());
            }
            last_is_dead = record.is_gap();
            odd += usize::from(record.is_gap());
            if record.is_gap() {
                continue;
            }
            if !(end - record.offset()).is_multiple_of(record.stride()) {
                return damage("a run ends within a block", record.offset());
            }
            for offset in (record.offset()..end).step_by(record.stride()) {
                last_is_dead = self.dead.get(offset);
                odd += usize::from(last_is_dead);
                live += u64::from(!last_is_dead);
                live_bytes += u64::from(!last_is_dead) * record.bytes() as u64;
            }
        }
        if end != cursor || last_is_dead {
            return damage("the cursor is not the end of the last live block", cursor);
        }
        if odd != self.odd.get() {
            return damage("the dead bits and the count of dead blocks differ", 0);
        }
        let quick = match odd {
            0 => self.memory.addr().get() + self.peak.get() as usize,
            _ => 0,
        };
        if self.quick.get() != quick {
            return damage("the mark below which frees are quick is wrong", 0);
        }
        let counted = self.allocations_total.get() - self.frees_total.get();
        if live != counted || live_bytes != self.live_bytes() {
            return damage("the records and the counts differ", 0);
        }
        Ok(())
    }
}
