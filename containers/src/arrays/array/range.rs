//! Ranges of indices as the standard library takes them.

use core::ops::{Bound, Range, RangeBounds};

/// Returns the indices of a range within `len` elements.
///
/// # Panics
///
/// If the range ends beyond `len`, or before it begins.
#[track_caller]
pub(crate) fn within(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    // A range that includes the index `usize::MAX` is beyond every `len`, so saturating is exact.
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    assert!(start <= end && end <= len, "the range {start}..{end} is not one of {len} elements");
    start..end
}
