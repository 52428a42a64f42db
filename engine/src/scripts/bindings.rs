//! The engine's functions for scripts: a table that knows no Lua.
//!
//! What takes and returns numbers, ids and vectors is bound directly; texts need a call.

use core::fmt;

use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_entities::Entity;
use loligo_ids::{IdString32, IdString64};
use loligo_script::{
    ArgumentError, Binding, Call, CallFunction, Function, Id, IdKind, IdType, Kind, Reason,
};

use crate::memory::SharedAllocator;
use crate::saved::{NAMES, SaveName, SaveRequest};
use crate::world::World;

mod content;
mod data;
mod graphs;
mod links;
mod listening;
mod looks;
mod profiling;
mod sending;
mod spawning;
mod views;

pub use loligo_interface::ENTITY;

/// Entities as arguments and results of functions that are bound directly.
#[derive(Clone, Copy, Debug)]
pub struct EntityId;

impl IdType for EntityId {
    const KIND: IdKind = ENTITY;
}

/// An entity, as scripts have it.
type Own = Id<EntityId>;

const FOUND: &[Kind] = &[Kind::OptionalId(ENTITY)];
const NUMBER: &[Kind] = &[Kind::Number];
const BOOL: &[Kind] = &[Kind::Bool];
const TEXT: &[Kind] = &[Kind::Text];
const VECTOR: &[Kind] = &[Kind::Vector3];

/// How many functions there are.
const COUNT: usize = 95;

/// Returns the table: what of the engine scripts can call.
#[must_use]
#[expect(clippy::too_many_lines, reason = "it is a table, with a row for each function")]
pub fn bindings<'m>() -> [Binding<World<'m>>; COUNT] {
    [
        Binding::direct("Game.time", "the game's time in seconds", time),
        Binding::direct("Game.step", "how far this frame moves the game on, in seconds", step),
        Binding::direct("Game.frame", "the number of the frame, from 0 on", frame),
        Binding::direct("Game.quit", "ends the game after this frame", quit),
        call("Game.save", &[Kind::Text], &[], "saves the game under a name after this frame", save),
        call(
            "Game.load",
            &[Kind::Text],
            &[],
            "goes on with the game that was saved under a name, after this frame",
            load,
        ),
        call(
            "Game.prefer",
            TEXT,
            &[],
            "prefers variants of resources before the next frame, the strongest first: `noblood, fr`",
            content::prefer,
        ),
        call(
            "Game.preferred",
            &[],
            TEXT,
            "the properties that are preferred, with a space between two",
            content::preferred,
        ),
        call("Profiler.start", TEXT, &[], "begins a scope of the monitor", profiling::start),
        call("Profiler.stop", TEXT, &[], "ends the innermost scope of that name", profiling::stop),
        call(
            "Profiler.record",
            profiling::NUMBER,
            &[],
            "records a number under a name, for traces and graphs",
            profiling::record,
        ),
        call(
            "Profiler.record_vector",
            profiling::VECTOR,
            &[],
            "records a vector under a name",
            profiling::record_vector,
        ),
        call("Graph.make", TEXT, &[], "makes a graph on the screen, by a name", graphs::make),
        call(
            "Graph.add",
            graphs::NAMES,
            &[],
            "adds a value to it, by the name that it is recorded under, such as `frame_ms`",
            graphs::add,
        ),
        call(
            "Graph.add_colored",
            graphs::COLORED,
            &[],
            "as `add`, in a color: `red`, or `#ff8000`",
            graphs::add_colored,
        ),
        call(
            "Graph.add_vector3",
            graphs::NAMES,
            &[],
            "adds the three numbers of a vector",
            graphs::add_vector3,
        ),
        call(
            "Graph.add_scope",
            graphs::NAMES,
            &[],
            "adds the milliseconds of each frame in a scope",
            graphs::add_scope,
        ),
        call(
            "Graph.range",
            graphs::RANGE,
            &[],
            "sets the values at its lower and upper edge; without, it fits what it shows",
            graphs::range,
        ),
        call("Graph.hide", TEXT, &[], "does not draw it; its values go on", graphs::hide),
        call("Graph.show", TEXT, &[], "draws it again", graphs::show),
        call("Graph.remove", TEXT, &[], "takes it away", graphs::remove),
        Binding::direct("Entity.count", "how many entities there are", count),
        call(
            "Entity.find",
            &[Kind::Text],
            FOUND,
            "the first of that name in the level, or nil",
            find,
        ),
        call(
            "Entity.spawn",
            &[Kind::Text, Kind::Vector3],
            &[Kind::Id(ENTITY)],
            "makes the entity of a resource, by name, at a position, with its children",
            spawning::spawn,
        ),
        call(
            "Entity.spawn_turned",
            &[Kind::Text, Kind::Vector3, Kind::Quaternion],
            &[Kind::Id(ENTITY)],
            "as `spawn`, turned",
            spawning::spawn_turned,
        ),
        call(
            "Entity.spawn_many",
            &[Kind::Text, Kind::Numbers],
            NUMBER,
            "as `spawn`, at each of many positions: x, y and z of each, or a vector each; how many entities were made",
            spawning::spawn_many,
        ),
        call(
            "Event.listen",
            listening::LISTEN,
            &[],
            "has a function called, by its name, with each event of a name of which a field is the entity",
            listening::listen,
        ),
        call(
            "Event.ignore",
            listening::IGNORE,
            BOOL,
            "ends that for all functions; whether there were any",
            listening::ignore,
        ),
        call(
            "Level.load",
            &[Kind::Text],
            &[],
            "begins another level, by name, with the next frame",
            load_level,
        ),
        Binding::direct("Level.restart", "begins the level again, with the next frame", restart),
        call(
            "Level.spawn",
            &[Kind::Text, Kind::Vector3],
            &[Kind::Id(ENTITY)],
            "spawns a level that is loaded at a position, below the entity that it returns; what of it is not there at \
             once comes in the next frames, and then the event `level_spawned`",
            content::spawn_level,
        ),
        call(
            "Level.spawn_turned",
            &[Kind::Text, Kind::Vector3, Kind::Quaternion],
            &[Kind::Id(ENTITY)],
            "as `spawn`, turned",
            content::spawn_level_turned,
        ),
        call(
            "Package.load",
            TEXT,
            &[],
            "loads a package, by name, while the game goes on",
            content::load_package,
        ),
        call(
            "Package.unload",
            TEXT,
            BOOL,
            "wants a package once less; whether it was wanted",
            content::unload_package,
        ),
        call(
            "Package.is_loaded",
            TEXT,
            BOOL,
            "whether a package is loaded, with all that is in it",
            content::is_package_loaded,
        ),
        Binding::direct(
            "Package.flush",
            "lets the next frame begin when all packages are loaded",
            content::flush_packages,
        ),
        Binding::direct("Entity.is_alive", "whether it is there", is_alive),
        Binding::direct(
            "Entity.destroy",
            "removes it and its descendants; how many entities that were",
            destroy,
        ),
        call("Tag.count", &[Kind::Text], NUMBER, "how many entities carry a tag", tag_count),
        call(
            "Tag.entity",
            &[Kind::Text, Kind::Number],
            FOUND,
            "which entity carries a tag, by number from 1 on, or nil",
            tag_entity,
        ),
        call("Tag.has", &[Kind::Id(ENTITY), Kind::Text], BOOL, "whether it carries a tag", tag_has),
        call("Tag.add", &[Kind::Id(ENTITY), Kind::Text], &[], "gives it a tag", tag_add),
        call("Tag.remove", &[Kind::Id(ENTITY), Kind::Text], &[], "takes a tag from it", tag_remove),
        Binding::direct("Transform.position", "where it is, seen from its parent", position),
        Binding::direct("Transform.set_position", "moves it", set_position),
        Binding::direct("Transform.set_xyz", "moves it, without a vector", set_xyz),
        Binding::direct("Transform.rotation", "how it is turned, seen from its parent", rotation),
        Binding::direct("Transform.set_rotation", "turns it", set_rotation),
        Binding::direct("Transform.scale", "how large it is, seen from its parent", scale),
        Binding::direct("Transform.set_scale", "makes it larger or smaller", set_scale),
        Binding::direct(
            "Transform.world_position",
            "where it was in the world when the last frame ended",
            world_position,
        ),
        call("Transform.parent", links::ONE, FOUND, "its parent, or nil", links::parent),
        call(
            "Transform.link",
            links::TWO,
            &[],
            "hangs it on another: it moves with that one, and its position is seen from there",
            links::link,
        ),
        call(
            "Transform.unlink",
            links::ONE,
            &[],
            "hangs it on nothing: its position is seen from the world",
            links::unlink,
        ),
        call(
            "Data.has",
            data::KEY,
            BOOL,
            "whether it has anything under a key, such as `stats.health`",
            data::has,
        ),
        call("Data.number", data::KEY, NUMBER, "the number under a key", data::number),
        call(
            "Data.set_number",
            data::SET_NUMBER,
            &[],
            "sets it, kept with 24 bits",
            data::set_number,
        ),
        call("Data.bool", data::KEY, BOOL, "what is true or false under a key", data::bool),
        call("Data.set_bool", data::SET_BOOL, &[], "sets it", data::set_bool),
        call("Data.text", data::KEY, TEXT, "the text under a key", data::text),
        call("Data.set_text", data::SET_TEXT, &[], "sets it", data::set_text),
        call("Data.vector3", data::KEY, VECTOR, "the three numbers under a key", data::vector3),
        call("Data.set_vector3", data::SET_VECTOR, &[], "sets them", data::set_vector3),
        call("Data.remove", data::KEY, BOOL, "removes a key; whether there was one", data::remove),
        Binding::direct("Model.set_visible", "shows or hides it", looks::set_visible),
        call(
            "Model.material",
            looks::SLOT,
            TEXT,
            "the last 32 bytes of the name of a slot's material",
            looks::material,
        ),
        call(
            "Model.set_material",
            looks::SET_MATERIAL,
            &[],
            "gives a slot, from 1 on, a material by name",
            looks::set_material,
        ),
        Binding::direct(
            "Model.color",
            "red, green and blue of its parameters, linear",
            looks::own_color,
        ),
        Binding::direct(
            "Model.set_color",
            "multiplies its material's color by red, green and blue, linear",
            looks::set_own_color,
        ),
        Binding::direct("Model.opacity", "the opacity of its parameters", looks::own_opacity),
        Binding::direct(
            "Model.set_opacity",
            "multiplies its material's opacity, for layers that are blended",
            looks::set_own_opacity,
        ),
        Binding::direct(
            "Model.number",
            "one of its four numbers for the shader, from 1 on",
            looks::own_number,
        ),
        Binding::direct(
            "Model.set_number",
            "sets one of its four numbers for the shader, from 1 on",
            looks::set_own_number,
        ),
        call(
            "Model.weight",
            looks::TARGET,
            &[Kind::Number],
            "how much there is of a target of its mesh, by name",
            looks::weight,
        ),
        call(
            "Model.set_weight",
            looks::SET_WEIGHT,
            &[],
            "sets how much there is of a target of its mesh: 0 is nothing, 1 all",
            looks::set_weight,
        ),
        Binding::direct("Camera.current", "whose camera is looked through, or nil", looks::camera),
        Binding::direct("Camera.set_current", "looks through its camera", looks::set_camera),
        Binding::direct(
            "Camera.field_of_view",
            "how high its picture is, in degrees",
            looks::field_of_view,
        ),
        Binding::direct(
            "Camera.set_field_of_view",
            "from 1 to 170 degrees",
            looks::set_field_of_view,
        ),
        call(
            "View.camera",
            TEXT,
            FOUND,
            "whose camera a view of the frame looks through, or nil",
            views::camera,
        ),
        call(
            "View.set_camera",
            views::CAMERA,
            &[],
            "has a view of the frame look through its camera",
            views::set_camera,
        ),
        call(
            "View.set_part",
            views::PART,
            &[],
            "has a view draw a part of its targets: left, top, width and height, from 0 to 1",
            views::set_part,
        ),
        call("View.show", views::SHOW, &[], "draws a view of the frame, or does not", views::show),
        Binding::direct("Stage.of", "the stage that it is on, from 0 on", views::stage),
        Binding::direct(
            "Stage.move",
            "moves it and all below it to a stage, 0 to 15, which other views see",
            views::move_to_stage,
        ),
        Binding::direct("Sun.entity", "the entity that has the sun, or nil", looks::sun),
        Binding::direct("Sun.set_color", "red, green and blue, linear", looks::set_sun_color),
        Binding::direct("Sun.set_intensity", "how bright it is", looks::set_sun_intensity),
        Binding::direct("Light.count", "how many lights there are", looks::light_count),
        Binding::direct("Light.color", "red, green and blue, linear", looks::light_color),
        Binding::direct("Light.set_color", "red, green and blue, linear", looks::set_light_color),
        Binding::direct("Light.intensity", "how bright it is", looks::light_intensity),
        Binding::direct(
            "Light.set_intensity",
            "how bright it is, from 0 on",
            looks::set_light_intensity,
        ),
        Binding::direct("Light.range", "how far it shines, in metres", looks::light_range),
        Binding::direct("Light.set_range", "in metres, more than 0", looks::set_light_range),
    ]
}

/// Returns the table with the functions of the world's subsystems.
pub(super) fn all_bindings<'m>(
    world: &World<'m>,
    memory: SharedRef<'m>,
) -> Result<Array<'m, Binding<World<'m>>, SharedAllocator<'m>>, GrowError> {
    let mut all = Array::try_from_slice_in(&bindings(), memory)?;
    for (number, of) in world.joined().functions() {
        all.try_push(Binding {
            name: of.name,
            arguments: of.arguments,
            results: of.results,
            help: of.help,
            function: Function::Numbered(number, |world, number, call| {
                world.joined_mut().call(number, call)
            }),
        })?;
    }
    sending::add(world, &mut all)?;
    Ok(all)
}

/// Returns a row of a function that takes or returns texts.
const fn call<'m>(
    name: &'static str,
    arguments: &'static [Kind],
    results: &'static [Kind],
    help: &'static str,
    function: CallFunction<World<'m>>,
) -> Binding<World<'m>> {
    Binding { name, arguments, results, help, function: Function::Call(function) }
}

type Done = Result<(), ArgumentError>;

fn time(world: &mut World<'_>) -> f64 {
    world.now() as f64 / 1e9
}

fn step(world: &mut World<'_>) -> f64 {
    world.step() as f64 / 1e9
}

fn frame(world: &mut World<'_>) -> f64 {
    world.frame() as f64
}

fn quit(world: &mut World<'_>) {
    world.end_game();
}

fn save(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = SaveName::new(call.text(0)?);
    let name = name.ok_or_else(|| call.refuse(format_args!("{NAMES}")))?;
    world.request_save(SaveRequest::Save(name));
    Ok(())
}

fn load(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = SaveName::new(call.text(0)?);
    let name = name.ok_or_else(|| call.refuse(format_args!("{NAMES}")))?;
    world.request_save(SaveRequest::Load(name));
    Ok(())
}

fn count(world: &mut World<'_>) -> f64 {
    world.entities().len() as f64
}

fn find(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = hash(call, 0)?;
    call.return_optional_id(world.find(name).map(Entity::to_bits));
    Ok(())
}

fn load_level(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    world.load_level(IdString64::new(call.text(0)?));
    Ok(())
}

fn restart(world: &mut World<'_>) {
    world.restart_level();
}

fn is_alive(world: &mut World<'_>, entity: Own) -> bool {
    alive(world, entity).is_ok()
}

fn destroy(world: &mut World<'_>, entity: Own) -> Result<f64, Reason> {
    const UNTOLD: &str =
        "it is removed, and there is no memory to tell of it; give the subsystem `entities` more";
    let entity = alive(world, entity)?;
    world.destroy(entity).map(|count| count as f64).map_err(|_| UNTOLD.into())
}

fn tag_count(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let tag = hash(call, 0)?;
    call.return_number(world.tags().entities(tag).len() as f64);
    Ok(())
}

fn tag_entity(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (tag, number) = (hash(call, 0)?, call.number(1));
    // A number that is not a valid place gives a place beyond all.
    let place = if number >= 1.0 { number as usize - 1 } else { usize::MAX };
    let entity = world.tags().entities(tag).get(place).copied();
    call.return_optional_id(entity.map(Entity::to_bits));
    Ok(())
}

fn tag_has(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive_in(world, call)?, hash(call, 1)?);
    call.return_bool(world.tags().has(entity, tag));
    Ok(())
}

fn tag_add(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive_in(world, call)?, hash(call, 1)?);
    match world.tags_mut().try_add(entity, tag) {
        Ok(_) => Ok(()),
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

fn tag_remove(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (entity, tag) = (alive_in(world, call)?, hash(call, 1)?);
    world.tags_mut().remove_tag(entity, tag);
    Ok(())
}

fn position(world: &mut World<'_>, entity: Own) -> Result<Vec3, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.transforms().pose(entity).ok_or(NOWHERE)?.position)
}

fn set_position(world: &mut World<'_>, entity: Own, position: Vec3) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    placed(world.transforms_mut().set_position(entity, position))
}

fn set_xyz(world: &mut World<'_>, entity: Own, x: f32, y: f32, z: f32) -> Result<(), Reason> {
    set_position(world, entity, Vec3::new(x, y, z))
}

fn rotation(world: &mut World<'_>, entity: Own) -> Result<Quat, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.transforms().pose(entity).ok_or(NOWHERE)?.rotation)
}

fn set_rotation(world: &mut World<'_>, entity: Own, rotation: Quat) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    placed(world.transforms_mut().set_rotation(entity, rotation))
}

fn scale(world: &mut World<'_>, entity: Own) -> Result<Vec3, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.transforms().pose(entity).ok_or(NOWHERE)?.scale)
}

fn set_scale(world: &mut World<'_>, entity: Own, scale: Vec3) -> Result<(), Reason> {
    let entity = alive(world, entity)?;
    placed(world.transforms_mut().set_scale(entity, scale))
}

fn world_position(world: &mut World<'_>, entity: Own) -> Result<Vec3, Reason> {
    let entity = alive(world, entity)?;
    Ok(world.transforms().world(entity).ok_or(NOWHERE)?.translation.into())
}

const NOWHERE: &str = "the entity has no transform; give it one";

const GONE: &str = "the entity {} is gone; ask Entity.is_alive before";

fn placed(is_set: bool) -> Result<(), Reason> {
    if is_set { Ok(()) } else { Err(NOWHERE.into()) }
}

/// Returns an entity, which must be there.
#[inline]
fn alive(world: &World<'_>, entity: Own) -> Result<Entity, Reason> {
    let bits = entity.bits();
    let entity = Entity::from_bits(bits).filter(|entity| world.entities().is_alive(*entity));
    entity.ok_or(Reason::new(GONE, bits as f64))
}

/// Returns the entity of the first argument, which must be there.
fn alive_in(world: &World<'_>, call: &mut Call<'_>) -> Result<Entity, ArgumentError> {
    alive(world, Own::new(call.id(0))).map_err(|why| call.refuse(format_args!("{why}")))
}

fn hash(call: &mut Call<'_>, argument: usize) -> Result<IdString32, ArgumentError> {
    Ok(IdString32::new(call.text(argument)?))
}

/// The beginning of a text argument: a refusal may show it, and cannot while the argument is lent.
struct ShownText {
    bytes: [u8; 200],
    len: usize,
}

impl ShownText {
    fn new(text: &str) -> Self {
        let mut bytes = [0; 200];
        let len = text.floor_char_boundary(text.len().min(bytes.len()));
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { bytes, len }
    }
}

impl ShownText {
    fn as_str(&self) -> &str {
        // Whole characters were copied.
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Display for ShownText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
