//! Where the contenders' memory comes from.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};

/// Pages for our allocators, and for the regions of all.
pub(crate) static PAGES: PageAllocator = PageAllocator::new("benches");

/// The heap that the scoreboard's own memory, and so that of most peers, is on, too.
pub(crate) type Heap = Locked<HeapAllocator<'static, PageAllocator>>;

/// A heap for our tables, so that they are on the same kind of pages as their peers.
pub(crate) static HEAP: Heap = Locked::new(HeapAllocator::new_in("benches, tables", &PAGES));

/// A region that is resident, for allocators that are made in it again in every pass.
pub(crate) struct Arena {
    start: NonNull<u8>,
    layout: Layout,
}

/// The alignment of a region: that of a huge page, so that no buddy loses a part of it.
const REGION_ALIGN: usize = 2 << 20;

impl Arena {
    /// Maps a region and writes to each of its pages.
    ///
    /// # Panics
    ///
    /// If the machine has no memory for it.
    pub(crate) fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, REGION_ALIGN).expect("regions are no giants");
        let block = PAGES.allocate(layout).expect("the machine has this memory");
        let start = block.cast::<u8>();
        // SAFETY: the block is fresh and this long.
        unsafe { start.write_bytes(1, bytes) };
        Self { start, layout }
    }

    /// Returns the region for one allocator.
    ///
    /// # Safety
    ///
    /// What is built in it is gone before it is lent again and before the arena is dropped.
    pub(crate) unsafe fn lend<'a>(&self) -> &'a mut [MaybeUninit<u8>] {
        let bytes = self.layout.size();
        // SAFETY: the block is live while the arena is, and nobody else uses it, as promised.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), bytes) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the block was taken with this layout, and what was lent has ended.
        unsafe { PAGES.deallocate_sized(self.start, self.layout) };
    }
}
