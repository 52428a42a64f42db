//! Physics of a game: actors, joints and casts over rapier3d.
#![cfg_attr(feature = "compile", doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

extern crate std;

mod actor;
mod cast;
mod checked;
mod collision;
#[cfg(feature = "compile")]
pub mod compile;
mod component;
mod error;
mod events;
mod field;
mod fields;
mod geometry;
mod impacts;
mod joint;
mod mover;
mod ragdoll;
mod ranges;
mod settings;
#[cfg(feature = "subsystem")]
mod site;
#[cfg(feature = "subsystem")]
mod subsystem;
mod vehicle;
mod world;
mod world_settings;

pub use actor::{ActorDescription, ActorId, ActorTag, Shape};
pub use cast::{CastHit, CastRules, RayCast};
pub use collision::{
    COLLISION_TYPE, COLLISION_VERSION, CONVEX_POINTS_MAX, Collision, CollisionImage, CollisionPart,
    CollisionShape, HEIGHTS_SIDE_MAX, MESH_MAX, SHAPES_MAX,
};
pub use component::{
    ACTOR, ActorSource, FIELD, FieldSource, JOINT, JointForm, JointSource, MOVER, MoverSource,
    RAGDOLL, RagdollSource, VEHICLE, VEHICLE_WHEELS_MAX, WheelSource,
};
pub use error::PhysicsError;
pub use events::{
    Frozen, FrozenReason, TouchBegan, TouchEnded, TouchStayed, TriggerEntered, TriggerLeft,
};
pub use field::{
    FIELD_DEPTH_MAX, FIELD_PARAMETERS_MAX, FIELD_TYPE, FIELD_VARIABLES, FIELD_VERSION, Field,
    FieldImage, FieldParameter, FieldRegion,
};
pub use fields::{
    FIELD_ARROWS_MAX, FIELD_BLOCK, FIELD_REGIONS_MAX, FieldGroups, FieldId, FieldLine, FieldQuery,
    FieldScratch, Fields, FieldsError,
};
pub use geometry::{Filter, Geometry, Surface};
pub use impacts::{
    IMPACT_POINTS_MAX, IMPACT_ROWS_MAX, IMPACTS_TYPE, IMPACTS_VERSION, Impact, ImpactImage,
    ImpactKind, ImpactRow, ImpactTable,
};
pub use joint::{JointDescription, JointId, JointKind, JointTag, Motor, joint_frame};
pub use loligo_resources::{DataError, DataErrorKind};
pub use mover::{Mover, Walk};
pub use ragdoll::{
    BONES_MAX, HAS_LIMITS, HAS_REST, NO_BONE, RAGDOLL_TYPE, RAGDOLL_VERSION, Ragdoll, RagdollBone,
    RagdollImage,
};
pub use settings::{
    ActorKind, ActorTemplate, GROUPS_MAX, SETTINGS_TYPE, SETTINGS_VERSION, Settings, SettingsActor,
    SettingsGroup, SettingsImage, SettingsMaterial, SettingsShape, ShapeTemplate, TEMPLATES_MAX,
};
#[cfg(feature = "subsystem")]
pub use site::RAPIER;
#[cfg(feature = "subsystem")]
pub use subsystem::{
    AskRay, BodyLine, BoneMoved, CASTS_SEEN_MAX, DropBones, HoldBone, ImpactDue, Physics, ROW,
    RayAnswered, STATIC_ACTORS_AN_UPDATE, StepOn,
};
pub use vehicle::{VehicleId, VehicleTag, Wheel, WheelControl, WheelState};
pub use world::{FieldActors, Outline, PhysicsWorld, SnapshotError};
pub use world_settings::WorldSettings;
