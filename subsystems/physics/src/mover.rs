//! How a character walks: what a mover is asked, and what it answers.

use glam::Vec3;

use crate::actor::ActorId;
use crate::geometry::Filter;

/// How a character walks. Lengths are in metres, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Away from the ground, of length 1.
    pub up: Vec3,
    /// The steepest slope that it climbs.
    pub climb: f32,
    /// The slope from which on it slides down.
    pub slide: f32,
    /// The highest step that it takes; 0 for none.
    pub step_height: f32,
    /// How deep a step must be to be taken.
    pub step_depth: f32,
    /// How far below its feet the ground may be without it leaving the ground; 0 for nothing.
    pub snap: f32,
    /// The gap that it keeps to everything, which is not 0.
    pub gap: f32,
    /// How heavy it is to what it runs into, in kilograms; 0 for what pushes nothing.
    pub mass: f32,
    /// What it is stopped by.
    pub filter: Filter,
}

impl Default for Mover {
    /// A grown-up.
    fn default() -> Self {
        Self {
            up: Vec3::Y,
            climb: 0.8,
            slide: 0.8,
            step_height: 0.35,
            step_depth: 0.15,
            snap: 0.25,
            gap: 0.02,
            mass: 80.0,
            filter: Filter::ALL,
        }
    }
}

/// What has become of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walk {
    /// How far it will have gone after the next step.
    pub way: Vec3,
    /// Whether there is ground below its feet.
    pub is_grounded: bool,
    /// Whether it slides down a slope.
    pub is_sliding: bool,
    /// What the ground is.
    pub ground: Option<ActorId>,
}
