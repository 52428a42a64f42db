//! Ranges of indices as the standard library takes them.

use core::ops::{Bound, Range, RangeBounds};

/// Returns the indices of a range within `len` elements.
///
/// # Panics
///
/// If the range ends beyond `len`, or before it begins.
#[track_caller]
pub(crate) fn within(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    // One more than `usize::MAX` is beyond every `len`, that of `usize::MAX` included: elements
    // without a size can be that many where a word has 32 bits.
    let after = |index: usize| index as u128 + 1;
    let start = match range.start_bound() {
        Bound::Included(start) => *start as u128,
        Bound::Excluded(before) => after(*before),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => after(*last),
        Bound::Excluded(end) => *end as u128,
        Bound::Unbounded => len as u128,
    };
    let is_within = start <= end && end <= len as u128;
    assert!(is_within, "the range {start}..{end} is not one of {len} elements");
    start as usize..end as usize
}
