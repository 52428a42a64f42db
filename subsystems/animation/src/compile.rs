//! Compressing clips and importing them from glTF: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`Skeleton`](crate::Skeleton)
//! and [`Clip`](crate::Clip).

mod compress;
mod error;
mod fit;
mod image;
mod knots;
mod raw_clip;
mod raw_skeleton;
mod skin;
mod statistics;
mod stream;
mod track_source;

pub use compress::{CompressOptions, CompressedClip, compress};
pub use error::CompressError;
pub use raw_clip::{RawClip, RawJump};
pub use raw_skeleton::RawSkeleton;
pub use skin::{SkinErrors, skin_errors};
pub use statistics::{ClipStatistics, TrackStatistics};
