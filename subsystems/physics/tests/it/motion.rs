//! What is written for entities: who has moved, and where between two steps.

use glam::Vec3;
use loligo_containers::Array;
use loligo_entities::{Entity, Pose};
use loligo_physics::{ActorDescription, ActorId, ActorKind, Geometry, Shape};

use crate::memory::with_memory;
use crate::scene::{Body, World, entity, position, run, world};

fn written(
    world: &World<'_>,
    share: f32,
    memory: &dyn loligo_allocators::Allocator,
) -> Vec<(Entity, Pose)> {
    let (mut entities, mut poses) = (Array::new(memory), Array::new(memory));
    world.write_poses(share, &mut entities, &mut poses).unwrap();
    entities.iter().copied().zip(poses.iter().copied()).collect()
}

#[test]
fn poses_are_written_while_something_moves_and_once_after() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().of(entity(1)).put(world);
        let ball =
            Body::cube(ActorKind::Dynamic, 0.5, Vec3::new(0.0, 0.6, 0.0)).of(entity(2)).put(world);
        assert_eq!(world.moved(), [floor, ball], "what is new is written");
        world.step().unwrap();
        world.step().unwrap();
        assert_eq!(world.moved(), [ball], "what is static is not");
        let mut steps = 0;
        while !world.is_asleep(ball).unwrap() {
            world.step().unwrap();
            steps += 1;
            assert!(steps < 600, "it comes to rest");
        }
        while !world.moved().is_empty() {
            // Wherever between two steps a frame is, it is where it stays.
            let last = world.pose(ball).unwrap();
            world.step().unwrap();
            for share in [0.0, 0.5, 1.0] {
                for (_, pose) in written(world, share, memory) {
                    assert_eq!(pose, last);
                }
            }
            steps += 1;
            assert!(steps < 600, "and is written no more");
        }
    });
}

#[test]
fn between_two_steps_is_between_two_places() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let ball =
            Body::ball(0.5, Vec3::ZERO).of(entity(2)).fast(Vec3::new(6.0, 0.0, 0.0)).put(world);
        world.step().unwrap();
        let before = position(world, ball);
        world.step().unwrap();
        let now = position(world, ball);
        for share in [0.0, 0.25, 1.0] {
            let [(who, pose)] = written(world, share, memory)[..] else { panic!("one moves") };
            assert_eq!(who, entity(2));
            assert!(pose.position.distance(before.lerp(now, share)) < 1e-6);
            assert_eq!(world.pose_between(ball, share).unwrap(), pose);
        }
        assert!(
            world
                .write_poses(1.5, &mut Array::<Entity>::new(memory), &mut Array::new(memory))
                .is_err()
        );
    });
}

#[test]
fn what_is_put_elsewhere_passes_no_place_between_and_throws_nothing() {
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().put(world);
        let boxes: Vec<ActorId> = (0..5)
            .map(|n| {
                Body::cube(ActorKind::Dynamic, 0.5, Vec3::new(n as f32 * 2.0, 0.5, 0.0)).put(world)
            })
            .collect();
        let lift = Body::cube(ActorKind::Kinematic, 0.5, Vec3::new(-5.0, 0.5, 0.0)).put(world);
        run(world, 1.0);
        let before: Vec<Vec3> = boxes.iter().map(|id| position(world, *id)).collect();
        let there = Pose::at(Vec3::new(20.0, 0.5, 0.0));
        world.teleport(lift, &there).unwrap();
        assert_eq!(world.pose_between(lift, 0.3).unwrap().position, there.position);
        world.step().unwrap();
        assert_eq!(world.pose_between(lift, 0.3).unwrap().position, there.position);
        assert_eq!(world.velocity(lift).unwrap(), Vec3::ZERO);
        run(world, 1.0);
        for (id, before) in boxes.iter().zip(before) {
            assert!(
                position(world, *id).distance(before) < 0.01,
                "it was hit by what did not pass"
            );
        }
        // Into another: they are pushed apart at the speed that the solver allows, 3 metres a second.
        world.teleport(boxes[0], &Pose::at(Vec3::new(2.0, 0.6, 0.0))).unwrap();
        let mut fastest = 0.0_f32;
        for _ in 0..60 {
            world.step().unwrap();
            fastest = fastest.max(world.velocity(boxes[0]).unwrap().length());
        }
        assert!(fastest < 6.0, "{fastest}");
    });
}

#[test]
fn what_is_moved_pushes_and_carries() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let half = Vec3::new(2.0, 0.25, 2.0);
        let lift =
            Body::new(ActorKind::Kinematic, Geometry::Box { half }, Vec3::new(0.0, -0.25, 0.0));
        let lift = lift.of(entity(1)).put(world);
        let cargo =
            Body::cube(ActorKind::Dynamic, 0.5, Vec3::new(0.0, 0.5, 0.0)).of(entity(2)).put(world);
        for step in 1..=120 {
            let at = Vec3::new(0.01 * step as f32, 0.01 * step as f32 - 0.25, 0.0);
            world.move_to(lift, &Pose::at(at)).unwrap();
            world.step().unwrap();
        }
        let at = position(world, cargo);
        assert!((at.y - 1.7).abs() < 0.05 && (at.x - 1.2).abs() < 0.15, "{at}");
        let who: Vec<Entity> =
            written(world, 1.0, memory).into_iter().map(|(who, _)| who).collect();
        assert_eq!(who, [entity(2)], "where a kinematic actor is, the game knows");
    });
}

#[test]
fn an_actor_has_the_scale_that_it_was_made_with() {
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().put(world);
        let shapes = [Shape::new(Geometry::Box { half: Vec3::splat(0.5) })];
        let at = Pose { scale: Vec3::new(1.0, 4.0, 1.0), ..Pose::at(Vec3::new(0.0, 2.0, 0.0)) };
        let tower = ActorDescription {
            entity: Some(entity(1)),
            ..ActorDescription::new(ActorKind::Dynamic, at, &shapes)
        };
        let tower = world.create_actor(&tower).unwrap();
        run(world, 1.0);
        let pose = world.pose(tower).unwrap();
        assert_eq!(pose.scale, at.scale);
        assert!((pose.position.y - 2.0).abs() < 0.02, "{pose:?}");
    });
}
