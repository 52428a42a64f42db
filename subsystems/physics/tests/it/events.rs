//! What touches, enters and leaves, as a stream.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::Event;
use loligo_entities::Pose;
use loligo_physics::{
    ActorKind, Geometry, PhysicsWorld, Surface, TouchBegan, TouchEnded, TouchStayed,
    TriggerEntered, TriggerLeft, WorldSettings,
};

use crate::memory::with_memory;
use crate::scene::{Body, GRAVITY, World, entity, run, world};

fn events<E: Event>(world: &World<'_>) -> Vec<E> {
    world.events().of::<E>().collect()
}

#[test]
fn a_touch_begins_stays_and_ends() {
    with_memory(|memory| {
        let settings = WorldSettings { stay_steps: 10, ..WorldSettings::default() };
        let world = &mut PhysicsWorld::new(settings, memory).unwrap();
        let stone = Surface { material: 11, density: 1000.0, ..Surface::default() };
        let floor = Body::floor().of(entity(1)).with(stone).put(world);
        let wood = Surface { material: 22, density: 1000.0, ..Surface::default() };
        let at = Vec3::new(0.0, 1.5, 0.0);
        let half = Geometry::Box { half: Vec3::splat(0.5) };
        let body = Body::new(ActorKind::Dynamic, half, at).of(entity(2)).with(wood).reporting();
        let body = body.put(world);
        run(world, 0.75);
        let [began] = events::<TouchBegan>(world)[..] else { panic!("one begins") };
        assert_eq!([began.entity, began.other], [entity(1), entity(2)].map(|e| e.to_bits()));
        assert_eq!([began.actor, began.other_actor], [floor, body].map(|id| id.to_bits()));
        assert_eq!((began.material, began.other_material), (11, 22));
        assert!(Vec3::from_array(began.normal).distance(Vec3::Y) < 0.01, "from floor to box");
        assert!(began.point[1].abs() < 0.1, "{began:?}");
        // It stops 1000 kg at the speed of a metre's fall, which the contact may do in several steps.
        let all = 1000.0 * (2.0 * GRAVITY).sqrt();
        assert!((0.3 * all..1.2 * all).contains(&began.impulse), "{} of {all}", began.impulse);
        let stayed = events::<TouchStayed>(world);
        assert!((1..=3).contains(&stayed.len()), "{} in 17 steps", stayed.len());
        let weight = 1000.0 * GRAVITY / 60.0;
        let last = stayed[stayed.len() - 1].impulse;
        assert!((last - weight).abs() < 0.5 * weight, "{last} of {weight}");
        world.events_mut().clear();
        world.teleport(body, &Pose::at(Vec3::new(0.0, 30.0, 0.0))).unwrap();
        world.step().unwrap();
        let [ended] = events::<TouchEnded>(world)[..] else { panic!("one ends") };
        assert_eq!([ended.actor, ended.other_actor], [floor, body].map(|id| id.to_bits()));
    });
}

#[test]
fn what_sleeps_is_not_reported() {
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().put(world);
        Body::cube(ActorKind::Dynamic, 0.5, Vec3::new(0.0, 0.5, 0.0)).reporting().put(world);
        run(world, 4.0);
        assert!(!events::<TouchStayed>(world).is_empty());
        world.events_mut().clear();
        run(world, 2.0);
        assert!(world.events().is_empty());
    });
}

#[test]
fn a_trigger_is_entered_and_left_by_all_that_moves() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let half = Geometry::Box { half: Vec3::ONE };
        let zone = Body::new(ActorKind::Static, half, Vec3::ZERO).of(entity(9)).trigger();
        let zone = zone.put(world);
        let ball = Body::ball(0.1, Vec3::new(0.0, 3.0, 0.0)).of(entity(5)).put(world);
        let lift = Body::cube(ActorKind::Kinematic, 0.1, Vec3::new(-3.0, 0.0, 0.0));
        let lift = lift.of(entity(6)).put(world);
        for step in 0..120 {
            let at = Vec3::new(-3.0 + 0.05 * step as f32, 0.0, 0.0);
            world.move_to(lift, &Pose::at(at)).unwrap();
            world.step().unwrap();
        }
        let entered = events::<TriggerEntered>(world);
        let left = events::<TriggerLeft>(world);
        assert_eq!(entered.len(), 2, "{entered:?}");
        for who in [(5, ball), (6, lift)] {
            let is = |e: &TriggerEntered| {
                (e.entity, e.actor) == (entity(who.0).to_bits(), who.1.to_bits())
            };
            let entered = entered.iter().find(|event| is(event)).expect("it has entered");
            assert_eq!(
                (entered.trigger, entered.trigger_actor),
                (entity(9).to_bits(), zone.to_bits())
            );
            assert!(left.iter().any(|left| left.actor == who.1.to_bits()));
        }
        assert!(world.velocity(ball).unwrap().y < -5.0, "it was not stopped");
    });
}

#[test]
fn what_is_destroyed_or_disabled_ends_its_touches_once() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().reporting().put(world);
        let balls: Vec<_> = (0..4)
            .map(|n| Body::ball(0.5, Vec3::new(n as f32 * 2.0, 0.5, 0.0)).of(entity(n)).put(world))
            .collect();
        run(world, 0.5);
        assert_eq!(events::<TouchBegan>(world).len(), 4);
        world.events_mut().clear();
        world.destroy_actor(balls[0]).unwrap();
        world.set_enabled(balls[1], false).unwrap();
        world.step().unwrap();
        let ended: Vec<u32> =
            events::<TouchEnded>(world).iter().map(|event| event.other_actor).collect();
        assert_eq!(ended, [balls[0].to_bits(), balls[1].to_bits()]);
        world.events_mut().clear();
        world.destroy_actor(floor).unwrap();
        world.step().unwrap();
        let ended: Vec<u32> =
            events::<TouchEnded>(world).iter().map(|event| event.other_actor).collect();
        assert_eq!(ended, [balls[2].to_bits(), balls[3].to_bits()], "nobody ends twice");
    });
}

/// Runs some balls into each other and returns the bytes of all events.
fn bounces(memory: &dyn Allocator) -> Vec<u8> {
    let world = &mut world(memory);
    Body::floor().reporting().put(world);
    for n in 0..30 {
        let at = Vec3::new((n % 5) as f32 * 0.7, 1.0 + n as f32 * 0.6, (n % 3) as f32 * 0.7);
        Body::ball(0.4, at).of(entity(n)).reporting().put(world);
    }
    run(world, 2.0);
    world.events().as_bytes().to_vec()
}

#[test]
fn the_stream_is_sorted_by_pairs_and_the_same_in_every_run() {
    let first = with_memory(bounces);
    assert!(first.len() > 10_000, "{} bytes", first.len());
    assert_eq!(first, with_memory(bounces));
    with_memory(|memory| {
        let world = &mut world(memory);
        Body::floor().reporting().put(world);
        // Created from the last to the first, and all touch in the same step.
        for n in (0..20).rev() {
            Body::ball(0.5, Vec3::new(n as f32 * 1.5, 0.6, 0.0)).put(world);
        }
        run(world, 0.5);
        let order: Vec<u32> =
            events::<TouchBegan>(world).iter().map(|event| event.other_actor).collect();
        assert_eq!(order.len(), 20);
        assert!(order.is_sorted(), "{order:?}");
    });
}
