//! Time and ways: where a clip is, what was passed, how the character moved.

mod blend_space;
mod cycle;
mod passage;
mod playhead;
mod root;

pub use blend_space::{BlendPlace, blend_place};
pub use cycle::Cycle;
pub use passage::{Passage, PassedEvent};
pub use playhead::Playhead;
#[cfg(feature = "subsystem")]
pub(crate) use root::as_seen_from;
pub use root::{GroundPath, ground_pose, take_ground};
