//! Blending poses, eight bones at a time.

mod additive;
mod bone_mask;
mod mix;

#[cfg(feature = "subsystem")]
pub(crate) use additive::add_lanes;
pub use additive::{add_pose, subtract_pose};
pub use bone_mask::BoneMask;
#[cfg(feature = "subsystem")]
pub(crate) use mix::blend_lanes;
pub use mix::{blend_into, mix_poses};
