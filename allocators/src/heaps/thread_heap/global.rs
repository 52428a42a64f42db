//! The heap for threads as `#[global_allocator]`.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use super::ThreadHeap;
use crate::bookkeeping::sites::SiteBook;
use crate::threads::global::{self, address, no_unwind};

/// Whether fronts are tried before a guard against unwinding is set up, for which the compiler saves
/// registers in each call. They have no panics but the checks of debug builds.
const QUICK: bool = !cfg!(debug_assertions);

impl<S: SiteBook> ThreadHeap<'_, S> {
    #[inline(never)]
    fn alloc_further(&self, layout: Layout) -> *mut u8 {
        if QUICK && !S::KEEPS {
            return no_unwind(|| address(self.take_further(layout)));
        }
        global::alloc(self, layout)
    }

    /// # Safety
    ///
    /// As `GlobalAlloc::dealloc`.
    #[inline(never)]
    unsafe fn dealloc_further(&self, block: *mut u8, layout: Layout) {
        if QUICK
            && !S::KEEPS
            && let Some(block) = NonNull::new(block)
        {
            return no_unwind(|| self.free_at_last(block, layout.size()));
        }
        // SAFETY: the caller's promise.
        unsafe { global::dealloc(self, block, layout) };
    }
}

// SAFETY: blocks are as the allocator's contract promises; null if there is no memory; a failed
// `realloc` leaves the block unchanged. Nothing unwinds: `threads/global.rs` stops it. It needs
// nothing that allocates through it but the system's list of thread-local destructors, for which it
// is ready.
unsafe impl<S: SiteBook> GlobalAlloc for ThreadHeap<'_, S> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if QUICK
            && !S::KEEPS
            && let Some(block) = self.take_at_once(layout)
        {
            return block.cast().as_ptr();
        }
        self.alloc_further(layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        global::alloc_zeroed(self, layout)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let at = unsafe { NonNull::new_unchecked(block) };
        if QUICK && !S::KEEPS && self.free_at_once(at, layout.size()) {
            return;
        }
        // SAFETY: the caller promises that the block is live and that this is its layout.
        unsafe { self.dealloc_further(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises a live block of this layout.
        unsafe { global::realloc(self, block, layout, bytes) }
    }
}
