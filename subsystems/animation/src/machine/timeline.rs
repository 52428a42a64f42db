//! How long the parts of a lap are.

use super::MIX_MAX;

/// A lap of states that are played in step: how long each part is between two marks, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline {
    pub(super) seconds: [f32; MIX_MAX],
    pub(super) parts: usize,
    pub(super) is_looping: bool,
    /// Below 0 the lap is played backwards.
    pub(super) speed: f32,
}

/// A step along a lap, in phases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Way {
    pub(super) from: f32,
    pub(super) to: f32,
    /// How often the end of the lap was passed.
    pub(super) laps: u32,
    pub(super) is_forward: bool,
}

/// A phase as a part of a lap and how much of it is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) part: usize,
    pub(super) done: f32,
}

impl Place {
    /// Returns the place of a phase in a lap of some parts. At the end of the lap the last one is done.
    #[inline]
    pub(super) fn new(phase: f32, parts: usize) -> Self {
        if parts <= 1 {
            return Self { part: 0, done: phase };
        }
        let part = (phase as usize).min(parts - 1);
        Self { part, done: phase - part as f32 }
    }
}

impl Timeline {
    pub(super) fn total(&self) -> f32 {
        self.seconds[..self.parts].iter().sum()
    }

    /// Returns when a phase is reached from the beginning of the lap.
    pub(super) fn time_of(&self, phase: f32) -> f32 {
        let Place { part, done } = Place::new(phase, self.parts);
        let before: f32 = self.seconds[..part].iter().sum();
        before + done * self.seconds[part]
    }

    /// Returns the phase at a time from the beginning of the lap.
    fn phase_at(&self, time: f32) -> f32 {
        let mut left = time;
        for (part, seconds) in self.seconds[..self.parts].iter().enumerate() {
            if left < *seconds {
                // Rounding may not reach the next mark.
                return part as f32 + (left / seconds).min(1.0 - f32::EPSILON);
            }
            left -= seconds;
        }
        self.parts as f32
    }

    /// Returns the way of some seconds from a phase.
    pub(super) fn way(&self, from: f32, seconds: f32) -> Way {
        let seconds = seconds * self.speed;
        let is_forward = seconds > 0.0;
        let still = Way { from, to: from, laps: 0, is_forward };
        if seconds == 0.0 || !seconds.is_finite() {
            return still;
        }
        // Most steps end in the part where they begin.
        let Place { part, done } = Place::new(from, self.parts);
        let (start, done) = (part as f32, done + seconds / self.seconds[part]);
        if done >= 0.0 && start + done < start + 1.0 {
            return Way { to: start + done, ..still };
        }
        self.way_past_marks(still, seconds)
    }

    /// Returns the way of some seconds, at the speed of the lap, which may leave its part.
    #[inline(never)]
    fn way_past_marks(&self, still: Way, seconds: f32) -> Way {
        let Way { from, is_forward, .. } = still;
        let total = self.total();
        let end = self.parts as f32;
        if total <= 0.0 {
            // A single frame is at its end at once; one that loops has no laps.
            let to = if is_forward { end } else { 0.0 };
            return if self.is_looping { still } else { Way { to, ..still } };
        }
        let time = self.time_of(from) + seconds;
        if !self.is_looping {
            let phase = if time >= total { end } else { self.phase_at(time.max(0.0)) };
            let to = if is_forward { phase.max(from) } else { phase.min(from) };
            return Way { to, ..still };
        }
        // Right at the end the next lap begins; right at the beginning the lap before has not.
        let laps = match is_forward {
            _ if time >= 0.0 && time < total => 0.0,
            true => libm::floorf(time / total),
            false => libm::ceilf(-time / total),
        };
        let laps = laps.clamp(0.0, 65_535.0);
        let rest = if is_forward { time - laps * total } else { time + laps * total };
        let phase = self.phase_at(rest.clamp(0.0, total));
        let is_whole = phase >= end;
        let (phase, laps) = match (is_whole, is_forward) {
            (false, _) => (phase, laps as u32),
            // The end is the beginning of the next lap.
            (true, true) => (0.0, laps as u32 + 1),
            (true, false) => (0.0, (laps as u32).saturating_sub(1)),
        };
        let to = match (laps, is_forward) {
            (0, true) => phase.max(from),
            (0, false) => phase.min(from),
            _ => phase,
        };
        Way { to, laps, ..still }
    }

    /// Returns the way to the end of the lap, in the direction in which it is played, and how many seconds
    /// it takes. None if it is not moving.
    pub(super) fn way_to_end(&self, from: f32) -> Option<(Way, f32)> {
        let is_forward = self.speed > 0.0;
        let way = Way { from, to: 0.0, laps: 0, is_forward };
        let time = self.time_of(from);
        let (way, seconds) = match (is_forward, self.is_looping) {
            (true, false) => (Way { to: self.parts as f32, ..way }, self.total() - time),
            (true, true) => (Way { laps: 1, ..way }, self.total() - time),
            (false, true) if from <= 0.0 => (Way { laps: 1, ..way }, self.total()),
            (false, _) => (way, time),
        };
        self.in_seconds(way, seconds)
    }

    /// Returns the way to a phase, and how many seconds it takes. None if it is not moving, or if a lap that
    /// is not repeated is past it.
    pub(super) fn way_to(&self, from: f32, to: f32, is_fresh: bool) -> Option<(Way, f32)> {
        let is_forward = self.speed > 0.0;
        let way = Way { from, to, laps: 0, is_forward };
        let between = self.time_of(to) - self.time_of(from);
        let ahead = if is_forward { between } else { -between };
        let is_ahead = ahead > 0.0 || ahead == 0.0 && is_fresh;
        match (is_ahead, self.is_looping) {
            (true, _) => self.in_seconds(way, ahead),
            (false, true) => self.in_seconds(Way { laps: 1, ..way }, self.total() + ahead),
            (false, false) => None,
        }
    }

    fn in_seconds(&self, way: Way, seconds: f32) -> Option<(Way, f32)> {
        let seconds = seconds.max(0.0) / self.speed.abs();
        seconds.is_finite().then_some((way, seconds))
    }
}
