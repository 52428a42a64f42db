//! Forms that are made, and those that are refused.

use glam::Vec3;
use loligo_entities::Pose;
use loligo_physics::{ActorDescription, ActorKind, Geometry, PhysicsError, Shape};
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::scene::{Body, position, run, world};

const CORNERS: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[test]
fn things_rest_on_every_form() {
    // A plane of 20 metres as two triangles, and as heights.
    let vertices = [[-10.0, 0.0, -10.0], [-10.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, -10.0]];
    let triangles = [[0, 1, 2], [0, 2, 3]];
    let heights = [0.0; 12];
    let size = Vec3::new(20.0, 1.0, 20.0);
    let slab: Vec<[f32; 3]> = (0..8)
        .map(|n| {
            [(n & 1) as f32 * 20.0 - 10.0, (n >> 1 & 1) as f32 - 1.0, (n >> 2) as f32 * 20.0 - 10.0]
        })
        .collect();
    for geometry in [
        Geometry::Mesh { vertices: &vertices, triangles: &triangles },
        Geometry::HeightField { rows: 3, columns: 4, heights: &heights, size },
        Geometry::Convex { points: &slab },
    ] {
        with_memory(|memory| {
            let world = &mut world(memory);
            Body::new(ActorKind::Static, geometry, Vec3::ZERO).put(world);
            let capsule = Geometry::Capsule { half_height: 0.5, radius: 0.25 };
            for (n, (form, height)) in [
                (Geometry::Box { half: Vec3::splat(0.5) }, 0.5),
                (Geometry::Sphere { radius: 0.5 }, 0.5),
                (capsule, 0.75),
                (Geometry::Convex { points: &CORNERS }, 0.0),
            ]
            .into_iter()
            .enumerate()
            {
                let at = Vec3::new(n as f32 * 3.0 - 4.0, height + 0.1, 1.0);
                let body = Body::new(ActorKind::Dynamic, form, at).put(world);
                run(world, 1.0);
                let rests = position(world, body).y;
                assert!((rests - height).abs() < 0.03, "{form:?} at {rests} on {geometry:?}");
            }
        });
    }
}

#[test]
fn a_height_field_has_its_rows_along_z() {
    with_memory(|memory| {
        let world = &mut world(memory);
        // A step up along x: columns 0 and 1 are low, 2 and 3 high.
        let heights: Vec<f32> = (0..12).map(|n| if n % 4 < 2 { 0.0 } else { 2.0 }).collect();
        let size = Vec3::new(12.0, 1.0, 12.0);
        let field = Geometry::HeightField { rows: 3, columns: 4, heights: &heights, size };
        Body::new(ActorKind::Static, field, Vec3::ZERO).put(world);
        let low = Body::ball(0.25, Vec3::new(-5.0, 3.0, 3.0)).put(world);
        let high = Body::ball(0.25, Vec3::new(5.0, 3.0, -3.0)).put(world);
        run(world, 1.5);
        assert!((position(world, low).y - 0.25).abs() < 0.05, "{}", position(world, low));
        assert!((position(world, high).y - 2.25).abs() < 0.05, "{}", position(world, high));
    });
}

#[test]
fn what_is_no_form_is_refused_with_its_reason() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let plane = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let (far, nan) = ([[0, 1, 9]], [[f32::NAN; 3]; 4]);
        let (half, size) = (Vec3::ONE, Vec3::ONE);
        for (kind, geometry, said) in [
            (ActorKind::Static, Geometry::Box { half: -half }, "half of a box"),
            (ActorKind::Static, Geometry::Sphere { radius: f32::NAN }, "a sphere's radius"),
            (ActorKind::Static, Geometry::Capsule { half_height: 0.0, radius: 1.0 }, "a capsule's"),
            (ActorKind::Static, Geometry::Convex { points: &plane }, "four points"),
            (ActorKind::Static, Geometry::Convex { points: &[] }, "four points"),
            (ActorKind::Static, Geometry::Convex { points: &nan }, "not finite"),
            (ActorKind::Static, Geometry::Mesh { vertices: &CORNERS, triangles: &far }, "a corner"),
            (ActorKind::Static, Geometry::Mesh { vertices: &CORNERS, triangles: &[] }, "triangles"),
            (
                ActorKind::Dynamic,
                Geometry::Mesh { vertices: &CORNERS, triangles: &[[0, 1, 2]] },
                "hull",
            ),
            (
                ActorKind::Static,
                Geometry::HeightField { rows: 2, columns: 2, heights: &[0.0], size },
                "as many",
            ),
            (
                ActorKind::Static,
                Geometry::HeightField { rows: 1, columns: 2, heights: &[0.0; 2], size },
                "2 to",
            ),
        ] {
            let error = Body::new(kind, geometry, Vec3::ZERO).try_put(world).unwrap_err();
            assert!(matches!(error, PhysicsError::Shape { shape: 0, .. }), "{geometry:?}: {error}");
            assert!(error.to_string().contains(said), "{error}");
        }
        let ball = [Shape::new(Geometry::Sphere { radius: 1.0 })];
        let flat = Pose { scale: Vec3::new(1.0, 2.0, 1.0), ..Pose::IDENTITY };
        let flat = ActorDescription::new(ActorKind::Static, flat, &ball);
        let error = world.create_actor(&flat).unwrap_err();
        assert!(error.to_string().contains("scale evenly"), "{error}");
        let none = ActorDescription::new(ActorKind::Static, Pose::IDENTITY, &[]);
        assert!(world.create_actor(&none).is_err());
        assert!(Body::ball(1.0, Vec3::ZERO).trigger().try_put(world).is_err(), "it has no mass");
        assert!(world.is_empty());
        world.step().unwrap();
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// Points on a coarse grid, so that many are equal, in a line or in a plane.
    #[test]
    fn no_points_and_no_triangles_bring_the_program_down(
        points in proptest::collection::vec([-3_i8..4, -3..4, -3..4], 0..24),
        triangles in proptest::collection::vec([0_u32..24, 0..24, 0..24], 0..32),
    ) {
        let points: Vec<[f32; 3]> = points.iter().map(|p| p.map(|n| f32::from(n) * 0.5)).collect();
        with_memory(|memory| {
            let world = &mut world(memory);
            let hull = Geometry::Convex { points: &points };
            let mesh = Geometry::Mesh { vertices: &points, triangles: &triangles };
            let made = [
                Body::new(ActorKind::Dynamic, hull, Vec3::Y * 4.0).try_put(world),
                Body::new(ActorKind::Static, mesh, Vec3::ZERO).try_put(world),
            ];
            Body::ball(0.5, Vec3::new(0.2, 3.0, 0.1)).put(world);
            run(world, 0.5);
            assert_eq!(world.len(), 1 + made.iter().flatten().count());
        });
    }
}
