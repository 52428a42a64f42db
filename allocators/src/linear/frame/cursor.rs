//! The cursor of a frame: it moves up for new blocks and down for freed ones.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::FrameAllocator;
use super::chunk::Chunk;
use super::record::Record;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'_, B, S, MIN_ALIGN>
{
    #[inline]
    pub(super) fn live_bytes(&self) -> u64 {
        self.allocated_total.get() - self.freed_total.get()
    }

    #[inline]
    fn count_allocated(&self, bytes: usize) {
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

    /// Restores invariant 6.
    pub(super) fn aim_quick(&self) {
        self.quick.set(self.quick_aim());
    }

    /// Returns what `quick` is by invariant 6.
    pub(super) fn quick_aim(&self) -> usize {
        if self.chunk.odd.get() != 0 || self.span_is_open() {
            return 0;
        }
        let below = self.growth().map_or(0, |growth| growth.below());
        let most = (self.peak.get() as usize).saturating_sub(below);
        self.chunk.memory.get().addr().get().saturating_add(most)
    }

    /// Allocates a block.
    #[inline(always)]
    pub(super) fn take(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let chunk = &self.chunk;
        let bytes = layout.size();
        let block = chunk.cursor.get();
        // The cursor is a multiple of 8, and while a span is open it leaves no room.
        let is_padded =
            layout.align() > MIN_ALIGN && block.addr().get() & (layout.align() - 1) != 0;
        if is_padded || bytes == 0 {
            return self.allocate_slow(layout);
        }
        let room = chunk.room();
        if chunk.youngest().bytes() != bytes {
            if Chunk::<MIN_ALIGN>::stride(bytes) + size_of::<Record>() > room {
                return self.allocate_slow(layout);
            }
            chunk.push(Record::new(block, bytes));
        } else if Chunk::<MIN_ALIGN>::stride(bytes) > room {
            return self.allocate_slow(layout);
        }
        // SAFETY: there is room for the block.
        chunk.cursor.set(unsafe { block.add(Chunk::<MIN_ALIGN>::stride(bytes)) });
        self.count_allocated(bytes);
        mark::undefined(block, bytes);
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    /// Allocates if an alignment above 8 skips bytes, a span is open, or there is no room.
    #[cold]
    #[inline(never)]
    fn allocate_slow(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.close_span();
        let (bytes, align) = (layout.size().max(1), layout.align());
        let block = match self.place(bytes, align) {
            Err(AllocError) => {
                self.grow(bytes, align)?;
                self.place(bytes, align)?
            }
            Ok(block) => block,
        };
        self.count_allocated(bytes);
        mark::undefined(block, bytes);
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    /// Places a block at the cursor, or after a gap. It is not counted yet.
    fn place(&self, bytes: usize, align: usize) -> Result<NonNull<u8>, AllocError> {
        let chunk = &self.chunk;
        let cursor = chunk.cursor.get();
        let padding = cursor.addr().get().wrapping_neg() & (align - 1);
        let is_run = padding == 0 && chunk.youngest().bytes() == bytes;
        let records = usize::from(padding != 0) + usize::from(!is_run);
        // A size rounded up to its alignment is at most `isize::MAX`, so the sum does not overflow.
        if padding + Chunk::<MIN_ALIGN>::stride(bytes) + records * size_of::<Record>()
            > chunk.room()
        {
            return Err(AllocError);
        }
        if padding != 0 {
            chunk.push(Record::new(cursor, 0));
            // SAFETY: there is room for the padding.
            chunk.cursor.set(unsafe { cursor.add(padding) });
            chunk.odd.set(chunk.odd.get() + 1);
            self.aim_quick();
        }
        let block = chunk.cursor.get();
        if !is_run {
            chunk.push(Record::new(block, bytes));
        }
        // SAFETY: there is room for the block.
        chunk.cursor.set(unsafe { block.add(Chunk::<MIN_ALIGN>::stride(bytes)) });
        Ok(block)
    }

    /// Frees a block of `bytes` bytes, if the size is known.
    #[inline(always)]
    pub(super) fn free(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) {
        let cursor = self.chunk.cursor.get();
        let youngest = self.chunk.youngest();
        let size = bytes.unwrap_or(youngest.bytes());
        if cursor.addr().get() > self.quick.get()
            || size != youngest.bytes()
            || cursor.addr().get().wrapping_sub(Chunk::<MIN_ALIGN>::stride(size))
                != block.addr().get()
        {
            return self.free_slow(block, bytes, site);
        }
        if youngest.starts_at(block) {
            mark::no_access_at(self.chunk.table.get().cast(), size_of::<Record>());
            // SAFETY: invariant 1: after a record comes another or the ground.
            self.chunk.table.set(unsafe { self.chunk.table.get().add(1) });
        } else if self.chunk.offset_of(block) >= self.chunk.used() {
            // The ground, whose blocks would be before the memory, or a span: there is no block.
            return self.free_slow(block, bytes, site);
        }
        // SAFETY: the last block starts so many bytes before the cursor.
        self.chunk.cursor.set(unsafe { cursor.sub(Chunk::<MIN_ALIGN>::stride(size)) });
        self.freed_total.set(self.freed_total.get() + size as u64);
        self.frees_total.set(self.frees_total.get() + 1);
        mark::no_access(block, size);
    }

    /// Frees any block, or reports the misuse.
    #[inline(never)]
    pub(super) fn free_slow(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) {
        let bytes = bytes.map(|bytes| bytes.max(1));
        self.close_span();
        while self.chunk.used() == 0 && self.step_back() {}
        let freed = match self.older_with(block) {
            Some(chunk) => self.free_in(chunk, block, bytes),
            None => self.free_in(&self.chunk, block, bytes),
        };
        if let Err(what) = freed {
            self.wrong(self.seen(what, block), block, bytes, site);
        }
    }

    /// Frees a block of that chunk; changes nothing if it is not one.
    fn free_in(
        &self,
        chunk: &Chunk<MIN_ALIGN>,
        block: NonNull<u8>,
        bytes: Option<usize>,
    ) -> Result<(), Misuse> {
        let found = chunk.find(block)?;
        if bytes.is_some_and(|bytes| bytes != found.bytes()) {
            return Err(Misuse::WrongSize);
        }
        mark::no_access(block, found.bytes());
        let offset = chunk.offset_of(block);
        if offset + Chunk::<MIN_ALIGN>::stride(found.bytes()) == chunk.used() {
            chunk.cut_last(block, offset == chunk.start_of(found));
            chunk.cut_odd();
        } else {
            chunk.dead.set(offset);
            chunk.odd.set(chunk.odd.get() + 1);
        }
        self.count_freed(found.bytes() as u64);
        self.frees_total.set(self.frees_total.get() + 1);
        Ok(())
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
        let chunk = &self.chunk;
        let offset = chunk.offset_of(block);
        if offset + Chunk::<MIN_ALIGN>::stride(record.bytes()) != chunk.used() {
            return Err(AllocError);
        }
        // The block leaves its run: with the run's record if it is alone in it, else with a new
        // record.
        let only = offset == chunk.start_of(record);
        let needed = if only { 0 } else { size_of::<Record>() };
        if Chunk::<MIN_ALIGN>::stride(bytes) + needed
            > chunk.room() + Chunk::<MIN_ALIGN>::stride(record.bytes())
        {
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
        chunk.cut_last(block, only);
        chunk.push(Record::new(block, bytes));
        // SAFETY: there is room for the new size.
        chunk.cursor.set(unsafe { chunk.cursor.get().add(Chunk::<MIN_ALIGN>::stride(bytes)) });
        Ok(())
    }

    /// Unpoisons the bytes that a block gained, or poisons those that it lost.
    fn mark_resized(&self, offset: usize, old: usize, new: usize) {
        if new > old {
            mark::undefined(self.chunk.at(offset + old), new - old);
        } else {
            mark::no_access(self.chunk.at(offset + new), old - new);
        }
    }
}
