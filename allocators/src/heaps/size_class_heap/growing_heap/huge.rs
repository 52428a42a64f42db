//! Blocks that are the backing's: those for which a region would be large and go back with them.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::GrowingHeap;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::SizeClasses;

/// A block of at least this size that no region has room for is the backing's: it goes back when it
/// is freed, and pages grow without a copy.
const HUGE_BYTES_MIN: usize = 16 << 20;

#[cfg(test)]
mod tests;

impl<B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'_, B, C> {
    /// Whether a request that no region has room for is one for the backing.
    pub(crate) fn is_backings(layout: Layout) -> bool {
        layout.size() >= HUGE_BYTES_MIN || SizeClassHeap::<C>::is_huge(layout)
    }

    /// Serves a request with zeros. Pages that are fresh from the system are not cleared again.
    #[track_caller]
    pub(crate) fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if Self::is_backings(layout)
            && let Ok(block) = self.allocate_huge(layout, true)
        {
            return Ok(block);
        }
        let block = self.allocate(layout)?;
        // SAFETY: the block was just handed out and is valid for writes over its whole length.
        unsafe { block.cast::<u8>().write_bytes(0, block.len()) };
        Ok(block)
    }

    /// Takes a block from the backing.
    pub(super) fn allocate_huge(
        &self,
        layout: Layout,
        zeroed: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let backing = self.backing.ok_or(AllocError)?;
        if self.next_region.get() == 0 {
            return Err(AllocError);
        }
        self.widen_table(backing)?;
        let memory =
            if zeroed { backing.allocate_zeroed(layout)? } else { backing.allocate(layout)? };
        let added = self.inner.with(|heap| heap.add_huge(memory, layout));
        added.ok_or_else(|| {
            self.give_region(memory.cast(), layout);
            AllocError
        })
    }

    /// Changes the size of a block of the backing, and its place if it may; `None` if the block is
    /// no such block, or the backing refuses.
    #[track_caller]
    pub(crate) fn resize_huge(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        may_move: bool,
    ) -> Option<NonNull<[u8]>> {
        if old.size() < HUGE_BYTES_MIN || new.size() == 0 {
            return None;
        }
        let (number, before) = self.inner.with(|heap| heap.huge_at(block))?;
        if old.size() > before.size() {
            self.wrong(Refusal::Wrong(Misuse::WrongSize, block.as_ptr()), Location::caller());
        }
        let after = Layout::from_size_align(new.size(), before.align()).ok()?;
        if new.align() > before.align() {
            return None;
        }
        let backing = self.backing?;
        let resized = if may_move {
            // SAFETY: the block is a live one of the backing's, of this layout.
            unsafe { backing.reallocate(block, before, after) }
        } else {
            // SAFETY: as above.
            unsafe { backing.resize_in_place(block, before, after) }
        };
        let memory = resized.ok()?;
        self.inner.with(|heap| heap.replace_huge(number, before, memory.cast(), after));
        Some(NonNull::slice_from_raw_parts(memory.cast(), after.size()))
    }
}
