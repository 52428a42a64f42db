//! Checking settings once, when they come in.

use loligo_resources::DataError;

use super::{
    ActorKind, ActorTemplate, GROUPS_MAX, SETTINGS_TYPE, Settings, ShapeTemplate, TEMPLATES_MAX,
};
use crate::ranges::{DAMPING, DENSITY, FRICTION, GRAVITY, GRAVITY_SCALE, MASS, PART, STAY_RATE};

/// Checks the invariants of settings.
pub(super) fn verify(settings: &Settings<'_>) -> Result<(), DataError> {
    if settings.gravity.iter().any(|number| !GRAVITY.contains(number)) {
        return wrong("gravity", "of three numbers from -10000 to 10000", 0);
    }
    if !STAY_RATE.contains(&settings.stay_rate) {
        return wrong("stay_rate", "from 0 to 1000", settings.stay_rate as usize);
    }
    groups(settings)?;
    materials(settings)?;
    shapes(settings)?;
    actors(settings)
}

fn wrong(field: &'static str, must: &'static str, found: usize) -> Result<(), DataError> {
    Err(DataError::part(SETTINGS_TYPE, field, must, found as u64))
}

fn groups(settings: &Settings<'_>) -> Result<(), DataError> {
    let groups = settings.groups;
    if groups.is_empty() || groups.len() > GROUPS_MAX {
        return wrong("groups", "1 to 32", groups.len());
    }
    let meets = |a: usize, b: usize| groups[a].meets >> b & 1 != 0;
    for (at, group) in groups.iter().enumerate() {
        if groups[..at].iter().any(|other| other.name == group.name) {
            return wrong("groups", "of different names", at);
        }
        if groups.len() < GROUPS_MAX && group.meets >> groups.len() != 0 {
            return wrong("groups", "to meet groups that there are", at);
        }
        if (0..at).any(|other| meets(at, other) != meets(other, at)) {
            return wrong("groups", "to meet those that meet them", at);
        }
    }
    Ok(())
}

/// Checks that a list is ordered by name and not too long.
fn ordered<T>(list: &[T], field: &'static str, name: impl Fn(&T) -> u32) -> Result<(), DataError> {
    if list.len() > TEMPLATES_MAX {
        return wrong(field, "4096 at the most", list.len());
    }
    match list.windows(2).position(|two| name(&two[0]) >= name(&two[1])) {
        Some(at) => wrong(field, "ordered by the hashes of their names", at),
        None => Ok(()),
    }
}

fn materials(settings: &Settings<'_>) -> Result<(), DataError> {
    ordered(settings.materials, "materials", |material| material.name.hash())?;
    let is_wrong = |material: &super::SettingsMaterial| {
        !FRICTION.contains(&material.friction)
            || !PART.contains(&material.restitution)
            || !DENSITY.contains(&material.density)
    };
    match settings.materials.iter().position(is_wrong) {
        Some(at) => wrong("materials", "of numbers in their ranges", at),
        None => Ok(()),
    }
}

fn shapes(settings: &Settings<'_>) -> Result<(), DataError> {
    ordered(settings.shapes, "shapes", |shape| shape.name.hash())?;
    let is_wrong = |shape: &super::SettingsShape| {
        shape.material as usize >= settings.materials.len()
            || shape.group as usize >= settings.groups.len()
            || shape.flags & !ShapeTemplate::ALL != 0
    };
    match settings.shapes.iter().position(is_wrong) {
        Some(at) => wrong("shapes", "of a material, a group and flags that there are", at),
        None => Ok(()),
    }
}

fn actors(settings: &Settings<'_>) -> Result<(), DataError> {
    ordered(settings.actors, "actors", |actor| actor.name.hash())?;
    let is_wrong = |actor: &super::SettingsActor| {
        ActorKind::of(actor.kind).is_none()
            || actor.flags & !ActorTemplate::ALL != 0
            || !MASS.contains(&actor.mass)
            || !DAMPING.contains(&actor.linear_damping)
            || !DAMPING.contains(&actor.angular_damping)
            || !GRAVITY_SCALE.contains(&actor.gravity_scale)
    };
    match settings.actors.iter().position(is_wrong) {
        Some(at) => wrong("actors", "of a kind, flags and numbers in their ranges", at),
        None => Ok(()),
    }
}
