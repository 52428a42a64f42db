//! Joints, as they are created and as a world remembers them.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Quat, Vec3};
use loligo_entities::Pose;
use loligo_ids::SmallId;

use crate::actor::ActorId;

/// Says of what a [`JointId`] is; nothing of it is ever made.
#[derive(Debug)]
pub enum JointTag {}

/// Names a joint of a [`PhysicsWorld`](crate::PhysicsWorld).
pub type JointId = SmallId<JointTag>;

/// How a joint lets the frames of its two actors move against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// They turn around their x axes.
    Hinge,
    /// They slide along their x axes.
    Slider,
    /// They turn around their origins.
    Ball,
    /// Their origins are pulled together or pushed apart.
    Spring {
        /// The distance at which it does nothing, in metres.
        rest: f32,
        /// Newton a metre.
        stiffness: f32,
        /// Newton seconds a metre.
        damping: f32,
    },
}

/// What drives a hinge or a slider. Angles are in radians, lengths in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motor {
    /// The speed that it is driven to.
    pub speed: f32,
    /// The place that it is driven to.
    pub place: f32,
    /// How hard it drives to the place: newton metres a radian, or newton a metre; 0 for a motor
    /// that has a speed only.
    pub stiffness: f32,
    /// How hard it drives to the speed: newton metres, or newton, for each unit a second that is
    /// missing.
    pub damping: f32,
    /// The most force, in newton, or torque, in newton metres.
    pub force_max: f32,
}

/// What a joint is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDescription {
    /// How it moves.
    pub kind: JointKind,
    /// The two actors. One of them at least is dynamic.
    pub actors: [ActorId; 2],
    /// The frame of the joint in the space of each actor. The scale is ignored.
    pub frames: [Pose; 2],
    /// The least and the most that it turns or slides. Of a ball it bounds the turn around each axis.
    pub limits: Option<[f32; 2]>,
    /// What drives it: hinges and sliders.
    pub motor: Option<Motor>,
    /// Whether the two actors collide with each other.
    pub collides: bool,
}

impl JointDescription {
    /// Returns a joint without limits and motor.
    #[must_use]
    pub const fn new(kind: JointKind, actors: [ActorId; 2], frames: [Pose; 2]) -> Self {
        Self { kind, actors, frames, limits: None, motor: None, collides: false }
    }
}

/// Returns the frame at a place whose x axis is along a direction; along x where that has no length.
#[must_use]
pub fn joint_frame(at: Vec3, axis: Vec3) -> Pose {
    let axis = axis.try_normalize().unwrap_or(Vec3::X);
    Pose { position: at, rotation: Quat::from_rotation_arc(Vec3::X, axis), scale: Vec3::ONE }
}

/// What a world remembers of a joint: plain data, saved as it is.
#[derive(Clone, Copy, Debug, Default, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct Joint {
    /// Index and generation in the simulation.
    pub(crate) handle: [u32; 2],
    /// 0 for a fixed one, 1 to 4 as the variants of [`JointKind`].
    pub(crate) kind: u32,
    /// The bits of the actors' ids.
    pub(crate) actors: [u32; 2],
}

impl JointKind {
    pub(crate) const fn number(&self) -> u32 {
        match self {
            Self::Fixed => 0,
            Self::Hinge => 1,
            Self::Slider => 2,
            Self::Ball => 3,
            Self::Spring { .. } => 4,
        }
    }
}
