//! The heap for threads as `#[global_allocator]`.

use core::alloc::{GlobalAlloc, Layout};

use super::ThreadHeap;
use crate::bookkeeping::sites::SiteBook;
use crate::threads::global;

// SAFETY: blocks are as the allocator's contract promises; null if there is no memory; a failed
// `realloc` leaves the block unchanged. Nothing unwinds: `threads/global.rs` stops it. It needs
// nothing that allocates through it but the system's list of thread-local destructors, for which it
// is ready.
unsafe impl<S: SiteBook> GlobalAlloc for ThreadHeap<'_, S> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        global::alloc(self, layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        global::alloc_zeroed(self, layout)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a live block of this layout.
        unsafe { global::dealloc(self, block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { global::realloc(self, block, layout, bytes) }
    }
}
