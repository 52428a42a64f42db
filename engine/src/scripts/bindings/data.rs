//! The data of entities, key by key.
//!
//! A key is a text; dots part the names of a path, so `stats.health` is what a source has as `stats
//! = { health = 20 }`. Names that have a dot themselves are out of reach.

use loligo_containers::{KeyValuesRef, Value, child_key};
use loligo_ids::IdString32;
use loligo_script::{ArgumentError, Call, Kind};

use super::{Done, ENTITY, ShownText, alive_in};
use crate::world::World;

pub(super) const KEY: &[Kind] = &[Kind::Id(ENTITY), Kind::Text];
pub(super) const SET_NUMBER: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Number];
pub(super) const SET_BOOL: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Bool];
pub(super) const SET_TEXT: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Text];
pub(super) const SET_VECTOR: &[Kind] = &[Kind::Id(ENTITY), Kind::Text, Kind::Vector3];

pub(super) fn has(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, key) = (alive_in(world, call)?, key(call)?);
    call.return_bool(world.data().get(entity).is_some_and(|data| data.contains(key)));
    Ok(())
}

pub(super) fn number(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let number = get(world, call, "number", |data, key| data.get_f32(key))?;
    call.return_number(number.into());
    Ok(())
}

pub(super) fn bool(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let value = get(world, call, "truth value", |data, key| data.get_bool(key))?;
    call.return_bool(value);
    Ok(())
}

pub(super) fn text(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let text = get(world, call, "text", |data, key| data.get_str(key))?;
    call.return_text(text)
}

pub(super) fn vector3(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let three = |data: KeyValuesRef<'_>, key| {
        data.get_array(key).and_then(|array| <[f32; 3]>::try_from(array).ok())
    };
    let array = get(world, call, "array of three numbers", three)?;
    call.return_vector3(array.into())
}

pub(super) fn set_number(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let number = call.number(2) as f32;
    set(world, call, number.into())
}

pub(super) fn set_bool(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let value = call.bool(2);
    set(world, call, value.into())
}

pub(super) fn set_vector3(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let value = call.vector3(2).to_array();
    set(world, call, Value::Array(&value))
}

pub(super) fn set_text(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, key) = (alive_in(world, call)?, key(call)?);
    let set = world.data_mut().try_set(entity, key, call.text(2)?);
    set.map_err(|error| call.refuse(format_args!("{error}")))
}

pub(super) fn remove(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, key) = (alive_in(world, call)?, key(call)?);
    call.return_bool(world.data_mut().remove_key(entity, key));
    Ok(())
}

/// Returns the key that a path of names has.
fn key(call: &mut Call<'_>) -> Result<IdString32, ArgumentError> {
    let mut names = call.text(1)?.split('.');
    let first = IdString32::new(names.next().unwrap_or_default());
    Ok(names.fold(first, child_key))
}

/// Finds a value, which must be there and of its kind.
fn get<'w, T>(
    world: &'w World<'_>,
    call: &mut Call<'_>,
    wanted: &str,
    find: impl FnOnce(KeyValuesRef<'w>, IdString32) -> Option<T>,
) -> Result<T, ArgumentError> {
    let (entity, key) = (alive_in(world, call)?, key(call)?);
    let data = world.data().get(entity);
    if let Some(found) = data.and_then(|data| find(data, key)) {
        return Ok(found);
    }
    let is = match data.and_then(|data| data.get(key)) {
        None => "nothing; ask Data.has before",
        Some(Value::Bool(_)) => "a truth value; ask for it by Data.bool",
        Some(Value::F32(_)) => "a number; ask for it by Data.number",
        Some(Value::Str(_)) => "a text; ask for it by Data.text",
        Some(Value::Array([_, _, _])) => "three numbers; ask for them by Data.vector3",
        Some(Value::Array(_)) => "an array, which scripts read if it has three numbers",
    };
    let name = ShownText::new(call.text(1)?);
    Err(call.refuse(format_args!("the entity has no {wanted} under `{name}`, but {is}")))
}

fn set(world: &mut World<'_>, call: &mut Call<'_>, value: Value<'_>) -> Done {
    let (entity, key) = (alive_in(world, call)?, key(call)?);
    let set = world.data_mut().try_set(entity, key, value);
    set.map_err(|error| call.refuse(format_args!("{error}")))
}
