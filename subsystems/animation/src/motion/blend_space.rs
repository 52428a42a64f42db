//! Blends by one number: walk, jog and run by speed.

/// Two neighbours of a value among points, and how near it is to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendPlace {
    /// The point at or below the value.
    pub lower: usize,
    /// The point above it.
    pub upper: usize,
    /// From 0 at the lower point to 1 at the upper one.
    pub weight: f32,
}

/// Returns where a value is among points that ascend; the first or the last one where it is beyond them
/// all, and the first for what is no number. `None` if there is no point.
///
/// # Complexity
///
/// O(log points).
///
/// # Examples
///
/// ```
/// use loligo_animation::{BlendPlace, blend_place};
///
/// let speeds = [0.0, 1.5, 4.0]; // idle, walk, run
/// let place = blend_place(&speeds, 2.0);
/// assert_eq!(place, Some(BlendPlace { lower: 1, upper: 2, weight: 0.2 }));
/// ```
#[must_use]
pub fn blend_place(points: &[f32], value: f32) -> Option<BlendPlace> {
    let last = points.len().checked_sub(1)?;
    let upper = points.partition_point(|point| *point <= value);
    if upper == 0 || upper > last {
        let at = upper.min(last);
        return Some(BlendPlace { lower: at, upper: at, weight: 0.0 });
    }
    let (low, high) = (points[upper - 1], points[upper]);
    Some(BlendPlace { lower: upper - 1, upper, weight: (value - low) / (high - low) })
}
