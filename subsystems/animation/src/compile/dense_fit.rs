//! Fitting all tracks with a key in each frame, from the root to the ends.
//!
//! A bone is fitted to where it is to be in the space of the skeleton, given where its parent came to be:
//! so errors do not add up along a chain. It is also turned to aim at where the next bone is to be, so
//! that the next one begins at the right place. A step around the axis to the next bone moves only the
//! skin around it, and may be longer than one that moves the next bone.

use std::vec::Vec;

use super::dense_body::DenseBody;
use super::frame_walk::{DenseRound, FrameWalk, NUMBER_MAX};
use super::track_source::{TrackSource, skin_per_unit};
use crate::clip::{Channel, step_code};

/// How often a frame that is off too far is fitted again, with other numbers rounded the other way.
const ATTEMPTS: u32 = 16;

/// Tracks that are fitted together.
pub(super) struct DenseFit<'f> {
    body: DenseBody<'f>,
}

impl<'f> DenseFit<'f> {
    /// Returns a fit of the tracks of a body.
    pub(super) const fn new(body: DenseBody<'f>) -> Self {
        Self { body }
    }

    /// Returns the tolerance of each track to begin with.
    pub(super) fn tolerances(&self, bound: f32) -> Vec<f32> {
        std::vec![0.4 * bound; self.body.tracks.len()]
    }

    /// Fits all tracks. Returns nothing if a number is beyond those that there are, or a rotation is too
    /// far around.
    pub(super) fn round(&self, tolerances: &[f32], bound: f32) -> Option<DenseRound> {
        let steps = self.body.tracks.iter().zip(tolerances);
        let steps = steps.map(|(source, tolerance)| self.steps(source, *tolerance));
        let steps: Vec<[(u16, f32); 3]> = steps.collect();
        let mut round = DenseRound {
            numbers: std::vec![Vec::new(); self.body.tracks.len()],
            codes: steps.iter().map(|axes| axes.map(|(code, _)| code)).collect(),
            error: 0.0,
            worst: std::vec![0.0; self.body.tracks.len()],
        };
        let mut walk = FrameWalk::new(&self.body, steps);
        for frame in 0..self.body.clip.frames(self.body.bones.len()) {
            walk.shift = None;
            walk.fit_frame(frame, &mut round)?;
            for attempt in 0..ATTEMPTS {
                if walk.error(frame) <= bound {
                    break;
                }
                round.numbers.iter_mut().for_each(|numbers| numbers.truncate(frame));
                walk.shift = (attempt + 1 < ATTEMPTS).then_some(frame as u32 * ATTEMPTS + attempt);
                walk.fit_frame(frame, &mut round)?;
            }
            walk.measure(frame, &mut round);
        }
        Some(round)
    }

    /// Returns the steps of a track's numbers, with their codes.
    fn steps(&self, source: &TrackSource, tolerance: f32) -> [(u16, f32); 3] {
        // Three axes are off by half a step at the most each, and rarely all of them at once.
        let step = 2.0 * tolerance / 1.5_f32.sqrt();
        let reaches = match source.channel {
            Channel::Position => [1.0; 3],
            Channel::Scale => [source.reach; 3],
            Channel::Rotation if self.body.is_rigid => {
                self.body.bones[source.bone].reaches.map(|reach| 4.0 * reach)
            }
            Channel::Rotation => [skin_per_unit(source, [0.0; 3]); 3],
        };
        // Numbers have 16 bits, so what goes far has longer steps.
        let far =
            |axis: usize| source.values.iter().map(|value| value[axis].abs()).fold(0.0, f32::max);
        let fars = [0, 1, 2].map(far);
        let farthest = fars.into_iter().fold(0.0, f32::max);
        core::array::from_fn(|axis| {
            // What makes good what others are off can go further in all directions than it did.
            let far = if source.channel == Channel::Rotation { farthest } else { fars[axis] };
            let reach = reaches[axis].max(f32::MIN_POSITIVE);
            // A code is up to a sixteenth less.
            step_code((step / reach).max(1.08 * far / NUMBER_MAX))
        })
    }

    /// Gives each track a tolerance by how far what it moves is off.
    pub(super) fn adjust(&self, tolerances: &mut [f32], round: &DenseRound, bound: f32) {
        for (tolerance, worst) in tolerances.iter_mut().zip(&round.worst) {
            let ratio = (0.98 * bound / worst.max(f32::MIN_POSITIVE)).clamp(0.6, 1.3);
            *tolerance *= libm::powf(ratio, if ratio < 1.0 { 0.7 } else { 0.5 });
            // What others do to it does not go away if it is more exact.
            *tolerance = tolerance.max(0.05 * bound);
        }
    }
}
