//! A heap under test as the threads of a suite see it.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

/// A heap that several threads allocate from. Each suite is compiled for each heap, so no heap has
/// a virtual call that another has not.
#[derive(Debug)]
pub struct SharedHeap<'h, A>(pub &'h A);

impl<A> Clone for SharedHeap<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for SharedHeap<'_, A> {}

impl<A: GlobalAlloc> SharedHeap<'_, A> {
    /// Returns a block; `layout` has a size.
    #[inline(always)]
    #[must_use]
    pub fn allocate(self, layout: Layout) -> NonNull<u8> {
        debug_assert!(layout.size() > 0, "no suite asks for empty blocks");
        // SAFETY: the layout has a size.
        let block = unsafe { self.0.alloc(layout) };
        NonNull::new(block).unwrap_or_else(|| refused(layout))
    }

    /// Returns a block of zeros; `layout` has a size.
    #[inline(always)]
    #[must_use]
    pub fn allocate_zeroed(self, layout: Layout) -> NonNull<u8> {
        debug_assert!(layout.size() > 0, "no suite asks for empty blocks");
        // SAFETY: the layout has a size.
        let block = unsafe { self.0.alloc_zeroed(layout) };
        NonNull::new(block).unwrap_or_else(|| refused(layout))
    }

    /// Resizes a block, which may move.
    ///
    /// # Safety
    ///
    /// As for [`free`](Self::free) with the layout `old`; `bytes` is not 0.
    #[inline(always)]
    pub unsafe fn resize(self, block: NonNull<u8>, old: Layout, bytes: usize) -> NonNull<u8> {
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.0.realloc(block.as_ptr(), old, bytes) };
        NonNull::new(moved).unwrap_or_else(|| refused(old))
    }

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this heap, whichever thread allocated it, with this layout.
    #[inline(always)]
    pub unsafe fn free(self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.dealloc(block.as_ptr(), layout) }
    }
}

/// Ends a workload whose allocator refuses what it should have.
///
/// # Panics
///
/// Always, with the layout.
#[cold]
#[inline(never)]
pub fn refused(layout: Layout) -> ! {
    panic!("a request for {layout:?} was refused in the middle of a workload")
}

/// Returns a layout of `bytes` bytes aligned to 8.
#[inline(always)]
#[must_use]
pub const fn words(bytes: u32) -> Layout {
    // SAFETY: 8 is a power of two, and no 32-bit size overflows `isize` when rounded up to it.
    unsafe { Layout::from_size_align_unchecked(bytes as usize, 8) }
}

const _: () = assert!(usize::BITS == 64, "`words` and the scripts count on 64 bits");
