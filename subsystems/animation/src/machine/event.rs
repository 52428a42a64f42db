//! Events that characters pass: footsteps, hits, sounds.

use loligo_entities::Pose;
use loligo_ids::IdString32;

use crate::kinematics::space_of;
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// An event of a clip that a character passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineEvent {
    /// The number of the character.
    pub character: usize,
    /// Its name, hashed.
    pub name: IdString32,
    /// The bone that it is of, such as the foot that steps.
    pub bone: Option<usize>,
    /// The layer that plays the clip.
    pub layer: usize,
    /// The number of the clip in the machine.
    pub clip: usize,
    /// How much of the pose the clip is, from 0 to 1: that of the layer is a factor of it.
    pub weight: f32,
    /// The frame of the clip.
    pub frame: f32,
    /// How long before the end of the step it was passed, in seconds.
    pub seconds_since: f32,
}

impl MachineEvent {
    /// Returns where its bone is at the end of the step, in the space of the skeleton; where the skeleton
    /// is, if it is of no bone.
    ///
    /// # Panics
    ///
    /// If the pose has fewer bones than the skeleton, or the skeleton is not that of the clip.
    #[must_use]
    pub fn place(&self, skeleton: &Skeleton<'_>, pose: &[BoneGroup]) -> Pose {
        self.bone.map_or(Pose::IDENTITY, |bone| space_of(skeleton, pose, bone))
    }
}
