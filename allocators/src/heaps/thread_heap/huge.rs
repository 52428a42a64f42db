//! Huge blocks: those for which a region would be large. They are the backing's and belong to no
//! thread.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use super::ThreadHeap;
use super::directory::{GRAIN, SPARE_BYTES};
use super::record::Record;
use super::shared::Shared;
use super::slot::Heap;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::Misuse;

impl Shared {
    /// Takes a huge block from the backing.
    pub(super) fn allocate_huge(
        &self,
        layout: Layout,
        zeroed: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let chunk = layout.align_to(GRAIN).map_err(|_| AllocError)?;
        self.counts.take(chunk.size(), self.fixed.budget)?;
        let backing = self.backing();
        let memory = if zeroed { backing.allocate_zeroed(chunk) } else { backing.allocate(chunk) };
        let block = memory.inspect_err(|_| self.counts.untake(chunk.size()))?.cast::<u8>();
        let entered = self.huge_record().and_then(|record| self.enter_huge(record, block, chunk));
        if entered.is_err() {
            self.give_refused(block, chunk);
            return Err(AllocError);
        }
        self.counts.report(chunk.size());
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    fn enter_huge(
        &self,
        record: &Record,
        block: NonNull<u8>,
        chunk: Layout,
    ) -> Result<(), AllocError> {
        let entered = self.state.with(|state| {
            self.directory().enter(block, chunk.size(), record, self)?;
            record.huge.store(block.as_ptr(), Ordering::Relaxed);
            record.huge_bytes.store(chunk.size(), Ordering::Relaxed);
            record.chunk.set(Some((block, chunk)));
            self.counts.grant(0, chunk.size());
            state.huge.live += 1;
            state.huge.bytes += chunk.size();
            state.huge.allocations_total += 1;
            state.huge.requested_total += chunk.size() as u64;
            Ok(())
        });
        entered.inspect_err(|_| self.keep_huge_record(record))
    }

    /// Takes a huge block out; its memory is the caller's then. What is wrong otherwise.
    fn leave_huge(
        &self,
        record: &Record,
        block: NonNull<u8>,
        bytes: usize,
    ) -> Result<(NonNull<u8>, Layout), Misuse> {
        self.state.with(|state| {
            let Some((start, chunk)) = record.chunk.get() else { return Err(Misuse::DoubleFree) };
            if start != block {
                return Err(Misuse::InteriorFree);
            }
            if bytes > chunk.size() {
                return Err(Misuse::WrongSize);
            }
            record.chunk.set(None);
            self.directory().leave(start, chunk.size());
            record.huge_bytes.store(0, Ordering::Relaxed);
            self.counts.grant(chunk.size(), 0);
            state.huge.live -= 1;
            state.huge.bytes -= chunk.size();
            Ok((start, chunk))
        })
    }

    /// Changes the size of a huge block, and its place if it may.
    pub(super) fn resize_huge(
        &self,
        record: &Record,
        new: Layout,
        may_move: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (block, before) = self.state.with(|_| record.chunk.get()).ok_or(AllocError)?;
        let after = new.align_to(GRAIN).map_err(|_| AllocError)?;
        if after.align() > before.align() || !Heap::is_backings(new) {
            return Err(AllocError);
        }
        let after =
            Layout::from_size_align(after.size(), before.align()).map_err(|_| AllocError)?;
        let may_move = may_move && after.size() <= SPARE_BYTES;
        let more = after.size().saturating_sub(before.size());
        self.counts.take(more, self.fixed.budget)?;
        // Out of the directory meanwhile: the backing may give its place to others.
        let lifted = self.state.with(|_| {
            self.directory().fill_spare(self)?;
            self.directory().leave(block, before.size());
            record.chunk.set(None);
            Ok(())
        });
        lifted.inspect_err(|_| self.counts.untake(more))?;
        let resized = if may_move {
            // SAFETY: the block is a live one of the backing's, of this layout.
            unsafe { self.backing().reallocate(block, before, after) }
        } else {
            // SAFETY: as above.
            unsafe { self.backing().resize_in_place(block, before, after) }
        };
        let (now, chunk) = match resized {
            Ok(memory) => (memory.cast::<u8>(), after),
            Err(_) => (block, before),
        };
        match chunk.size().checked_sub(before.size()) {
            None => self.counts.give(before.size() - chunk.size()),
            Some(0) => self.counts.untake(more),
            Some(grown) => self.counts.report(grown),
        }
        self.settle_huge(record, now, before, chunk)?;
        resized.map(|_| NonNull::slice_from_raw_parts(now, chunk.size()))
    }

    /// Enters a huge block again, with the layout that it has now.
    fn settle_huge(
        &self,
        record: &Record,
        block: NonNull<u8>,
        before: Layout,
        chunk: Layout,
    ) -> Result<(), AllocError> {
        self.state.with(|state| {
            record.huge.store(block.as_ptr(), Ordering::Relaxed);
            record.huge_bytes.store(chunk.size(), Ordering::Relaxed);
            record.chunk.set(Some((block, chunk)));
            self.counts.grant(before.size(), chunk.size());
            state.huge.bytes = state.huge.bytes - before.size() + chunk.size();
            state.huge.requested_total += chunk.size().saturating_sub(before.size()) as u64;
            // Fails only if the system moved the block beyond all addresses that it hands out.
            self.directory().enter(block, chunk.size(), record, self)
        })
    }
}

impl<S: SiteBook> ThreadHeap<'_, S> {
    /// Serves a request for a huge block.
    #[cold]
    pub(super) fn take_huge(
        &self,
        layout: Layout,
        zeroed: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.open()?.allocate_huge(layout, zeroed)
    }

    /// Frees a huge block.
    pub(super) fn free_huge(
        &self,
        record: &Record,
        block: NonNull<u8>,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        let Some(shared) = self.opened() else { return };
        match shared.leave_huge(record, block, bytes) {
            Ok((memory, layout)) => {
                shared.keep_huge_record(record);
                shared.give_bytes(memory, layout);
            }
            Err(what) => self.wrong(what, block, site),
        }
    }

    /// Changes the size of a huge block, and its place; `None` if the block is none, or the backing
    /// refuses.
    #[track_caller]
    pub(super) fn move_huge(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<[u8]>> {
        if !Heap::is_backings(old) || !Heap::is_backings(new) {
            return None;
        }
        let shared = self.opened()?;
        let (record, bytes) = self.found(block);
        if !record.slot.load(Ordering::Relaxed).is_null() {
            return None;
        }
        if old.size() > bytes {
            self.wrong(Misuse::WrongSize, block, Location::caller());
        }
        let moved = shared.resize_huge(record, new, true).ok()?;
        self.moved(block, moved.cast());
        Some(moved)
    }

    /// Serves a request with zeros. Pages that are fresh from the system are not cleared again.
    #[track_caller]
    pub(super) fn take_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if Heap::is_backings(layout) {
            return self.take_huge(layout, true);
        }
        let block = self.take(layout)?;
        // SAFETY: the block was just handed out and is valid for writes over its whole length.
        unsafe { block.cast::<u8>().write_bytes(0, block.len()) };
        Ok(block)
    }
}
