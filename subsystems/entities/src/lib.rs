//! Entities, their components, and the resources that they are spawned from.
#![cfg_attr(feature = "compile", doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "compile")]
pub mod compile;
mod component;
mod components;
mod data;
mod dense;
mod entities;
mod entity;
mod error;
mod plain;
mod pose;
mod resource;
mod resource_words;
mod saved;
mod tags;
mod transforms;

pub use component::{Batch, ComponentError, ComponentManager, ComponentType, DataError};
pub use components::{ComponentTwice, Components};
pub use data::Data;
pub use entities::{Entities, Unknown};
pub use entity::{Entity, EntityTag};
pub use error::{Damage, SpawnError};
pub use plain::Plain;
pub use pose::Pose;
pub use resource::{
    ENTITIES_MAX, EntitiesError, EntityResource, KeptResource, NO_PARENT, ResourceError,
    ResourcePart,
};
pub use resource_words::ResourceWords;
pub use saved::LoadError;
pub use tags::{ENTITIES_OF_TAG_MAX, TagError, Tags};
pub use transforms::{
    DEPTH_MAX, LinkError, TransformPiece, TransformRun, TransformRunMut, Transforms,
};
