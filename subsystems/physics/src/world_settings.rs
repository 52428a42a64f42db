//! What a physics world is made with.

use glam::Vec3;

use crate::checked::{finite, number};
use crate::error::PhysicsError;

/// What a physics world is made with. Plain data: a snapshot has it, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSettings {
    /// What falls is accelerated by, in metres a second squared.
    pub gravity: Vec3,
    /// How long a step is, in seconds.
    pub step_seconds: f32,
    /// How often the solver goes over all contacts and joints in a step. More is stiffer.
    pub solver_rounds: u32,
    /// After how many steps a touch that goes on is reported again; 0 for never.
    pub stay_steps: u32,
    /// How far from the origin an actor may be, along an axis, in metres. Beyond it is frozen: at
    /// 16 km the numbers of a position are a millimetre apart.
    pub far: f32,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            step_seconds: 1.0 / 60.0,
            solver_rounds: 4,
            stay_steps: 15,
            far: 16_384.0,
        }
    }
}

impl WorldSettings {
    pub(crate) fn check(&self) -> Result<(), PhysicsError> {
        finite("the gravity", self.gravity)?;
        number("the length of a step", self.step_seconds, 1e-4..=0.25, "0.0001 to 0.25 seconds")?;
        number("the rounds of the solver", self.solver_rounds as f32, 1.0..=64.0, "1 to 64")?;
        number("the distance at which actors are frozen", self.far, 1.0..=1e9, "1 to 1e9 metres")
    }
}
