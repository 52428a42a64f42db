//! `rlsf`'s global allocator by our heap for threads.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr;

use crate::fault;
use crate::global::{self, Heap};

pub struct SmallGlobalTlsf(Heap);

impl SmallGlobalTlsf {
    #[must_use]
    pub const fn new() -> Self {
        Self(global::heap())
    }
}

// SAFETY: every call is the heap's, which keeps the contract.
unsafe impl GlobalAlloc for SmallGlobalTlsf {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fault::is_due(layout) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.0.realloc(block, layout, bytes) }
    }
}
