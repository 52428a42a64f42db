//! What a step of a playhead passed.

use loligo_ids::IdString32;

use crate::clip::{Clip, ClipEvent};

/// The way of one step: from a frame to another, with the laps between them.
///
/// Each event on the way is passed once: where one step ends the next one begins, and an event at that
/// frame belongs to the step that reached it. Turning around at an event does not pass it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    pub(crate) from: f32,
    pub(crate) to: f32,
    pub(crate) last_frame: f32,
    pub(crate) laps: u32,
    pub(crate) is_forward: bool,
    pub(crate) has_start: bool,
    pub(crate) is_still: bool,
}

/// An event that was passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedEvent {
    /// Its name, hashed.
    pub name: IdString32,
    /// The bone that it is of, such as the foot that steps.
    pub bone: Option<usize>,
    /// Its frame.
    pub frame: f32,
    /// How many frames of the step were left when it was passed.
    pub frames_since: f32,
}

impl Passage {
    /// Returns the frame where it began.
    #[must_use]
    pub const fn from(&self) -> f32 {
        self.from
    }

    /// Returns the frame where it ended.
    #[must_use]
    pub const fn to(&self) -> f32 {
        self.to
    }

    /// Returns how often the end of a clip that loops was passed.
    #[must_use]
    pub const fn laps(&self) -> u32 {
        self.laps
    }

    /// Returns `true` if it did not go backwards.
    #[must_use]
    pub const fn is_forward(&self) -> bool {
        self.is_forward
    }

    /// Returns how many frames it goes.
    pub(crate) fn frames(&self) -> f32 {
        if self.laps == 0 {
            return (self.to - self.from).abs();
        }
        let last = self.last_frame;
        let first_part = if self.is_forward { last - self.from } else { self.from };
        first_part + self.frames_after(0)
    }

    /// Calls `visit` with each event of a clip that was passed, in the order of passing.
    ///
    /// # Complexity
    ///
    /// O(log events) and O(events passed). Allocates nothing.
    pub fn each_event(&self, clip: &Clip<'_>, visit: impl FnMut(PassedEvent)) {
        self.each_of(clip.events(), visit);
    }

    /// Returns `false` if none of some events is on the way, which most steps of most clips are like.
    #[inline]
    pub(crate) fn may_pass(&self, events: &[ClipEvent]) -> bool {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let is_between = |event: &ClipEvent| event.frame() >= low && event.frame() <= high;
        self.laps > 0 || events.iter().any(is_between)
    }

    /// Calls `visit` with each event of a list by frame that was passed.
    pub(crate) fn each_of(&self, events: &[ClipEvent], mut visit: impl FnMut(PassedEvent)) {
        if self.is_still {
            return;
        }
        for lap in 0..=self.laps {
            let (is_first, is_last) = (lap == 0, lap == self.laps);
            let (entry, exit) = match self.is_forward {
                true => (0.0, self.last_frame),
                false => (self.last_frame, 0.0),
            };
            let start = if is_first { self.from } else { entry };
            let end = if is_last { self.to } else { exit };
            // Where a lap begins it has not been yet; where the step begins it has, but for the first step.
            let has_start = !is_first || self.has_start;
            let ahead = self.frames_after(lap);
            let mut pass = |event: &ClipEvent| {
                visit(PassedEvent {
                    name: event.name(),
                    bone: event.bone(),
                    frame: event.frame(),
                    frames_since: (event.frame() - end).abs() + ahead,
                });
            };
            if self.is_forward {
                let first = match has_start {
                    true => events.partition_point(|event| event.frame() < start),
                    false => events.partition_point(|event| event.frame() <= start),
                };
                let after = events.partition_point(|event| event.frame() <= end);
                events.get(first..after).unwrap_or_default().iter().for_each(&mut pass);
            } else {
                let first = events.partition_point(|event| event.frame() < end);
                let after = match has_start {
                    true => events.partition_point(|event| event.frame() <= start),
                    false => events.partition_point(|event| event.frame() < start),
                };
                events.get(first..after).unwrap_or_default().iter().rev().for_each(&mut pass);
            }
        }
    }

    /// Returns how many frames come after a lap.
    fn frames_after(&self, lap: u32) -> f32 {
        let left = self.laps - lap;
        if left == 0 {
            return 0.0;
        }
        let last_part = if self.is_forward { self.to } else { self.last_frame - self.to };
        (left - 1) as f32 * self.last_frame + last_part
    }
}
