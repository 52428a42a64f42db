//! What bones of a character are to look at or to reach.

use core::f32::consts::FRAC_PI_2;

use glam::{Affine3A, Vec3};
use loligo_ids::IdString32;

use crate::kinematics::{LookAt, TwoBones, look_at, solve_two_bones, space_of};
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// The most of a character.
pub(crate) const GOALS_MAX: usize = 4;

/// The words of a goal in a saved game.
pub(crate) const SAVED_WORDS: usize = 6;

/// What a bone does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoalKind {
    /// It looks at a place.
    Look,
    /// It is to be at a place, by two bones above it.
    Reach,
}

/// What a bone is to look at or to reach, in places of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    pub(crate) kind: GoalKind,
    pub(crate) bone: IdString32,
    pub(crate) target: Vec3,
    pub(crate) weight: f32,
}

impl Goal {
    /// Turns bones of a character that is at a place of the world.
    pub(crate) fn apply(
        &self,
        skeleton: &Skeleton<'_>,
        (bind, pose): (&[BoneGroup], &mut [BoneGroup]),
        matrix: &Affine3A,
    ) {
        let Some(bone) = skeleton.find(self.bone) else { return };
        let target = matrix.inverse().transform_point3(self.target);
        if !target.is_finite() || self.weight <= 0.0 {
            return;
        }
        let weight = self.weight.min(1.0);
        match self.kind {
            GoalKind::Look => {
                // Models look along z, so what is along z at rest is what the bone sees with.
                let at_rest = space_of(skeleton, bind, bone).rotation;
                let forward = at_rest.conjugate() * Vec3::Z;
                let angle_max = FRAC_PI_2 * 0.9;
                look_at(skeleton, pose, &LookAt { bone, forward, target, angle_max, weight });
            }
            GoalKind::Reach => {
                let Some(lower) = skeleton.parent(bone) else { return };
                let Some(upper) = skeleton.parent(lower) else { return };
                let bones = [upper, lower, bone];
                let to = TwoBones { bones, target, pole: None, weight };
                solve_two_bones(skeleton, pose, &to);
            }
        }
    }

    /// Returns what of it is saved.
    pub(crate) fn to_words(self) -> [u32; SAVED_WORDS] {
        let [x, y, z] = self.target.to_array().map(f32::to_bits);
        [self.kind as u32, self.bone.hash(), x, y, z, self.weight.to_bits()]
    }

    /// Returns the goal that was saved; `None` if it is none.
    pub(crate) fn from_words([kind, bone, x, y, z, weight]: [u32; SAVED_WORDS]) -> Option<Self> {
        let kind = match kind {
            0 => GoalKind::Look,
            1 => GoalKind::Reach,
            _ => return None,
        };
        let target = Vec3::from_array([x, y, z].map(f32::from_bits));
        let weight = f32::from_bits(weight);
        let bone = IdString32::from_hash(bone);
        weight.is_finite().then_some(Self { kind, bone, target, weight })
    }
}
