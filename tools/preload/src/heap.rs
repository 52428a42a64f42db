//! What serves: a heap for each thread.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, PageAllocator, ThreadHeap};

static PAGES: PageAllocator = PageAllocator::new("pages");

pub(crate) static HEAP: ThreadHeap<'static> = ThreadHeap::new("malloc", &PAGES);

/// Counts what other threads have freed.
pub(crate) fn settle() {
    HEAP.collect();
}

/// Changes the size of a block, which may move.
///
/// # Safety
///
/// `block` is a live block of the heap, and is not used again unless this fails.
pub(crate) unsafe fn resized(
    block: NonNull<u8>,
    layout: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    // SAFETY: the caller's promise.
    let had = unsafe { HEAP.allocated_size(block) };
    let old = Layout::from_size_align(had, layout.align()).map_err(|_| AllocError)?;
    // SAFETY: as above; the block has `had` bytes.
    unsafe { HEAP.reallocate(block, old, layout) }
}
