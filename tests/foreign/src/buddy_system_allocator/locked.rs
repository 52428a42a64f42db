//! The heap as a global allocator, with a function that finds it more memory.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};
use std::sync::Mutex;

use super::heap::Heap;

/// Finds memory for a heap that has none for a block.
type Rescue<const ORDER: usize> = fn(&mut Heap<ORDER>, &Layout);

pub struct LockedHeapWithRescue<const ORDER: usize> {
    heap: Mutex<Heap<ORDER>>,
    rescue: Rescue<ORDER>,
}

impl<const ORDER: usize> LockedHeapWithRescue<ORDER> {
    #[must_use]
    pub const fn new(rescue: Rescue<ORDER>) -> Self {
        Self { heap: Mutex::new(Heap::new()), rescue }
    }
}

// SAFETY: blocks are the heap's, which keeps the contract, and one thread uses it at a time.
unsafe impl<const ORDER: usize> GlobalAlloc for LockedHeapWithRescue<ORDER> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut heap = self.heap.lock().expect("no thread panics meanwhile");
        let block = heap.alloc(layout).or_else(|()| {
            (self.rescue)(&mut heap, &layout);
            heap.alloc(layout)
        });
        block.map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let block = NonNull::new(block).expect("a block is not null");
        let mut heap = self.heap.lock().expect("no thread panics meanwhile");
        // SAFETY: the caller's promise.
        unsafe { heap.dealloc(block, layout) }
    }
}
