//! Two bones and what is at their end: arms and legs.

use glam::Vec3;

use super::space::{arc, side_of, space_of, turn_bone};
use crate::lanes::sqrt;
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// What two bones are to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBones {
    /// Thigh, shin and foot, or arm, forearm and hand: the last one is to be at the target.
    pub bones: [usize; 3],
    /// Where, in the space of the skeleton.
    pub target: Vec3,
    /// A place that the knee or elbow points to; without, it bends as it does already.
    pub pole: Option<Vec3>,
    /// How much: 0 is not at all, 1 is all the way.
    pub weight: f32,
}

/// Turns two bones so that their end is at the target, or as near to it as they are long. Returns how far
/// it is off at full weight, in metres.
///
/// # Complexity
///
/// O(depth), in closed form.
///
/// # Panics
///
/// If the pose has no such bones, or the second and third are not below the one before.
pub fn solve_two_bones(skeleton: &Skeleton<'_>, pose: &mut [BoneGroup], to: &TwoBones) -> f32 {
    let [upper, lower, end] = to.bones;
    assert!(
        is_below(skeleton, lower, upper) && is_below(skeleton, end, lower),
        "bones {:?} are not below each other",
        to.bones
    );
    let [start, knee, tip] = to.bones.map(|bone| space_of(skeleton, pose, bone).position);
    let (first, second) = ((knee - start).length(), (tip - knee).length());
    let way = to.target - start;
    let along = way.try_normalize().or((tip - start).try_normalize()).unwrap_or(Vec3::Y);
    let far = way.length().clamp((first - second).abs(), first + second);
    // How far along the way the knee is, by the law of cosines.
    let foot = match far > 0.0 {
        true => (first * first - second * second + far * far) / (2.0 * far),
        false => 0.0,
    };
    let height = sqrt((first * first - foot * foot).max(0.0));
    let bends_now = knee - start - part_along(knee - start, tip - start);
    let hint = to.pole.map_or(bends_now, |pole| pole - start);
    let side = side_of(along, hint);
    let new_knee = start + along * foot + side * height;
    let new_tip = start + along * far;
    let turn = arc(knee - start, new_knee - start);
    let carried = turn * (tip - knee);
    let bend = arc(carried, new_tip - new_knee);
    // The lower bone first: what it is turned by is in the space of the skeleton, and the upper one turns
    // it as well.
    turn_bone(skeleton, pose, lower, turn.conjugate() * bend * turn, to.weight);
    turn_bone(skeleton, pose, upper, turn, to.weight);
    (to.target - new_tip).length()
}

/// Returns `true` if a bone is a child of another, or of a child of it.
fn is_below(skeleton: &Skeleton<'_>, bone: usize, other: usize) -> bool {
    let above = core::iter::successors(Some(bone), |bone| skeleton.parent(*bone));
    bone != other && above.into_iter().any(|above| above == other)
}

/// Returns the part of a vector that is along another; none if that has no length.
fn part_along(vector: Vec3, along: Vec3) -> Vec3 {
    let square = along.length_squared();
    if square > 0.0 { along * (vector.dot(along) / square) } else { Vec3::ZERO }
}
