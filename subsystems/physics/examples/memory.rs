//! What a world of boxes takes: our bytes from the allocator that was passed in, rapier3d's from the
//! global heap, a snapshot's; and how long a step is.

use std::time::Instant;

use glam::Vec3;
use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{ActorDescription, ActorKind, Geometry, PhysicsWorld, Shape, WorldSettings};

static PAGES: PageAllocator = PageAllocator::new("pages");

/// What rapier3d takes its memory from, as all that knows the global heap alone.
#[global_allocator]
static GLOBAL: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("global", &PAGES));

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("physics", &pages);
    println!("boxes      ours, bytes each   rapier3d's   snapshot   a step, awake");
    for side in [5_u32, 10, 20] {
        let before = GLOBAL.stats().requested;
        let mut world = PhysicsWorld::new(WorldSettings::default(), &heap)?;
        let floor = [Shape::new(Geometry::Box { half: Vec3::new(100.0, 0.5, 100.0) })];
        let at = Pose::at(Vec3::new(0.0, -0.5, 0.0));
        world.create_actor(&ActorDescription::new(ActorKind::Static, at, &floor))?;
        let count = side * side * side;
        let cube = [Shape::new(Geometry::Box { half: Vec3::splat(0.5) })];
        for n in 0..count {
            let (x, y, z) = (n % side, n / side % side, n / side / side);
            let at = Pose::at(Vec3::new(x as f32, y as f32, z as f32) * 1.02 + Vec3::Y * 0.51);
            world.create_actor(&ActorDescription::new(ActorKind::Dynamic, at, &cube))?;
        }
        for _ in 0..30 {
            world.step()?;
        }
        let start = Instant::now();
        for _ in 0..30 {
            world.step()?;
        }
        let step = start.elapsed().as_secs_f64() * 1000.0 / 30.0;
        let each = |bytes: usize| bytes / count as usize;
        let theirs = GLOBAL.stats().requested - before;
        let ours = heap.stats().requested;
        let mut bytes = Array::new(&heap);
        world.save(&mut bytes)?;
        let saved = bytes.len();
        println!(
            "{count:<10} {:<18} {:<12} {:<10} {step:.2} ms",
            each(ours),
            each(theirs),
            each(saved)
        );
    }
    Ok(())
}
