//! Memory that is refused at every place: nothing leaks, and no touch is lost for good.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::IdString64;
use loligo_physics::{
    ActorKind, Field, FieldActors, Fields, JointDescription, JointKind, PhysicsError, PhysicsWorld,
    SnapshotError, TouchBegan, TouchEnded, WorldSettings,
};

use crate::fields::field_bytes;
use crate::memory::{every_refusal, with_memory};
use crate::project::aligned;
use crate::scene::{Body, World, position, world};

/// Makes a world in which all lists grow, and steps it.
fn build(memory: &dyn Allocator) -> Result<(), PhysicsError> {
    let mut world = PhysicsWorld::new(WorldSettings::default(), memory)?;
    let world = &mut world;
    let floor = Body::floor().reporting().try_put(world)?;
    let mut last = floor;
    for n in 0..8 {
        let count = world.len();
        let made = Body::ball(0.5, Vec3::new(n as f32 * 1.1, 0.55, 0.0)).reporting().try_put(world);
        assert_eq!(world.len(), count + usize::from(made.is_ok()), "all or nothing");
        let made = made?;
        let frames = world.joint_frames([last, made], Vec3::ZERO, Vec3::Z)?;
        let joint = JointDescription::new(JointKind::Ball, [last, made], frames);
        let count = world.joint_count();
        let joined = world.create_joint(&joint);
        assert_eq!(world.joint_count(), count + usize::from(joined.is_ok()), "all or nothing");
        world.destroy_joint(joined?)?;
        world.add_force(made, Vec3::X, None)?;
        last = made;
    }
    let steps: Result<Vec<()>, PhysicsError> = (0..20).map(|_| world.step()).collect();
    steps?;
    Ok(())
}

#[test]
fn every_refusal_is_an_error_and_leaks_nothing() {
    let refusals = every_refusal(build);
    assert!(refusals > 20, "{refusals}");
}

#[test]
fn fields_that_have_no_memory_accelerate_nobody() {
    let bytes = field_bytes("strength = [ 3 0 0 ]");
    let refusals = aligned(&bytes, |bytes| {
        let field = Field::open(bytes).expect("it is whole");
        every_refusal(|memory| {
            let mut world = PhysicsWorld::new(WorldSettings::default(), memory)?;
            let ball = Body::ball(0.5, Vec3::ZERO).try_put(&mut world)?;
            let (mut fields, mut actors) = (Fields::new(memory), FieldActors::new(memory));
            let name = IdString64::new("breeze");
            fields.define(name, &field)?;
            fields.add(name, Vec3::ZERO, Quat::IDENTITY, u32::MAX, 0.0)?;
            for _ in 0..3 {
                let blown = world.accelerate(&fields, false, &mut actors);
                world.step()?;
                let speed = world.velocity(ball)?.x;
                assert_eq!(speed > 0.0, blown.is_ok(), "all or nothing: {speed}");
                blown?;
            }
            Ok::<(), Box<dyn core::error::Error>>(())
        })
    });
    assert!(refusals > 8, "{refusals}");
}

#[test]
fn a_refused_snapshot_is_an_error() {
    let mut bytes = Vec::new();
    with_memory(|memory| {
        let mut world = world(memory);
        Body::floor().reporting().put(&mut world);
        Body::ball(0.5, Vec3::Y * 0.5).put(&mut world);
        world.step().unwrap();
        let mut out = Array::new(memory);
        world.save(&mut out).unwrap();
        bytes = out.to_vec();
    });
    let refusals = every_refusal(|memory| {
        let is_memory = |error: &SnapshotError| matches!(error, SnapshotError::Memory { .. });
        let loaded = PhysicsWorld::load(&bytes, memory);
        let world = loaded.inspect_err(|error| assert!(is_memory(error), "{error}"))?;
        let mut out = Array::new(memory);
        world.save(&mut out)?;
        assert!(out == bytes[..]);
        Ok::<(), SnapshotError>(())
    });
    assert!(refusals > 5, "{refusals}");
}

/// Memory for events is refused now and then: touches still begin and end in turn.
#[test]
fn after_refusals_no_touch_is_reported_twice() {
    for number in 0..40 {
        crate::memory::refusing(loligo_allocators::Refusals::Nth(number), |memory| {
            let mut world = world(memory);
            let Ok((floor, balls)) = bouncing(&mut world) else { return };
            let mut touching = 0;
            for step in 0..120 {
                if step == 60 {
                    world.destroy_actor(balls).unwrap();
                }
                let was_refused = world.step().is_err();
                for record in world.events() {
                    touching += i32::from(record.get::<TouchBegan>().is_some());
                    touching -= i32::from(record.get::<TouchEnded>().is_some());
                }
                world.events_mut().clear();
                assert!(was_refused || number < 40 && (-1..=1).contains(&touching));
            }
            assert!(position(&world, floor).y < 0.0);
        });
    }
}

fn bouncing(
    world: &mut World<'_>,
) -> Result<(loligo_physics::ActorId, loligo_physics::ActorId), PhysicsError> {
    let floor = Body::floor().reporting().try_put(world)?;
    let ball = Body::cube(ActorKind::Dynamic, 0.5, Vec3::Y * 0.6).try_put(world)?;
    Ok((floor, ball))
}
