//! A cursor that moves up and down: what a frame costs without records, checks and counters.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::blocks::{Blocks, refused};

/// Adjacent blocks; the last goes back by setting the cursor to it.
pub(crate) struct RawCursor {
    cursor: *mut u8,
    end: *mut u8,
    /// Owns the memory; reached through the cursor alone.
    _memory: Vec<MaybeUninit<u64>>,
}

impl RawCursor {
    /// Makes a cursor over `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut memory = vec![MaybeUninit::new(0); bytes / size_of::<u64>()];
        let range = memory.as_mut_ptr_range();
        Self { cursor: range.start.cast(), end: range.end.cast(), _memory: memory }
    }
}

// SAFETY: a block is between the cursor before and after; only frees in reverse bring it back.
unsafe impl Blocks for RawCursor {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        let padding = self.cursor.addr().wrapping_neg() & (layout.align() - 1);
        let room = self.end.addr() - self.cursor.addr();
        if padding + layout.size() > room {
            refused(layout);
        }
        // SAFETY: the padding and the size fit between the cursor and the end.
        let block = unsafe { self.cursor.add(padding) };
        // SAFETY: as above.
        self.cursor = unsafe { block.add(layout.size()) };
        // SAFETY: it is in the memory, so it is not null.
        unsafe { NonNull::new_unchecked(block) }
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, _: Layout) {
        self.cursor = block.as_ptr();
    }
}
