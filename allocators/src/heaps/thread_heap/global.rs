//! The heap for threads as `#[global_allocator]`.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};

use super::ThreadHeap;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::Allocator;
use crate::threads::locked::{address, no_unwind};

/// Whether fronts are tried before a guard against unwinding is set up, for which the compiler saves
/// registers in each call. They have no panics but the checks of debug builds.
const QUICK: bool = !cfg!(debug_assertions);

impl<S: SiteBook> ThreadHeap<'_, S> {
    #[inline(never)]
    fn alloc_further(&self, layout: Layout) -> *mut u8 {
        no_unwind(|| {
            address(if QUICK && !S::KEEPS {
                self.take_further(layout)
            } else {
                self.allocate(layout)
            })
        })
    }

    #[inline(never)]
    fn dealloc_further(&self, block: NonNull<u8>, layout: Layout) {
        no_unwind(|| {
            // SAFETY: the caller of `dealloc` promises that the block is live and that this is its
            // layout.
            unsafe { self.deallocate_sized(block, layout) }
        });
    }
}

// SAFETY: blocks are as the allocator's contract promises; null if there is no memory; a failed
// `realloc` leaves the block unchanged. Nothing unwinds: `no_unwind` stops it. It needs nothing that
// allocates through it but the system's list of thread-local destructors, for which it is ready.
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
        no_unwind(|| address(self.allocate_zeroed(layout)))
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        if QUICK && !S::KEEPS && self.free_at_once(block, layout.size()) {
            return;
        }
        self.dealloc_further(block, layout);
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
