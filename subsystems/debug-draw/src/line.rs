//! A line.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// The most lines that are drawn in a frame.
pub const LINES_MAX: usize = 1 << 17;

/// A line as it is drawn.
///
/// # Memory
///
/// 32 bytes, as shaders read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Line {
    /// Where it begins.
    pub from: [f32; 3],
    /// Its color: red in the lowest byte, green, blue, opacity.
    pub color: u32,
    /// Where it ends.
    pub to: [f32; 3],
    zero: u32,
}

const _: () = assert!(size_of::<Line>() == 32, "shaders read it so");

impl Line {
    /// Returns a line of a color: red, green and blue from 0 to 1.
    #[must_use]
    pub fn new(from: Vec3, to: Vec3, color: Vec3) -> Self {
        let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u32;
        let color = byte(color.x) | byte(color.y) << 8 | byte(color.z) << 16 | 0xFF00_0000;
        Self { from: from.to_array(), color, to: to.to_array(), zero: 0 }
    }
}
