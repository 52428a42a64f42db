//! One of our allocators where a suite asks for a `GlobalAlloc`.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};

use loligo_allocators::{AllocError, Allocator};

/// An allocator of this family, called as a `GlobalAlloc`.
pub(crate) struct AsGlobal<A>(pub(crate) A);

// SAFETY: the contract of `Allocator` promises the same of its blocks.
unsafe impl<A: Allocator> GlobalAlloc for AsGlobal<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        address(self.0.allocate(layout))
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        address(self.0.allocate_zeroed(layout))
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: the caller promises a live block with this layout.
            unsafe { self.0.deallocate_sized(block, layout) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let new = Layout::from_size_align(bytes, layout.align());
        let (Some(block), Ok(new)) = (NonNull::new(block), new) else {
            return null_mut();
        };
        // SAFETY: the caller promises a live block with this layout.
        address(unsafe { self.0.reallocate(block, layout, new) })
    }
}

fn address(answer: Result<NonNull<[u8]>, AllocError>) -> *mut u8 {
    answer.map_or(null_mut(), |block| block.cast().as_ptr())
}
