//! How far a sound goes on in a frame of the mixer.

use super::SPEED_MAX;

/// The samples of a sound that are played in a frame of the mixer, with 32 bits after the point.
///
/// Places are added up in whole numbers, so a sound of an hour is as far after it as the sum says, and a
/// sound that is divided into blocks in another way has the same samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u64);

impl Step {
    /// A sample each frame.
    pub(crate) const ONE: Self = Self(1 << 32);

    /// Returns the step of a sound with a rate, in a mixer with another, at a speed.
    pub(crate) fn new(rate: u32, mixer_rate: u32, speed: f32) -> Self {
        let ratio = f64::from(rate) / f64::from(mixer_rate.max(1)) * f64::from(speed);
        let ratio = if ratio.is_finite() { ratio.clamp(0.0, f64::from(SPEED_MAX)) } else { 1.0 };
        Self((ratio * (1_u64 << 32) as f64) as u64)
    }

    /// Returns the step of a number of samples, with 32 bits after the point.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The samples for each frame.
    pub(crate) fn ratio(self) -> f32 {
        (self.0 as f64 / (1_u64 << 32) as f64) as f32
    }
}
