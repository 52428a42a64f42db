//! Poses of skeletons as lanes: ten rows of eight floats for eight bones.

mod bone_group;
mod poses;
mod turn;

pub use bone_group::BoneGroup;
pub use poses::{Poses, bone, groups_of, set_bone};
pub(crate) use turn::{between, multiply, normalized_or};
