//! What the targets that read bytes share: types that are read, and the memory that they get.
//! Targets that run programs have all from `loligo_tests::programs::run_input`.
#![forbid(unsafe_code)]

pub mod animation;
pub mod bundle;
pub mod cache;
pub mod effect;
pub mod entities;
pub mod events;
pub mod formula;
pub mod json;
pub mod knight;
pub mod limited;
pub mod physics;
pub mod sjson;
pub mod sound;
pub mod strings;
