//! The views of the frame, and the stages that they see.

use loligo_entities::Entity;
use loligo_ids::IdString64;
use loligo_render::STAGES_MAX;
use loligo_script::{ArgumentError, Call, Kind, Reason};

use super::{Done, ENTITY, Own, ShownText, alive};
use crate::world::World;

pub(super) const CAMERA: &[Kind] = &[Kind::Text, Kind::Id(ENTITY)];
pub(super) const PART: &[Kind] =
    &[Kind::Text, Kind::Number, Kind::Number, Kind::Number, Kind::Number];
pub(super) const SHOW: &[Kind] = &[Kind::Text, Kind::Bool];

const NO_STAGE: &str = "there is no such stage; take a whole number from 0 to 15";
const FULL: &str = "there is no memory for the move; give the subsystem `entities` more";

pub(super) fn camera(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let view = name(world, call)?;
    call.return_optional_id(world.view_camera(view).map(Entity::to_bits));
    Ok(())
}

pub(super) fn set_camera(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let view = name(world, call)?;
    let entity = alive(world, Own::new(call.id(1)));
    let entity = entity.map_err(|why| call.refuse(format_args!("{why}")))?;
    match world.set_view_camera(view, entity) {
        true => Ok(()),
        false => Err(call.refuse(format_args!("the entity has no camera; give it one"))),
    }
}

pub(super) fn set_part(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let view = name(world, call)?;
    let part = [1, 2, 3, 4].map(|at| call.number(at) as f32);
    match world.set_view_part(view, part) {
        true => Ok(()),
        false => Err(call.refuse(format_args!(
            "{part:?} is no part of the picture; give left, top, width and height from 0 to 1, within the whole"
        ))),
    }
}

pub(super) fn show(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let view = name(world, call)?;
    world.show_view(view, call.bool(1));
    Ok(())
}

pub(super) fn stage(world: &mut World<'_>, entity: Own) -> Result<f64, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.stage(entity).into())
}

pub(super) fn move_to_stage(world: &mut World<'_>, entity: Own, stage: f64) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    let number = stage as u8;
    if f64::from(number) != stage || usize::from(number) >= STAGES_MAX {
        return Err(NO_STAGE.into());
    }
    world.move_to_stage(entity, number).map(|_| ()).map_err(|_| FULL.into())
}

/// Returns the view that the first argument names.
fn name(world: &World<'_>, call: &mut Call<'_>) -> Result<IdString64, ArgumentError> {
    let view = IdString64::new(call.text(0)?);
    if world.has_view(view) {
        return Ok(view);
    }
    let name = ShownText::new(call.text(0)?);
    Err(call.refuse(format_args!("the frame has no view `{name}`; add it to `views` in the frame")))
}
