//! The name of a block of offsets.

/// A block of a [`HeapOffsets`](crate::HeapOffsets): where it begins, and a name that no other
/// block of the allocator has. Plain data; freeing it twice is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct OffsetBlock {
    pub(super) offset: u64,
    pub(super) node: u32,
    pub(super) life: u32,
}

impl OffsetBlock {
    /// Returns the offset at which the block begins.
    #[inline]
    #[must_use]
    pub const fn offset(self) -> u64 {
        self.offset
    }
}
