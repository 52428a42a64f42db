//! The heap: a buddy for each range of memory that is added.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use loligo_allocators::{Allocator, BuddyAllocator};

use crate::fault;

/// The least block of ours.
const LEAF_BYTES: usize = 16;

/// `ORDER` bounds the size of the peer's blocks; ours are bounded by the range.
pub struct Heap<const ORDER: usize> {
    buddies: Vec<BuddyAllocator<'static>>,
}

impl<const ORDER: usize> Heap<ORDER> {
    #[must_use]
    pub const fn new() -> Self {
        Self { buddies: Vec::new() }
    }

    /// Adds the memory between two addresses.
    ///
    /// # Safety
    ///
    /// It is used by nothing else until the heap is dropped.
    pub unsafe fn add_to_heap(&mut self, start: usize, end: usize) {
        let memory = ptr::with_exposed_provenance_mut::<MaybeUninit<u8>>(start);
        let memory = ptr::slice_from_raw_parts_mut(memory, end - start);
        // SAFETY: the caller's promise.
        let memory = unsafe { &mut *memory };
        let buddy = BuddyAllocator::from_region("buddy", LEAF_BYTES, memory);
        self.buddies.push(buddy.expect("there is room for a leaf beside the metadata"));
    }

    /// Adds memory by its size.
    ///
    /// # Safety
    ///
    /// As [`add_to_heap`](Self::add_to_heap).
    pub unsafe fn init(&mut self, start: usize, size: usize) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.add_to_heap(start, start + size) }
    }

    #[expect(clippy::result_unit_err, reason = "the peer's signature")]
    pub fn alloc(&mut self, layout: Layout) -> Result<NonNull<u8>, ()> {
        if fault::is_planted() {
            return Ok(NonNull::dangling());
        }
        let mut blocks = self.buddies.iter().filter_map(|buddy| buddy.allocate(layout).ok());
        blocks.next().map(NonNull::cast).ok_or(())
    }

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// It was allocated from this heap with this layout, and is not used any more.
    pub unsafe fn dealloc(&mut self, block: NonNull<u8>, layout: Layout) {
        let mut owners = self.buddies.iter().filter(|buddy| buddy.owns(block.as_ptr()));
        let owner = owners.next().expect("the block is one of this heap's");
        // SAFETY: the caller's promise; the buddy owns the block.
        unsafe { owner.deallocate_sized(block, layout) }
    }
}

/// The peer forgets what is allocated; ours would report it.
impl<const ORDER: usize> Drop for Heap<ORDER> {
    fn drop(&mut self) {
        for buddy in &self.buddies {
            let mut live = Vec::new();
            buddy.walk(&mut |block| live.push(block.address));
            for block in live {
                // SAFETY: the block is live, and the heap that could use it ends.
                unsafe { buddy.deallocate(block) };
            }
        }
    }
}
