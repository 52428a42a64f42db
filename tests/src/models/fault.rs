//! The planted faults, each with the rule that must catch it.

use crate::rule::Rule;

/// Something that a [`FaultyAllocator`](super::FaultyAllocator) does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// None: the reference allocator as it is.
    None,
    /// Has an empty name.
    NameEmpty,
    /// Has another name after the first allocation.
    NameChanges,
    /// Refuses a size of zero.
    RefusesZeroSize,
    /// Refuses alignments of 1 KiB and more.
    RefusesBigAlignment,
    /// Refuses sizes that are a power of two and one.
    RefusesOddSizes,
    /// Aligns at 16 bytes only.
    AlignsTo16,
    /// Aligns a reallocated block at 16 bytes only.
    ReallocateAlignsTo16,
    /// Gives out a live block again, each fifth time.
    GivesOutTwice,
    /// Gives all blocks of size zero one address.
    SharesZeroSize,
    /// Claims to have granted a granule more than it did.
    ClaimsTooMuch,
    /// Grows in place over the next block.
    GrowsOverNeighbour,
    /// Returns a slice of a byte less than asked.
    ShortSlice,
    /// Returns a slice as long as before from a growth in place.
    ResizeShortSlice,
    /// Says that a block has a byte less than asked.
    SizeTooSmall,
    /// Says that a block has a byte more than granted.
    SizeTooBig,
    /// Writes into a live block on allocation, each seventh time.
    WritesOnAllocate,
    /// Writes into a live block on a free, each seventh time.
    WritesOnFree,
    /// Refuses to resize, and writes into the block.
    WritesOnRefusedResize,
    /// Refuses to reallocate, and writes into the block.
    WritesOnRefusedReallocate,
    /// Loses the last byte kept when a block moves.
    LosesLastByte,
    /// Loses the contents when a block is resized in place.
    LosesOnResize,
    /// Does not zero.
    ForgetsZeroing,
    /// Zeroes what was asked and not what was granted.
    ZeroesAskedOnly,
    /// Counts more requested than granted.
    RequestedTooBig,
    /// Counts less reserved than granted.
    ReservedTooSmall,
    /// Says that its counts are not exact, and counts what was asked.
    InexactButAsked,
    /// Does not count zeroed allocations as live.
    ForgetsLiveZeroed,
    /// Counts as granted what was asked.
    GrantedIsAsked,
    /// Does not count a resize in place.
    ForgetsResize,
    /// Keeps the old block when a block moves.
    KeepsOldBlock,
    /// Lowers `requested` by the layout's size rather than by what it raised.
    LowersByLayout,
    /// Does not count frees with a size.
    ForgetsSizedFree,
    /// Counts refusals as allocations.
    CountsRefusals,
    /// Counts a refused resize.
    CountsRefusedResize,
    /// Frees the old block of a refused reallocation.
    FreesOnRefusal,
    /// Forgets its peaks.
    ForgetsPeak,
    /// Doubles its peaks.
    DoublesPeak,
    /// Lowers its totals with each free.
    LowersTotals,
    /// Leaves zeroed allocations out of its totals.
    ForgetsTotalZeroed,
    /// Moves a block on a resize in place.
    ResizeMoves,
    /// Serves a size near `isize::MAX` with a few bytes.
    ServesHuge,
    /// Never reuses freed memory.
    NeverReuses,
    /// Never joins freed memory.
    NeverJoins,
    /// Loses a granule with each refusal.
    LosesOnRefusal,
    /// Refuses everything once it has refused anything.
    StaysFull,
    /// Leaves the first block out of a walk.
    WalkMisses,
    /// Shows the first block twice.
    WalkRepeats,
    /// Shows the first block twice and leaves the last out.
    WalkReplaces,
    /// Shows blocks from the last to the first.
    WalkBackwards,
    /// Shows wrong sizes.
    WalkWrongSizes,
    /// Owns nothing.
    OwnsNothing,
    /// Owns everything.
    OwnsEverything,
    /// Does not own the last byte of a block.
    OwnsAllButLast,
    /// Finds damage where there is none, with three live blocks and more.
    CriesWolf,
    /// Is dropped with live blocks and says nothing.
    LeaksSilently,
    /// Panics over a leak without its name.
    LeaksNameless,
    /// Panics when it is full.
    PanicsWhenFull,
    /// Reports a misuse for a free with a size that fits but is not the one asked.
    RefusesFittingSize,
    /// Ignores frees of what is not a live block.
    IgnoresWrongFrees,
}

impl Fault {
    /// Every fault that a conformance suite must catch, with the rule that catches it.
    pub const CAUGHT: [(Self, Rule); 58] = [
        (Self::NameEmpty, Rule::Name),
        (Self::NameChanges, Rule::Name),
        (Self::RefusesZeroSize, Rule::Served),
        (Self::RefusesBigAlignment, Rule::Served),
        (Self::RefusesOddSizes, Rule::Served),
        (Self::AlignsTo16, Rule::Alignment),
        (Self::ReallocateAlignsTo16, Rule::Alignment),
        (Self::GivesOutTwice, Rule::Overlap),
        (Self::SharesZeroSize, Rule::Overlap),
        (Self::ClaimsTooMuch, Rule::Overlap),
        (Self::GrowsOverNeighbour, Rule::Overlap),
        (Self::ShortSlice, Rule::Length),
        (Self::ResizeShortSlice, Rule::Length),
        (Self::SizeTooSmall, Rule::AllocatedSize),
        (Self::SizeTooBig, Rule::AllocatedSize),
        (Self::WritesOnAllocate, Rule::Contents),
        (Self::WritesOnFree, Rule::Contents),
        (Self::WritesOnRefusedResize, Rule::Contents),
        (Self::WritesOnRefusedReallocate, Rule::Contents),
        (Self::LosesLastByte, Rule::Contents),
        (Self::LosesOnResize, Rule::Contents),
        (Self::ForgetsZeroing, Rule::Zeroed),
        (Self::ZeroesAskedOnly, Rule::Zeroed),
        (Self::RequestedTooBig, Rule::StatsOrder),
        (Self::ReservedTooSmall, Rule::StatsOrder),
        (Self::InexactButAsked, Rule::StatsOrder),
        (Self::ForgetsLiveZeroed, Rule::StatsRaised),
        (Self::GrantedIsAsked, Rule::StatsRaised),
        (Self::ForgetsResize, Rule::StatsRaised),
        (Self::KeepsOldBlock, Rule::StatsRaised),
        (Self::LowersByLayout, Rule::StatsLowered),
        (Self::ForgetsSizedFree, Rule::StatsLowered),
        (Self::CountsRefusals, Rule::StatsOnRefusal),
        (Self::CountsRefusedResize, Rule::StatsOnRefusal),
        (Self::FreesOnRefusal, Rule::StatsOnRefusal),
        (Self::ForgetsPeak, Rule::Peaks),
        (Self::DoublesPeak, Rule::Peaks),
        (Self::LowersTotals, Rule::Totals),
        (Self::ForgetsTotalZeroed, Rule::Totals),
        (Self::ResizeMoves, Rule::Moved),
        (Self::ServesHuge, Rule::Huge),
        (Self::NeverReuses, Rule::Reclaimed),
        (Self::NeverJoins, Rule::Coalesced),
        (Self::LosesOnRefusal, Rule::Coalesced),
        (Self::StaysFull, Rule::Reclaimed),
        (Self::WalkMisses, Rule::Walk),
        (Self::WalkRepeats, Rule::Walk),
        (Self::WalkReplaces, Rule::Walk),
        (Self::WalkBackwards, Rule::Walk),
        (Self::WalkWrongSizes, Rule::Walk),
        (Self::OwnsNothing, Rule::Owns),
        (Self::OwnsEverything, Rule::Owns),
        (Self::OwnsAllButLast, Rule::Owns),
        (Self::CriesWolf, Rule::Verify),
        (Self::LeaksSilently, Rule::Leak),
        (Self::LeaksNameless, Rule::Leak),
        (Self::PanicsWhenFull, Rule::Panicked),
        (Self::RefusesFittingSize, Rule::Panicked),
    ];
}
