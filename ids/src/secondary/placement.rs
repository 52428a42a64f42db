//! Where a map by ids has its values: by the index itself, or by its hash.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "places are wrapped by the mask, and counts are of places that are in memory"
)]

use crate::id::{Sealed, TableId};
use crate::table::{HoleParts, Parts};

/// Places that the first block has.
const FIRST: usize = 8;

/// Where a map by ids has its values: [`Dense`] or [`Sparse`].
pub trait Placement: Sealed + 'static {
    /// Returns the place of the value that these bits name.
    #[doc(hidden)]
    fn find<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, bits: u64) -> Option<usize>;

    /// Returns the place of the value of an id's slot, of whatever generation, or the one that it
    /// is to have. There is room for it.
    #[doc(hidden)]
    fn place<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, bits: u64) -> usize;

    /// Returns the capacity that a map of `len` values and `capacity` places needs to have room for
    /// an id with this index; `None` if that is more than can be counted.
    #[doc(hidden)]
    fn capacity_for<I: TableId>(index: u64, len: usize, capacity: usize) -> Option<usize>;

    /// Returns the least capacity for the values that there are.
    #[doc(hidden)]
    fn least_capacity<T, I: TableId>(
        parts: HoleParts<T, I::Repr>,
        len: usize,
        capacity: usize,
    ) -> usize;

    /// Closes the gap that the value at a place left.
    #[doc(hidden)]
    fn close<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, gap: usize);

    /// Returns a place before which no value can move when others are removed.
    #[doc(hidden)]
    fn border<T, I: TableId>(parts: HoleParts<T, I::Repr>, capacity: usize) -> usize;
}

/// A place for every index up to the highest: the placement of [`Secondary`](crate::Secondary).
#[derive(Clone, Copy, Debug)]
pub enum Dense {}

impl Sealed for Dense {}

impl Placement for Dense {
    #[inline]
    fn find<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, bits: u64) -> Option<usize> {
        let place = bits as usize & mask;
        (parts.word(place) == bits).then_some(place)
    }

    #[inline]
    fn place<T, I: TableId>(_parts: HoleParts<T, I::Repr>, _mask: usize, bits: u64) -> usize {
        (bits & I::INDEX_MASK) as usize
    }

    fn capacity_for<I: TableId>(index: u64, _len: usize, capacity: usize) -> Option<usize> {
        let needed = usize::try_from(index).ok()?.checked_add(1)?;
        if needed <= capacity {
            return Some(capacity);
        }
        let most = usize::try_from(I::SLOTS).unwrap_or(usize::MAX);
        Some(capacity.saturating_mul(2).max(FIRST).max(needed).min(most))
    }

    fn least_capacity<T, I: TableId>(
        parts: HoleParts<T, I::Repr>,
        len: usize,
        capacity: usize,
    ) -> usize {
        parts.walk(capacity, len).next_back().map_or(0, |last| last + 1)
    }

    #[inline]
    fn close<T, I: TableId>(_parts: HoleParts<T, I::Repr>, _mask: usize, _gap: usize) {}

    fn border<T, I: TableId>(_parts: HoleParts<T, I::Repr>, _capacity: usize) -> usize {
        0
    }
}

/// A hash table of the indices: the placement of [`SparseSecondary`](crate::SparseSecondary).
///
/// A value is at the place that the hash of its index names or, where that is taken, at one of
/// those that follow, without a gap in between. Three of four places are in use at most.
#[derive(Clone, Copy, Debug)]
pub enum Sparse {}

impl Sealed for Sparse {}

impl Placement for Sparse {
    #[inline]
    fn find<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, bits: u64) -> Option<usize> {
        let mut place = home::<I>(bits, mask);
        loop {
            match parts.word(place) {
                0 => return None,
                word if word == bits => return Some(place),
                _ => place = (place + 1) & mask,
            }
        }
    }

    #[inline]
    fn place<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, bits: u64) -> usize {
        let mut place = home::<I>(bits, mask);
        loop {
            let word = parts.word(place);
            if word == 0 || (word ^ bits) & I::INDEX_MASK == 0 {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn capacity_for<I: TableId>(_index: u64, len: usize, capacity: usize) -> Option<usize> {
        if len < room(capacity) {
            return Some(capacity);
        }
        Some(capacity.checked_mul(2)?.max(FIRST))
    }

    fn least_capacity<T, I: TableId>(
        _parts: HoleParts<T, I::Repr>,
        len: usize,
        mut capacity: usize,
    ) -> usize {
        if len == 0 {
            return 0;
        }
        while capacity > FIRST && len <= room(capacity / 2) {
            capacity /= 2;
        }
        capacity
    }

    fn close<T, I: TableId>(parts: HoleParts<T, I::Repr>, mask: usize, mut gap: usize) {
        let mut place = gap;
        loop {
            place = (place + 1) & mask;
            let word = parts.word(place);
            if word == 0 {
                return;
            }
            // It may move back to the gap if that is no further back than its home.
            let from_home = place.wrapping_sub(home::<I>(word, mask)) & mask;
            let from_gap = place.wrapping_sub(gap) & mask;
            if from_home >= from_gap {
                parts.set_word(place, 0);
                let value = parts.take(place, 0, 0);
                parts.put(gap, word, 0, value);
                gap = place;
            }
        }
    }

    fn border<T, I: TableId>(parts: HoleParts<T, I::Repr>, capacity: usize) -> usize {
        (0..capacity).find(|place| parts.word(*place) == 0).unwrap_or(0)
    }
}

/// Returns how many values a hash table of this many places may have: one place is free at least,
/// which ends each search.
fn room(capacity: usize) -> usize {
    capacity / 4 * 3
}

/// Returns the place that the hash of an id's index names. Tables give out indices in a row; the
/// factor of Fibonacci hashing spreads those, whatever their distance.
#[inline]
fn home<I: TableId>(bits: u64, mask: usize) -> usize {
    let hash = (bits & I::INDEX_MASK).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32) as usize & mask
}
