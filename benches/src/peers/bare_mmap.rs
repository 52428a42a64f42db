//! The system's calls for pages, with nothing between.

use core::alloc::Layout;
use core::ptr::{NonNull, null_mut};

use crate::blocks::{Blocks, refused};

/// A mapping for each block.
pub(crate) struct BareMmap {
    /// Whether the system is asked for huge pages, where a block is large enough for one.
    pub(crate) huge: bool,
}

/// Bytes of a huge page.
const HUGE_BYTES: usize = 2 << 20;

// SAFETY: a fresh mapping overlaps nothing until it is unmapped.
unsafe impl Blocks for BareMmap {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping at a place of the system's choice touches no memory that
        // exists.
        let map = unsafe { libc::mmap(null_mut(), layout.size(), protection, flags, -1, 0) };
        if map == libc::MAP_FAILED {
            refused(layout);
        }
        if self.huge && layout.size() >= HUGE_BYTES {
            // SAFETY: the range is the mapping just made. A refusal is the system's to decide.
            unsafe { libc::madvise(map, layout.size(), libc::MADV_HUGEPAGE) };
        }
        match NonNull::new(map) {
            Some(block) => block.cast(),
            None => refused(layout),
        }
    }

    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the mapping was made for this block with this length, and nothing uses it more.
        unsafe { libc::munmap(block.as_ptr().cast(), layout.size()) };
    }
}
