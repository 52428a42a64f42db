//! The heap for threads as `#[global_allocator]`.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};

use super::ThreadHeap;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::Allocator;
use crate::threads::locked::{address, no_unwind};

// SAFETY: blocks are as the allocator's contract promises; null if there is no memory; a failed
// `realloc` leaves the block unchanged. Nothing unwinds: `no_unwind` stops it. It needs nothing that
// allocates through it but the system's list of thread-local destructors, for which it is ready.
unsafe impl<S: SiteBook> GlobalAlloc for ThreadHeap<'_, S> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        no_unwind(|| address(self.allocate(layout)))
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        no_unwind(|| address(self.allocate_zeroed(layout)))
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        no_unwind(|| {
            // SAFETY: the caller promises that the block is live and that this is its layout.
            unsafe { self.deallocate_sized(block, layout) }
        });
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(new_size, layout.align()) else {
            return ptr::null_mut();
        };
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        no_unwind(|| {
            // SAFETY: the caller promises that the block is live and that this is its layout.
            address(unsafe { self.reallocate(block, layout, new) })
        })
    }
}
