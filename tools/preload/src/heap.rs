//! What serves: a heap for each thread.

use loligo_allocators::{PageAllocator, ThreadHeap};

static PAGES: PageAllocator = PageAllocator::new("pages");

pub(crate) static HEAP: ThreadHeap<'static> = ThreadHeap::new("malloc", &PAGES);

/// Counts what other threads have freed.
pub(crate) fn settle() {
    HEAP.collect();
}
