//! Tests of the heap for threads: blocks that cross threads, threads that end, wrong frees, refusals.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod blocks;
#[cfg(target_os = "linux")]
mod fork;
mod misuse;
mod threads;

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::contract::allocator::Allocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::testing::test_backing::TestBacking;

/// A block with its layout and the byte that it is filled with, which may go to another thread.
#[derive(Debug)]
struct Filled {
    block: NonNull<u8>,
    layout: Layout,
    fill: u8,
}

// SAFETY: a block belongs to the thread that has it.
unsafe impl Send for Filled {}

impl Filled {
    fn new(heap: &dyn Allocator, layout: Layout, fill: u8) -> Self {
        let block = heap.allocate(layout).expect("there is memory").cast::<u8>();
        assert!(block.addr().get().is_multiple_of(layout.align()), "{layout:?}");
        // SAFETY: the block has this many bytes.
        unsafe { block.write_bytes(fill, layout.size()) };
        Self { block, layout, fill }
    }

    /// The same block as a child of this process sees it.
    fn copy(&self) -> Self {
        Self { ..*self }
    }

    fn check(&self) {
        let Self { block, layout, fill } = *self;
        // SAFETY: the block has this many bytes, which were written.
        let bytes = unsafe { core::slice::from_raw_parts(block.as_ptr(), layout.size()) };
        // Of large ones some bytes: the tools that watch the tests are slow.
        let step = if bytes.len() > 1 << 20 { 509 } else { 1 };
        let wrong = bytes.iter().step_by(step).position(|&byte| byte != fill);
        assert_eq!(wrong, None, "byte of {layout:?} at {block:p}, which should be {fill}");
    }

    fn free(self, heap: &dyn Allocator) {
        self.check();
        // SAFETY: it is live, has this layout, and is not used again.
        unsafe { heap.deallocate_sized(self.block, self.layout) };
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).expect("a layout")
}

/// A heap whose budget makes its regions small, as the test backing writes zeros into them.
fn small_heap(backing: &TestBacking) -> ThreadHeap<'_> {
    ThreadHeap::new("heap", backing).with_budget(256 << 20)
}
