//! Which parts have a voice where there are too few.

use core::cmp::Ordering;

/// A part that is to be heard, among others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    pub(super) part: u32,
    pub(super) group: u32,
    pub(super) priority: u32,
    /// How loud it is, and a bit more where it has a voice already, so that two do not take turns.
    pub(super) loudness: f32,
}

impl Rank {
    /// Those that have a voice first are less.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let priority = other.priority.cmp(&self.priority);
        let loudness = other.loudness.total_cmp(&self.loudness);
        priority.then(loudness).then(self.part.cmp(&other.part))
    }
}
