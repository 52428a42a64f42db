//! A heap under test as the threads of a suite see it.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use crate::blocks;

/// A heap that several threads allocate from. Each suite is compiled for each heap, so no heap has
/// a virtual call that another has not.
pub(super) struct SharedHeap<'h, A>(pub(super) &'h A);

impl<A> Clone for SharedHeap<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for SharedHeap<'_, A> {}

impl<A: GlobalAlloc> SharedHeap<'_, A> {
    /// Returns a block; `layout` has a size.
    #[inline(always)]
    pub(super) fn allocate(self, layout: Layout) -> NonNull<u8> {
        debug_assert!(layout.size() > 0, "no suite asks for empty blocks");
        // SAFETY: the layout has a size.
        let block = unsafe { self.0.alloc(layout) };
        NonNull::new(block).unwrap_or_else(|| blocks::refused(layout))
    }

    /// Returns a block of zeros; `layout` has a size.
    #[inline(always)]
    pub(super) fn allocate_zeroed(self, layout: Layout) -> NonNull<u8> {
        debug_assert!(layout.size() > 0, "no suite asks for empty blocks");
        // SAFETY: the layout has a size.
        let block = unsafe { self.0.alloc_zeroed(layout) };
        NonNull::new(block).unwrap_or_else(|| blocks::refused(layout))
    }

    /// Resizes a block, which may move.
    ///
    /// # Safety
    ///
    /// As for [`free`](Self::free) with the layout `old`; `bytes` is not 0.
    #[inline(always)]
    pub(super) unsafe fn resize(
        self,
        block: NonNull<u8>,
        old: Layout,
        bytes: usize,
    ) -> NonNull<u8> {
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.0.realloc(block.as_ptr(), old, bytes) };
        NonNull::new(moved).unwrap_or_else(|| blocks::refused(old))
    }

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this heap, whichever thread allocated it, with this layout.
    #[inline(always)]
    pub(super) unsafe fn free(self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.dealloc(block.as_ptr(), layout) }
    }
}
