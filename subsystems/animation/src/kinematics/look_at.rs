//! A bone that looks at a place: heads, eyes, guns.

use glam::{Quat, Vec3};

use super::space::{arc, side_of, space_of, turn_bone};
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// What a bone is to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// The bone.
    pub bone: usize,
    /// Where it looks, in its own space.
    pub forward: Vec3,
    /// What it is to look at, in the space of the skeleton.
    pub target: Vec3,
    /// How far it may be turned from where the pose has it, in radians.
    pub angle_max: f32,
    /// How much: 0 is not at all, 1 is all the way.
    pub weight: f32,
}

/// Turns a bone so that it looks at a place. Returns the angle that is left at full weight, in radians.
///
/// # Complexity
///
/// O(depth).
///
/// # Panics
///
/// If the pose has no such bone.
pub fn look_at(skeleton: &Skeleton<'_>, pose: &mut [BoneGroup], to: &LookAt) -> f32 {
    let space = space_of(skeleton, pose, to.bone);
    let looks = (space.rotation * to.forward).normalize_or_zero();
    let way = (to.target - space.position).normalize_or_zero();
    if looks == Vec3::ZERO || way == Vec3::ZERO {
        return 0.0;
    }
    let angle = angle_between(looks, way);
    let allowed = angle.min(to.angle_max.max(0.0));
    let turn = match allowed < angle {
        true => Quat::from_axis_angle(looks.cross(side_of(looks, way)), allowed),
        false => arc(looks, way),
    };
    turn_bone(skeleton, pose, to.bone, turn, to.weight);
    angle - allowed
}

/// Returns the angle between two directions of length 1, exact for small ones as well.
pub(super) fn angle_between(a: Vec3, b: Vec3) -> f32 {
    libm::atan2f(a.cross(b).length(), a.dot(b))
}
