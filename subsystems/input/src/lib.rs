//! What players do, as named actions and axes; recorded and played back.
#![cfg_attr(feature = "compile", doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod bindings;
#[cfg(feature = "compile")]
pub mod compile;
mod control;
mod dead_zone;
mod devices;
mod input;
mod mapping;
mod mapping_error;
mod mouse;
mod recording;
mod state;
#[cfg(feature = "subsystem")]
mod subsystem;

pub use control::Control;
pub use devices::PADS_MAX;
pub use input::Input;
pub use mapping::{
    BindingImage, CHORD_MAX, CONTEXTS_MAX, ContextImage, INPUT_TYPE, INPUT_VERSION, InputImage,
};
pub use mapping_error::MappingError;
pub use mouse::Mouse;
pub use recording::{
    InputPlayback, InputRecorder, RECORDING_VERSION, RecordedFrame, RecordingError,
    RecordingErrorKind,
};
#[cfg(feature = "subsystem")]
pub use subsystem::{GAME_INPUT, InputSubsystem};
