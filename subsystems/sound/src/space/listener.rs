//! Listeners.

use glam::{Mat3, Quat, Vec3};

/// Where it is listened from: a camera, or the head of a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listener {
    /// Where it is, in metres.
    pub at: Vec3,
    /// How it is turned: at rest it looks along -z, and up is y.
    pub turn: Quat,
    /// How fast it moves and where to, in metres a second.
    pub speed: Vec3,
    /// How loud it hears, as a factor.
    pub gain: f32,
}

impl Listener {
    /// Returns whether all its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let Self { at, turn, speed, gain } = self;
        at.is_finite() && turn.is_finite() && speed.is_finite() && gain.is_finite()
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self { at: Vec3::ZERO, turn: Quat::IDENTITY, speed: Vec3::ZERO, gain: 1.0 }
    }
}

/// A listener whose axes were computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ears {
    pub(super) at: Vec3,
    pub(super) speed: Vec3,
    pub(super) gain: f32,
    right: Vec3,
    forward: Vec3,
}

impl Ears {
    pub(super) fn of(listener: &Listener) -> Self {
        let is_turn = listener.turn.is_finite() && listener.turn.length_squared() > 1e-12;
        let turn = if is_turn { listener.turn.normalize() } else { Quat::IDENTITY };
        let axes = Mat3::from_quat(turn);
        let Listener { at, speed, gain, .. } = *listener;
        Self { at, speed, gain, right: axes.x_axis, forward: -axes.z_axis }
    }

    /// Returns how far to the right and forwards a way is.
    pub(super) fn plane(&self, way: Vec3) -> [f32; 2] {
        [way.dot(self.right), way.dot(self.forward)]
    }
}
