//! The rules that suites and programs check on an allocator, each with a name.

use core::fmt;

/// A rule of the contract of allocators, of containers, or of what takes its memory from an
/// allocator.
///
/// Each has at least one planted fault ([`models`](crate::models)) that breaks it, so that no check
/// can go blind unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The name is not empty and never changes.
    Name,
    /// A request within the stated limits is served by an empty allocator.
    Served,
    /// A block is aligned as asked.
    Alignment,
    /// A block shares no byte with another live block.
    Overlap,
    /// The slice returned is at least as long as was asked, and no shorter than one byte.
    Length,
    /// `allocated_size` is between what was asked and what was granted.
    AllocatedSize,
    /// The bytes of a live block are what was last written to them.
    Contents,
    /// `allocate_zeroed` clears every byte granted.
    Zeroed,
    /// `requested <= granted <= reserved`.
    StatsOrder,
    /// An allocation raises each live counter by what it gave.
    StatsRaised,
    /// A free lowers each live counter by exactly what was raised, and touches no other.
    StatsLowered,
    /// A refused request leaves every counter as it was.
    StatsOnRefusal,
    /// A peak is the greatest value that its counter has had.
    Peaks,
    /// The totals count every allocation and only grow.
    Totals,
    /// `resize_in_place` does not move the block.
    Moved,
    /// A size that no memory can hold is refused.
    Huge,
    /// What was freed can be given out again.
    Reclaimed,
    /// With everything freed, the greatest block is served again.
    Coalesced,
    /// `walk` shows exactly the live blocks, in address order within a region.
    Walk,
    /// `owns` knows the allocator's own addresses and no others.
    Owns,
    /// `verify` finds nothing in an allocator that was used well.
    Verify,
    /// Dropping the allocator with live blocks panics and names it.
    Leak,
    /// What is reserved came from the backing, which has it all back in the end.
    Backing,
    /// Nothing panics on right use.
    Panicked,
    /// A container holds what was put into it, and answers as its model does.
    Model,
    /// An id that was given out names no other object, and nothing once its object is gone.
    Stale,
    /// What is visited or taken out comes in the order promised.
    Order,
    /// A bounded container takes as much as it promises, refuses the rest and hands it back.
    Bound,
    /// Every key and value is dropped once.
    Drops,
    /// Memory comes from the allocator that was passed in, as much as is claimed, and from nowhere
    /// else.
    Charged,
    /// A refusal changes nothing that can be seen, and what was refused is had as soon as there is
    /// memory.
    Refusal,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 31] = [
        Self::Name,
        Self::Served,
        Self::Alignment,
        Self::Overlap,
        Self::Length,
        Self::AllocatedSize,
        Self::Contents,
        Self::Zeroed,
        Self::StatsOrder,
        Self::StatsRaised,
        Self::StatsLowered,
        Self::StatsOnRefusal,
        Self::Peaks,
        Self::Totals,
        Self::Moved,
        Self::Huge,
        Self::Reclaimed,
        Self::Coalesced,
        Self::Walk,
        Self::Owns,
        Self::Verify,
        Self::Leak,
        Self::Backing,
        Self::Panicked,
        Self::Model,
        Self::Stale,
        Self::Order,
        Self::Bound,
        Self::Drops,
        Self::Charged,
        Self::Refusal,
    ];
}

/// A rule that was broken, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// What was done, what was expected and what was found.
    pub message: String,
}

impl Violation {
    /// Returns an error that says that `rule` was broken.
    #[must_use]
    pub fn new(rule: Rule, message: impl Into<String>) -> Self {
        Self { rule, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.message)
    }
}

impl core::error::Error for Violation {}

/// Returns `Ok` if `holds`, else says with `message` how `rule` was broken.
pub(crate) fn require(
    holds: bool,
    rule: Rule,
    message: impl FnOnce() -> String,
) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(rule, message())) }
}
