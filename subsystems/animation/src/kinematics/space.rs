//! Where a bone is in the space of its skeleton.

use glam::{Quat, Vec3};
use loligo_entities::Pose;

use crate::pose::{BoneGroup, bone, set_bone};
use crate::skeleton::Skeleton;

/// Returns where a bone is in the space of its skeleton.
///
/// # Complexity
///
/// O(depth).
///
/// # Panics
///
/// If there is no such bone, or the pose has fewer bones.
#[must_use]
pub fn space_of(skeleton: &Skeleton<'_>, pose: &[BoneGroup], index: usize) -> Pose {
    let mut space = bone(pose, index);
    let mut above = skeleton.parent(index);
    while let Some(parent) = above {
        space = bone(pose, parent).place(&space);
        above = skeleton.parent(parent);
    }
    space
}

/// Turns a bone in the space of the skeleton, as much as the weight says.
pub(crate) fn turn_bone(
    skeleton: &Skeleton<'_>,
    pose: &mut [BoneGroup],
    index: usize,
    turn: Quat,
    weight: f32,
) {
    let above = skeleton.parent(index).map(|parent| space_of(skeleton, pose, parent).rotation);
    let above = above.unwrap_or(Quat::IDENTITY);
    let mut local = bone(pose, index);
    let turned = above.conjugate() * turn * above * local.rotation;
    local.rotation = between(local.rotation, turned.normalize(), weight);
    set_bone(pose, index, &local);
}

/// Returns a rotation between two, the short way around.
fn between(from: Quat, to: Quat, weight: f32) -> Quat {
    let to = if from.dot(to) < 0.0 { -to } else { to };
    (from * (1.0 - weight) + to * weight).normalize()
}

/// Returns the shortest turn from one direction to another; none if one of them has no length.
pub(crate) fn arc(from: Vec3, to: Vec3) -> Quat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
        _ => Quat::IDENTITY,
    }
}

/// Returns a direction at a right angle to another that is near a hint.
pub(super) fn side_of(along: Vec3, hint: Vec3) -> Vec3 {
    let side = hint - along * hint.dot(along);
    // A hint that is along it says nothing.
    let is_clear = side.length_squared() > 1.0e-10 * hint.length_squared().max(1.0e-20);
    let side = if is_clear { side.try_normalize() } else { None };
    side.unwrap_or_else(|| along.any_orthonormal_vector())
}
