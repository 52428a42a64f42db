//! The cursor of a frame: it moves up for new blocks and down for freed ones.

use core::panic::Location;
use core::ptr::NonNull;

use super::FrameAllocator;
use super::record::{Record, stride};
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;

impl<B: Allocator + ?Sized, S: SiteBook> FrameAllocator<'_, B, S> {
    #[inline]
    pub(super) fn count_allocated(&self, bytes: usize) {
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.allocated_total.set(self.allocated_total.get() + bytes as u64);
    }

    /// Counts bytes that are no longer live.
    pub(super) fn count_freed(&self, bytes: u64) {
        // The live bytes peak just before a free, so allocating does not update the peak.
        self.peak.set(self.peak.get().max(self.live_bytes()));
        self.freed_total.set(self.freed_total.get() + bytes);
        self.aim_quick();
    }

    pub(super) fn count_odd(&self, more: usize) {
        self.odd.set(self.odd.get() + more);
        self.aim_quick();
    }

    pub(super) fn uncount_odd(&self, fewer: usize) {
        self.odd.set(self.odd.get() - fewer);
        self.aim_quick();
    }

    /// Restores invariant 6.
    pub(super) fn aim_quick(&self) {
        self.quick.set(if self.odd.get() == 0 {
            self.memory.addr().get() + self.peak.get() as usize
        } else {
            0
        });
    }

    /// Appends a record for one block of `bytes` bytes at the cursor, and the block. There is room.
    #[inline]
    pub(super) fn push(&self, bytes: usize) {
        let cursor = self.cursor.get();
        // SAFETY: the caller has found room for a record below the table.
        let table = unsafe { self.table.get().sub(1) };
        mark::undefined_at(table.cast(), size_of::<Record>());
        // SAFETY: as above, and the table is aligned.
        unsafe { table.write(Record::new(self.offset_of(cursor), bytes)) };
        self.table.set(table);
        // SAFETY: the caller has found room for the block too.
        self.cursor.set(unsafe { cursor.add(stride(bytes)) });
    }

    /// Allocates if an alignment above 8 skips bytes.
    #[inline(never)]
    pub(super) fn allocate_padded(
        &self,
        bytes: usize,
        align: usize,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let padding = self.cursor.get().addr().get().wrapping_neg() & (align - 1);
        // A size rounded up to its alignment is at most `isize::MAX`, so the sum does not overflow.
        if padding + stride(bytes) + 2 * size_of::<Record>() > self.room() {
            return Err(AllocError);
        }
        let gap = self.cursor.get();
        self.push(0);
        // SAFETY: the padding is below the table.
        let block = unsafe { gap.add(padding) };
        self.cursor.set(block);
        self.push(bytes);
        self.count_odd(1);
        self.count_allocated(bytes);
        mark::undefined(block, bytes);
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    /// Frees a block of `bytes` bytes, if the size is known.
    #[inline(always)]
    pub(super) fn free(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) {
        let cursor = self.cursor.get().addr().get();
        let youngest = self.youngest();
        if cursor > self.quick.get()
            || cursor.wrapping_sub(youngest.stride()) != block.addr().get()
            || bytes.is_some_and(|bytes| bytes != youngest.bytes())
        {
            return self.free_slow(block, bytes, site);
        }
        // Signed, as 4 GiB below the cursor is below zero if the memory is at a low address; in 64
        // bits, as with 32 the ground would be just below zero.
        let beyond = self.offset_of(block) as isize as i64 - youngest.offset() as i64;
        if beyond == 0 {
            self.cut_last(block, true);
        } else if beyond < 0 {
            // The ground: there is no block.
            return self.free_slow(block, bytes, site);
        } else {
            self.cut_last(block, false);
        }
        self.freed_total.set(self.freed_total.get() + youngest.bytes() as u64);
        self.frees_total.set(self.frees_total.get() + 1);
        mark::no_access(block, youngest.bytes());
    }

    /// Frees any block, or reports the misuse.
    #[inline(never)]
    pub(super) fn free_slow(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) {
        let found = match self.find(block) {
            Ok(found) => found,
            Err(what) => self.wrong(what, block, bytes, site),
        };
        if bytes.is_some_and(|bytes| bytes != found.bytes()) {
            self.wrong(Misuse::WrongSize, block, bytes, site);
        }
        self.count_freed(found.bytes() as u64);
        self.frees_total.set(self.frees_total.get() + 1);
        mark::no_access(block, found.bytes());
        let offset = self.offset_of(block);
        if offset + found.stride() == self.offset_of(self.cursor.get()) {
            self.cut_last(block, offset == found.offset());
            self.cut_odd();
        } else {
            self.dead.set(offset);
            self.count_odd(1);
        }
    }

    /// Moves the cursor to the start of the last block; `only` if it is its run's only block.
    #[inline]
    pub(super) fn cut_last(&self, block: NonNull<u8>, only: bool) {
        if only {
            mark::no_access_at(self.table.get().cast(), size_of::<Record>());
            // SAFETY: invariant 1: after a record comes another or the ground.
            self.table.set(unsafe { self.table.get().add(1) });
        }
        // Through the offset, as the pointer passed in may not have provenance beyond.
        self.cursor.set(self.at(self.offset_of(block)));
    }

    /// Removes gaps and dead blocks at the end.
    #[inline(never)]
    pub(super) fn cut_odd(&self) {
        while self.table.get() != self.ground {
            let youngest = self.youngest();
            let first = self.at(youngest.offset());
            if youngest.is_gap() {
                self.cut_last(first, true);
            } else {
                let last = self.offset_of(self.cursor.get()) - youngest.stride();
                if !self.dead.get(last) {
                    return;
                }
                self.dead.clear(last);
                self.cut_last(self.at(last), last == youngest.offset());
            }
            self.uncount_odd(1);
        }
    }
}
