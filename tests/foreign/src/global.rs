//! A global allocator for the programs of tests that are to have ours: our heap for threads.

use loligo_allocators::{PageAllocator, ThreadHeap};

/// Its type.
pub type Heap = ThreadHeap<'static>;

static PAGES: PageAllocator = PageAllocator::new("global pages");

/// Returns a heap for `#[global_allocator]`.
#[must_use]
pub const fn heap() -> Heap {
    ThreadHeap::new("global", &PAGES)
}
