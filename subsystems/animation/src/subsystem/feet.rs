//! Feet that are put on the ground.

use glam::{Affine3A, Vec3};
use loligo_entities::Entity;

use super::description::{Description, FEET_MAX};
use super::events::{FootAnswered, FootAsked};
use crate::kinematics::{TwoBones, arc, solve_two_bones, space_of, turn_bone};
use crate::pose::{BoneGroup, bone, set_bone};
use crate::skeleton::Skeleton;

/// The words of the feet of a character in a saved game.
pub(crate) const SAVED_WORDS: usize = 2 + 8 * FEET_MAX;

/// How fast a foot follows the ground, in metres a second.
const FOLLOWING: f32 = 2.0;

/// How fast its sole turns to the ground: how much of the way to another slope in a second.
const TURNING: f32 = 8.0;

/// The cosine of the steepest slope that a sole turns to.
const STEEPEST: f32 = 0.75;

/// How high above its place at rest a foot is in the air, in metres.
const IN_THE_AIR: f32 = 0.1;

/// How a foot is on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Foot {
    /// How far above the ground at the entity the ground at the foot is: as it is followed, and as it was
    /// answered.
    height: f32,
    wanted: f32,
    /// The same of the direction away from it.
    normal: Vec3,
    wanted_normal: Vec3,
}

impl Foot {
    const LEVEL: Self = Self { height: 0.0, wanted: 0.0, normal: Vec3::Y, wanted_normal: Vec3::Y };
}

/// The feet of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Feet {
    /// How much they follow the ground, from 0 to 1.
    pub(crate) weight: f32,
    /// The height of the entity when it was asked for the ground.
    base: f32,
    all: [Foot; FEET_MAX],
}

impl Feet {
    pub(crate) const LEVEL: Self = Self { weight: 1.0, base: 0.0, all: [Foot::LEVEL; FEET_MAX] };

    /// Follows what was answered for some seconds.
    pub(crate) fn step(&mut self, seconds: f32) {
        for foot in &mut self.all {
            let far = FOLLOWING * seconds;
            foot.height += (foot.wanted - foot.height).clamp(-far, far);
            let part = (TURNING * seconds).min(1.0);
            foot.normal = foot.normal.lerp(foot.wanted_normal, part).normalize_or(Vec3::Y);
        }
    }

    /// Returns how far above the ground at the entity the ground at a foot is.
    pub(crate) const fn height(&self, foot: usize) -> f32 {
        self.all[foot].height
    }

    /// Asks for the ground at a foot that is somewhere in the world.
    pub(crate) fn ask(
        &mut self,
        (entity, foot): (Entity, usize),
        at: Vec3,
        base: f32,
        reach: f32,
    ) -> FootAsked {
        self.base = base;
        let asker = u64::from(entity.to_bits()) | (foot as u64) << 32;
        let [from, to] = [base + reach, base - reach].map(|y| [at.x, y, at.z]);
        FootAsked { asker, from, to }
    }

    /// Hears what the ground at a foot is. Where there is none, or a wall, it is level.
    pub(crate) fn hear(&mut self, foot: usize, answer: &FootAnswered) {
        let Some(foot) = self.all.get_mut(foot) else { return };
        let normal = Vec3::from_array(answer.normal).normalize_or_zero();
        let height = answer.at[1] - self.base;
        let is_ground = answer.hit != 0 && height.is_finite() && normal.y > 0.0;
        foot.wanted = if is_ground { height } else { 0.0 };
        foot.wanted_normal = if is_ground && normal.y >= STEEPEST { normal } else { Vec3::Y };
    }

    /// Puts the feet of a pose on the ground: the first bone is lowered as far as the lowest foot needs it,
    /// and legs are bent.
    pub(crate) fn apply(
        &self,
        of: &Description<'_>,
        skeleton: &Skeleton<'_>,
        (bind, pose): (&[BoneGroup], &mut [BoneGroup]),
        matrix: &Affine3A,
    ) {
        let is_level = self.all.iter().all(|foot| *foot == Foot::LEVEL);
        if is_level || self.weight <= 0.0 {
            return;
        }
        let inverse = matrix.inverse();
        let up = inverse.transform_vector3(Vec3::Y);
        let (Some(along), true) = (up.try_normalize(), up.is_finite()) else { return };
        let mut feet = [(0, Vec3::ZERO); FEET_MAX];
        let mut lowest = 0.0_f32;
        for (at, (name, _)) in of.feet().enumerate() {
            let index = skeleton.find(name);
            let Some(index) = index.filter(|index| leg_of(skeleton, *index).is_some()) else {
                continue;
            };
            feet[at] = (index, space_of(skeleton, pose, index).position);
            lowest = lowest.min(self.all[at].height);
        }
        let mut hips = bone(pose, 0);
        hips.position += up * (lowest * self.weight);
        set_bone(pose, 0, &hips);
        for ((index, place), foot) in feet.into_iter().zip(&self.all) {
            let Some(bones) = leg_of(skeleton, index) else { continue };
            let target = place + up * (foot.height * self.weight);
            solve_two_bones(skeleton, pose, &TwoBones { bones, target, pole: None, weight: 1.0 });
            let rest = space_of(skeleton, bind, index).position;
            let above = (place - rest).dot(along) / up.length().max(f32::MIN_POSITIVE);
            let is_down = (1.0 - above / IN_THE_AIR).clamp(0.0, 1.0);
            let slope = arc(along, inverse.transform_vector3(foot.normal));
            turn_bone(skeleton, pose, index, slope, is_down * self.weight);
        }
    }

    /// Returns what of them is saved.
    pub(crate) fn to_words(self) -> [u32; SAVED_WORDS] {
        let mut words = [0; SAVED_WORDS];
        (words[0], words[1]) = (self.weight.to_bits(), self.base.to_bits());
        for (words, foot) in words[2..].chunks_exact_mut(8).zip(&self.all) {
            let [a, b] = [foot.normal, foot.wanted_normal].map(|normal| normal.to_array());
            let numbers = [foot.height, foot.wanted, a[0], a[1], a[2], b[0], b[1], b[2]];
            words.copy_from_slice(&numbers.map(f32::to_bits));
        }
        words
    }

    /// Returns the feet that were saved; `None` if they are none.
    pub(crate) fn from_words(words: &[u32; SAVED_WORDS]) -> Option<Self> {
        let numbers = words.map(f32::from_bits);
        if !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        let [weight, base, rest @ ..] = numbers;
        let mut feet = Self { weight, base, ..Self::LEVEL };
        for (foot, numbers) in feet.all.iter_mut().zip(rest.chunks_exact(8)) {
            let [normal, wanted_normal] = [2, 5].map(|at| Vec3::from_slice(&numbers[at..at + 3]));
            *foot = Foot { height: numbers[0], wanted: numbers[1], normal, wanted_normal };
        }
        (0.0..=1.0).contains(&feet.weight).then_some(feet)
    }
}

/// Returns thigh, shin and foot; none if the foot has not two bones above it.
fn leg_of(skeleton: &Skeleton<'_>, foot: usize) -> Option<[usize; 3]> {
    let lower = skeleton.parent(foot)?;
    let upper = skeleton.parent(lower)?;
    Some([upper, lower, foot])
}
