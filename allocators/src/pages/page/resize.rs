//! Changing the size of a block: in place, by its page tables, or by copying.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::Pages;
use super::entry::{Entry, requested};
use super::mapping::is_aligned;
use super::state::Request;
use super::system::{self, Access};
use crate::bookkeeping::mark;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::Misuse;

impl Pages {
    /// Implements `reallocate`.
    ///
    /// # Safety
    ///
    /// As [`Allocator::reallocate`](crate::Allocator::reallocate).
    #[track_caller]
    pub(super) unsafe fn resize_anyhow(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let entry = self.expect(block, Some(old));
        let request = Request::new(new, self.huge)?;
        // A block that becomes huge is moved once, to an address that huge pages can back.
        let grows = request.bytes > entry.mapped();
        let grain = if grows { request.grain } else { new.align() };
        if is_aligned(block, grain)
            && let Ok(resized) = self.resize_here(entry, new)
        {
            return Ok(resized);
        }
        if request.bytes >= entry.mapped()
            && let Ok(moved) = self.remap(entry, new, request)
        {
            return Ok(moved.slice());
        }
        // The last resort: a block whose pages are of several mappings cannot be moved as one.
        let copy = self.allocate(new)?;
        let bytes = requested(old).min(requested(new));
        // SAFETY: both blocks are live, apart, and hold at least `bytes` bytes.
        unsafe { copy.cast::<u8>().copy_from_nonoverlapping(entry.address(), bytes) };
        self.free(block, Some(old));
        Ok(copy)
    }

    /// Changes a block's layout in place.
    #[track_caller]
    pub(super) fn resize_here(
        &self,
        old: Entry,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let request = Request::new(layout, self.huge)?;
        let new = Entry::block(old.address(), layout);
        if request.bytes < old.mapped() {
            return self.cut(old, new);
        }
        if request.bytes > old.mapped() {
            let before = old.mapped();
            // SAFETY: the pages are those of a live block of ours.
            unsafe { system::grow(old.address(), before, request.bytes) }?;
            mark_grown(old.address(), before, request.bytes);
            if request.huge {
                // SAFETY: the block has `request.bytes` bytes now.
                unsafe { system::advise_huge(old.address(), request.bytes) };
            }
        }
        let exchanged = self.state.with(|state| state.exchange(old, new));
        self.unraced(exchanged, old);
        Ok(new.slice())
    }

    /// Unmaps the tail of a block.
    #[track_caller]
    fn cut(&self, old: Entry, new: Entry) -> Result<NonNull<[u8]>, AllocError> {
        let cut = self.state.with(|state| state.cut(old, new));
        self.unraced(cut, old);
        let kept = new.mapped();
        // SAFETY: `kept` is less than the block's length.
        let tail = unsafe { old.address().add(kept) };
        let lost = old.mapped() - kept;
        mark::defined(tail, lost);
        // SAFETY: the tail is the block's own, and the caller of the resize gave it up.
        let unmapped = unsafe { system::unmap(tail, lost) };
        self.state.with(|state| state.cut_done(old, new, unmapped.is_ok()));
        unmapped.map(|()| new.slice())
    }

    /// Moves a block by its page tables to an address that `request` allows.
    #[track_caller]
    fn remap(&self, old: Entry, layout: Layout, request: Request) -> Result<Entry, AllocError> {
        let lifted = self.state.with(|state| state.remove_entry(old));
        self.unraced(lifted, old)?;
        let moved = self.move_pages(old, request);
        let new = moved.map(|address| Entry::block(address, layout));
        self.state.with(|state| state.insert_entry(old, new.unwrap_or(old)));
        if request.huge
            && let Ok(entry) = new
        {
            // SAFETY: the block is live and has `request.bytes` bytes.
            unsafe { system::advise_huge(entry.address(), request.bytes) };
        }
        new
    }

    fn move_pages(&self, old: Entry, request: Request) -> Result<NonNull<u8>, AllocError> {
        let (from, bytes) = (old.address(), old.mapped());
        let grown = |address: &NonNull<u8>| mark_grown(*address, bytes, request.bytes);
        if request.grain == system::page_size() {
            // SAFETY: the pages are a block's that was taken out of the table, so no other thread
            // maps, unmaps or frees them; the caller of the resize no longer uses the old address.
            return unsafe { system::grow_moving(from, bytes, request.bytes) }.inspect(grown);
        }
        let target = self.map(request, Access::ReadWrite)?;
        // SAFETY: as above, and the target was mapped for this with `request.bytes` bytes. If it
        // fails, the kernel may have unmapped the target or not, and another thread may have got
        // the addresses since. So the target is not unmapped: untouched pages use no memory.
        unsafe { system::move_onto(from, bytes, target, request.bytes) }.inspect(grown)
    }

    /// Reports a block that vanished while it was resized: another thread freed it.
    #[track_caller]
    fn unraced<T>(&self, result: Result<T, Misuse>, old: Entry) -> T {
        match result {
            Ok(value) => value,
            Err(what) => self.report(what, old.address(), Some(old.bytes()), Location::caller()),
        }
    }
}

/// Unpoisons the pages that a mapping gained, which are zero. Valgrind 3.19 treats pages added by
/// `mremap` as unaddressable, in a plain C program too.
fn mark_grown(address: NonNull<u8>, old: usize, new: usize) {
    mark::defined_at(address.as_ptr().wrapping_add(old), new - old);
}
