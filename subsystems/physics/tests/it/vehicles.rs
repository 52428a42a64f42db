//! A car on four wheels that are rays.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_physics::{ActorId, ActorKind, Geometry, PhysicsError, VehicleId, Wheel, WheelControl};

use crate::memory::with_memory;
use crate::scene::{Body, GRAVITY, World, position, run, world};

/// A car of 1200 kg on a floor, at rest.
pub(crate) fn car(memory: &dyn Allocator) -> (World<'_>, ActorId, VehicleId) {
    let mut world = world(memory);
    Body::floor().put(&mut world);
    let half = Vec3::new(0.9, 0.4, 2.0);
    let body = Body::new(ActorKind::Dynamic, Geometry::Box { half }, Vec3::new(0.0, 1.2, -40.0));
    let body = body.put(&mut world);
    world.set_mass(body, 1200.0).unwrap();
    let corner = |x: f32, z: f32| Wheel { at: Vec3::new(x, -0.2, z), ..Wheel::default() };
    let wheels = [corner(0.8, 1.4), corner(-0.8, 1.4), corner(0.8, -1.4), corner(-0.8, -1.4)];
    let car = world.create_vehicle(body, &wheels).unwrap();
    run(&mut world, 1.5);
    (world, body, car)
}

fn control(world: &mut World<'_>, car: VehicleId, front: WheelControl, rear: WheelControl) {
    for wheel in 0..4 {
        let control = if wheel < 2 { front } else { rear };
        world.control_wheel(car, wheel, &control).unwrap();
    }
}

#[test]
fn it_rests_drives_turns_and_brakes() {
    with_memory(|memory| {
        let (mut world, body, car) = car(memory);
        let wheels: Vec<_> = (0..4).map(|wheel| world.wheel(car, wheel).unwrap()).collect();
        let load: f32 = wheels.iter().map(|wheel| wheel.load).sum();
        assert!(wheels.iter().all(|wheel| wheel.is_grounded && wheel.ground.is_some()));
        assert!((load - 1200.0 * GRAVITY).abs() < 1200.0, "{load}");
        assert!(
            wheels.iter().all(|wheel| (wheel.pose.position.y - 0.35).abs() < 0.05),
            "{wheels:?}"
        );
        let drive = WheelControl { drive: 1200.0, ..WheelControl::default() };
        control(&mut world, car, WheelControl::default(), drive);
        let start = position(&world, body);
        run(&mut world, 3.0);
        // 2400 newton at 1200 kg: 2 metres a second squared.
        let speed = world.vehicle_speed(car).unwrap();
        assert!((4.5..6.3).contains(&speed), "{speed}");
        assert!(position(&world, body).z - start.z > 6.0);
        let left = WheelControl { steering: 0.3, ..WheelControl::default() };
        control(&mut world, car, left, WheelControl::default());
        run(&mut world, 1.5);
        assert!(position(&world, body).x > start.x + 1.0, "{}", position(&world, body));
        let brake = WheelControl { brake: 200.0, ..WheelControl::default() };
        control(&mut world, car, brake, brake);
        run(&mut world, 3.0);
        assert!(world.vehicle_speed(car).unwrap().abs() < 0.1);
    });
}

#[test]
fn it_is_gone_with_its_actor() {
    with_memory(|memory| {
        let (mut world, body, car) = car(memory);
        assert!(world.contains_vehicle(car));
        world.destroy_actor(body).unwrap();
        assert!(!world.contains_vehicle(car));
        let unknown = PhysicsError::Unknown { what: "vehicle" };
        assert_eq!(world.control_wheel(car, 0, &WheelControl::default()), Err(unknown));
        run(&mut world, 0.1);
        let wall = Body::cube(ActorKind::Static, 0.5, Vec3::ZERO).put(&mut world);
        assert!(world.create_vehicle(wall, &[Wheel::default()]).is_err(), "it is static");
        let ball = Body::ball(0.5, Vec3::Y * 5.0).put(&mut world);
        assert!(world.create_vehicle(ball, &[]).is_err());
        let square = Wheel { radius: -1.0, ..Wheel::default() };
        assert!(world.create_vehicle(ball, &[square]).is_err());
        let car = world.create_vehicle(ball, &[Wheel::default()]).unwrap();
        assert!(world.wheel(car, 1).is_err());
        world.destroy_vehicle(car).unwrap();
        run(&mut world, 0.1);
    });
}
