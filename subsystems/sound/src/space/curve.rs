//! How loud a source is at a distance.

/// The most by which a curve makes louder: 60 decibels.
const GAIN_MAX: f32 = 1000.0;

/// How loud a source is at a distance, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistanceCurve<'c> {
    /// Half as loud at each doubling of the distance, as sound in the open with a `rolloff` of 1: full up to
    /// `near`, and as at `far` from there on.
    Inverse {
        /// The distance up to which it is as loud as it is.
        near: f32,
        /// The distance from which on it becomes no quieter.
        far: f32,
        /// How fast it becomes quieter; 2 is twice as fast.
        rolloff: f32,
    },
    /// Full up to `near`, and silence from `far` on, by a line.
    Linear {
        /// The distance up to which it is as loud as it is.
        near: f32,
        /// The distance from which on it is silent.
        far: f32,
    },
    /// As sound in the open, and by a line to silence: full up to `near`, half as loud at twice the distance,
    /// and less than that until nothing is left at `far`.
    Fading {
        /// The distance up to which it is as loud as it is.
        near: f32,
        /// The distance from which on it is silent.
        far: f32,
    },
    /// Distances that ascend and factors, between which are lines.
    Points(&'c [[f32; 2]]),
}

impl DistanceCurve<'_> {
    /// As loud at any distance.
    pub const EVERYWHERE: Self = Self::Points(&[]);

    /// Returns the factor for a distance: from 0 to 1000, whatever the numbers of the curve are.
    ///
    /// # Complexity
    ///
    /// O(1); of points, O(log points).
    #[must_use]
    pub fn gain(&self, distance: f32) -> f32 {
        let gain = match *self {
            Self::Inverse { near, far, rolloff } => {
                let near = near.max(1e-3);
                let beyond = (distance.min(far.max(near)) - near).max(0.0);
                near / (near + rolloff.max(0.0) * beyond)
            }
            Self::Linear { near, far } => {
                let range = (far - near).max(1e-3);
                1.0 - ((distance - near) / range).clamp(0.0, 1.0)
            }
            Self::Fading { near, .. } if distance <= near => 1.0,
            Self::Fading { near, far } => {
                let left = (far - distance) / (far - near).max(1e-3);
                near / distance * left.clamp(0.0, 1.0)
            }
            Self::Points(points) => between(points, distance),
        };
        if gain.is_finite() { gain.clamp(0.0, GAIN_MAX) } else { 0.0 }
    }
}

/// Returns what is on the lines between points.
fn between(points: &[[f32; 2]], at: f32) -> f32 {
    let next = points.partition_point(|point| point[0] <= at);
    match (next.checked_sub(1).and_then(|last| points.get(last)), points.get(next)) {
        (Some([from, begin]), Some([to, end])) => {
            begin + (end - begin) * ((at - from) / (to - from))
        }
        (Some([_, gain]), None) | (None, Some([_, gain])) => *gain,
        (None, None) => 1.0,
    }
}
