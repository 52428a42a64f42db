//! Playing clips: active keys of eight tracks side by side, and a place in the stream.

mod active_group;
mod clip_table;
mod dense_walk;
mod key_rows;
mod loading_clip;
mod player_pool;
mod players;
mod restart_points;
mod weights;

#[cfg(any(feature = "compile", feature = "subsystem"))]
pub(crate) use active_group::ActiveGroup;
#[cfg(feature = "subsystem")]
pub(crate) use clip_table::ClipLanes;
pub use clip_table::{ClipTable, TableError};
pub use loading_clip::{LoadingClip, LoadingError};
pub(crate) use player_pool::PlayerPool;
pub use players::Players;
#[cfg(feature = "subsystem")]
pub(crate) use players::sample_clip;
#[cfg(feature = "compile")]
pub(crate) use weights::key_weights;
