//! The bins of free blocks by length, 16 a doubling.

use core::cell::Cell;

use super::nodes::NIL;

/// Bins of a level: a level is a doubling, and the first one has the lengths below 16.
const PER_LEVEL: u32 = 16;
/// The level of the longest lengths, and one.
const LEVELS: u32 = 61;

/// The first node of each bin, and which bins have one.
#[derive(Debug)]
pub(super) struct Bins {
    levels: Cell<u64>,
    of_level: [Cell<u16>; LEVELS as usize],
    heads: [Cell<u32>; (LEVELS * PER_LEVEL) as usize],
}

impl Bins {
    pub(super) const fn new() -> Self {
        Self {
            levels: Cell::new(0),
            of_level: [const { Cell::new(0) }; LEVELS as usize],
            heads: [const { Cell::new(NIL) }; (LEVELS * PER_LEVEL) as usize],
        }
    }

    /// The bin of a length: those of a bin differ by less than a 16th.
    #[inline]
    pub(super) const fn of(len: u64) -> u32 {
        if len < PER_LEVEL as u64 {
            return len as u32;
        }
        let level = len.ilog2() - 3;
        level * PER_LEVEL + (len >> (level - 1)) as u32 % PER_LEVEL
    }

    /// The first node of a bin, or `NIL`.
    #[inline]
    pub(super) fn head(&self, bin: u32) -> u32 {
        self.heads.get(bin as usize).map_or(NIL, Cell::get)
    }

    /// Makes a node, or none if `NIL`, the first of a bin.
    #[inline]
    pub(super) fn set_head(&self, bin: u32, node: u32) {
        let level = bin / PER_LEVEL;
        self.heads[bin as usize].set(node);
        let of_level = &self.of_level[level as usize];
        let bit = 1 << (bin % PER_LEVEL);
        let bins = if node == NIL { of_level.get() & !bit } else { of_level.get() | bit };
        of_level.set(bins);
        let levels = self.levels.get();
        let bit = 1 << level;
        self.levels.set(if bins == 0 { levels & !bit } else { levels | bit });
    }

    /// The first bin above one that has a node. All lengths in it are longer.
    #[inline]
    pub(super) fn next_after(&self, bin: u32) -> Option<u32> {
        let (level, at) = (bin / PER_LEVEL, bin % PER_LEVEL);
        let above = u32::from(self.of_level[level as usize].get()) & u32::MAX << at << 1;
        if above != 0 {
            return Some(level * PER_LEVEL + above.trailing_zeros());
        }
        let levels = self.levels.get() & u64::MAX << level << 1;
        if levels == 0 {
            return None;
        }
        let level = levels.trailing_zeros();
        let bins = self.of_level[level as usize].get();
        Some(level * PER_LEVEL + bins.trailing_zeros())
    }

    /// The last bin that has a node.
    pub(super) fn last(&self) -> Option<u32> {
        let level = self.levels.get().checked_ilog2()?;
        let bin = self.of_level[level as usize].get().checked_ilog2()?;
        Some(level * PER_LEVEL + bin)
    }

    /// The number of bins.
    pub(super) const COUNT: u32 = LEVELS * PER_LEVEL;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_lengths_in_order_that_differ_by_less_than_a_16th() {
        let mut before = 0;
        for power in 0..64 {
            for step in 0..64 {
                let len = (1_u64 << power) + ((1_u64 << power) / 64) * step;
                let bin = Bins::of(len);
                assert!(bin >= before, "{len} is in bin {bin} after {before}");
                assert!(bin < Bins::COUNT, "{len} is in bin {bin}");
                before = bin;
            }
        }
        assert_eq!(Bins::of(u64::MAX), Bins::COUNT - 1, "the longest is in the last one");
        assert_eq!([15, 16, 17, 31, 32, 33, 34].map(Bins::of), [15, 16, 17, 31, 32, 32, 33]);
    }

    #[test]
    fn the_next_bin_is_that_of_a_model() {
        let bins = Bins::new();
        assert_eq!((bins.last(), bins.next_after(0)), (None, None));
        let mut set = std::collections::BTreeSet::new();
        for turn in 0..2000_u32 {
            let bin = turn.wrapping_mul(2_654_435_761) % Bins::COUNT;
            if set.remove(&bin) {
                bins.set_head(bin, NIL);
            } else {
                set.insert(bin);
                bins.set_head(bin, turn);
            }
            assert_eq!(bins.last(), set.last().copied());
            let from = turn % Bins::COUNT;
            assert_eq!(bins.next_after(from), set.range(from + 1..).next().copied(), "{from}");
        }
    }
}
