//! Checks of what a world is given.

use core::ops::RangeInclusive;

use glam::{Quat, Vec3};
use loligo_entities::Pose;

use crate::error::PhysicsError;

/// Refuses a vector with a number that is not finite.
pub(crate) fn finite(what: &'static str, vector: Vec3) -> Result<(), PhysicsError> {
    match vector.to_array().into_iter().find(|number| !number.is_finite()) {
        Some(found) => Err(PhysicsError::Number { what, must: "finite", found }),
        None => Ok(()),
    }
}

/// Refuses a number outside of a range, and what is not a number.
pub(crate) fn number(
    what: &'static str,
    found: f32,
    range: RangeInclusive<f32>,
    must: &'static str,
) -> Result<(), PhysicsError> {
    match range.contains(&found) {
        true => Ok(()),
        false => Err(PhysicsError::Number { what, must, found }),
    }
}

/// Refuses a pose with numbers that are not finite or a rotation of no length; makes the rotation
/// one of length 1.
pub(crate) fn pose(pose: &Pose) -> Result<Pose, PhysicsError> {
    finite("the position", pose.position)?;
    finite("the scale", pose.scale)?;
    Ok(Pose { rotation: rotation(pose.rotation)?, ..*pose })
}

/// As [`pose`], for a rotation.
pub(crate) fn rotation(rotation: Quat) -> Result<Quat, PhysicsError> {
    let length = rotation.length();
    number("the length of the rotation", length, 1e-3..=1e3, "about 1")?;
    // One that has it already stays as it is to the bit.
    Ok(if (length - 1.0).abs() < 1e-6 { rotation } else { rotation / length })
}
