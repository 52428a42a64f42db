//! What a program draws over its game to see what it computes.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

#[cfg(feature = "gpu")]
mod card;
mod commands;
mod drawer;
mod font;
mod line;
mod shapes;
mod subsystem;

pub use commands::{DrawBox, DrawCross, DrawLine, DrawLines, DrawSphere};
pub use commands::{DrawScreenLine, DrawScreenText, DrawText};
pub use line::{LINES_MAX, Line};
pub use subsystem::{DebugDraw, ROW};
