//! What scripts ask of joints.

use loligo_entities::Entity;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::{ID, NONE, NUMBER, ONE, of, refused};
use crate::joint::{JointId, Motor};
use crate::subsystem::Physics;

pub(super) const FUNCTIONS: [SubsystemFunction; 7] = [
    of(
        "Joint.exists",
        ONE,
        &[Kind::Bool],
        "whether the joint of an entity is there, with both of its actors",
    ),
    of(
        "Joint.place",
        ONE,
        NUMBER,
        "how far a hinge is turned, in radians, or a slider has slid, in metres; of others the distance of both ends",
    ),
    of(
        "Joint.set_speed",
        &[ID, Kind::Number, Kind::Number, Kind::Number],
        NONE,
        "drives a hinge or a slider at a speed: the speed, how hard for each unit that is missing, and the most force",
    ),
    of(
        "Joint.set_target",
        &[ID, Kind::Number, Kind::Number, Kind::Number, Kind::Number],
        NONE,
        "drives a hinge or a slider to a place: the place, stiffness, damping, and the most force",
    ),
    of("Joint.stop", ONE, NONE, "drives a hinge or a slider no more"),
    of(
        "Joint.set_limits",
        &[ID, Kind::Number, Kind::Number],
        NONE,
        "sets the least and the most that a hinge turns or a slider slides",
    ),
    of("Joint.destroy", ONE, NONE, "parts both actors"),
];

pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let found = find(physics, call);
    if function == 0 {
        call.return_bool(found.is_some());
        return Ok(());
    }
    let Some(id) = found else {
        return Err(call.refuse(format_args!(
            "the entity has no joint; give it the component `joint`, wait for the next update, or ask `Joint.exists`"
        )));
    };
    let world = &mut physics.bodies.world;
    let number = |at| call.number(at) as f32;
    let done = match function {
        1 => {
            let place = world.joint_place(id).unwrap_or_default();
            call.return_number(place.into());
            return Ok(());
        }
        2 => {
            let (speed, damping, force_max) = (number(1), number(2), number(3));
            world.set_motor(id, Some(Motor { speed, damping, force_max, ..Motor::default() }))
        }
        3 => {
            let (place, stiffness, damping) = (number(1), number(2), number(3));
            let motor = Motor { speed: 0.0, place, stiffness, damping, force_max: number(4) };
            world.set_motor(id, Some(motor))
        }
        4 => world.set_motor(id, None),
        5 => world.set_limits(id, Some([number(1), number(2)])),
        _ => world.destroy_joint(id),
    };
    refused(done, call)
}

fn find(physics: &Physics<'_>, call: &Call<'_>) -> Option<JointId> {
    physics.joints.find(Entity::from_bits(call.id(0))?, &physics.bodies)
}
