//! Physics of a game: actors, joints and casts over rapier3d.
#![no_std]
#![forbid(unsafe_code)]

extern crate std;

mod geometry;

pub use geometry::{Filter, Geometry, Surface};
