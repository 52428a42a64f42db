//! Where the adapters' memory comes from, as peers' calls name none: our heap for threads.

use loligo_allocators::{PageAllocator, ThreadHeap};

/// The type of [`MEMORY`].
pub(crate) type Memory = ThreadHeap<'static>;

/// Memory for whatever a peer's test creates.
pub(crate) static MEMORY: Memory = ThreadHeap::new("foreign", &PAGES);

static PAGES: PageAllocator = PageAllocator::new("foreign pages");
