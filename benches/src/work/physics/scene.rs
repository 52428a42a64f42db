//! What all piles are made from.

use glam::Vec3;

/// Boxes of the pile: ten layers of ten by ten.
pub(super) const BOXES: usize = 1000;

/// Steps until the pile has come down, and those that are measured.
pub(super) const STEPS_BEFORE: usize = 90;
pub(super) const STEPS: u64 = 60;

pub(super) const HALF: f32 = 0.5;
pub(super) const FRICTION: f32 = 0.5;
pub(super) const DENSITY: f32 = 700.0;

/// Returns where a box of the pile is at first: towers that lean a little, so that they fall.
pub(super) fn place(at: usize) -> Vec3 {
    let [x, y, z] = [at % 10, at / 100, at / 10 % 10].map(|number| number as f32);
    Vec3::new(x * 1.2 - 6.0 + y * 0.03, y * 1.05 + 0.6, z * 1.2 - 6.0)
}
