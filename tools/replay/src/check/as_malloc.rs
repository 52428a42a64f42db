//! An allocator behind `malloc` and `free`, as our libraries to preload have it.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::ours::address;
use crate::subject::Subject;

/// What a block of `malloc` is aligned to at the least.
const ALIGN: usize = 16;

/// An allocator that does not get the size of what is freed.
pub(super) struct AsMalloc<A>(pub(super) A);

impl<A: Allocator> AsMalloc<A> {
    /// Returns what is asked of the allocator for a request.
    fn asked(layout: Layout) -> Layout {
        layout.align_to(ALIGN).unwrap_or(layout)
    }
}

// SAFETY: the allocator keeps the contract of `Allocator`, which asks for the same.
unsafe impl<A: Allocator> Subject for AsMalloc<A> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate(Self::asked(layout)))
    }

    #[inline(never)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate_zeroed(Self::asked(layout)))
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, _: Layout) {
        // SAFETY: the caller's promise: the block is live, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: as above.
        unsafe { self.0.deallocate(block) }
    }

    #[inline(never)]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the block is live, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: as above.
        let had = unsafe { self.0.allocated_size(block) };
        let align = Self::asked(old).align();
        // SAFETY: the alignment is a power of two, and the sizes of a replay are at most 2^47.
        let [old, new] =
            [had, bytes].map(|bytes| unsafe { Layout::from_size_align_unchecked(bytes, align) });
        // SAFETY: the block has `had` bytes; the rest is the caller's promise.
        address(unsafe { self.0.reallocate(block, old, new) })
    }
}

#[cfg(test)]
mod tests {
    use core::alloc::Layout;

    use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

    use super::AsMalloc;
    use crate::subject::Subject;

    #[test]
    fn blocks_keep_their_contents_without_a_size() {
        let pages = PageAllocator::new("pages");
        let mut malloc = AsMalloc(HeapAllocator::new_in("heap", &pages));
        let layout = |bytes| Layout::from_size_align(bytes, 1).expect("a layout");
        let block = malloc.allocate(layout(40));
        assert!(block.addr().is_multiple_of(16), "as `malloc` gives it");
        // SAFETY: the block has 40 bytes.
        unsafe { block.write_bytes(7, 40) };
        // SAFETY: the block is live with this layout.
        let grown = unsafe { malloc.reallocate(block, layout(40), 4000) };
        // SAFETY: the first 40 bytes were written.
        let kept = unsafe { core::slice::from_raw_parts(grown, 40) };
        assert_eq!(kept, [7; 40]);
        // SAFETY: the block is live.
        unsafe { malloc.deallocate(grown, layout(1)) };
        assert_eq!(malloc.0.stats().live, 0);
    }
}
