//! Freed blocks that rest: they keep their length, and are taken again by the next block of it.
//!
//! A free that makes a hole reads the heads on both sides and two neighbours in lists of holes, all
//! of which are elsewhere in the buffer; an allocation takes the hole apart again. A block that
//! rests is one head, written and read. What rests becomes a hole as soon as compaction, growth or
//! a refusal would see the difference.

use super::bins::NIL;

/// Blocks of fewer granules rest, heads included: those of up to 1 KiB.
pub(super) const LENGTHS: usize = 66;

/// How many of each length rest at most.
const MOST: u8 = 16;

/// The first resting block of each length, and how many there are.
pub(super) struct Resting {
    first: [u32; LENGTHS],
    count: [u8; LENGTHS],
    /// Of all lengths together.
    blocks: u32,
    granules: u32,
}

impl Resting {
    pub(super) const fn new() -> Self {
        Self { first: [NIL; LENGTHS], count: [0; LENGTHS], blocks: 0, granules: 0 }
    }

    /// Returns the first one of a length, or `NIL`.
    #[inline]
    pub(super) fn first(&self, granules: u32) -> u32 {
        self.first.get(granules as usize).copied().unwrap_or(NIL)
    }

    /// Returns how many rest.
    pub(super) const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns their granules.
    pub(super) const fn granules(&self) -> u32 {
        self.granules
    }

    /// Returns the longest length of which some rest, or 0.
    pub(super) fn longest(&self) -> u32 {
        self.count.iter().rposition(|count| *count > 0).unwrap_or(0) as u32
    }

    /// Returns whether one more of a length may rest.
    #[inline]
    pub(super) fn has_room(&self, granules: u32) -> bool {
        self.count.get(granules as usize).is_some_and(|count| *count < MOST)
    }

    /// Notes that `at`, of a length that [has room](Self::has_room), rests before all others.
    #[inline]
    pub(super) fn note(&mut self, at: u32, granules: u32) {
        self.first[granules as usize] = at;
        self.count[granules as usize] += 1;
        self.blocks += 1;
        self.granules += granules;
    }

    /// Notes which one is the first of a length.
    #[inline]
    pub(super) fn set_first(&mut self, granules: u32, first: u32) {
        self.first[granules as usize] = first;
    }

    /// Notes that one of a length rests no more.
    #[inline]
    pub(super) fn forget(&mut self, granules: u32) {
        self.count[granules as usize] -= 1;
        self.blocks -= 1;
        self.granules -= granules;
    }

    /// Returns how many of a length rest.
    pub(super) fn count(&self, granules: u32) -> u32 {
        self.count.get(granules as usize).copied().unwrap_or(0).into()
    }

    #[cfg(test)]
    pub(super) fn miscount(&mut self, granules: u32) {
        self.count[granules as usize] += 1;
    }
}
