//! A block of the tree as one number, which is also the index of its bit.
//!
//! A block that covers the leaves `start..end` has the number `start + end`. The number's lowest
//! set bit gives the height of the block (0 for a leaf), the bits above give its index among the
//! blocks of that height. Numbers of neighbours in memory are neighbours, whatever their height,
//! and no two blocks share one:
//!
//! ```text
//! height 2 |               4               |               12              |
//! height 1 |       2       |       6       |       10      |       14      |
//! height 0 |   1   |   3   |   5   |   7   |   9   |   11  |   13  |   15  |
//! leaf         0       1       2       3       4       5       6       7
//! ```
//!
//! So the bits of 32 leaves and of all blocks within them share one word of 64 bits, those of 256
//! leaves one cache line, and a window of the tree needs only a window of the bits.

/// A block, by its number. Functions also take the height if it is known, which saves the count of
/// trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(pub(crate) u32);

impl Node {
    /// Returns the block of `height` that starts at leaf `start`, which must be a multiple of its
    /// length.
    #[inline]
    pub(crate) const fn new(start: u32, height: u32) -> Self {
        debug_assert!(
            start.trailing_zeros() >= height,
            "a block starts at a multiple of its length"
        );
        Self((start << 1) | (1 << height))
    }

    /// Returns the block of `height` that contains `leaf`.
    #[inline]
    pub(crate) const fn around(leaf: u32, height: u32) -> Self {
        Self(((leaf >> height) << height << 1) | (1 << height))
    }

    #[inline]
    pub(crate) const fn height(self) -> u32 {
        self.0.trailing_zeros()
    }

    /// The first leaf.
    #[inline]
    pub(crate) const fn start(self) -> u32 {
        (self.0 & (self.0 - 1)) >> 1
    }

    /// The leaf after the last one; at most 2^31.
    #[inline]
    pub(crate) const fn end(self) -> u32 {
        self.start() + (1 << self.height())
    }

    /// Returns the other half of the parent.
    #[inline]
    pub(crate) const fn buddy(self, height: u32) -> Self {
        Self(self.0 ^ (2 << height))
    }

    /// Returns the block that this one is half of.
    #[inline]
    pub(crate) const fn parent(self, height: u32) -> Self {
        Self((self.0 ^ (1 << height)) | (2 << height))
    }

    /// Returns the lower half; the height must be above 0.
    #[inline]
    pub(crate) const fn left(self, height: u32) -> Self {
        Self(self.0 - (1 << (height - 1)))
    }

    /// Returns the upper half; the height must be above 0.
    #[inline]
    pub(crate) const fn right(self, height: u32) -> Self {
        Self(self.0 + (1 << (height - 1)))
    }
}
