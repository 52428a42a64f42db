//! Vehicles, as they are created and asked for.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::Vec3;
use loligo_entities::Pose;
use loligo_ids::SmallId;

use crate::actor::ActorId;

/// Says of what a [`VehicleId`] is; nothing of it is ever made.
#[derive(Debug)]
pub enum VehicleTag {}

/// Names a vehicle of a [`PhysicsWorld`](crate::PhysicsWorld).
pub type VehicleId = SmallId<VehicleTag>;

/// A wheel: a ray downwards, a spring, and friction where the ray meets the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// Where the spring is fastened, in the space of the actor.
    pub at: Vec3,
    /// The wheel's radius, in metres.
    pub radius: f32,
    /// The length of the spring at rest, in metres.
    pub rest: f32,
    /// How far the spring moves from there at most, in metres.
    pub travel: f32,
    /// How stiff the spring is, for each kilogram of the vehicle, in 1 / s².
    pub stiffness: f32,
    /// How much it is damped while it is pressed together; with 1 it does not swing.
    pub compression: f32,
    /// How much it is damped while it stretches.
    pub relaxation: f32,
    /// The most force of the spring, in newton.
    pub force_max: f32,
    /// How much the tyre grips along.
    pub grip: f32,
    /// How much it grips sideways, against the grip along.
    pub side_grip: f32,
}

impl Default for Wheel {
    /// A wheel of a car.
    fn default() -> Self {
        Self {
            at: Vec3::ZERO,
            radius: 0.35,
            rest: 0.3,
            travel: 0.2,
            stiffness: 40.0,
            compression: 0.4,
            relaxation: 0.5,
            force_max: 20_000.0,
            grip: 2.0,
            side_grip: 1.0,
        }
    }
}

/// What a driver does to a wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelControl {
    /// How far it is turned, in radians to the left.
    pub steering: f32,
    /// The force that drives it forwards, in newton.
    pub drive: f32,
    /// The most impulse by which it brakes in a step, in newton seconds.
    pub brake: f32,
}

/// Where a wheel is, and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelState {
    /// Where it is in the world, steering and rolling included.
    pub pose: Pose,
    /// Whether it is on the ground.
    pub is_grounded: bool,
    /// What the ground is.
    pub ground: Option<ActorId>,
    /// Where it touches the ground, or would.
    pub contact: Vec3,
    /// The force of its spring, in newton.
    pub load: f32,
}

/// What a world remembers of a vehicle: plain data, saved as it is.
#[derive(Clone, Copy, Debug, Default, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct Vehicle {
    /// The bits of the id of its actor.
    pub(crate) actor: u32,
}
