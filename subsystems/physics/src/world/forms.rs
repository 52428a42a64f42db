//! Shapes of the simulation, from ours.

use std::vec::Vec;

use glam::Vec3;
use loligo_entities::Pose;
use rapier3d::geometry::{Array2, SharedShape};
use rapier3d::parry::shape::TriMeshFlags;

use crate::error::PhysicsError;
use crate::geometry::Geometry;

/// The most corners, triangles or heights of a form.
const PARTS_MAX: usize = 1 << 24;

/// Makes a form of a size. The shape's index in an error is 0.
pub(crate) fn form(geometry: &Geometry<'_>, scale: Vec3) -> Result<SharedShape, PhysicsError> {
    let size = scale.abs();
    let wrong = |reason| Err(PhysicsError::Shape { shape: 0, reason });
    if !(size.min_element() > 0.0 && size.max_element() <= 1e6) {
        return wrong("its scale must be above 0 and finite along each axis; correct the scale");
    }
    match *geometry {
        Geometry::Box { half } => {
            let half = half * size;
            if !is_size(half.min_element()) || !is_size(half.max_element()) {
                return wrong("half of a box's extents must be 0.0001 to 1e6 metres; correct them");
            }
            Ok(SharedShape::cuboid(half.x, half.y, half.z))
        }
        Geometry::Sphere { radius } => {
            let radius = radius * even(size)?;
            if !is_size(radius) {
                return wrong("a sphere's radius must be 0.0001 to 1e6 metres; correct it");
            }
            Ok(SharedShape::ball(radius))
        }
        Geometry::Capsule { half_height, radius } => {
            let scale = even(size)?;
            let (half_height, radius) = (half_height * scale, radius * scale);
            if !is_size(radius) || !is_size(half_height) {
                return wrong(
                    "a capsule's radius and half height must be 0.0001 to 1e6 metres; correct them",
                );
            }
            Ok(SharedShape::capsule_y(half_height, radius))
        }
        Geometry::Convex { points } => hull(points, scale),
        Geometry::Mesh { vertices, triangles } => mesh(vertices, triangles, scale),
        Geometry::HeightField { rows, columns, heights, size: extent } => {
            field(rows as usize, columns as usize, heights, extent * size)
        }
    }
}

/// Returns where a shape is in the space of its actor, and its scale, for an actor of a scale.
pub(crate) fn within(scale: Vec3, pose: &Pose) -> Pose {
    Pose { position: scale * pose.position, scale: scale * pose.scale, ..*pose }
}

/// Returns whether a form can only be part of what does not move by itself.
pub(crate) const fn is_hollow(geometry: &Geometry<'_>) -> bool {
    matches!(geometry, Geometry::Mesh { .. } | Geometry::HeightField { .. })
}

fn is_size(number: f32) -> bool {
    (1e-4..=1e6).contains(&number)
}

/// Returns the scale of a form that is round, which must be the same along all axes.
fn even(size: Vec3) -> Result<f32, PhysicsError> {
    match size.max_element() - size.min_element() <= 1e-3 * size.max_element() {
        true => Ok(size.x),
        false => Err(PhysicsError::Shape {
            shape: 0,
            reason: "spheres and capsules have the same scale along all axes; \
                     scale evenly, or take a convex hull",
        }),
    }
}

fn scaled(points: &[[f32; 3]], scale: Vec3) -> Result<Vec<Vec3>, PhysicsError> {
    let wrong = |reason| PhysicsError::Shape { shape: 0, reason };
    if points.len() > PARTS_MAX {
        return Err(wrong("it has more than 16 777 216 points; split it"));
    }
    let scaled: Vec<Vec3> = points.iter().map(|&point| Vec3::from_array(point) * scale).collect();
    match scaled.iter().all(|point| point.is_finite() && point.abs().max_element() <= 1e6) {
        true => Ok(scaled),
        false => Err(wrong("a point is not finite, or beyond 1e6 metres; correct it")),
    }
}

fn hull(points: &[[f32; 3]], scale: Vec3) -> Result<SharedShape, PhysicsError> {
    let flat = PhysicsError::Shape {
        shape: 0,
        reason: "a convex hull needs four points that are not in a plane; add points, or take a box",
    };
    let points = scaled(points, scale)?;
    // What computes the hull takes this for granted.
    let first = *points.first().ok_or(flat)?;
    let far = |from: &dyn Fn(Vec3) -> f32| {
        points.iter().copied().max_by(|a, b| from(*a).total_cmp(&from(*b))).unwrap_or(first)
    };
    let second = far(&|point| point.distance_squared(first));
    let along = second - first;
    let third = far(&|point| along.cross(point - first).length_squared());
    let up = along.cross(third - first);
    let fourth = far(&|point| up.dot(point - first).abs());
    let height = up.dot(fourth - first).abs() / up.length().max(f32::MIN_POSITIVE);
    if !(along.length() > 1e-4 && up.length() > 1e-8 && height > 1e-4) {
        return Err(flat);
    }
    SharedShape::convex_hull(&points).ok_or(flat)
}

fn mesh(
    vertices: &[[f32; 3]],
    triangles: &[[u32; 3]],
    scale: Vec3,
) -> Result<SharedShape, PhysicsError> {
    let wrong = |reason| PhysicsError::Shape { shape: 0, reason };
    let vertices = scaled(vertices, scale)?;
    if triangles.is_empty() || triangles.len() > PARTS_MAX {
        return Err(wrong("a mesh has 1 to 16 777 216 triangles; add some, or split it"));
    }
    if triangles.as_flattened().iter().any(|&corner| corner as usize >= vertices.len()) {
        return Err(wrong("a triangle names a corner that the mesh does not have; correct it"));
    }
    let mut triangles = triangles.to_vec();
    // A mirrored mesh is inside out.
    if scale.x * scale.y * scale.z < 0.0 {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    let flags =
        TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED | TriMeshFlags::DELETE_DEGENERATE_TRIANGLES;
    SharedShape::trimesh_with_flags(vertices, triangles, flags)
        .map_err(|_| wrong("its triangles have no area; give it some that do"))
}

fn field(
    rows: usize,
    columns: usize,
    heights: &[f32],
    size: Vec3,
) -> Result<SharedShape, PhysicsError> {
    let wrong = |reason| Err(PhysicsError::Shape { shape: 0, reason });
    if rows < 2 || columns < 2 || rows.saturating_mul(columns) > PARTS_MAX {
        return wrong(
            "a height field has 2 to 16 777 216 heights along x and z; correct its counts",
        );
    }
    if heights.len() != rows * columns {
        return wrong(
            "a height field has as many heights as its rows times its columns; correct them",
        );
    }
    if !heights.iter().all(|height| (height * size.y).abs() <= 1e6) {
        return wrong("a height is not finite, or beyond 1e6 metres; correct it");
    }
    if !is_size(size.x) || !is_size(size.z) || !is_size(size.y) {
        return wrong("the extents of a height field must be 0.0001 to 1e6 metres; correct them");
    }
    let at = |row: usize, column: usize| heights[row * columns + column];
    Ok(SharedShape::heightfield(Array2::from_fn(rows, columns, at), size))
}
