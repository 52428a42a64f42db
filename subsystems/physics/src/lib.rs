//! Physics of a game: settings, shapes, fields and effects as data.
#![cfg_attr(feature = "compile", doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod collision;
#[cfg(feature = "compile")]
pub mod compile;
mod component;
mod data_error;
mod field;
mod fields;
mod geometry;
mod impacts;
mod ranges;
mod settings;

pub use collision::{
    COLLISION_TYPE, COLLISION_VERSION, CONVEX_POINTS_MAX, Collision, CollisionImage, CollisionPart,
    CollisionShape, HEIGHTS_SIDE_MAX, MESH_MAX, SHAPES_MAX,
};
pub use component::{ACTOR, ActorSource, JOINT, JointForm, JointSource};
pub use data_error::{DataError, DataErrorKind};
pub use field::{
    FIELD_DEPTH_MAX, FIELD_PARAMETERS_MAX, FIELD_TYPE, FIELD_VARIABLES, FIELD_VERSION, Field,
    FieldImage, FieldParameter, FieldRegion,
};
pub use fields::{
    FIELD_BLOCK, FieldGroups, FieldId, FieldQuery, FieldScratch, Fields, FieldsError,
};
pub use geometry::{Filter, Geometry, Surface};
pub use impacts::{
    IMPACT_POINTS_MAX, IMPACT_ROWS_MAX, IMPACTS_TYPE, IMPACTS_VERSION, Impact, ImpactImage,
    ImpactKind, ImpactRow, ImpactTable,
};
pub use settings::{
    ActorKind, ActorTemplate, GROUPS_MAX, SETTINGS_TYPE, SETTINGS_VERSION, Settings, SettingsActor,
    SettingsGroup, SettingsImage, SettingsMaterial, SettingsShape, ShapeTemplate, TEMPLATES_MAX,
};
