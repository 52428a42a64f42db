//! The place of the tree in a piece of memory, and the size of its metadata.
//!
//! The grid of leaves is at multiples of the leaf in the address space, so each block is aligned to
//! its own length at any address of the buffer. Parts of the tree that the buffer does not cover
//! are missing: at the front, where the metadata is too, and at the back.
//!
//! ```text
//!        buffer
//!        v
//!        [head|lists|fronts|bits]                                    ]
//! | leaf | leaf | leaf | leaf | leaf | leaf | leaf | leaf | leaf | leaf | leaf | leaf |
//! ^ home                      ^ first                            ^ end                ^
//! |----------- missing -------|------------ present -------------|----- missing ------|
//! ```
//!
//! `home` is a multiple of the largest power of two of leaves that could be present in one block,
//! and the tree has the fewest levels that reach from there to `end`. A part of a leaf before the
//! first whole one is used for the metadata, so an unaligned buffer often loses nothing.

use crate::blocks::buddy::error::BuddyError;
use crate::blocks::buddy::meta::{FRONT_SHIFT_MAX, Front, Head, LEVELS_MAX, META_ALIGN, SHIFT_MAX};

/// The present leaves of a tree, and its height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// log2 of the bytes in a leaf.
    pub(crate) leaf_shift: u32,
    /// The height of the root; at most 31.
    pub(crate) top: u32,
    /// The first present leaf.
    pub(crate) first: u32,
    /// The leaf after the last present one.
    pub(crate) end: u32,
}

impl Shape {
    /// Returns the smallest tree over the leaves `first..end` of the grid, moved to start at leaf
    /// 0; and the leaf of the grid that became 0.
    fn over(leaf_shift: u32, first: u64, end: u64) -> Option<(Self, u64)> {
        let grain = 1_u64 << (end - first).ilog2();
        let home = first & !(grain - 1);
        let top = (end - home).next_power_of_two().ilog2();
        if top >= LEVELS_MAX || top + leaf_shift > SHIFT_MAX {
            return None;
        }
        let shape =
            Self { leaf_shift, top, first: (first - home) as u32, end: (end - home) as u32 };
        Some((shape, home))
    }

    /// Returns a tree over `bytes` of offsets from 0, the metadata elsewhere.
    pub(crate) fn of_offsets(bytes: u64, leaf_shift: u32) -> Option<Self> {
        let leaves = bytes >> leaf_shift;
        let top = leaves.checked_next_power_of_two()?.ilog2();
        let fits = leaves > 0 && top < LEVELS_MAX && top + leaf_shift <= SHIFT_MAX;
        fits.then_some(Self { leaf_shift, top, first: 0, end: leaves as u32 })
    }

    /// Returns how many heights have a front: those whose block is at most a 256th of the present
    /// bytes, so that fronts hold back less than an eighth of them and a small tree has none, and
    /// at most 64 KiB, because larger blocks are better merged and reused while they are cached.
    pub(crate) fn fronts(&self) -> u32 {
        let small = (self.leaves().ilog2() + 1).saturating_sub(8);
        small.min((FRONT_SHIFT_MAX + 1).saturating_sub(self.leaf_shift))
    }

    /// Returns the number whose bit is the first of the first word.
    pub(crate) fn bits_from(&self) -> u32 {
        (self.first << 1) & !63
    }

    /// Returns the number of words of bits.
    pub(crate) fn words(&self) -> usize {
        // The numbers of present blocks are between twice the first and twice the last leaf.
        let to = (u64::from(self.end) << 1).div_ceil(64) * 64;
        ((to - u64::from(self.bits_from())) / 64) as usize
    }

    /// Returns the number of present leaves.
    pub(crate) fn leaves(&self) -> u32 {
        self.end - self.first
    }

    /// Returns the offset of the fronts from the header, in bytes.
    pub(crate) fn fronts_at(&self) -> usize {
        let lists = size_of::<Head>() + (self.top as usize + 1) * size_of::<u32>();
        lists.next_multiple_of(META_ALIGN)
    }

    /// Returns the offset of the bits from the header, in bytes.
    pub(crate) fn bits_at(&self) -> usize {
        self.fronts_at() + self.fronts() as usize * size_of::<Front>()
    }

    /// Returns the size of the metadata in bytes.
    pub(crate) fn meta_bytes(&self) -> usize {
        self.bits_at() + self.words() * size_of::<u64>()
    }
}

/// A shape in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) shape: Shape,
    /// From the start of the buffer to the header.
    pub(crate) header: usize,
    /// From the header to the first leaf.
    pub(crate) data: usize,
    /// The address that leaf 0 would have, which may be before the buffer.
    pub(crate) home: u64,
}

impl Placed {
    /// Finds the tree over `bytes` bytes at `address` with the least metadata.
    ///
    /// # Errors
    ///
    /// [`BuddyError`] if no tree of at most 32 levels with at least one leaf fits.
    pub(crate) fn at(address: usize, bytes: usize, leaf_bytes: usize) -> Result<Self, BuddyError> {
        if !leaf_bytes.is_power_of_two() || leaf_bytes < META_ALIGN {
            return Err(BuddyError::BadLeaf { leaf_bytes });
        }
        let too_small = BuddyError::TooSmall { bytes };
        let leaf_shift = leaf_bytes.ilog2();
        let head = address.checked_next_multiple_of(META_ALIGN).ok_or(too_small)?;
        let after = address.checked_add(bytes).ok_or(too_small)?;
        let end = (after >> leaf_shift) as u64;
        // The earliest first leaf if the metadata has the size for a tree from `first`.
        let next = |first: u64| -> Result<u64, BuddyError> {
            if first >= end {
                return Err(too_small);
            }
            let (shape, _) =
                Shape::over(leaf_shift, first, end).ok_or(BuddyError::TooManyLevels { bytes })?;
            let data = head.checked_add(shape.meta_bytes()).ok_or(too_small)?;
            Ok(data.div_ceil(leaf_bytes) as u64)
        };
        // A smaller tree needs less metadata: the first guess is too large, the second a little too
        // small, and the smallest sufficient value is close to it.
        let least = head.div_ceil(leaf_bytes) as u64;
        let much = match next(least) {
            Ok(first) => first.min(end - 1).max(least),
            Err(error) => return Err(error),
        };
        let mut first = next(much)?.min(much).max(least);
        loop {
            let needed = next(first)?;
            if needed <= first {
                break;
            }
            first += 1;
        }
        let (shape, home) =
            Shape::over(leaf_shift, first, end).ok_or(BuddyError::TooManyLevels { bytes })?;
        Ok(Self {
            shape,
            header: head - address,
            data: ((first << leaf_shift) as usize) - head,
            home: home << leaf_shift,
        })
    }
}
