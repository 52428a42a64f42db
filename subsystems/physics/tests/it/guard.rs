//! Actors whose numbers would spoil those of others.

use glam::Vec3;
use loligo_entities::Pose;
use loligo_physics::{Frozen, FrozenReason, PhysicsWorld, WorldSettings};

use crate::memory::with_memory;
use crate::scene::{Body, entity, position, run, world};

#[test]
fn what_falls_out_of_the_world_is_frozen_and_reported_once() {
    with_memory(|memory| {
        let settings = WorldSettings { far: 20.0, ..WorldSettings::default() };
        let world = &mut PhysicsWorld::new(settings, memory).unwrap();
        let ball = Body::ball(0.5, Vec3::new(1.0, 0.0, 0.0)).of(entity(3)).put(world);
        run(world, 4.0);
        let frozen: Vec<Frozen> = world.events().of().collect();
        let [frozen] = frozen[..] else { panic!("{frozen:?}") };
        assert_eq!((frozen.entity, frozen.actor), (entity(3).to_bits(), ball.to_bits()));
        assert_eq!(frozen.reason, FrozenReason::TooFar as u32);
        assert!((-21.0..-20.0).contains(&frozen.at[1]), "{frozen:?}");
        assert!(!world.is_enabled(ball).unwrap());
        world.set_enabled(ball, true).unwrap();
        run(world, 0.1);
        assert_eq!(position(world, ball).to_array(), frozen.at, "it stays until it is put back");
        world.teleport(ball, &Pose::at(Vec3::ZERO)).unwrap();
        assert!(world.is_enabled(ball).unwrap());
        run(world, 0.5);
        assert!((-19.0..0.0).contains(&position(world, ball).y));
        run(world, 4.0);
        assert_eq!(world.events().of::<Frozen>().count(), 2, "and again when it is back");
    });
}

#[test]
fn numbers_that_are_lost_in_a_step_freeze_their_actor_alone() {
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().put(world);
        let sick = Body::ball(0.5, Vec3::new(5.0, 3.0, 0.0)).of(entity(1)).put(world);
        let well = Body::ball(0.5, Vec3::new(-5.0, 3.0, 0.0)).of(entity(2)).put(world);
        world.step().unwrap();
        // Each is a number, and their sum is not.
        world.add_force(sick, Vec3::new(f32::MAX, 0.0, 0.0), None).unwrap();
        world.add_force(sick, Vec3::new(f32::MAX, 0.0, 0.0), None).unwrap();
        run(world, 2.0);
        let frozen: Vec<Frozen> = world.events().of().collect();
        let [frozen] = frozen[..] else { panic!("{frozen:?}") };
        assert_eq!(frozen.reason, FrozenReason::NotANumber as u32);
        assert_eq!(frozen.actor, sick.to_bits());
        assert!(frozen.at.iter().all(|number| number.is_finite()));
        assert!((position(world, well).y - 0.5).abs() < 0.02);
    });
}
