//! A free list with nothing to it: what a pool costs without checks, counters and growth.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use crate::blocks::{Blocks, refused};
use crate::work::churn;

/// A block in a separate cache line; while it is free its first word leads to the next one.
#[repr(align(64))]
struct Line([*mut Line; 8]);

/// Blocks of 64 bytes, the free ones linked through their first words.
pub(crate) struct BareList {
    first: *mut Line,
    /// Owns the blocks; reached through the list alone.
    _lines: Vec<Line>,
}

impl BareList {
    /// Makes a list of `count` free blocks.
    pub(crate) fn new(count: u32) -> Self {
        let empty = || Line([ptr::null_mut(); 8]);
        let mut lines: Vec<Line> = (0..count).map(|_| empty()).collect();
        let start = lines.as_mut_ptr();
        let mut first = ptr::null_mut();
        for index in (0..count as usize).rev() {
            // SAFETY: the index is below the length.
            let line = unsafe { start.add(index) };
            // SAFETY: the line is in the box.
            unsafe { (*line).0[0] = first };
            first = line;
        }
        Self { first, _lines: lines }
    }
}

const _: () = assert!(churn::BLOCK.size() == size_of::<Line>(), "a line is a block");

// SAFETY: the list holds each free block once, and a block leaves it when it is given out.
unsafe impl Blocks for BareList {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        let Some(block) = NonNull::new(self.first) else { refused(layout) };
        // SAFETY: a free block's first word leads to the next free one.
        self.first = unsafe { (*block.as_ptr()).0[0] };
        block.cast()
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, _: Layout) {
        let line = block.as_ptr().cast::<Line>();
        // SAFETY: the block is live, so it is ours and nobody else writes to it.
        unsafe { (*line).0[0] = self.first };
        self.first = line;
    }
}
