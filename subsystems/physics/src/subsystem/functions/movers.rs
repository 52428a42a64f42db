//! What scripts ask of characters.

use glam::Vec3;
use loligo_entities::Entity;
use loligo_interface::{ENTITY, SubsystemFunction};
use loligo_script::{ArgumentError, Call, Kind};

use super::{BOOL, NONE, ONE, VECTOR, WITH_NUMBER, WITH_VECTOR, of};
use crate::subsystem::Physics;

pub(super) const FUNCTIONS: [SubsystemFunction; 5] = [
    of(
        "Mover.walk",
        WITH_VECTOR,
        NONE,
        "has a character walk, in metres a second, until the next call; it falls by itself",
    ),
    of("Mover.jump", WITH_NUMBER, NONE, "has a character rise, in metres a second"),
    of("Mover.is_grounded", ONE, BOOL, "whether a character has ground below its feet"),
    of(
        "Mover.ground",
        ONE,
        &[Kind::OptionalId(ENTITY)],
        "what is below the feet of a character; nil for nothing",
    ),
    of(
        "Mover.velocity",
        ONE,
        VECTOR,
        "how a character has moved in the last step, in metres a second",
    ),
];

pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let entity = Entity::from_bits(call.id(0));
    let Some(record) = entity.and_then(|of| physics.movers.records.get_mut(of)) else {
        return Err(call.refuse(format_args!(
            "the entity is no character; give it the components `actor`, of a kinematic kind, and `mover`"
        )));
    };
    match function {
        0 => {
            let way = call.vector3(1);
            if !way.is_finite() {
                return Err(call.refuse(format_args!("the speed {way} is not finite; correct it")));
            }
            record.walk = way.to_array();
        }
        1 => {
            let speed = call.number(1) as f32;
            if !speed.is_finite() {
                return Err(
                    call.refuse(format_args!("the speed {speed} is not finite; correct it"))
                );
            }
            record.jump(speed);
        }
        2 => call.return_bool(record.is_grounded()),
        3 => call.return_optional_id((record.ground != 0).then_some(record.ground)),
        _ => return call.return_vector3(Vec3::from_array(record.velocity)),
    }
    Ok(())
}
