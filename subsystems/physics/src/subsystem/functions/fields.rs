//! What scripts ask of fields of forces.

use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::{BOOL, ID, NONE, NUMBER, VECTOR, of};
use crate::subsystem::Physics;

pub(super) const FUNCTIONS: [SubsystemFunction; 4] = [
    of(
        "Field.set",
        &[ID, Kind::Text, Kind::Number],
        NONE,
        "sets a parameter of the field of an entity, by name; what sleeps there wakes",
    ),
    of("Field.get", &[ID, Kind::Text], NUMBER, "a parameter of the field of an entity"),
    of(
        "Field.strength",
        VECTOR,
        VECTOR,
        "how all fields accelerate what is at rest at a place, in metres per second squared",
    ),
    of(
        "Field.show",
        BOOL,
        NONE,
        "draws the regions of fields as lines, and how strong each is as arrows, or not; 1024 at the most",
    ),
];

pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    if function == 2 {
        let strength = physics.forces.strength(call.vector3(0), physics.bodies.world.seconds());
        return call.return_vector3(strength);
    }
    if function == 3 {
        physics.outlines.are_fields_shown = call.bool(0);
        return Ok(());
    }
    let found = Entity::from_bits(call.id(0)).and_then(|of| Some((of, physics.forces.find(of)?)));
    let Some((entity, id)) = found else {
        return Err(call.refuse(format_args!(
            "the entity has no field that lasts; give it the component `field`, or wait for the next update"
        )));
    };
    let name = IdString32::new(call.text(1)?);
    let Some(value) = physics.forces.fields.get(id, name) else {
        return Err(call.refuse(format_args!(
            "argument 2 names no parameter of the field; its resource of type `field` lists them"
        )));
    };
    if function == 1 {
        call.return_number(value.into());
        return Ok(());
    }
    let value = call.number(2) as f32;
    match physics.forces.set(entity, name, value) {
        true => Ok(()),
        false => Err(call.refuse(format_args!("argument 3 is {value}; give a finite number"))),
    }
}
