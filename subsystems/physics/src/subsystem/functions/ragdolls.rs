//! What scripts ask of ragdolls.

use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::{BOOL, ID, NONE, ONE, of, refused};
use crate::subsystem::Physics;

pub(super) const FUNCTIONS: [SubsystemFunction; 3] = [
    of("Ragdoll.is_held", ONE, BOOL, "whether physics moves bones of a character"),
    of("Ragdoll.drop", ONE, NONE, "has physics move no bone of a character any more"),
    of(
        "Ragdoll.impulse",
        &[ID, Kind::Text, Kind::Vector3],
        NONE,
        "pushes a bone that physics moves, by its name, at its centre, in newton seconds",
    ),
];

pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let entity = Entity::from_bits(call.id(0)).filter(|entity| physics.ragdolls.has(*entity));
    let Some(entity) = entity else {
        return Err(
            call.refuse(format_args!("the entity has no ragdoll; give it the component `ragdoll`"))
        );
    };
    match function {
        0 => call.return_bool(physics.ragdolls.is_held(entity)),
        1 => physics.ragdolls.drop_bones(entity.to_bits(), &mut physics.bodies),
        _ => {
            let bone = IdString32::new(call.text(1)?);
            let Some(id) = physics.ragdolls.find(entity, bone) else {
                return Err(call.refuse(format_args!(
                    "argument 2 names no bone that physics moves; ask `Ragdoll.is_held`, and see the resource of type `ragdoll`"
                )));
            };
            let impulse = call.vector3(2);
            return refused(physics.bodies.world.add_impulse(id, impulse, None), call);
        }
    }
    Ok(())
}
