//! Bones that another subsystem moves: a ragdoll, or a part of one.

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_entities::Pose;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::events::{BoneReleased, PlaceBone};
use crate::kinematics::space_of;
use crate::pose::{BoneGroup, bone, set_bone};
use crate::skeleton::{BONES_MAX, Skeleton};

/// The words of a place in a saved game, and those before all places.
const PLACE_WORDS: usize = 8;
const HEAD_WORDS: usize = 4;

/// Where a bone was placed last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedBone {
    /// The hash of its name.
    bone: u32,
    at: Vec3,
    turn: Quat,
}

/// What a character has handed over: where its bones are is for others to say.
pub(crate) struct HandOver<'m> {
    /// How much of the pose the places are: 1 from the release on, less while the bones are taken back.
    weight: f32,
    /// How much less in a second.
    fading: f32,
    /// Whether the next step releases the bones.
    pub(crate) is_due: bool,
    places: Array<'m, PlacedBone, SubsystemMemory<'m>>,
    /// Where the bones were before the step that releases them.
    before: Array<'m, Pose, SubsystemMemory<'m>>,
}

impl<'m> HandOver<'m> {
    pub(crate) const fn new(memory: SharedRef<'m>) -> Self {
        Self {
            weight: 0.0,
            fading: 0.0,
            is_due: false,
            places: Array::new_in(memory),
            before: Array::new_in(memory),
        }
    }

    /// Returns `true` from the release on, until all bones are taken back.
    pub(crate) fn is_released(&self) -> bool {
        self.weight > 0.0
    }

    /// Forgets where the bones were.
    pub(crate) fn begin(&mut self) {
        self.before.clear();
    }

    /// Notes where the next bone is before the step that releases them.
    pub(crate) fn note(&mut self, place: Pose) -> Result<(), GrowError> {
        self.before.try_push(place)
    }

    /// Returns how many bones were noted.
    pub(crate) fn noted(&self) -> usize {
        self.before.len()
    }

    /// Releases the bones.
    pub(crate) fn release(&mut self) {
        self.is_due = false;
        (self.weight, self.fading) = (1.0, 0.0);
        self.places.clear();
    }

    /// Returns how a bone goes on that was noted: its name, hashed, and where it is after the step.
    pub(crate) fn released(
        &self,
        index: usize,
        bone: u32,
        now: &Pose,
        seconds: f32,
    ) -> BoneReleased {
        let before = &self.before[index];
        let [speed, spin] = match seconds > 0.0 {
            true => [(now.position - before.position) / seconds, spin(before, now, seconds)],
            false => [Vec3::ZERO; 2],
        };
        let (at, turn) = (now.position.to_array(), now.rotation.normalize().to_array());
        let [speed, spin] = [speed, spin].map(|all| all.to_array());
        BoneReleased { entity: 0, bone, at, turn, speed, spin }
    }

    /// Places a bone. What is not released is not placed, nor what is taken back.
    pub(crate) fn place(&mut self, to: &PlaceBone) -> Result<(), GrowError> {
        let (at, turn) = (Vec3::from_array(to.at), Quat::from_array(to.turn));
        let is_whole = at.is_finite() && turn.is_finite() && turn.length_squared() > 1.0e-6;
        if !self.is_released() || self.fading > 0.0 || !is_whole {
            return Ok(());
        }
        let placed = PlacedBone { bone: to.bone, at, turn: turn.normalize() };
        match self.places.iter().position(|of| of.bone == to.bone) {
            Some(at) => self.places[at] = placed,
            None if self.places.len() < BONES_MAX => self.places.try_push(placed)?,
            None => {}
        }
        Ok(())
    }

    /// Goes back to what is animated, within some seconds.
    pub(crate) fn take_back(&mut self, seconds: f32) {
        self.is_due = false;
        match seconds > 0.0 {
            true => self.fading = 1.0 / seconds,
            false => self.clear(),
        }
    }

    fn clear(&mut self) {
        (self.weight, self.fading) = (0.0, 0.0);
        self.places.clear();
    }

    /// Goes on by some seconds.
    pub(crate) fn step(&mut self, seconds: f32) {
        if self.fading > 0.0 {
            self.weight -= self.fading * seconds;
            if self.weight <= 0.0 {
                self.clear();
            }
        }
    }

    /// Puts the bones of a pose where they were placed. Bones that were not keep their place among those
    /// above them.
    pub(crate) fn apply(&self, skeleton: &Skeleton<'_>, pose: &mut [BoneGroup], matrix: &Affine3A) {
        if !self.is_released() || self.places.is_empty() {
            return;
        }
        let inverse = matrix.inverse();
        let (_, own, _) = matrix.to_scale_rotation_translation();
        for (index, name) in skeleton.names().iter().enumerate() {
            let Some(placed) = self.places.iter().find(|of| of.bone == name.hash()) else {
                continue;
            };
            let above = skeleton.parent(index).map(|parent| space_of(skeleton, pose, parent));
            let above = above.unwrap_or(Pose::IDENTITY);
            let back = above.rotation.conjugate();
            let place = back * (inverse.transform_point3(placed.at) - above.position) / above.scale;
            let turn = (back * own.conjugate() * placed.turn).normalize();
            if !place.is_finite() || !turn.is_finite() {
                continue;
            }
            let mut local = bone(pose, index);
            local.position = local.position.lerp(place, self.weight);
            local.rotation = local.rotation.lerp(turn, self.weight);
            set_bone(pose, index, &local);
        }
    }

    /// Returns a sphere around what was placed.
    pub(crate) fn sphere(&self) -> Option<(Vec3, f32)> {
        if !self.is_released() || self.places.is_empty() {
            return None;
        }
        let places = self.places.iter().map(|placed| placed.at);
        let low = places.clone().fold(Vec3::INFINITY, Vec3::min);
        let high = places.fold(Vec3::NEG_INFINITY, Vec3::max);
        Some(((low + high) * 0.5, (high - low).length() * 0.5))
    }

    /// Calls `each` with the words of its state.
    pub(crate) fn each_word(&self, each: &mut dyn FnMut(u32)) {
        each(self.weight.to_bits());
        each(self.fading.to_bits());
        each(self.is_due.into());
        each(self.places.len() as u32);
        for placed in &self.places {
            each(placed.bone);
            placed.at.to_array().iter().for_each(|number| each(number.to_bits()));
            placed.turn.to_array().iter().for_each(|number| each(number.to_bits()));
        }
    }

    /// Becomes what was saved, of the words that `take` returns; `false` if they are none.
    pub(crate) fn become_saved(
        &mut self,
        take: &mut dyn FnMut() -> Result<u32, SubsystemError>,
    ) -> Result<bool, SubsystemError> {
        let mut head = [0; HEAD_WORDS];
        for word in &mut head {
            *word = take()?;
        }
        let [weight, fading, is_due, count] = head;
        (self.weight, self.fading) = (f32::from_bits(weight), f32::from_bits(fading));
        self.is_due = is_due == 1;
        let is_sound = (0.0..=1.0).contains(&self.weight)
            && (0.0..=f32::MAX).contains(&self.fading)
            && is_due < 2
            && count as usize <= BONES_MAX;
        if !is_sound {
            return Ok(false);
        }
        self.places.clear();
        for _ in 0..count {
            let mut words = [0; PLACE_WORDS];
            for word in &mut words {
                *word = take()?;
            }
            let [bone, numbers @ ..] = words;
            let [x, y, z, turn @ ..] = numbers.map(f32::from_bits);
            let (at, turn) = (Vec3::new(x, y, z), Quat::from_array(turn));
            if !at.is_finite() || !turn.is_finite() || !turn.is_normalized() {
                return Ok(false);
            }
            self.places.try_push(PlacedBone { bone, at, turn })?;
        }
        Ok(true)
    }
}

/// Returns how something turns, in radians a second around the axis.
fn spin(before: &Pose, now: &Pose, seconds: f32) -> Vec3 {
    let turn = (now.rotation * before.rotation.conjugate()).normalize();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    let sine = axis.length();
    match sine > 1.0e-6 {
        true => axis * (2.0 * libm::atan2f(sine, turn.w) / (sine * seconds)),
        false => axis * (2.0 / seconds),
    }
}
