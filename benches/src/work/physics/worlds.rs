//! A pile of boxes: ours, and the same by plain calls of rapier3d.

use core::hint::black_box;

use glam::Vec3;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{
    ActorDescription, ActorKind, CastHit, CastRules, Geometry, PhysicsWorld, RayCast, Shape,
    Surface, WorldSettings,
};
use rapier3d::prelude::{QueryFilter, Ray};

use super::piles::plain;
use super::scene::{BOXES, DENSITY, FRICTION, HALF, STEPS, STEPS_BEFORE, place};
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::outcome::Reading;

/// Rays of a batch, and how often it is cast in a pass.
const RAYS: usize = 1000;
const BATCHES: u64 = 20;

/// Returns the time of a step of ours, of a pile in which nothing sleeps. Each pass begins with the same
/// pile.
pub(crate) fn our_steps() -> Contender {
    Contender::new("loligo", || {
        let mut world = our_pile();
        let ns = clock::time(|| (0..STEPS).for_each(|_| world.step().expect("there is memory")));
        black_box(&world);
        Pass { ns, operations: STEPS }
    })
}

/// Returns the time of a step of plain rapier3d, of the same pile.
pub(crate) fn their_steps() -> Contender {
    Contender::new("rapier3d", || {
        let mut world = plain::pile();
        let ns = clock::time(|| (0..STEPS).for_each(|_| world.step()));
        black_box(&world);
        Pass { ns, operations: STEPS }
    })
}

/// Returns the time of a batch of rays of ours, on one thread.
pub(crate) fn our_rays() -> Contender {
    let world = our_pile();
    let casts: Vec<RayCast> = (0..RAYS)
        .map(|at| {
            let (from, direction) = ray(at);
            let [from, direction] = [from, direction].map(|of| of.to_array());
            RayCast { from, direction, distance: 100.0, radius: 0.0, rules: CastRules::SOLID }
        })
        .collect();
    let mut hits = vec![CastHit::default(); RAYS];
    Contender::new("loligo", move || {
        let ns = clock::time(|| {
            for _ in 0..BATCHES {
                world.cast_rays(&casts, &mut hits, None).expect("no task panics");
                black_box(&hits);
            }
        });
        assert!(hits.iter().filter(|hit| hit.is_hit()).count() > RAYS / 2, "most rays hit");
        Pass { ns, operations: BATCHES }
    })
}

/// Returns the time of the same rays by plain calls of rapier3d.
pub(crate) fn their_rays() -> Contender {
    let world = plain::pile();
    let rays: Vec<Ray> = (0..RAYS)
        .map(|at| {
            let (from, direction) = ray(at);
            Ray::new(from, direction)
        })
        .collect();
    let mut hits = vec![None; RAYS];
    Contender::new("rapier3d", move || {
        let ns = clock::time(|| {
            for _ in 0..BATCHES {
                let filter = QueryFilter::default().exclude_sensors();
                let query = world.query_pipeline_with_filter(filter);
                for (ray, hit) in rays.iter().zip(&mut hits) {
                    *hit = query.cast_ray_and_get_normal(ray, 100.0, true);
                }
                black_box(&hits);
            }
        });
        assert!(hits.iter().flatten().count() > RAYS / 2, "most rays hit");
        Pass { ns, operations: BATCHES }
    })
}

/// Returns the time in which 1 000 actors are created.
pub(crate) fn our_spawn() -> Contender {
    Contender::new("loligo", || {
        let mut world = our_world();
        let ns = clock::time(|| put_boxes(&mut world));
        black_box(&world);
        Pass { ns, operations: 1 }
    })
}

/// Returns the time in which plain rapier3d makes as many bodies.
pub(crate) fn their_spawn() -> Contender {
    Contender::new("rapier3d", || {
        let mut world = plain::world();
        let ns = clock::time(|| plain::put_boxes(&mut world));
        black_box(&world);
        Pass { ns, operations: 1 }
    })
}

/// Returns the time in which a pile is saved.
pub(crate) fn save() -> Contender {
    let world = our_pile();
    let mut bytes = Array::new_in(&HEAP);
    Contender::new("loligo", move || {
        let ns = clock::time(|| {
            bytes.clear();
            world.save(&mut bytes).expect("there is memory");
        });
        black_box(&bytes);
        Pass { ns, operations: 1 }
    })
}

/// Returns the bytes of a saved pile, for each actor.
pub(crate) fn saved_bytes() -> Reading {
    let mut bytes = Array::new_in(&HEAP);
    our_pile().save(&mut bytes).expect("there is memory");
    Reading::single(bytes.len() as f64 / BOXES as f64)
}

fn our_world() -> PhysicsWorld<'static, Heap> {
    let mut world = PhysicsWorld::new_in(WorldSettings::default(), &HEAP).expect("they are right");
    let floor = [shape(Vec3::new(50.0, 0.5, 50.0))];
    let at = Pose::at(Vec3::new(0.0, -0.5, 0.0));
    let floor = ActorDescription::new(ActorKind::Static, at, &floor);
    world.create_actor(&floor).expect("there is memory");
    world
}

fn shape(half: Vec3) -> Shape<'static> {
    let surface = Surface { friction: FRICTION, density: DENSITY, ..Surface::default() };
    Shape { surface, ..Shape::new(Geometry::Box { half }) }
}

fn put_boxes(world: &mut PhysicsWorld<'static, Heap>) {
    let shapes = [shape(Vec3::splat(HALF))];
    for at in 0..BOXES {
        let actor = ActorDescription::new(ActorKind::Dynamic, Pose::at(place(at)), &shapes);
        let actor = ActorDescription { is_sleepless: true, ..actor };
        world.create_actor(&actor).expect("there is memory");
    }
}

fn our_pile() -> PhysicsWorld<'static, Heap> {
    let mut world = our_world();
    put_boxes(&mut world);
    (0..STEPS_BEFORE).for_each(|_| world.step().expect("there is memory"));
    world
}

/// Returns a ray through the pile, the same in each run.
fn ray(at: usize) -> (Vec3, Vec3) {
    let part = |prime: usize| (at * prime % 1009) as f32 / 1009.0 - 0.5;
    let from = Vec3::new(20.0 * part(7919), 15.0, 20.0 * part(104_729));
    (from, Vec3::new(part(1_299_709), -2.0, part(15_485_863)).normalize())
}
