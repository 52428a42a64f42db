//! Other buddy allocators in Rust, each in a region.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use buddy_alloc::buddy_alloc::{BuddyAlloc, BuddyAllocParam};

use crate::blocks::{Blocks, refused};

/// The crate `buddy_system_allocator`; blocks of up to 2^39 bytes.
pub(crate) struct BuddySystem(buddy_system_allocator::Heap<40>);

impl BuddySystem {
    /// Makes one in a region.
    ///
    /// # Safety
    ///
    /// The region is valid and this allocator's alone while the allocator exists.
    pub(crate) unsafe fn new(region: &mut [MaybeUninit<u8>]) -> Self {
        let mut heap = buddy_system_allocator::Heap::new();
        let start = region.as_mut_ptr().expose_provenance();
        // SAFETY: the region is valid and ours alone by the caller's promise.
        unsafe { heap.init(start, region.len()) };
        Self(heap)
    }
}

// SAFETY: the crate promises the same.
unsafe impl Blocks for BuddySystem {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        match self.0.alloc(layout) {
            Ok(block) => block,
            Err(()) => refused(layout),
        }
    }

    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.dealloc(block, layout) }
    }
}

/// The crate `buddy-alloc`, with leaves of 64 bytes.
pub(crate) struct BuddyAllocCrate(BuddyAlloc);

impl BuddyAllocCrate {
    /// Makes one in a region.
    ///
    /// # Safety
    ///
    /// The region is valid and this allocator's alone while the allocator exists.
    pub(crate) unsafe fn new(region: &mut [MaybeUninit<u8>]) -> Self {
        let param = BuddyAllocParam::new(region.as_ptr().cast(), region.len(), 64);
        // SAFETY: the region is valid and ours alone by the caller's promise.
        Self(unsafe { BuddyAlloc::new(param) })
    }
}

// SAFETY: the crate promises the same for alignments up to its leaf.
unsafe impl Blocks for BuddyAllocCrate {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        match NonNull::new(self.0.malloc(layout.size())) {
            Some(block) => block,
            None => refused(layout),
        }
    }

    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>, _: Layout) {
        self.0.free(block.as_ptr());
    }
}
