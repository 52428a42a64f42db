//! What the system gives a game: its window.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "window")]
extern crate std;

mod reason;
#[cfg(feature = "window")]
mod window;
mod window_error;
mod window_state;

pub use reason::Reason;
#[cfg(feature = "window")]
pub use window::{Window, WindowHandles};
pub use window_error::WindowError;
pub use window_state::{WindowChange, WindowState};
