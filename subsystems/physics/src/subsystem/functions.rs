//! What scripts ask of actors.

use glam::Vec3;
use loligo_entities::{Entity, Pose};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{ENTITY, SubsystemFunction};
use loligo_script::{ArgumentError, Call, Kind};

use super::Physics;
use crate::actor::ActorId;
use crate::cast::{CastRules, RayCast};
use crate::error::PhysicsError;
use crate::geometry::Filter;

mod fields;
mod joints;
mod movers;
mod ragdolls;
mod vehicles;

const ID: Kind = Kind::Id(ENTITY);
const ONE: &[Kind] = &[ID];
const NUMBER: &[Kind] = &[Kind::Number];
const WITH_NUMBER: &[Kind] = &[ID, Kind::Number];
const VECTOR: &[Kind] = &[Kind::Vector3];
const WITH_VECTOR: &[Kind] = &[ID, Kind::Vector3];
const WITH_VECTORS: &[Kind] = &[ID, Kind::Vector3, Kind::Vector3];
const BOOL: &[Kind] = &[Kind::Bool];
const NONE: &[Kind] = &[];

/// Those of all tables, one after the other.
pub(super) const FUNCTIONS: [SubsystemFunction; COUNT] = {
    let mut all = [ACTORS[0]; COUNT];
    let (mut at, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut function = 0;
        while function < PARTS[part].0.len() {
            all[at] = PARTS[part].0[function];
            (at, function) = (at + 1, function + 1);
        }
        part += 1;
    }
    all
};

/// What runs a function of a table, by its number there.
type Run = fn(&mut Physics<'_>, usize, &mut Call<'_>) -> Result<(), ArgumentError>;

const PARTS: [(&[SubsystemFunction], Run); 6] = [
    (&ACTORS, call_actor),
    (&joints::FUNCTIONS, joints::call),
    (&movers::FUNCTIONS, movers::call),
    (&vehicles::FUNCTIONS, vehicles::call),
    (&fields::FUNCTIONS, fields::call),
    (&ragdolls::FUNCTIONS, ragdolls::call),
];

const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].0.len();
        part += 1;
    }
    count
};

const ACTORS: [SubsystemFunction; 28] = [
    of("Physics.velocity", ONE, VECTOR, "how fast an actor moves, in metres a second"),
    of("Physics.set_velocity", WITH_VECTOR, NONE, "has a dynamic actor move so fast"),
    of("Physics.turning", ONE, VECTOR, "how an actor turns, in radians a second around the axis"),
    of("Physics.set_turning", WITH_VECTOR, NONE, "has a dynamic actor turn so fast"),
    of(
        "Physics.impulse",
        WITH_VECTOR,
        NONE,
        "pushes a dynamic actor at its centre, in newton seconds",
    ),
    of("Physics.impulse_at", WITH_VECTORS, NONE, "pushes it at a place of the world"),
    of(
        "Physics.force",
        WITH_VECTOR,
        NONE,
        "has a force act at its centre in the next step, in newton",
    ),
    of("Physics.force_at", WITH_VECTORS, NONE, "has a force act at a place of the world"),
    of("Physics.torque", WITH_VECTOR, NONE, "has a torque act in the next step, in newton metres"),
    of("Physics.mass", ONE, NUMBER, "what a dynamic actor weighs, in kilograms; 0 for others"),
    of("Physics.set_mass", WITH_NUMBER, NONE, "sets what a dynamic actor weighs"),
    of("Physics.gravity", NONE, VECTOR, "the gravity of the world"),
    of("Physics.set_gravity", VECTOR, NONE, "sets the gravity of the world, and wakes all"),
    of(
        "Physics.set_gravity_scale",
        WITH_NUMBER,
        NONE,
        "what gravity is multiplied by for an actor",
    ),
    of(
        "Physics.set_enabled",
        &[ID, Kind::Bool],
        NONE,
        "takes an actor out of the simulation, or puts it back",
    ),
    of("Physics.is_enabled", ONE, BOOL, "whether an actor is in the simulation"),
    of("Physics.wake", ONE, NONE, "wakes an actor, and what touches it"),
    of("Physics.is_asleep", ONE, BOOL, "whether an actor has come to rest"),
    of(
        "Physics.teleport",
        &[ID, Kind::Vector3, Kind::Quaternion],
        NONE,
        "puts an actor elsewhere, with the speed that it has, and back into the simulation",
    ),
    of(
        "Physics.set_filter",
        &[ID, Kind::Number, Kind::Number],
        NONE,
        "sets the groups of all shapes of an actor, and those that they meet: numbers of 32 bits",
    ),
    of(
        "Physics.cast",
        &[Kind::Vector3, Kind::Vector3, Kind::OptionalId(ENTITY)],
        &[Kind::OptionalId(ENTITY), Kind::Number, Kind::Vector3, Kind::Vector3],
        "casts a ray from a place along a way, through an entity: what it meets first, how far, where and the direction away from it; nil, and all zero, if it meets nothing",
    ),
    of(
        "Physics.is_clear",
        &[Kind::Vector3, Kind::Vector3, Kind::OptionalId(ENTITY)],
        BOOL,
        "whether nothing is on a way from a place, but an entity",
    ),
    of("Physics.id", &[Kind::Text], NUMBER, "the number by which events have a material"),
    of("Physics.show", BOOL, NONE, "draws actors and contacts as lines, or not"),
    of(
        "Physics.group",
        &[Kind::Text],
        NUMBER,
        "the bit of a group of `game.physics`, for `Physics.set_filter`: numbers of several groups are added",
    ),
    of(
        "Physics.effect",
        &[Kind::Text],
        NUMBER,
        "the number by which the event `impact` has an effect",
    ),
    of(
        "Physics.set_group",
        &[ID, Kind::Text],
        NONE,
        "puts all shapes of an actor into a group of `game.physics`; they meet what that meets",
    ),
    of(
        "Physics.show_casts",
        BOOL,
        NONE,
        "draws the rays of each frame as lines, those that meet something in another color, or not; 1024 at the most",
    ),
];

const fn of(
    name: &'static str,
    arguments: &'static [Kind],
    results: &'static [Kind],
    help: &'static str,
) -> SubsystemFunction {
    SubsystemFunction { name, arguments, results, help }
}

/// Runs a function by its number.
pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let mut at = function;
    for (part, run) in PARTS {
        if at < part.len() {
            return run(physics, at, call);
        }
        at -= part.len();
    }
    Err(call.refuse(format_args!("the subsystem has no such function")))
}

/// Runs a function of actors.
fn call_actor(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    match function {
        11 => return call.return_vector3(physics.bodies.world.settings().gravity),
        12 => {
            let set = physics.bodies.world.set_gravity(call.vector3(0));
            return refused(set, call);
        }
        20 | 21 => return cast(physics, function, call),
        22 => {
            let name = IdString32::new(call.text(0)?);
            call.return_number(name.hash().into());
            return Ok(());
        }
        23 => {
            physics.outlines.are_bodies_shown = call.bool(0);
            return Ok(());
        }
        27 => {
            physics.outlines.are_casts_shown = call.bool(0);
            return Ok(());
        }
        25 => {
            let name = IdString64::new(call.text(0)?);
            call.return_number((name.hash() as u32).into());
            return Ok(());
        }
        24 => {
            let filter = group(physics, call, 0)?;
            call.return_number(filter.groups.into());
            return Ok(());
        }
        _ => {}
    }
    let found = Entity::from_bits(call.id(0)).and_then(|of| physics.bodies.find(of));
    let Some(id) = found else {
        return Err(call.refuse(format_args!(
            "the entity has no actor yet; give it the component `actor`, or wait for the next update"
        )));
    };
    match function {
        0 | 2 | 9 | 15 | 17 => ask(physics, function, id, call),
        _ => change(physics, function, id, call),
    }
}

/// Answers what an actor is like.
fn ask(
    physics: &Physics<'_>,
    function: usize,
    id: ActorId,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let world = &physics.bodies.world;
    match function {
        0 => call.return_vector3(world.velocity(id).unwrap_or_default())?,
        2 => call.return_vector3(world.turning(id).unwrap_or_default())?,
        9 => call.return_number(world.mass(id).unwrap_or_default().into()),
        15 => call.return_bool(world.is_enabled(id).unwrap_or_default()),
        _ => call.return_bool(world.is_asleep(id).unwrap_or_default()),
    }
    Ok(())
}

/// Changes an actor.
fn change(
    physics: &mut Physics<'_>,
    function: usize,
    id: ActorId,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let named = if function == 26 { Some(group(physics, call, 1)?) } else { None };
    let world = &mut physics.bodies.world;
    let done = match function {
        1 => world.set_velocity(id, call.vector3(1)),
        3 => world.set_turning(id, call.vector3(1)),
        4 => world.add_impulse(id, call.vector3(1), None),
        5 => world.add_impulse(id, call.vector3(1), Some(call.vector3(2))),
        6 => world.add_force(id, call.vector3(1), None),
        7 => world.add_force(id, call.vector3(1), Some(call.vector3(2))),
        8 => world.add_torque(id, call.vector3(1)),
        10 => world.set_mass(id, call.number(1) as f32),
        13 => world.set_gravity_scale(id, call.number(1) as f32),
        14 => world.set_enabled(id, call.bool(1)),
        16 => world.wake(id),
        18 => {
            let (position, rotation) = (call.vector3(1), call.quaternion(2));
            world.teleport(id, &Pose { position, rotation, scale: Vec3::ONE })
        }
        _ => {
            let filter = match named {
                Some(filter) => filter,
                None => Filter { groups: bits(call, 1)?, meets: bits(call, 2)? },
            };
            let count = world.shape_count(id).unwrap_or_default();
            (0..count).try_for_each(|shape| world.set_filter(id, shape, filter))
        }
    };
    refused(done, call)
}

fn cast(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let bodies = &physics.bodies;
    let (from, way) = (call.vector3(0), call.vector3(1));
    let ignored = call.optional_id(2).and_then(Entity::from_bits);
    let ignored = ignored.and_then(|entity| bodies.find(entity)).map_or(0, ActorId::to_bits);
    let cast = RayCast {
        from: from.to_array(),
        direction: way.to_array(),
        distance: way.length(),
        radius: 0.0,
        rules: CastRules { ignored, ..CastRules::SOLID },
    };
    let hit = match bodies.world.cast_ray(&cast) {
        Ok(hit) => hit,
        Err(error) => return Err(call.refuse(format_args!("{error}"))),
    };
    // A line that there is no memory for is not drawn.
    let _ = physics.outlines.note_cast(&cast, &hit);
    if function == 21 {
        call.return_bool(!hit.is_hit());
        return Ok(());
    }
    call.return_optional_id((hit.entity != 0).then_some(hit.entity));
    call.return_number(hit.distance.into());
    call.return_vector3(Vec3::from_array(hit.point))?;
    call.return_vector3(Vec3::from_array(hit.normal))
}

/// Returns the filter of a group that an argument names.
fn group(
    physics: &Physics<'_>,
    call: &mut Call<'_>,
    argument: usize,
) -> Result<Filter, ArgumentError> {
    let name = IdString32::new(call.text(argument)?);
    let settings = physics.assets.settings();
    settings.and_then(|settings| settings.filter(name)).ok_or_else(|| {
        call.refuse(format_args!(
            "argument {} names no group; groups are those of `game.physics`",
            argument + 1
        ))
    })
}

/// Returns an argument that must be a whole number of 32 bits.
fn bits(call: &mut Call<'_>, argument: usize) -> Result<u32, ArgumentError> {
    let number = call.number(argument);
    match number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
        true => Ok(number as u32),
        false => Err(call.refuse(format_args!(
            "argument {} is {number}; give a whole number from 0 to 4294967295",
            argument + 1
        ))),
    }
}

fn refused(done: Result<(), PhysicsError>, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    done.map_err(|error| call.refuse(format_args!("{error}")))
}
