//! Fields that are ready-made.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use glam::Vec3;
use loligo_compiler::{CompileError, Property};

use crate::ranges::{PARAMETER, SIDE};

/// What they are called.
pub(super) const NAMES: [&str; 3] = ["wind", "vortex", "explosion"];

/// A field that is ready-made: its parameters, and the strength along each axis.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) parameters: Vec<(String, f32)>,
    pub(super) strength: [String; 3],
    /// Of a sphere that it is in, for a moment.
    pub(super) radius: Option<f32>,
}

impl Ready {
    /// Reads the one that a source has, if it has one.
    pub(super) fn read(source: &Property) -> Result<Option<Self>, CompileError> {
        let mut found = NAMES.iter().filter_map(|name| source.get(name));
        let Some(ready) = found.next() else { return Ok(None) };
        for other in ["strength", "parameters"] {
            if let Some(other) = source.get(other) {
                let reason = format!("the field has a `{}` and `{}`", ready.key(), other.key());
                return Err(other.error(reason, "remove one of both"));
            }
        }
        if let Some(other) = found.next() {
            let reason = format!("the field is a `{}` and a `{}`", ready.key(), other.key());
            return Err(other.error(reason, "make two fields of it"));
        }
        match ready.key() {
            "wind" => wind(ready),
            "vortex" => vortex(ready),
            _ => explosion(ready),
        }
        .map(Some)
    }
}

/// Reads parameters with their defaults.
fn parameters(
    ready: &Property,
    defaults: &[(&str, f32)],
) -> Result<Vec<(String, f32)>, CompileError> {
    let read = |(name, default): &(&str, f32)| {
        let range = match *name {
            "period" | "core" | "radius" => SIDE,
            _ => PARAMETER,
        };
        Ok((name.to_string(), ready.number_or(name, range, *default)?))
    };
    defaults.iter().map(read).collect()
}

/// What is in it is taken along, the faster the more `drag` there is; gusts come and go.
fn wind(ready: &Property) -> Result<Ready, CompileError> {
    ready.allow(&["direction", "speed", "drag", "gusts", "period"])?;
    let direction = Vec3::from_array(ready.numbers_or("direction", PARAMETER, [1.0, 0.0, 0.0])?);
    let Some(direction) = direction.try_normalize() else {
        let place = ready.get("direction").unwrap_or(ready);
        return Err(place.error("a direction has a length", "write `[ 1 0 0 ]`"));
    };
    let defaults = [("speed", 5.0), ("drag", 1.0), ("gusts", 0.3), ("period", 4.0)];
    let along = |part: f32, velocity: &str| {
        format!("drag * ({part} * speed * (1 + gusts * sin(tau * time / period)) - {velocity})")
    };
    let [x, y, z] = direction.to_array();
    Ok(Ready {
        parameters: parameters(ready, &defaults)?,
        strength: [along(x, "vx"), along(y, "vy"), along(z, "vz")],
        radius: None,
    })
}

/// It turns around its y axis, strongest at the radius `core`, and pulls to the axis and up.
fn vortex(ready: &Property) -> Result<Ready, CompileError> {
    let defaults = [("spin", 10.0), ("pull", 5.0), ("lift", 3.0), ("core", 1.0)];
    ready.allow(&defaults.map(|(name, _)| name))?;
    let squared = "max(x * x + z * z, 0.0001)";
    let profile = format!("min(1 / core, core / {squared})");
    Ok(Ready {
        parameters: parameters(ready, &defaults)?,
        strength: [
            format!("(z * spin - x * pull) * {profile}"),
            format!("lift * min(1, core * core / {squared})"),
            format!("(0 - x * spin - z * pull) * {profile}"),
        ],
        radius: None,
    })
}

/// It pushes away from its origin, the less the farther.
fn explosion(ready: &Property) -> Result<Ready, CompileError> {
    let defaults = [("strength", 200.0), ("radius", 5.0)];
    ready.allow(&defaults.map(|(name, _)| name))?;
    let parameters = parameters(ready, &defaults)?;
    let along = |axis: &str| {
        format!("{axis} / max(distance, 0.001) * strength * max(0, 1 - distance / radius)")
    };
    let radius = parameters.last().map(|(_, radius)| *radius);
    Ok(Ready { parameters, strength: ["x", "y", "z"].map(along), radius })
}
