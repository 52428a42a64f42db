//! The frames that have a key, as a list that is linked both ways.

/// No frame.
const NONE: u32 = u32::MAX;

/// Frames that have a key. The first and the last one always have.
#[derive(Clone, Debug)]
pub(super) struct Knots {
    next: std::vec::Vec<u32>,
    before: std::vec::Vec<u32>,
}

impl Knots {
    /// Makes the list of the first and the last frame.
    pub(super) fn new(last: usize) -> Self {
        let mut knots = Self { next: std::vec![NONE; last + 1], before: std::vec![NONE; last + 1] };
        if last > 0 {
            knots.next[0] = last as u32;
            knots.before[last] = 0;
        }
        knots
    }

    /// Returns the frame with a key after one that has one.
    pub(super) fn next(&self, frame: usize) -> Option<usize> {
        Some(self.next[frame]).filter(|frame| *frame != NONE).map(|frame| frame as usize)
    }

    /// Returns the frame with a key before one that has one.
    pub(super) fn before(&self, frame: usize) -> Option<usize> {
        Some(self.before[frame]).filter(|frame| *frame != NONE).map(|frame| frame as usize)
    }

    /// Gives a key to a frame between one that has one and the next.
    pub(super) fn insert(&mut self, after: usize, frame: usize) {
        let next = self.next[after];
        self.next[frame] = next;
        self.before[frame] = after as u32;
        self.next[after] = frame as u32;
        if next != NONE {
            self.before[next as usize] = frame as u32;
        }
    }

    /// Takes the key of a frame that is neither the first nor the last.
    pub(super) fn remove(&mut self, frame: usize) {
        let (before, next) = (self.before[frame], self.next[frame]);
        if before != NONE && next != NONE {
            self.next[before as usize] = next;
            self.before[next as usize] = before;
            (self.next[frame], self.before[frame]) = (NONE, NONE);
        }
    }

    /// Returns `true` if a frame between the first and the last has a key.
    pub(super) fn has_inner(&self, frame: usize) -> bool {
        self.next[frame] != NONE && self.before[frame] != NONE
    }

    /// Returns all frames with a key, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(0), |frame| self.next(*frame))
    }
}
