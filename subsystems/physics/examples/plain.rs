//! A thousand boxes in a world of ours, and in one of plain rapier3d: what our layer costs.
//!
//! ```text
//! cargo run --release -p loligo-physics --example plain
//! valgrind --tool=none target/release/examples/plain steps ours     # one side alone, for tools that count
//! ```
//!
//! Each time is the shortest of several rounds, in which both sides take turns.

use core::error::Error;
use core::hint::black_box;
use std::time::Instant;

use glam::Vec3;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{
    ActorDescription, ActorKind, CastHit, CastRules, Geometry, PhysicsWorld, RayCast, Shape,
    Surface, WorldSettings,
};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld as Simulation, QueryFilter, Ray, RigidBodyBuilder,
};

/// Boxes of the pile: ten layers of ten by ten.
const BOXES: usize = 1000;

/// Steps in which the pile comes down, and those that are measured.
const STEPS_BEFORE: usize = 90;
const STEPS: usize = 30;

const RAYS: usize = 1000;
const ROUNDS: usize = 5;

const FRICTION: f32 = 0.5;
const DENSITY: f32 = 700.0;

/// A heap over pages of the system.
type Heap<'h> = HeapAllocator<'h, PageAllocator>;

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = Heap::new_in("physics", &pages);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |what: &str| arguments.first().is_none_or(|asked| asked == what);
    let sides = match arguments.get(1).map(String::as_str) {
        Some("ours") => [true, false],
        Some("plain") => [false, true],
        _ => [true, true],
    };
    if is_asked("steps") {
        let ours = || {
            (our_pile(&heap), |world: &mut PhysicsWorld<'_, Heap<'_>>| {
                (0..STEPS).for_each(|_| world.step().expect("there is memory"));
            })
        };
        let plain =
            || (their_pile(), |world: &mut Simulation| (0..STEPS).for_each(|_| world.step()));
        report("a step", STEPS, sides, ours, plain);
    }
    if is_asked("rays") {
        let casts: Vec<RayCast> = (0..RAYS).map(cast).collect();
        let rays: Vec<Ray> = (0..RAYS).map(|at| Ray::new(ray(at).0, ray(at).1)).collect();
        let ours = || {
            (our_pile(&heap), |world: &mut PhysicsWorld<'_, Heap<'_>>| {
                let mut hits = [CastHit::default(); RAYS];
                // Without a worker no thread helps, so any allocator would do.
                for (cast, hit) in casts.iter().zip(&mut hits) {
                    *hit = world.cast_ray(cast).expect("it is finite");
                }
                assert!(hits.iter().filter(|hit| hit.is_hit()).count() > RAYS / 2, "most rays hit");
            })
        };
        let plain = || (their_pile(), |world: &mut Simulation| cast_plain(world, &rays));
        report("1000 rays", 1, sides, ours, plain);
    }
    if is_asked("spawn") {
        let ours = || (our_world(&heap), |world: &mut PhysicsWorld<'_, Heap<'_>>| put_boxes(world));
        let plain = || (their_world(), |world: &mut Simulation| put_their_boxes(world));
        report("1000 actors", 1, sides, ours, plain);
    }
    if is_asked("save") {
        let world = our_pile(&heap);
        let mut bytes = Array::new_in(&heap);
        let start = Instant::now();
        world.save(&mut bytes)?;
        let ms = start.elapsed().as_secs_f64() * 1.0e3;
        println!("a saved world: {:.1} ms, {} bytes an actor", ms, bytes.len() / BOXES);
    }
    Ok(())
}

/// Runs both sides in turns, each in a world that was made for it, and prints the shortest times.
fn report<A, B, F: FnMut(&mut A), G: FnMut(&mut B)>(
    what: &str,
    operations: usize,
    sides: [bool; 2],
    ours: impl Fn() -> (A, F),
    plain: impl Fn() -> (B, G),
) {
    let mut shortest = [f64::MAX; 2];
    for _ in 0..ROUNDS {
        if sides[0] {
            let (mut world, mut work) = ours();
            shortest[0] = shortest[0].min(time(|| work(&mut world)));
            black_box(&world);
        }
        if sides[1] {
            let (mut world, mut work) = plain();
            shortest[1] = shortest[1].min(time(|| work(&mut world)));
            black_box(&world);
        }
    }
    let [ours, plain] = shortest.map(|seconds| seconds * 1.0e3 / operations as f64);
    match sides {
        [true, true] => println!(
            "{what}: {ours:.3} ms, plain rapier3d {plain:.3} ms, {:+.1} %",
            (ours / plain - 1.0) * 100.0
        ),
        [true, false] => println!("{what}: {ours:.3} ms"),
        _ => println!("{what}: plain rapier3d {plain:.3} ms"),
    }
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn our_world<'h>(heap: &'h Heap<'h>) -> PhysicsWorld<'h, Heap<'h>> {
    let mut world = PhysicsWorld::new_in(WorldSettings::default(), heap).expect("they are right");
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

fn put_boxes(world: &mut PhysicsWorld<'_, Heap<'_>>) {
    let shapes = [shape(Vec3::splat(0.5))];
    for at in 0..BOXES {
        let actor = ActorDescription::new(ActorKind::Dynamic, Pose::at(place(at)), &shapes);
        let actor = ActorDescription { is_sleepless: true, ..actor };
        world.create_actor(&actor).expect("there is memory");
    }
}

fn our_pile<'h>(heap: &'h Heap<'h>) -> PhysicsWorld<'h, Heap<'h>> {
    let mut world = our_world(heap);
    put_boxes(&mut world);
    (0..STEPS_BEFORE).for_each(|_| world.step().expect("there is memory"));
    world
}

fn their_world() -> Simulation {
    let settings = WorldSettings::default();
    let mut world = Simulation::new();
    world.integration_parameters.dt = settings.step_seconds;
    world.integration_parameters.num_solver_iterations = settings.solver_rounds as usize;
    world.gravity = settings.gravity;
    let floor = RigidBodyBuilder::fixed().translation(Vec3::new(0.0, -0.5, 0.0)).build();
    let floor = world.bodies.insert(floor);
    world.insert_collider(collider(Vec3::new(50.0, 0.5, 50.0)), Some(floor));
    world
}

fn collider(half: Vec3) -> ColliderBuilder {
    ColliderBuilder::cuboid(half.x, half.y, half.z).friction(FRICTION).density(DENSITY)
}

fn put_their_boxes(world: &mut Simulation) {
    for at in 0..BOXES {
        let body = RigidBodyBuilder::dynamic().translation(place(at)).can_sleep(false).build();
        let body = world.bodies.insert(body);
        world.insert_collider(collider(Vec3::splat(0.5)), Some(body));
    }
}

fn their_pile() -> Simulation {
    let mut world = their_world();
    put_their_boxes(&mut world);
    (0..STEPS_BEFORE).for_each(|_| world.step());
    world
}

fn cast_plain(world: &Simulation, rays: &[Ray]) {
    let mut hits = [None; RAYS];
    let query = world.query_pipeline_with_filter(QueryFilter::default().exclude_sensors());
    for (ray, hit) in rays.iter().zip(&mut hits) {
        *hit = query.cast_ray_and_get_normal(ray, 100.0, true);
    }
    assert!(hits.iter().flatten().count() > RAYS / 2, "most rays hit");
}

/// Returns where a box of the pile is at first: towers that lean a little, so that they fall.
fn place(at: usize) -> Vec3 {
    let [x, y, z] = [at % 10, at / 100, at / 10 % 10].map(|number| number as f32);
    Vec3::new(x * 1.2 - 6.0 + y * 0.03, y * 1.05 + 0.6, z * 1.2 - 6.0)
}

/// Returns a ray through the pile, the same in each run.
fn ray(at: usize) -> (Vec3, Vec3) {
    let part = |prime: usize| (at * prime % 1009) as f32 / 1009.0 - 0.5;
    let from = Vec3::new(12.0 * part(7919), 15.0, 12.0 * part(104_729));
    (from, Vec3::new(part(1_299_709), -2.0, part(15_485_863)).normalize())
}

fn cast(at: usize) -> RayCast {
    let (from, direction) = ray(at);
    let [from, direction] = [from, direction].map(|vector| vector.to_array());
    RayCast { from, direction, distance: 100.0, radius: 0.0, rules: CastRules::SOLID }
}
