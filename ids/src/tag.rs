//! The tag of a table: the bits of its ids that index and generation leave.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011), whose ids are
//! those of one table. Changes: an id says which table made it, as far as it has bits for that.

use crate::id::TableId;
use crate::sync;

#[cfg(test)]
mod tests;

/// Returns `true` if an id has enough bits for a tag.
pub(crate) fn fits<I: TableId>(tag: u64) -> bool {
    tag.checked_shr(I::TAG_BITS).unwrap_or(0) == 0
}

/// Returns a tag where an id has it: for a table whose owner gives it one.
///
/// # Panics
///
/// If the tag does not fit.
#[track_caller]
#[expect(clippy::arithmetic_side_effects, reason = "each is below 64")]
pub(crate) fn given<I: TableId>(tag: u64) -> u64 {
    assert!(
        fits::<I>(tag),
        "tag {tag} does not fit into the {} bits that the id leaves",
        I::TAG_BITS
    );
    tag.checked_shl(I::INDEX_BITS + I::GENERATION_BITS).unwrap_or(0)
}

/// Returns the tag of the next table of the program, where an id has it; 0 where no bits are left.
///
/// The tags count from 1 up and begin again after the last, so tables made in a row have different
/// ones. 0 is never taken: it is what the owner of a table may give it.
#[inline]
pub(crate) fn next<I: TableId>() -> u64 {
    if I::TAG_BITS == 0 { 0 } else { given::<I>(nth::<I>(sync::count_table())) }
}

/// Returns the tag of the table before which `tables` were made.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the divisor is at least 1, as there are bits for a tag, and the sum at most 2^32"
)]
fn nth<I: TableId>(tables: u32) -> u64 {
    // All tags but 0. The count has 32 bits, so longer tags are not all taken.
    let tags = (1_u64 << I::TAG_BITS.min(u32::BITS)) - 1;
    1 + u64::from(tables) % tags
}
