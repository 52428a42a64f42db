//! Physics of a game: actors, joints and casts over rapier3d.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate std;

mod actor;
mod cast;
mod checked;
mod error;
mod events;
mod geometry;
mod joint;
mod mover;
mod vehicle;
mod world;
mod world_settings;

pub use actor::{ActorDescription, ActorId, ActorKind, ActorTag, Shape};
pub use cast::{CastHit, CastRules, RayCast};
pub use error::PhysicsError;
pub use events::{
    Frozen, FrozenReason, TouchBegan, TouchEnded, TouchStayed, TriggerEntered, TriggerLeft,
};
pub use geometry::{Filter, Geometry, Surface};
pub use joint::{JointDescription, JointId, JointKind, JointTag, Motor, joint_frame};
pub use mover::{Mover, Walk};
pub use vehicle::{VehicleId, VehicleTag, Wheel, WheelControl, WheelState};
pub use world::{Outline, PhysicsWorld, SnapshotError};
pub use world_settings::WorldSettings;
