//! Rendering from outside: each part compared with a naive one, frames as text, memory that is
//! counted, bytes from anywhere.

mod content;
mod contexts;
mod culling;
mod damage;
mod detail;
mod drawn;
mod fold;
mod frame_errors;
mod frame_text;
mod layout;
mod memory;
mod occlusion;
mod order;
mod reflection;
mod steady;
mod threads;
mod views;
