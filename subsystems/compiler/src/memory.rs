//! The memory of blobs while they are built: a heap for the one that is asking.

use loligo_allocators::{HeapAllocator, PageAllocator};

/// The heap that blobs are built on.
pub(crate) type Heap<'a> = HeapAllocator<'a, PageAllocator>;

/// Calls `work` with a new heap, so that threads share none and a leak would be noticed.
pub(crate) fn with_heap<R>(work: impl FnOnce(&Heap<'_>) -> R) -> R {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    work(&heap)
}
