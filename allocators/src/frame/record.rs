//! What a frame remembers of a block: eight bytes in a table that grows down from the region's end.

/// Where a block starts and how long it is; a length of zero says that it was freed out of order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Record(u64);

impl Record {
    /// Stands beneath the first record. Its end is the offset zero, as the sum wraps, and no block
    /// starts where it does.
    pub(super) const GROUND: Self = Self(1 << 32 | u32::MAX as u64);

    /// Both numbers must be below 2^32.
    #[inline]
    pub(super) const fn new(offset: usize, bytes: usize) -> Self {
        Self((bytes as u64) << 32 | offset as u64)
    }

    #[inline]
    pub(super) const fn offset(self) -> usize {
        (self.0 & u32::MAX as u64) as usize
    }

    #[inline]
    pub(super) const fn bytes(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Returns the offset of the first byte behind the block.
    #[inline]
    pub(super) const fn end(self) -> usize {
        (self.0 as u32).wrapping_add((self.0 >> 32) as u32) as usize
    }

    #[inline]
    pub(super) const fn is_dead(self) -> bool {
        self.bytes() == 0
    }

    pub(super) const fn dead(self) -> Self {
        Self(self.0 & u32::MAX as u64)
    }
}
