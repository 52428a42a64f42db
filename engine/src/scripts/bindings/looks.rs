//! How entities look, the camera, and the light.

use glam::Vec3;
use loligo_entities::Entity;
use loligo_ids::{IdString32, IdString64};
use loligo_render::InstanceParameters;
use loligo_script::{ArgumentError, Call, Kind, Reason};

use super::{Done, ENTITY, Own, ShownText, alive, alive_in};
use crate::error::EngineError;
use crate::world::{NO_TARGET, NOT_LOADED, PointLight, World};

pub(super) const SLOT: &[Kind] = &[Kind::Id(ENTITY), Kind::Number];
pub(super) const SET_MATERIAL: &[Kind] = &[Kind::Id(ENTITY), Kind::Number, Kind::Text];

pub(super) const TARGET: &[Kind] = &[Kind::Id(ENTITY), Kind::Text];
pub(super) const SET_WEIGHT: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Number];

const PLAIN: &str = "the entity has no model; give it one";
const BLIND: &str = "the entity has no camera; give it one";
const DARK: &str = "the level has no sun; give it one";
const UNLIT: &str = "the entity has no light; give it one";
const UNTOLD: &str = "there is no memory for the change; give the subsystem `render` more";

pub(super) fn set_visible(
    world: &mut World<'_>,
    entity: Own,
    is_visible: bool,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    done(world.set_visible(entity, is_visible), PLAIN)
}

pub(super) fn material(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = slot(world, call)?;
    match world.material_name(entity) {
        Some(name) => call.return_text(name.as_str()),
        None => Err(call.refuse(format_args!("{PLAIN}"))),
    }
}

pub(super) fn set_material(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = slot(world, call)?;
    let name = IdString64::new(call.text(2)?);
    match world.set_material(entity, name) {
        Ok(true) => Ok(()),
        Ok(false) => Err(call.refuse(format_args!("{PLAIN}"))),
        Err(EngineError::Wrong { .. }) => {
            let name = ShownText::new(call.text(2)?);
            Err(call.refuse(format_args!("`{name}`: {NOT_LOADED}")))
        }
        Err(_) => Err(call.refuse(format_args!("{UNTOLD}"))),
    }
}

pub(super) fn weight(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, target) = (alive_in(world, call)?, IdString32::new(call.text(1)?));
    match world.weight(entity, target) {
        Some(weight) => {
            call.return_number(weight.into());
            Ok(())
        }
        None => Err(call.refuse(format_args!("{PLAIN}"))),
    }
}

pub(super) fn set_weight(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, target) = (alive_in(world, call)?, IdString32::new(call.text(1)?));
    let weight = call.number(2) as f32;
    if !weight.is_finite() {
        return Err(call.refuse(format_args!("{weight} is no weight; give a number")));
    }
    match world.set_weight(entity, target, weight) {
        Ok(true) => Ok(()),
        Ok(false) => Err(call.refuse(format_args!("{PLAIN}"))),
        Err(EngineError::Wrong { .. }) => {
            let name = ShownText::new(call.text(1)?);
            Err(call.refuse(format_args!("`{name}`: {NO_TARGET}")))
        }
        Err(EngineError::TooManyWeights) => {
            Err(call.refuse(format_args!("{}", EngineError::TooManyWeights)))
        }
        Err(_) => Err(call.refuse(format_args!("{UNTOLD}"))),
    }
}

pub(super) fn own_color(world: &mut World<'_>, entity: Own) -> Result<Vec3, Reason> {
    let [r, g, b, _] = parameters(world, entity)?.color;
    Ok(Vec3::new(r, g, b))
}

pub(super) fn set_own_color(world: &mut World<'_>, entity: Own, color: Vec3) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    let set = |own: &mut InstanceParameters| own.color[..3].copy_from_slice(&color.to_array());
    done(world.change_parameters(entity, set), PLAIN)
}

pub(super) fn own_opacity(world: &mut World<'_>, entity: Own) -> Result<f32, Reason> {
    Ok(parameters(world, entity)?.color[3])
}

pub(super) fn set_own_opacity(
    world: &mut World<'_>,
    entity: Own,
    opacity: f32,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    done(world.change_parameters(entity, |own| own.color[3] = opacity), PLAIN)
}

pub(super) fn own_number(world: &mut World<'_>, entity: Own, place: f64) -> Result<f32, Reason> {
    let at = number_place(place)?;
    Ok(parameters(world, entity)?.numbers[at])
}

pub(super) fn set_own_number(
    world: &mut World<'_>,
    entity: Own,
    place: f64,
    number: f32,
) -> Result<(), Reason> {
    let (entity, at) = (alive(world, entity)?, number_place(place)?);
    done(world.change_parameters(entity, |own| own.numbers[at] = number), PLAIN)
}

pub(super) fn camera(world: &mut World<'_>) -> Option<Own> {
    world.camera().map(own)
}

pub(super) fn set_camera(world: &mut World<'_>, entity: Own) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    if world.set_camera(entity) { Ok(()) } else { Err(BLIND.into()) }
}

pub(super) fn field_of_view(world: &mut World<'_>, entity: Own) -> Result<f32, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.camera_of(entity).ok_or(BLIND)?.field_of_view.to_degrees())
}

pub(super) fn set_field_of_view(
    world: &mut World<'_>,
    entity: Own,
    degrees: f64,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    if !(1.0..=170.0).contains(&degrees) {
        return Err(Reason::new("{} is no angle from 1 to 170 degrees", degrees));
    }
    world.camera_of_mut(entity).ok_or(BLIND)?.field_of_view = (degrees as f32).to_radians();
    Ok(())
}

pub(super) fn sun(world: &mut World<'_>) -> Option<Own> {
    world.sun().map(|(entity, _)| own(entity))
}

pub(super) fn set_sun_color(world: &mut World<'_>, color: Vec3) -> Result<(), Reason> {
    world.sun_mut().ok_or(DARK)?.color = color.to_array();
    Ok(())
}

pub(super) fn set_sun_intensity(world: &mut World<'_>, intensity: f32) -> Result<(), Reason> {
    world.sun_mut().ok_or(DARK)?.intensity = intensity;
    Ok(())
}

pub(super) fn light_count(world: &mut World<'_>) -> f64 {
    world.lights().len() as f64
}

pub(super) fn light_color(world: &mut World<'_>, entity: Own) -> Result<Vec3, Reason> {
    light(world, entity).map(|light| light.color.into())
}

pub(super) fn light_intensity(world: &mut World<'_>, entity: Own) -> Result<f32, Reason> {
    light(world, entity).map(|light| light.intensity)
}

pub(super) fn light_range(world: &mut World<'_>, entity: Own) -> Result<f32, Reason> {
    light(world, entity).map(|light| light.range)
}

pub(super) fn set_light_color(
    world: &mut World<'_>,
    entity: Own,
    color: Vec3,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    done(world.change_light(entity, |light| light.color = color.to_array()), UNLIT)
}

pub(super) fn set_light_intensity(
    world: &mut World<'_>,
    entity: Own,
    intensity: f32,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    if !(intensity >= 0.0 && intensity.is_finite()) {
        return Err(Reason::new("{} is no brightness; give a number from 0 on", intensity.into()));
    }
    done(world.change_light(entity, |light| light.intensity = intensity), UNLIT)
}

pub(super) fn set_light_range(
    world: &mut World<'_>,
    entity: Own,
    range: f32,
) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    if !(range > 0.0 && range.is_finite()) {
        return Err(Reason::new("{} is no range; give metres, more than 0", range.into()));
    }
    done(world.change_light(entity, |light| light.range = range), UNLIT)
}

/// Returns the entity of the first argument; the slot of its model is the second, of which there is
/// one.
fn slot(world: &World<'_>, call: &mut Call<'_>) -> Result<Entity, ArgumentError> {
    let (entity, slot) = (alive_in(world, call)?, call.number(1));
    if slot == 1.0 {
        return Ok(entity);
    }
    Err(call.refuse(format_args!("a model has no slot {slot}; its one material is in slot 1")))
}

fn parameters(world: &World<'_>, entity: Own) -> Result<InstanceParameters, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.parameters(entity).ok_or(PLAIN)?)
}

/// Returns the place of a number that a script names.
fn number_place(place: f64) -> Result<usize, Reason> {
    match [1.0, 2.0, 3.0, 4.0].iter().position(|number| *number == place) {
        Some(at) => Ok(at),
        None => Err(Reason::new("there is no number {}; they are 1 to 4", place)),
    }
}

fn light(world: &World<'_>, entity: Own) -> Result<PointLight, Reason> {
    let entity = alive(world, entity)?;
    Ok(*world.light(entity).ok_or(UNLIT)?)
}

/// Refuses where there was no component of that kind, or no memory.
fn done(result: Result<bool, EngineError>, without: &'static str) -> Result<(), Reason> {
    match result {
        Ok(true) => Ok(()),
        Ok(false) => Err(without.into()),
        Err(_) => Err(UNTOLD.into()),
    }
}

fn own(entity: Entity) -> Own {
    Own::new(entity.to_bits())
}
