//! Rays, swept forms and overlaps.

use glam::Vec3;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{
    ActorKind, CastHit, CastRules, Filter, Geometry, PhysicsWorld, RayCast, Surface, WorldSettings,
};
use loligo_tasks::{Settings, Tasks};

use crate::memory::with_memory;
use crate::scene::{Body, entity, world};

fn down(x: f32, z: f32) -> RayCast {
    RayCast {
        from: [x, 10.0, z],
        direction: [0.0, -2.0, 0.0],
        distance: 100.0,
        radius: 0.0,
        rules: CastRules::SOLID,
    }
}

#[test]
fn a_ray_meets_the_first_thing_with_its_surface() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().of(entity(1)).put(world);
        let stone = Surface { material: 77, ..Surface::default() };
        let cube = Body::cube(ActorKind::Static, 1.0, Vec3::new(0.0, 1.0, 0.0)).of(entity(2));
        let cube = cube.with(stone).put(world);
        world.step().unwrap();
        let hit = world.cast_ray(&down(0.0, 0.0)).unwrap();
        assert_eq!((hit.actor, hit.entity), (cube.to_bits(), entity(2).to_bits()));
        assert_eq!((hit.shape, hit.material), (0, 77));
        assert!((hit.distance - 8.0).abs() < 1e-4);
        assert!(Vec3::from_array(hit.point).distance(Vec3::Y * 2.0) < 1e-4);
        assert!(Vec3::from_array(hit.normal).distance(Vec3::Y) < 1e-4);
        assert_eq!(world.cast_ray(&down(5.0, 0.0)).unwrap().actor, floor.to_bits());
        assert!(!world.cast_ray(&down(500.0, 0.0)).unwrap().is_hit());
        let short = RayCast { distance: 7.0, ..down(0.0, 0.0) };
        assert_eq!(world.cast_ray(&short).unwrap(), CastHit::default());
        // A thick one meets the edge of the cube that a thin one passes.
        let thick = RayCast { radius: 0.5, ..down(1.2, 0.0) };
        assert_eq!(world.cast_ray(&thick).unwrap().actor, cube.to_bits());
        assert!(world.cast_ray(&RayCast { direction: [0.0; 3], ..down(0.0, 0.0) }).is_err());
        assert!(world.cast_ray(&RayCast { from: [f32::NAN; 3], ..down(0.0, 0.0) }).is_err());
        world.destroy_actor(cube).unwrap();
        assert_eq!(world.cast_ray(&down(0.0, 0.0)).unwrap().actor, floor.to_bits(), "at once");
    });
}

#[test]
fn rules_say_what_a_cast_passes_through() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().put(world);
        let mut ghost = Body::cube(ActorKind::Dynamic, 0.5, Vec3::new(0.0, 2.0, 0.0));
        ghost.shape.filter = Filter { groups: 4, meets: u32::MAX };
        let ghost = ghost.put(world);
        let zone =
            Body::cube(ActorKind::Static, 0.5, Vec3::new(0.0, 5.0, 0.0)).trigger().put(world);
        world.step().unwrap();
        let meets = |rules| world.cast_ray(&RayCast { rules, ..down(0.0, 0.0) }).unwrap().actor;
        let all = CastRules { passes: 0, ..CastRules::SOLID };
        assert_eq!(meets(all), zone.to_bits());
        assert_eq!(meets(CastRules::SOLID), ghost.to_bits());
        assert_eq!(
            meets(CastRules { ignored: ghost.to_bits(), ..CastRules::SOLID }),
            floor.to_bits()
        );
        assert_eq!(meets(CastRules { meets: !4, ..CastRules::SOLID }), floor.to_bits());
        let passes = CastRules::TRIGGERS | CastRules::DYNAMIC;
        assert_eq!(meets(CastRules { passes, ..all }), floor.to_bits());
        let passes = passes | CastRules::STATIC;
        assert_eq!(meets(CastRules { passes, ..all }), 0);
    });
}

#[test]
fn forms_are_swept_and_overlap() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let floor = Body::floor().put(world);
        let balls: Vec<_> = (0..3)
            .map(|n| Body::ball(0.5, Vec3::new(n as f32 * 2.0, 2.0, 0.0)).put(world))
            .collect();
        world.step().unwrap();
        let half = Vec3::splat(0.5);
        let way = Vec3::new(0.0, -20.0, 0.0);
        let from = Pose::at(Vec3::new(8.0, 10.0, 0.0));
        let hit = world.cast_form(&Geometry::Box { half }, &from, way, &CastRules::SOLID).unwrap();
        assert_eq!(hit.actor, floor.to_bits());
        assert!((hit.distance - 9.5).abs() < 1e-3, "{hit:?}");
        let mut found = Array::new(memory);
        let wide = Pose { scale: Vec3::new(4.0, 1.0, 1.0), ..Pose::at(Vec3::new(1.0, 2.0, 0.0)) };
        world.overlap(&Geometry::Box { half }, &wide, &CastRules::SOLID, &mut found).unwrap();
        assert_eq!(found, [balls[0], balls[1]]);
        let all = Pose { scale: Vec3::splat(40.0), ..Pose::IDENTITY };
        world.overlap(&Geometry::Box { half }, &all, &CastRules::SOLID, &mut found).unwrap();
        assert_eq!(found[2..], [floor, balls[0], balls[1], balls[2]]);
    });
}

#[test]
fn a_batch_is_the_same_with_one_thread_and_with_four() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("tasks", &pages);
    let world = &mut PhysicsWorld::new_in(WorldSettings::default(), &pages).unwrap();
    let put = |world: &mut PhysicsWorld<'_, PageAllocator>, body: Body<'_>| {
        let shapes = [body.shape];
        let at = Pose::at(body.at);
        world.create_actor(&loligo_physics::ActorDescription::new(body.kind, at, &shapes)).unwrap();
    };
    put(world, Body::floor());
    for n in 0..100 {
        put(world, Body::ball(0.5, Vec3::new((n % 10) as f32, 1.0, (n / 10) as f32)));
    }
    world.step().unwrap();
    let casts: Vec<RayCast> =
        (0..1000).map(|n| down((n % 40) as f32 * 0.3 - 1.0, (n / 40) as f32 * 0.4)).collect();
    let (mut alone, mut together) = ([CastHit::default(); 1000], [CastHit::default(); 1000]);
    world.cast_rays(&casts, &mut alone, None).unwrap();
    let settings = Settings { workers: Some(3), ..Settings::default() };
    let mut tasks = Tasks::try_new(&settings, &heap).unwrap();
    tasks.run(|main| world.cast_rays(&casts, &mut together, Some(main))).unwrap();
    assert_eq!(alone, together);
    assert!(alone.iter().all(CastHit::is_hit));
    for (cast, hit) in casts.iter().zip(&alone) {
        assert_eq!(world.cast_ray(cast).unwrap(), *hit);
    }
}
