//! Physics: fields that are asked for many places, and worlds of boxes compared with plain rapier3d.

mod fields;
#[cfg(feature = "peers-jolt")]
mod jolt;
mod piles;
mod scene;
#[cfg(feature = "peers-all")]
mod wide;
mod worlds;

pub(crate) use fields::fields;
#[cfg(feature = "peers-jolt")]
pub(crate) use jolt::jolt_steps;
#[cfg(feature = "peers-all")]
pub(crate) use wide::wide_steps;
pub(crate) use worlds::{
    our_rays, our_spawn, our_steps, save, saved_bytes, their_rays, their_spawn, their_steps,
};
