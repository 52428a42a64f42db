//! The back end that draws with the graphics card (feature `gpu`).
//!
//! [`GpuRenderer`] holds what draws name by number: meshes in two buffers that all of them share,
//! textures, shaders and materials, each of which can be replaced while the game runs. A frame is a
//! [`DisplayList`](crate::DisplayList) and a [`FrameDescription`](crate::FrameDescription): its
//! records are copied to the card as they are, and each [`Command::Draws`](crate::Command::Draws)
//! becomes one indirect draw.
//!
#![doc = include_str!("gpu/LAYOUT.md")]

mod data;
mod drawn;
mod error;
mod instances;
mod jobs;
mod materials;
mod meshes;
mod mirror;
mod morphs;
mod play;
mod renderer;
mod shaders;
mod skinner;
mod slots;
mod sums;
mod targets;
mod textures;
mod triangles;

pub use crate::sun::SunShadow;
pub use data::{FrameData, MaterialData, SeenView, TextureData, TextureLevels, VERTEX_BYTES};
pub use error::GpuRenderError;
pub use play::{FULLSCREEN, TRIANGLES};
pub use renderer::{GpuOptions, GpuRenderer};
pub use slots::NUMBERS_MAX;
pub use sums::GpuSums;
