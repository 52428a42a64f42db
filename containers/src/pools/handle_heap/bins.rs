//! The size classes of holes: which one a size belongs to, and where each list begins.

#[cfg(test)]
pub(super) mod tests;

/// How many classes there are.
pub(super) const COUNT: usize = EXACT + (LOG_MAX - EXACT_LOG) as usize * PARTS;

/// Holes are shorter than 2 to this.
const LOG_MAX: u32 = 27;

/// Sizes below this have a class each.
const EXACT: usize = 1 << EXACT_LOG;
const EXACT_LOG: u32 = 5;

/// Classes for each power of two above.
const PARTS: usize = 1 << PARTS_LOG;
const PARTS_LOG: u32 = 3;

/// No hole.
pub(super) const NIL: u32 = u32::MAX;

/// The first hole of each class, and a bit for each class that has one.
pub(super) struct Bins {
    first: [u32; COUNT],
    some: [u64; COUNT.div_ceil(64)],
}

impl Bins {
    pub(super) const fn new() -> Self {
        Self { first: [NIL; COUNT], some: [0; COUNT.div_ceil(64)] }
    }

    /// Returns the first hole of a class, or `NIL`.
    #[inline]
    pub(super) const fn first(&self, class: usize) -> u32 {
        self.first[class]
    }

    #[inline]
    pub(super) const fn set_first(&mut self, class: usize, hole: u32) {
        self.first[class] = hole;
        let bit = 1 << (class % 64);
        if hole == NIL {
            self.some[class / 64] &= !bit;
        } else {
            self.some[class / 64] |= bit;
        }
    }

    /// Returns the first class from `class` on that has holes.
    #[inline]
    pub(super) fn next(&self, class: usize) -> Option<usize> {
        let mut word = class / 64;
        let mut bits = self.some.get(word)? & (u64::MAX << (class % 64));
        while bits == 0 {
            word += 1;
            bits = *self.some.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns the class of the largest holes.
    pub(super) fn largest(&self) -> Option<usize> {
        let word = self.some.iter().rposition(|bits| *bits != 0)?;
        Some(word * 64 + self.some[word].ilog2() as usize)
    }
}

/// Returns the class of a hole of `granules` granules: at least 1, less than 2^27.
#[inline]
pub(super) const fn class_of(granules: u32) -> usize {
    if granules < EXACT as u32 {
        return granules as usize;
    }
    let log = granules.ilog2();
    let part = (granules >> (log - PARTS_LOG)) as usize & (PARTS - 1);
    EXACT + (log - EXACT_LOG) as usize * PARTS + part
}

/// Returns the first class all of whose holes have at least `granules` granules.
#[inline]
pub(super) const fn class_from(granules: u32) -> usize {
    if granules < EXACT as u32 {
        return granules as usize;
    }
    let part = 1 << (granules.ilog2() - PARTS_LOG);
    class_of(granules + (part - 1))
}
