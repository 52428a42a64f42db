//! Memory for allocators that work in a fixed region.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::alloc::{alloc, dealloc, handle_alloc_error};

/// A piece of memory at an address of a chosen alignment, or a chosen distance past one.
///
/// # Examples
///
/// ```
/// use loligo_tests::Region;
///
/// let mut region = Region::new(1000, 4096).at_offset(24);
/// assert_eq!(region.memory().len(), 1000);
/// assert_eq!(region.memory().as_ptr().addr() % 4096, 24);
/// ```
#[derive(Debug)]
pub struct Region {
    base: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    offset: usize,
}

impl Region {
    /// Takes `bytes` bytes at an address that is a multiple of `align`. Pages are not touched.
    ///
    /// # Panics
    ///
    /// If `align` is not a power of two, or the size is more than a `Layout` may have.
    #[must_use]
    pub fn new(bytes: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(bytes.saturating_add(align).max(1), align)
            .expect("a region has a power-of-two alignment and a size that a layout can hold");
        // SAFETY: the layout's size is not zero.
        let memory = unsafe { alloc(layout) };
        let Some(base) = NonNull::new(memory) else { handle_alloc_error(layout) };
        Self { base, layout, bytes, offset: 0 }
    }

    /// Shifts the region `offset` bytes past the aligned address.
    ///
    /// # Panics
    ///
    /// If `offset` is more than the alignment given to [`new`](Self::new).
    #[must_use]
    pub fn at_offset(mut self, offset: usize) -> Self {
        assert!(offset <= self.layout.align(), "the offset {offset} is more than the alignment");
        self.offset = offset;
        self
    }

    /// Returns the memory.
    pub fn memory(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the block has room for an alignment's worth of bytes more than the region.
        let from = unsafe { self.base.add(self.offset) };
        // SAFETY: the bytes are ours while `self` is borrowed, and need no value.
        unsafe { core::slice::from_raw_parts_mut(from.cast().as_ptr(), self.bytes) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc` with this layout and is freed once, here.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}
