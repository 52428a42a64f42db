//! Inverse kinematics: turning bones so that something is where it should be.
//!
//! All of it takes a pose and changes it; places and directions are in the space of the skeleton. Spaces
//! are those of poses: where scales differ along the axes of a bone that is turned, a place is off.

mod chain;
mod look_at;
mod space;
mod two_bones;

pub use chain::{Chain, ChainError, solve_chain};
pub use look_at::{LookAt, look_at};
pub use space::space_of;
#[cfg(feature = "subsystem")]
pub(crate) use space::{arc, turn_bone};
pub use two_bones::{TwoBones, solve_two_bones};
