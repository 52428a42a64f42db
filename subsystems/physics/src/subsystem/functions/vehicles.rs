//! What scripts ask of vehicles.

use loligo_entities::Entity;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::{ID, NONE, NUMBER, ONE, WITH_NUMBER, of, refused};
use crate::subsystem::Physics;
use crate::vehicle::WheelControl;

pub(super) const FUNCTIONS: [SubsystemFunction; 5] = [
    of(
        "Vehicle.drive",
        &[ID, Kind::Number, Kind::Number, Kind::Number],
        NONE,
        "what the driver does from now on: steering, in radians to the left; the force forwards and the force of the brakes, in newton, each shared by the wheels that it is for",
    ),
    of(
        "Vehicle.control",
        &[ID, Kind::Number, Kind::Number, Kind::Number, Kind::Number],
        NONE,
        "the same for one wheel, by its number from 1 on",
    ),
    of("Vehicle.speed", ONE, NUMBER, "how fast a vehicle goes forwards, along its z axis"),
    of("Vehicle.wheels", ONE, NUMBER, "how many wheels a vehicle has"),
    of(
        "Vehicle.wheel",
        WITH_NUMBER,
        &[Kind::Vector3, Kind::Quaternion, Kind::Bool],
        "where a wheel is in the world, how it is turned, and whether it is on the ground",
    ),
];

pub(super) fn call(
    physics: &mut Physics<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let entity = Entity::from_bits(call.id(0));
    let found = entity.and_then(|of| Some((of, physics.vehicles.find(of, &physics.bodies)?)));
    let Some((entity, (id, wheels))) = found else {
        return Err(call.refuse(format_args!(
            "the entity is no vehicle; give it the components `actor` and `vehicle`, or wait for the next update"
        )));
    };
    let count = wheels.len();
    let seconds = physics.bodies.world.settings().step_seconds;
    let control = |first| WheelControl {
        steering: call.number(first) as f32,
        drive: call.number(first + 1) as f32,
        brake: call.number(first + 2) as f32 * seconds,
    };
    match function {
        0 => {
            let control = control(1);
            let driven = physics.vehicles.drive(entity, &control, &mut physics.bodies);
            return refused(driven.unwrap_or(Ok(())), call);
        }
        2 => {
            let speed = physics.bodies.world.vehicle_speed(id).unwrap_or_default();
            call.return_number(speed.into());
            return Ok(());
        }
        3 => {
            call.return_number(count as f64);
            return Ok(());
        }
        _ => {}
    }
    let number = call.number(1);
    let wheel = (1..=count).find(|wheel| *wheel as f64 == number);
    let Some(wheel) = wheel else {
        return Err(call
            .refuse(format_args!("argument 2 is {number}; the vehicle has wheels 1 to {count}")));
    };
    let wheel = wheel as u32 - 1;
    if function == 1 {
        let control = control(2);
        return refused(physics.bodies.world.control_wheel(id, wheel, &control), call);
    }
    match physics.bodies.world.wheel(id, wheel) {
        Ok(state) => {
            call.return_vector3(state.pose.position)?;
            call.return_quaternion(state.pose.rotation)?;
            call.return_bool(state.is_grounded);
            Ok(())
        }
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}
