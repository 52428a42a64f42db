//! Actors that come, go and are pushed.

use glam::{Quat, Vec3};
use loligo_entities::Pose;
use loligo_physics::{
    ActorDescription, ActorKind, CastHit, CastRules, Filter, Geometry, PhysicsError, RayCast,
    Shape, Surface,
};

use crate::memory::with_memory;
use crate::scene::{Body, GRAVITY, STEP, entity, position, run, world};

#[test]
fn an_id_is_stale_once_its_actor_is_gone() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let one = Body::ball(0.5, Vec3::ZERO).of(entity(7)).put(world);
        assert_eq!((world.len(), world.entity(one)), (1, Ok(Some(entity(7)))));
        world.destroy_actor(one).unwrap();
        let other = Body::ball(0.5, Vec3::ZERO).put(world);
        assert_eq!(one.index(), other.index(), "the slot is used again");
        let unknown = Err(PhysicsError::Unknown { what: "actor" });
        assert_eq!(world.destroy_actor(one), unknown);
        assert_eq!(world.pose(one).map(drop), unknown);
        assert_eq!(world.set_velocity(one, Vec3::X), unknown);
        assert!(world.contains(other) && !world.contains(one));
        assert_eq!(world.actors().collect::<Vec<_>>(), [other]);
    });
}

#[test]
fn several_shapes_are_one_body() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let half = Vec3::splat(0.5);
        let light = Surface { density: 100.0, ..Surface::default() };
        let mut shapes = [Shape::new(Geometry::Box { half }); 2];
        shapes[0].surface = light;
        shapes[1].surface = Surface { density: 300.0, ..light };
        shapes[1].pose = Pose::at(Vec3::new(4.0, 0.0, 0.0));
        let description = ActorDescription::new(ActorKind::Dynamic, Pose::IDENTITY, &shapes);
        let body = world.create_actor(&description).unwrap();
        assert_eq!(world.shape_count(body), Ok(2));
        assert!((world.mass(body).unwrap() - 400.0).abs() < 0.1);
        // An impulse at the centre of mass, which is at x = 3, does not turn it.
        world
            .add_impulse(body, Vec3::new(0.0, 400.0, 0.0), Some(Vec3::new(3.0, 0.0, 0.0)))
            .unwrap();
        assert!(world.turning(body).unwrap().length() < 1e-4);
        assert!((world.velocity(body).unwrap().y - 1.0).abs() < 1e-4);
        world.set_mass(body, 800.0).unwrap();
        assert!((world.mass(body).unwrap() - 800.0).abs() < 0.1);
        let heavy = ActorDescription { mass: Some(12.0), ..description };
        let heavy = world.create_actor(&heavy).unwrap();
        assert!((world.mass(heavy).unwrap() - 12.0).abs() < 1e-3);
    });
}

#[test]
fn a_force_acts_for_one_step() {
    with_memory(|memory| {
        let world = &mut world(memory);
        world.set_gravity(Vec3::ZERO).unwrap();
        let ball = Body::ball(0.5, Vec3::ZERO).put(world);
        world.set_mass(ball, 2.0).unwrap();
        world.add_force(ball, Vec3::new(60.0, 0.0, 0.0), None).unwrap();
        world.add_force(ball, Vec3::new(60.0, 0.0, 0.0), None).unwrap();
        run(world, 0.5);
        let speed = world.velocity(ball).unwrap().x;
        assert!((speed - 120.0 / 2.0 * STEP).abs() < 1e-4, "{speed}");
    });
}

#[test]
fn filters_decide_who_meets_whom_and_may_change() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let (ground, ghost) = (Filter { groups: 1, meets: 3 }, Filter { groups: 2, meets: 2 });
        let mut floor = Body::floor();
        floor.shape.filter = ground;
        floor.put(world);
        let mut body = Body::ball(0.5, Vec3::new(0.0, 0.5, 0.0));
        body.shape.filter = ghost;
        let ball = body.put(world);
        run(world, 0.5);
        assert!(position(world, ball).y < 0.0, "it fell through");
        world.teleport(ball, &Pose::at(Vec3::new(0.0, 0.5, 0.0))).unwrap();
        world.set_velocity(ball, Vec3::ZERO).unwrap();
        world.set_filter(ball, 0, Filter { groups: 2, meets: 1 }).unwrap();
        run(world, 0.5);
        assert!((position(world, ball).y - 0.5).abs() < 0.02, "it is stopped now");
        let missing = PhysicsError::Shape { shape: 1, reason: "there is none; count its shapes" };
        assert_eq!(world.set_filter(ball, 1, ground), Err(missing));
    });
}

#[test]
fn what_is_disabled_is_not_there() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().put(world);
        let ball = Body::ball(0.5, Vec3::new(0.0, 0.5, 0.0)).put(world);
        run(world, 2.0);
        assert!(world.is_asleep(ball).unwrap());
        world.set_enabled(floor, false).unwrap();
        run(world, 0.5);
        assert!(position(world, ball).y < 0.0, "it is awake, and falls");
        world.set_enabled(ball, false).unwrap();
        let there = position(world, ball);
        run(world, 0.5);
        assert_eq!(position(world, ball), there);
        world.set_shapes(ball, &[Shape::new(Geometry::Sphere { radius: 0.4 })], None).unwrap();
        run(world, 0.5);
        assert_eq!(position(world, ball), there, "nor with another shape");
        assert_eq!(world.is_enabled(ball), Ok(false));
        let (from, direction) = ((there + Vec3::Y * 9.0).to_array(), [0.0, -1.0, 0.0]);
        let ray = RayCast { from, direction, distance: 20.0, radius: 0.0, rules: CastRules::SOLID };
        assert_eq!(world.cast_ray(&ray).unwrap(), CastHit::default(), "its new shape is not there");
        world.set_enabled(ball, true).unwrap();
        run(world, 0.5);
        assert!(position(world, ball).y < there.y);
        assert_eq!(world.cast_ray(&ray).unwrap().actor, ball.to_bits());
    });
}

#[test]
fn gravity_is_the_worlds_and_scaled_by_actor() {
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().put(world);
        let ball = Body::ball(0.5, Vec3::new(0.0, 0.5, 0.0)).put(world);
        run(world, 2.0);
        assert!(world.is_asleep(ball).unwrap());
        world.set_gravity(Vec3::new(0.0, GRAVITY, 0.0)).unwrap();
        run(world, 0.5);
        assert!(position(world, ball).y > 1.0, "all wake, and fall up");
        let height = position(world, ball).y;
        world.set_velocity(ball, Vec3::ZERO).unwrap();
        world.set_gravity_scale(ball, 0.0).unwrap();
        run(world, 0.5);
        assert!((position(world, ball).y - height).abs() < 0.2);
    });
}

#[test]
fn wrong_numbers_and_kinds_are_refused_by_name() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let ball = Body::ball(0.5, Vec3::ZERO).put(world);
        let wall = Body::floor().put(world);
        let error = world.set_velocity(ball, Vec3::new(0.0, f32::NAN, 0.0)).unwrap_err();
        assert_eq!(error.to_string(), "the speed must be finite, and is NaN; correct the number");
        let error = world.add_impulse(wall, Vec3::X, None).unwrap_err();
        let expected =
            "an impulse is for dynamic actors; choose that kind when the actor is created";
        assert_eq!(error.to_string(), expected);
        assert!(world.set_mass(ball, -1.0).is_err());
        assert!(world.move_to(ball, &Pose::IDENTITY).is_err(), "it is dynamic");
        let flat = Pose { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..Pose::IDENTITY };
        assert!(world.teleport(ball, &flat).is_err());
        assert!(world.set_gravity(Vec3::splat(f32::INFINITY)).is_err());
        assert!(Body::ball(0.5, Vec3::NAN).try_put(world).is_err());
        assert_eq!(world.len(), 2);
    });
}
