//! What is heard.

use core::f32::consts::PI;

use glam::Vec3;

/// A source of sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Where it is, in metres.
    pub at: Vec3,
    /// How fast it moves and where to, in metres a second.
    pub speed: Vec3,
    /// Where its cone points to; of length 1.
    pub toward: Vec3,
    /// How loud it is in front and at its back.
    pub cone: Cone,
    /// The place of its distance curve in the list that it is placed with; without one it is as loud at any distance.
    pub curve: u32,
    /// How much of it is occluded, from 0 to 1.
    pub occlusion: f32,
    /// How loud it is on the speaker for low frequencies.
    pub low: f32,
}

/// How loud a source is in front and at its back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    inner: f32,
    outer: f32,
    gain: f32,
}

impl Cone {
    /// As loud in all directions.
    pub const ALL: Self = Self { inner: -1.0, outer: -1.0, gain: 1.0 };

    /// Returns a cone: full within `inner` degrees around its direction, times `gain` outside of `outer`
    /// degrees, and between these by a line over the cosine. Angles are whole: 360 is everywhere.
    ///
    /// ```
    /// use loligo_sound::space::Cone;
    ///
    /// let horn = Cone::new(60.0, 120.0, 0.2);
    /// assert_eq!(horn.gain(1.0), 1.0, "in front of it");
    /// assert_eq!(horn.gain(-1.0), 0.2, "at its back");
    /// ```
    #[must_use]
    pub fn new(inner: f32, outer: f32, gain: f32) -> Self {
        let cosine = |degrees: f32| {
            if degrees < 360.0 { libm::cosf(degrees.max(0.0) * (PI / 360.0)) } else { -1.0 }
        };
        let inner = cosine(inner);
        let gain = if gain.is_finite() { gain.clamp(0.0, 1.0) } else { 1.0 };
        Self { inner, outer: cosine(outer).min(inner), gain }
    }

    /// Returns how loud it is at an angle of which this is the cosine.
    #[must_use]
    pub fn gain(&self, cosine: f32) -> f32 {
        if cosine >= self.inner {
            return 1.0;
        }
        let share = (cosine - self.outer) / (self.inner - self.outer).max(1e-6);
        self.gain + (1.0 - self.gain) * share.clamp(0.0, 1.0)
    }
}

impl Default for Cone {
    fn default() -> Self {
        Self::ALL
    }
}

impl Default for Source {
    fn default() -> Self {
        Self {
            at: Vec3::ZERO,
            speed: Vec3::ZERO,
            toward: Vec3::NEG_Z,
            cone: Cone::ALL,
            curve: 0,
            occlusion: 0.0,
            low: 0.0,
        }
    }
}
