//! Functions of scripts that hear the events of one entity.

use loligo_entities::Entity;
use loligo_script::{ArgumentError, Call, Kind};

use super::{Done, ENTITY, Own, ShownText, alive_in};
use crate::world::{ListenError, World};

pub(super) const LISTEN: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Text];
pub(super) const IGNORE: &[Kind] = &[Kind::Id(ENTITY), Kind::Text];

pub(super) fn listen(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive_in(world, call)?;
    let event = ShownText::new(call.text(1)?);
    let function = ShownText::new(call.text(2)?);
    let listens = world.listen(entity, event.as_str(), function.as_str());
    listens.map_err(|error| refused(call, event.as_str(), &error))
}

pub(super) fn ignore(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    // Also of one that is gone: a script tidies up when it likes.
    let entity = Entity::from_bits(Own::new(call.id(0)).bits());
    let event = ShownText::new(call.text(1)?);
    let ignores = entity.map_or(Ok(false), |entity| world.ignore(entity, event.as_str()));
    let was_called = ignores.map_err(|error| refused(call, event.as_str(), &error))?;
    call.return_bool(was_called);
    Ok(())
}

fn refused(call: &mut Call<'_>, event: &str, error: &ListenError) -> ArgumentError {
    call.refuse(format_args!("event `{event}`: {error}"))
}
