//! Worlds as bytes: they go on byte for byte, and damage is refused.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{
    ActorId, ActorKind, Geometry, JointDescription, JointKind, Mover, PhysicsWorld, SnapshotError,
    WheelControl,
};

use crate::memory::with_memory;
use crate::scene::{Body, World, entity};
use crate::vehicles::car;

fn saved(world: &World<'_>, memory: &dyn Allocator) -> Vec<u8> {
    let mut bytes = Array::new(memory);
    world.save(&mut bytes).unwrap();
    bytes.to_vec()
}

/// A world with everything in it: boxes that fall, forms of all kinds, a chain, a car that drives, a
/// character that walks and a trigger.
struct Town<'m> {
    world: World<'m>,
    hiker: ActorId,
}

impl<'m> Town<'m> {
    fn new(memory: &'m dyn Allocator) -> Self {
        let (mut world, _, car) = car(memory);
        let drive = WheelControl { drive: 800.0, steering: 0.1, brake: 0.0 };
        (0..4).for_each(|wheel| world.control_wheel(car, wheel, &drive).unwrap());
        for n in 0..24 {
            let at =
                Vec3::new((n % 3) as f32 * 0.6, 1.0 + (n / 3) as f32 * 1.1, (n % 2) as f32 * 0.3);
            Body::cube(ActorKind::Dynamic, 0.5, at).of(entity(n)).reporting().put(&mut world);
        }
        let mut last = Body::cube(ActorKind::Static, 0.1, Vec3::new(8.0, 6.0, 0.0)).put(&mut world);
        for n in 1..6 {
            let at = Vec3::new(8.0 + n as f32, 6.0, 0.0);
            let next = Body::ball(0.3, at).put(&mut world);
            let pair = [last, next];
            let frames = world.joint_frames(pair, at - Vec3::X * 0.5, Vec3::Z).unwrap();
            let joint = JointDescription::new(JointKind::Ball, pair, frames);
            world.create_joint(&joint).unwrap();
            last = next;
        }
        let heights: Vec<f32> = (0..64).map(|n| ((n * 7) % 5) as f32 * 0.3).collect();
        let size = Vec3::new(20.0, 1.0, 20.0);
        let field = Geometry::HeightField { rows: 8, columns: 8, heights: &heights, size };
        Body::new(ActorKind::Static, field, Vec3::new(-20.0, 0.1, 0.0)).put(&mut world);
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]];
        for n in 0..5 {
            let hull = Geometry::Convex { points: &corners };
            let at = Vec3::new(-22.0 + n as f32, 4.0, n as f32);
            Body::new(ActorKind::Dynamic, hull, at).reporting().put(&mut world);
        }
        let zone = Geometry::Box { half: Vec3::splat(3.0) };
        Body::new(ActorKind::Static, zone, Vec3::Y * 3.0).trigger().put(&mut world);
        let capsule = Geometry::Capsule { half_height: 0.6, radius: 0.3 };
        let hiker = Body::new(ActorKind::Kinematic, capsule, Vec3::new(0.0, 0.95, 6.0));
        let hiker = hiker.of(entity(100)).put(&mut world);
        Self { world, hiker }
    }

    /// Goes on, with something that comes, goes or is pushed in each step.
    fn go_on(&mut self, step: u32) {
        let world = &mut self.world;
        let way = Vec3::new(0.0, -0.05, -0.04);
        world.walk(self.hiker, &Mover::default(), way).unwrap();
        let actors: Vec<ActorId> = world.actors().collect();
        let one = actors[step as usize * 7 % actors.len()];
        match step % 5 {
            0 => drop(Body::ball(0.3, Vec3::new(0.5, 8.0, 0.0)).reporting().put(world)),
            1 => drop(world.add_force(one, Vec3::new(500.0, 900.0, 0.0), None)),
            2 => drop(world.teleport(one, &Pose::at(Vec3::new(1.0, 6.0, 1.0)))),
            3 if one != self.hiker => world.destroy_actor(one).unwrap(),
            _ => {}
        }
        world.step().unwrap();
    }
}

#[test]
fn a_loaded_world_goes_on_byte_for_byte() {
    with_memory(|memory| {
        for pause in [0, 1, 17, 40] {
            let mut town = Town::new(memory);
            (0..pause).for_each(|step| town.go_on(step));
            town.world.events_mut().clear();
            let bytes = saved(&town.world, memory);
            let world = PhysicsWorld::load(&bytes, memory).unwrap();
            let mut other = Town { world, hiker: town.hiker };
            assert!(saved(&other.world, memory) == bytes, "what was read is what was written");
            for step in pause..pause + 40 {
                town.go_on(step);
                other.go_on(step);
                assert!(
                    town.world.events().as_bytes() == other.world.events().as_bytes(),
                    "events of step {step} after a pause at {pause}"
                );
                assert_eq!(town.world.moved(), other.world.moved());
                assert!(
                    saved(&town.world, memory) == saved(&other.world, memory),
                    "bytes of step {step} after a pause at {pause}"
                );
            }
        }
    });
}

#[test]
fn two_worlds_with_one_history_are_the_same_bytes() {
    let history = || {
        with_memory(|memory| {
            let mut town = Town::new(memory);
            (0..60).for_each(|step| town.go_on(step));
            saved(&town.world, memory)
        })
    };
    assert!(history() == history());
}

#[test]
fn damage_is_refused_wherever_it_is() {
    with_memory(|memory| {
        let mut town = Town::new(memory);
        (0..10).for_each(|step| town.go_on(step));
        let mut bytes = saved(&town.world, memory);
        let load = |bytes: &[u8]| PhysicsWorld::load(bytes, memory).map(|world| world.len()).err();
        assert_eq!(load(&bytes), None);
        assert_eq!(load(&[]), Some(SnapshotError::Foreign));
        for at in (0..64).chain((64..bytes.len()).step_by(997)) {
            for flip in [1, 0x80] {
                bytes[at] ^= flip;
                assert!(load(&bytes).is_some(), "byte {at}");
                bytes[at] ^= flip;
            }
        }
        for length in (0..bytes.len()).step_by(1009) {
            assert!(load(&bytes[..length]).is_some(), "{length} bytes");
        }
        bytes.push(0);
        let length = bytes.len() as u64;
        assert_eq!(
            load(&bytes),
            Some(SnapshotError::Length { expected: length - 1, found: length })
        );
    });
}

#[test]
fn what_is_saved_at_rest_is_small() {
    with_memory(|memory| {
        let mut world = crate::scene::world(memory);
        Body::floor().put(&mut world);
        for n in 0..100 {
            let at = Vec3::new((n % 10) as f32 * 1.5, 0.5, (n / 10) as f32 * 1.5);
            Body::cube(ActorKind::Dynamic, 0.5, at).put(&mut world);
        }
        crate::scene::run(&mut world, 2.0);
        let bytes = saved(&world, memory).len();
        println!("{bytes} bytes for 100 boxes at rest");
        assert!(bytes < 400_000, "{bytes}");
    });
}
