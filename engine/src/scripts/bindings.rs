//! The engine's functions for scripts: a table that knows no Lua.

use glam::Vec3;
use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_script::{Binding, Call, IdKind, Kind, Refusal};

use crate::world::World;

/// The kind of ids of entities.
pub const ENTITY: IdKind = IdKind::new(16, "Entity");

const FOUND: &[Kind] = &[Kind::OptionalId(ENTITY)];
const NUMBER: &[Kind] = &[Kind::Number];
const VECTOR: &[Kind] = &[Kind::Vector3];

/// Makes a row of the table.
macro_rules! table {
    ($($name:literal ($($argument:expr),*) -> $results:expr, $help:literal, $function:ident;)+) => {
        /// Returns the table: what of the engine scripts can call.
        #[must_use]
        pub fn bindings<'m>() -> [Binding<World<'m>>; [$($name),+].len()] {
            [$(Binding {
                name: $name,
                arguments: const { &[$($argument),*] },
                results: $results,
                help: $help,
                function: loligo_script::Function::Call($function),
            }),+]
        }
    };
}

table! {
    "Game.time"() -> NUMBER, "the game's time in seconds", time;
    "Game.step"() -> NUMBER, "how far this frame moves the game on, in seconds", step;
    "Game.frame"() -> NUMBER, "the number of the frame, from 0 on", frame;
    "Game.quit"() -> &[], "ends the game after this frame", quit;
    "Entity.count"() -> NUMBER, "how many entities there are", count;
    "Entity.find"(Kind::Text) -> FOUND, "the first entity of that name in the level, or nil", find;
    "Entity.is_alive"(Kind::Id(ENTITY)) -> &[Kind::Bool], "whether it is there", is_alive;
    "Entity.unspawn"(Kind::Id(ENTITY)) -> NUMBER, "removes it and what hangs on it; how many that were", unspawn;
    "Tag.count"(Kind::Text) -> NUMBER, "how many entities carry a tag", tag_count;
    "Tag.entity"(Kind::Text, Kind::Number) -> FOUND, "which entity carries a tag, by number from 1 on, or nil", tag_entity;
    "Tag.has"(Kind::Id(ENTITY), Kind::Text) -> &[Kind::Bool], "whether it carries a tag", tag_has;
    "Tag.add"(Kind::Id(ENTITY), Kind::Text) -> &[], "gives it a tag", tag_add;
    "Tag.remove"(Kind::Id(ENTITY), Kind::Text) -> &[], "takes a tag from it", tag_remove;
    "Transform.position"(Kind::Id(ENTITY)) -> VECTOR, "where it is, seen from its parent", position;
    "Transform.set_position"(Kind::Id(ENTITY), Kind::Vector3) -> &[], "moves it", set_position;
    "Transform.set_xyz"(Kind::Id(ENTITY), Kind::Number, Kind::Number, Kind::Number) -> &[], "moves it, without a vector", set_xyz;
    "Transform.rotation"(Kind::Id(ENTITY)) -> &[Kind::Quaternion], "how it is turned, seen from its parent", rotation;
    "Transform.set_rotation"(Kind::Id(ENTITY), Kind::Quaternion) -> &[], "turns it", set_rotation;
    "Transform.scale"(Kind::Id(ENTITY)) -> VECTOR, "how large it is, seen from its parent", scale;
    "Transform.set_scale"(Kind::Id(ENTITY), Kind::Vector3) -> &[], "makes it larger or smaller", set_scale;
    "Transform.world_position"(Kind::Id(ENTITY)) -> VECTOR, "where it was in the world when the last frame ended", world_position;
    "Model.set_visible"(Kind::Id(ENTITY), Kind::Bool) -> &[], "shows or hides it", set_visible;
    "Camera.current"() -> FOUND, "whose camera is looked through, or nil", camera;
    "Camera.set_current"(Kind::Id(ENTITY)) -> &[], "looks through its camera", set_camera;
    "Camera.field_of_view"(Kind::Id(ENTITY)) -> NUMBER, "how high its picture is, in degrees", field_of_view;
    "Camera.set_field_of_view"(Kind::Id(ENTITY), Kind::Number) -> &[], "from 1 to 170 degrees", set_field_of_view;
    "Sun.entity"() -> FOUND, "the entity that has the sun, or nil", sun;
    "Sun.set_color"(Kind::Vector3) -> &[], "red, green and blue, linear", set_sun_color;
    "Sun.set_intensity"(Kind::Number) -> &[], "how bright it is", set_sun_intensity;
}

type Done = Result<(), Refusal>;

fn time(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_number(world.now() as f64 / 1e9);
    Ok(())
}

fn step(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_number(world.step() as f64 / 1e9);
    Ok(())
}

fn frame(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_number(world.frame() as f64);
    Ok(())
}

fn quit(world: &mut World<'_>, _: &mut Call<'_>) -> Done {
    world.end_game();
    Ok(())
}

fn count(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_number(world.entities().len() as f64);
    Ok(())
}

fn find(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = hash(call, 0)?;
    call.return_optional_id(world.find(name).map(Entity::to_bits));
    Ok(())
}

fn is_alive(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = Entity::from_bits(call.id(0));
    call.return_bool(entity.is_some_and(|entity| world.entities().is_alive(entity)));
    Ok(())
}

fn unspawn(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    match world.unspawn(entity) {
        Ok(count) => {
            call.return_number(count as f64);
            Ok(())
        }
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

fn tag_count(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let tag = hash(call, 0)?;
    call.return_number(world.tags().entities(tag).len() as f64);
    Ok(())
}

fn tag_entity(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (tag, number) = (hash(call, 0)?, call.number(1));
    // A number that is no place gives a place beyond all.
    let place = if number >= 1.0 { number as usize - 1 } else { usize::MAX };
    let entity = world.tags().entities(tag).get(place).copied();
    call.return_optional_id(entity.map(Entity::to_bits));
    Ok(())
}

fn tag_has(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive(world, call)?, hash(call, 1)?);
    call.return_bool(world.tags().has(entity, tag));
    Ok(())
}

fn tag_add(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive(world, call)?, hash(call, 1)?);
    match world.tags_mut().try_add(entity, tag) {
        Ok(_) => Ok(()),
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

fn tag_remove(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive(world, call)?, hash(call, 1)?);
    world.tags_mut().remove_tag(entity, tag);
    Ok(())
}

fn position(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    match world.transforms().pose(entity) {
        Some(pose) => call.return_vector3(pose.position),
        None => Err(nowhere(call)),
    }
}

fn set_position(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, position) = (alive(world, call)?, call.vector3(1));
    let is_set = world.transforms_mut().set_position(entity, position);
    if is_set { Ok(()) } else { Err(nowhere(call)) }
}

fn set_xyz(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    let [x, y, z] = [1, 2, 3].map(|argument| call.number(argument) as f32);
    let is_set = world.transforms_mut().set_position(entity, Vec3::new(x, y, z));
    if is_set { Ok(()) } else { Err(nowhere(call)) }
}

fn rotation(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    match world.transforms().pose(entity) {
        Some(pose) => call.return_quaternion(pose.rotation),
        None => Err(nowhere(call)),
    }
}

fn set_rotation(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, rotation) = (alive(world, call)?, call.quaternion(1));
    let is_set = world.transforms_mut().set_rotation(entity, rotation);
    if is_set { Ok(()) } else { Err(nowhere(call)) }
}

fn scale(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    match world.transforms().pose(entity) {
        Some(pose) => call.return_vector3(pose.scale),
        None => Err(nowhere(call)),
    }
}

fn set_scale(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, scale) = (alive(world, call)?, call.vector3(1));
    let is_set = world.transforms_mut().set_scale(entity, scale);
    if is_set { Ok(()) } else { Err(nowhere(call)) }
}

fn world_position(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    match world.transforms().world(entity) {
        Some(matrix) => call.return_vector3(matrix.translation.into()),
        None => Err(nowhere(call)),
    }
}

fn set_visible(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, is_visible) = (alive(world, call)?, call.bool(1));
    match world.set_visible(entity, is_visible) {
        Ok(true) => Ok(()),
        Ok(false) => Err(call.refuse(format_args!("the entity has no model; give it one"))),
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

fn camera(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_optional_id(world.camera().map(Entity::to_bits));
    Ok(())
}

fn set_camera(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    if world.set_camera(entity) { Ok(()) } else { Err(blind(call)) }
}

fn field_of_view(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive(world, call)?;
    let Some(camera) = world.camera_of(entity) else { return Err(blind(call)) };
    call.return_number(f64::from(camera.field_of_view.to_degrees()));
    Ok(())
}

fn set_field_of_view(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, degrees) = (alive(world, call)?, call.number(1));
    if !(1.0..=170.0).contains(&degrees) {
        return Err(call.refuse(format_args!("{degrees} is no angle from 1 to 170 degrees")));
    }
    let Some(camera) = world.camera_of_mut(entity) else { return Err(blind(call)) };
    camera.field_of_view = (degrees as f32).to_radians();
    Ok(())
}

fn sun(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_optional_id(world.sun().map(|(entity, _)| entity.to_bits()));
    Ok(())
}

fn set_sun_color(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let color = call.vector3(0);
    let Some(sun) = world.sun_mut() else { return Err(dark(call)) };
    sun.color = color.to_array();
    Ok(())
}

fn set_sun_intensity(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let intensity = call.number(0) as f32;
    let Some(sun) = world.sun_mut() else { return Err(dark(call)) };
    sun.intensity = intensity;
    Ok(())
}

/// Returns the entity of the first argument, which must be there.
fn alive(world: &World<'_>, call: &mut Call<'_>) -> Result<Entity, Refusal> {
    let bits = call.id(0);
    let entity = Entity::from_bits(bits).filter(|entity| world.entities().is_alive(*entity));
    entity.ok_or_else(|| {
        call.refuse(format_args!("the entity {bits} is gone; ask Entity.is_alive before"))
    })
}

fn hash(call: &mut Call<'_>, argument: usize) -> Result<IdString32, Refusal> {
    Ok(IdString32::new(call.text(argument)?))
}

fn nowhere(call: &mut Call<'_>) -> Refusal {
    call.refuse(format_args!("the entity has no transform; give it one"))
}

fn blind(call: &mut Call<'_>) -> Refusal {
    call.refuse(format_args!("the entity has no camera; give it one"))
}

fn dark(call: &mut Call<'_>) -> Refusal {
    call.refuse(format_args!("the level has no sun; give it one"))
}
