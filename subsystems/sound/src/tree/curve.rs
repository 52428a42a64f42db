//! What follows from parameters.

use loligo_allocators::Allocator;

use super::{CurveTarget, SoundNodeImage, SoundTree};
use crate::parameters::{Parameters, SoundParameters};
use crate::signal::SPEED_MAX;

/// What curves say of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curved {
    pub(super) decibels: f32,
    pub(super) speed: f32,
    pub(super) low_pass: f32,
}

impl Curved {
    pub(super) const NONE: Self = Self { decibels: 0.0, speed: 1.0, low_pass: f32::INFINITY };

    /// Returns what a node has with this above it.
    pub(super) fn with<A: Allocator + ?Sized>(
        mut self,
        tree: &SoundTree<'_>,
        node: &SoundNodeImage,
        parameters: &Parameters<'_, A>,
        sound: &SoundParameters,
    ) -> Self {
        for curve in tree.curves(node) {
            // What was never set is 0, as if the sound had all parameters.
            let value = parameters.number(sound, curve.parameter).unwrap_or(0.0);
            let follows = at(tree.points(curve), value);
            if curve.target == CurveTarget::Volume as u32 {
                self.decibels += follows;
            } else if curve.target == CurveTarget::Speed as u32 {
                // Products of many would be infinite.
                self.speed = (self.speed * follows.max(0.0)).min(SPEED_MAX);
            } else {
                self.low_pass = self.low_pass.min(follows.max(0.0));
            }
        }
        self
    }
}

/// Returns what is on a curve at a value: between points by a line, outside of them as at its ends.
fn at(points: &[[f32; 2]], value: f32) -> f32 {
    let after = points.partition_point(|point| point[0] <= value);
    match (points[..after].last(), points.get(after)) {
        (Some([from, low]), Some([to, high])) => {
            low + (high - low) * ((value - from) / (to - from))
        }
        (Some([_, end]), None) | (None, Some([_, end])) => *end,
        (None, None) => 0.0,
    }
}
