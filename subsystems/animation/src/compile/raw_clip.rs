//! Clips as they are imported: a pose for each bone and frame.

use std::string::String;
use std::vec::Vec;

use loligo_entities::Pose;

use super::error::CompressError;
use super::raw_skeleton::{RawSkeleton, is_sound};
use crate::clip::{Channel, FRAMES_MAX};

/// A clip before it is compressed: samples at equal distances in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawClip {
    /// Frames a second.
    pub rate: f32,
    /// All bones of the first frame, then those of the next. A pose is as seen from the bone's parent.
    pub samples: Vec<Pose>,
    /// Where something jumps: in that frame it is already where the sample is.
    pub jumps: Vec<RawJump>,
    /// What happens in it, in any order; what happens at the same frame stays in its order.
    pub events: Vec<RawEvent>,
}

/// A jump: until the frame something was on its way to another value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawJump {
    /// The bone.
    pub bone: usize,
    /// What of it jumps.
    pub channel: Channel,
    /// The frame.
    pub frame: usize,
    /// Where it was right before the frame: only the channel counts.
    pub before: Pose,
}

/// Something that happens at a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RawEvent {
    /// The frame, from the first to the last one.
    pub frame: f32,
    /// What it is called.
    pub name: String,
    /// The bone that it is of, if it is of one.
    pub bone: Option<usize>,
}

impl RawClip {
    /// Returns the number of frames of a skeleton with that many bones.
    #[must_use]
    pub fn frames(&self, bones: usize) -> usize {
        self.samples.len().checked_div(bones).unwrap_or(0)
    }

    /// Returns the bytes of the samples as ten floats for each bone and frame, which compressed sizes
    /// are compared with.
    #[must_use]
    pub const fn raw_bytes(&self) -> usize {
        40 * self.samples.len()
    }

    /// Checks that it is whole, for a skeleton.
    ///
    /// # Errors
    ///
    /// [`CompressError`] names what is wrong.
    pub fn check(&self, skeleton: &RawSkeleton) -> Result<(), CompressError> {
        let bones = skeleton.len();
        let frames = self.frames(bones);
        if !(0.001..=10_000.0).contains(&self.rate) {
            return Err(CompressError::Rate(self.rate));
        }
        if frames == 0 || frames > FRAMES_MAX as usize + 1 {
            return Err(CompressError::Frames(frames));
        }
        if frames * bones != self.samples.len() {
            let found = self.samples.len();
            return Err(CompressError::Samples { found, expected: frames * bones });
        }
        let wrong = |bone: usize, frame| {
            let bone = skeleton.names.get(bone).cloned().unwrap_or_default();
            Err(CompressError::Number { bone, frame: Some(frame) })
        };
        if let Some(at) = self.samples.iter().position(|pose| !is_sound(pose)) {
            return wrong(at % bones, at / bones);
        }
        for jump in &self.jumps {
            let RawJump { bone, frame, .. } = *jump;
            if bone >= bones || frame == 0 || frame >= frames {
                return Err(CompressError::Jump { bone, frame });
            }
            if !is_sound(&jump.before) {
                return wrong(bone, frame);
            }
        }
        let is_wrong = |event: &&RawEvent| {
            let is_inside = (0.0..=(frames - 1) as f32).contains(&event.frame);
            !is_inside || event.bone.is_some_and(|bone| bone >= bones)
        };
        if let Some(event) = self.events.iter().find(is_wrong) {
            let RawEvent { ref name, frame, bone } = *event;
            return Err(CompressError::Event { name: name.clone(), frame, bone, last: frames - 1 });
        }
        Ok(())
    }
}
