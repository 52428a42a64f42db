//! Rounds: which tracks get a key when.
//!
//! ```text
//! a round, for each frame and again where a track needs several keys at once:
//!   bit 0     | whether it is in the same frame as the round before
//!   bits 1..  | which groups of eight tracks get keys
//! for each of these groups: a byte, with a bit for each track
//! ```

use crate::lanes::LANES;

/// Returns the bytes of a round of that many groups.
pub(crate) const fn round_bytes(groups: usize) -> usize {
    groups / 8 + 1
}

/// Returns `true` if a round is in the same frame as the one before.
#[inline]
pub(crate) const fn is_same_frame(round: &[u8]) -> bool {
    !round.is_empty() && round[0] & 1 != 0
}

/// Returns the groups that get keys in a round, in order.
#[inline]
pub(crate) fn groups_of_round(round: &[u8]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let bits = (1..8 * round.len()).filter(|bit| round[bit / 8] & 1 << (bit % 8) != 0);
    bits.map(|bit| bit - 1)
}

/// Returns the lanes whose bits are set, in order.
#[inline]
pub(crate) fn lanes_of(mask: u8) -> impl DoubleEndedIterator<Item = usize> {
    (0..LANES).filter(move |lane| mask & 1 << lane != 0)
}

/// Returns the code at a place of a column with two to a byte.
#[inline]
pub(crate) fn step_at(steps: &[u8], at: usize) -> u8 {
    steps.get(at / 2).map_or(0, |pair| pair >> (4 * (at % 2)) & 15)
}

/// A place in the four columns of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The frames that were begun.
    pub(crate) frame: u32,
    pub(crate) round: u32,
    pub(crate) mask: u32,
    pub(crate) step: u32,
    pub(crate) value: u32,
}

impl Cursor {
    /// Returns the place that a jump frame continues at.
    pub(crate) const fn of_jump([frame, round, mask, step, value]: [u32; 5]) -> Self {
        Self { frame, round, mask, step, value }
    }
}
