//! Compressing clips and importing them from glTF: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`Skeleton`](crate::Skeleton)
//! and [`Clip`](crate::Clip).
//!
//! # Sources
//!
//! ```text
//! // hero.skeleton
//! file = "models/hero.glb"
//! skin = "Armature"            // the only one
//!
//! // walk.clip
//! skeleton = "heroes/hero"
//! file = "models/walk.glb"     // that of the skeleton
//! animation = "Walk"           // the only one
//! rate = 30   bound_cm = 0.01   skin_cm = 3   jump_ratio = 8
//! events = [ { name = "step" frame = 12 bone = "left foot" } ]
//!
//! // hero.machine: see `MachineCompiler`
//! ```

mod anatomy;
mod compilers;
#[cfg(feature = "subsystem")]
mod components;
mod compress;
mod compress_dense;
mod dense_body;
mod dense_fit;
mod dense_stream;
mod error;
mod fit;
mod frame_walk;
mod gltf_clip;
mod gltf_curve;
mod gltf_skeleton;
mod image;
mod knots;
mod machine;
mod pack;
mod raw_clip;
mod raw_skeleton;
mod skin;
mod sources;
mod statistics;
mod stream;
mod track_source;
mod tracks;

pub use anatomy::{ClipAnatomy, StreamKey, TrackAnatomy};
pub use compilers::{ClipCompiler, SkeletonCompiler, register};
#[cfg(feature = "subsystem")]
pub use components::{AnimationCompiler, components};
pub use compress::{ClipKeys, CompressOptions, CompressedClip, compress};
pub use error::CompressError;
pub use gltf_clip::gltf_clip;
pub use gltf_skeleton::gltf_skeleton;
pub use machine::{CompiledMachine, MachineCompiler, compile_machine};
pub use raw_clip::{RawClip, RawEvent, RawJump};
pub use raw_skeleton::RawSkeleton;
pub use skin::{SkinErrors, skin_errors};
pub use statistics::{ClipStatistics, TrackStatistics};
