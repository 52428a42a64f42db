//! The ranges of numbers, for compilers and readers alike.

use core::ops::RangeInclusive;

/// Accelerations, in metres per second squared.
pub(crate) const GRAVITY: RangeInclusive<f32> = -1.0e4..=1.0e4;
/// What gravity is multiplied by.
pub(crate) const GRAVITY_SCALE: RangeInclusive<f32> = -100.0..=100.0;
/// `stay` events a second.
pub(crate) const STAY_RATE: RangeInclusive<f32> = 0.0..=1.0e3;
/// Friction.
pub(crate) const FRICTION: RangeInclusive<f32> = 0.0..=10.0;
/// Parts of a whole.
pub(crate) const PART: RangeInclusive<f32> = 0.0..=1.0;
/// Kilograms in a cubic metre.
pub(crate) const DENSITY: RangeInclusive<f32> = 1.0e-3..=1.0e6;
/// Kilograms.
pub(crate) const MASS: RangeInclusive<f32> = 0.0..=1.0e9;
/// Parts of a speed that are lost in a second.
pub(crate) const DAMPING: RangeInclusive<f32> = 0.0..=1.0e3;
/// Places on an actor, in metres.
pub(crate) const PLACE: RangeInclusive<f32> = -1.0e6..=1.0e6;
/// Sides and radii, in metres.
pub(crate) const SIDE: RangeInclusive<f32> = 1.0e-4..=1.0e6;
/// Parameters of fields.
pub(crate) const PARAMETER: RangeInclusive<f32> = -1.0e9..=1.0e9;
/// How long something lasts.
pub(crate) const SECONDS: RangeInclusive<f32> = 0.0..=1.0e6;
/// Impulses and speeds.
pub(crate) const AMOUNT: RangeInclusive<f32> = 0.0..=1.0e9;
/// How strong effects are.
pub(crate) const STRENGTH: RangeInclusive<f32> = 0.0..=1.0e3;
