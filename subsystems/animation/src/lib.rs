//! Animation of skeletons: from samples to a stream of keys, and from the stream to poses.
#![cfg_attr(feature = "compile", doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod blending;
mod clip;
#[cfg(feature = "compile")]
pub mod compile;
mod kinematics;
mod lanes;
mod machine;
mod motion;
mod playing;
mod pose;
mod skeleton;
#[cfg(feature = "subsystem")]
mod subsystem;

pub use blending::{BoneMask, add_pose, blend_into, mix_poses, subtract_pose};
pub use clip::{
    CLIP_TYPE, CLIP_VERSION, Channel, Clip, ClipEvent, ClipImage, FRAMES_MAX, StoredClip,
    StoredClipError,
};
pub use kinematics::{
    Chain, ChainError, LookAt, TwoBones, look_at, solve_chain, solve_two_bones, space_of,
};
pub use lanes::{LANES, Lanes};
pub use loligo_resources::{DataError, DataErrorKind};
pub use machine::{
    LAYERS_MAX, MACHINE_TYPE, MACHINE_VERSION, MIX_MAX, Machine, MachineClip, MachineError,
    MachineEvent, MachineImage, MachineLayer, MachineMotion, MachinePlayers, MachineSample,
    MachineState, MachineTable, MachineTransition, MachineVariable, Machines, MaskBone,
    STATE_VARIABLES, STATES_MAX, SavedError, VARIABLES_MAX,
};
pub use motion::{
    BlendPlace, Cycle, GroundPath, Passage, PassedEvent, Playhead, blend_place, ground_pose,
    take_ground,
};
pub use playing::{ClipTable, LoadingClip, LoadingError, Players, TableError};
pub use pose::{BoneGroup, Poses, bone, groups_of, set_bone};
pub use skeleton::{BONES_MAX, NO_BONE, SKELETON_TYPE, SKELETON_VERSION, Skeleton, SkeletonImage};
#[cfg(feature = "subsystem")]
pub use subsystem::{
    Animation, BoneLine, BoneReleased, BonesTaken, ClipEnded, ClipPassed, FootAnswered, FootAsked,
    PlaceBone, ROW,
};
