//! What the system gives a game: its window, and what players do.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "window", test))]
extern crate std;

mod input_events;
mod key_code;
mod key_symbol;
mod mouse_button;
mod named;
mod pad_axis;
mod pad_button;
#[cfg(feature = "pads")]
mod pads;
#[cfg(feature = "pads")]
mod pads_error;
mod reason;
#[cfg(feature = "window")]
mod window;
mod window_error;
mod window_state;
#[cfg(feature = "window")]
mod winit_input;

pub use input_events::{
    FocusChange, INPUT_EVENT_TYPES, KeyInput, MouseButtonInput, MouseMotion, MouseWheel,
    PadAxisInput, PadButtonInput, PadConnected, PadDisconnected, TextInput,
};
pub use key_code::KeyCode;
pub use key_symbol::KeySymbol;
pub use mouse_button::MouseButton;
pub use pad_axis::PadAxis;
pub use pad_button::PadButton;
#[cfg(feature = "pads")]
pub use pads::Pads;
#[cfg(feature = "pads")]
pub use pads_error::PadsError;
pub use reason::Reason;
#[cfg(feature = "window")]
pub use window::{Window, WindowHandles};
pub use window_error::WindowError;
pub use window_state::{WindowChange, WindowState};
