//! Root motion: the way of a character, taken out of its clip and given to its entity.

use glam::{Quat, Vec3};
use loligo_entities::Pose;

use super::passage::Passage;
use crate::pose::{BoneGroup, bone, set_bone};

/// Returns what of a pose is on the ground: where it is along x and z, and how it is turned around y.
#[must_use]
pub fn ground_pose(pose: &Pose) -> Pose {
    let position = Vec3::new(pose.position.x, 0.0, pose.position.z);
    let (y, w) = (pose.rotation.y, pose.rotation.w);
    // The part of the rotation around y; half around another axis there is none.
    let turn = Quat::from_xyzw(0.0, y, 0.0, w);
    let is_clear = turn.length_squared() > 1.0e-8;
    let rotation = if is_clear { turn.normalize() } else { Quat::IDENTITY };
    Pose { position, rotation, scale: Vec3::ONE }
}

/// Takes from a bone that has no parent what of it is on the ground, and returns that.
///
/// # Panics
///
/// If the pose has no such bone.
pub fn take_ground(pose: &mut [BoneGroup], index: usize) -> Pose {
    let whole = bone(pose, index);
    let ground = ground_pose(&whole);
    set_bone(pose, index, &as_seen_from(&ground, &whole));
    ground
}

/// The way that a clip goes on the ground: where it begins and where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPath {
    /// On the ground in the first frame.
    pub first: Pose,
    /// On the ground in the last frame.
    pub last: Pose,
}

impl GroundPath {
    /// Returns how far a character moved in a step, as seen from where it was: `before` and `after` are
    /// what was taken from its poses there. Laps of a clip that loops go on from where the last one ended.
    ///
    /// # Complexity
    ///
    /// O(laps).
    #[must_use]
    pub fn step(&self, before: &Pose, after: &Pose, passage: &Passage) -> Pose {
        if passage.laps() == 0 {
            return as_seen_from(before, after);
        }
        let (start, end) = match passage.is_forward() {
            true => (&self.first, &self.last),
            false => (&self.last, &self.first),
        };
        let lap = as_seen_from(start, end);
        let mut way = as_seen_from(before, end);
        for _ in 1..passage.laps() {
            way = way.place(&lap);
            way.rotation = way.rotation.normalize();
        }
        way.place(&as_seen_from(start, after))
    }
}

/// Returns a pose as seen from another one of scale 1.
pub(crate) fn as_seen_from(space: &Pose, pose: &Pose) -> Pose {
    let back = space.rotation.conjugate();
    Pose {
        position: back * (pose.position - space.position),
        rotation: back * pose.rotation,
        scale: pose.scale,
    }
}
