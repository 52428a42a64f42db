//! Chains of bones: tails, tentacles, spines.
//!
//! After Andreas Aristidou and Joan Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics
//! problem" (2011): places are pulled along from the target to the root and back until the end is there.

use core::error::Error;
use core::fmt;

use glam::{Quat, Vec3, Vec4};

use super::look_at::angle_between;
use super::space::{arc, side_of, space_of, turn_bone};
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// What a chain of bones is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain<'c> {
    /// From the bone that stays where it is to the one that is to be at the target, each the parent of
    /// the next.
    pub bones: &'c [usize],
    /// Where, in the space of the skeleton.
    pub target: Vec3,
    /// How far a bone may be bent from the one before, in radians.
    pub bend_max: f32,
    /// How near is near enough, in metres.
    pub tolerance: f32,
    /// How often it is tried at the most.
    pub rounds: u32,
}

/// A chain cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainError {
    /// A bone is not the parent of the next one.
    Broken {
        /// The bone that is not a child of the one before.
        bone: usize,
    },
    /// There is less room for places than there are bones.
    Places {
        /// The places.
        places: usize,
        /// The bones.
        bones: usize,
    },
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { bone } => write!(
                f,
                "bone {bone} of the chain is not a child of the one before; list each bone between them"
            ),
            Self::Places { places, bones } => {
                write!(f, "the chain has {bones} bones, and {places} places to work in; give more")
            }
        }
    }
}

impl Error for ChainError {}

/// Turns a chain of bones so that its end is at the target, or as near as the chain is long and may be
/// bent. `places` is room to work in, an element for each bone. Returns how far the end is off, in metres.
///
/// # Complexity
///
/// O(rounds · bones) and O(bones · depth). Allocates nothing.
///
/// # Errors
///
/// [`ChainError`] if the bones are no chain, or there is too little room; nothing was changed then.
///
/// # Panics
///
/// If the pose or the skeleton has no such bones.
pub fn solve_chain(
    skeleton: &Skeleton<'_>,
    pose: &mut [BoneGroup],
    chain: &Chain<'_>,
    places: &mut [Vec4],
) -> Result<f32, ChainError> {
    let bones = chain.bones;
    for pair in bones.windows(2) {
        if skeleton.parent(pair[1]) != Some(pair[0]) {
            return Err(ChainError::Broken { bone: pair[1] });
        }
    }
    let count = places.len();
    let Some(places) = places.get_mut(..bones.len()) else {
        return Err(ChainError::Places { places: count, bones: bones.len() });
    };
    write_places(skeleton, pose, bones, places);
    let [first, .., last] = places else { return Ok(0.0) };
    let (root, end) = (first.truncate(), last.truncate());
    let mut off = end.distance(chain.target);
    let length: f32 = places.iter().map(|place| place.w).sum();
    if root.distance(chain.target) >= length {
        let way = direction(chain.target - root);
        pull_forward(places, chain, root, &|_| way);
        off = root.distance(chain.target) - length;
    } else {
        let mut is_nudged = false;
        for _ in 0..chain.rounds {
            if off <= chain.tolerance {
                break;
            }
            pull_back(places, chain.target);
            let pulled = |pair: [Vec3; 2]| direction(pair[1] - pair[0]);
            pull_forward(places, chain, root, &pulled);
            let left = places[places.len() - 1].truncate().distance(chain.target);
            // Nothing bends a chain that is straight, with a target on it.
            if !is_nudged && (off - left).abs() <= 1.0e-6 {
                nudge(places);
                is_nudged = true;
            }
            off = left;
        }
    }
    for (pair, at) in bones.windows(2).zip(0..) {
        let [a, b] = [pair[0], pair[1]].map(|bone| space_of(skeleton, pose, bone).position);
        let way = places[at + 1].truncate() - places[at].truncate();
        turn_bone(skeleton, pose, pair[0], arc(b - a, way), 1.0);
    }
    Ok(off)
}

/// Writes where each bone is, and how far the next one is from it.
fn write_places(skeleton: &Skeleton<'_>, pose: &[BoneGroup], bones: &[usize], places: &mut [Vec4]) {
    for (place, bone) in places.iter_mut().zip(bones) {
        *place = space_of(skeleton, pose, *bone).position.extend(0.0);
    }
    for at in 1..places.len() {
        places[at - 1].w = places[at].truncate().distance(places[at - 1].truncate());
    }
}

/// Moves a place and keeps the length that is with it.
fn put(place: &mut Vec4, to: Vec3) {
    *place = to.extend(place.w);
}

/// Puts the end at the target, and pulls the others along.
fn pull_back(places: &mut [Vec4], target: Vec3) {
    let mut next = target;
    for place in places.iter_mut().rev() {
        let way = direction(place.truncate() - next);
        next += way * place.w;
        put(place, next);
    }
}

/// Puts the root back to where it was, and the others after it, each bent as far as it may be. `way`
/// returns in which direction, of a place and the next one.
fn pull_forward(
    places: &mut [Vec4],
    chain: &Chain<'_>,
    root: Vec3,
    way: &dyn Fn([Vec3; 2]) -> Vec3,
) {
    let mut before: Option<Vec3> = None;
    let mut next = root;
    for at in 0..places.len() {
        let after = places.get(at + 1).map(|place| place.truncate());
        put(&mut places[at], next);
        let Some(after) = after else { return };
        let mut way = way([next, after]);
        if let Some(before) = before
            && angle_between(before, way) > chain.bend_max
        {
            let axis = before.cross(side_of(before, way));
            way = Quat::from_axis_angle(axis, chain.bend_max) * before;
        }
        next += way * places[at].w;
        before = Some(way);
    }
}

/// Moves the inner places of a straight chain aside.
fn nudge(places: &mut [Vec4]) {
    let [first, inner @ .., last] = places else { return };
    let way = last.truncate() - first.truncate();
    let aside = direction(way).any_orthonormal_vector() * (0.05 * way.length().max(1.0e-3));
    for (at, place) in inner.iter_mut().enumerate() {
        let to = if at % 2 == 0 { place.truncate() + aside } else { place.truncate() - aside };
        put(place, to);
    }
}

/// Returns a vector of length 1; along y for none.
fn direction(way: Vec3) -> Vec3 {
    way.try_normalize().unwrap_or(Vec3::Y)
}
