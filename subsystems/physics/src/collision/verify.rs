//! Checking collision shapes once, when they come in.

use loligo_resources::DataError;

use super::volume::has_volume;
use super::{
    BOX, CAPSULE, COLLISION_TYPE, CONVEX, CONVEX_POINTS_MAX, Collision, CollisionShape, HEIGHTS,
    HEIGHTS_SIDE_MAX, MESH, MESH_MAX, SHAPES_MAX, SPHERE, range,
};
use crate::ranges::{PLACE, SIDE};

/// Checks the invariants of collision shapes.
pub(super) fn verify(collision: &Collision<'_>) -> Result<(), DataError> {
    if collision.shapes.is_empty() || collision.shapes.len() > SHAPES_MAX {
        return wrong("shapes", "1 to 1024", collision.shapes.len());
    }
    let is_far = |point: &[f32; 3]| point.iter().any(|number| !PLACE.contains(number));
    if let Some(at) = collision.points.iter().position(is_far) {
        return wrong("points", "finite, and at most 1000000 metres away", at);
    }
    if let Some(at) = collision.heights.iter().position(|height| !PLACE.contains(height)) {
        return wrong("heights", "finite, and at most 1000000 metres", at);
    }
    for (at, shape) in collision.shapes.iter().enumerate() {
        check_shape(collision, shape).or_else(|(field, must)| wrong(field, must, at))?;
    }
    Ok(())
}

fn wrong(field: &'static str, must: &'static str, found: usize) -> Result<(), DataError> {
    Err(DataError::part(COLLISION_TYPE, field, must, found as u64))
}

/// Which field of a shape is wrong, and what it must be.
type Wrong = (&'static str, &'static str);

fn check_shape(collision: &Collision<'_>, shape: &CollisionShape) -> Result<(), Wrong> {
    let length = shape.rotation.iter().map(|number| number * number).sum::<f32>();
    let is_turned = (length - 1.0).abs() < 1.0e-3;
    if !is_turned || shape.position.iter().any(|number| !PLACE.contains(number)) {
        return Err(("shapes", "finite, with rotations of length 1"));
    }
    let has = |[first, count]: [u32; 2], len: usize| {
        first.checked_add(count).is_some_and(|end| end as usize <= len)
    };
    if !has(shape.points, collision.points.len()) {
        return Err(("points", "those that shapes name"));
    }
    if !has(shape.triangles, collision.triangles.len()) {
        return Err(("triangles", "those that shapes name"));
    }
    let [x, y, z] = shape.size;
    let is_right = match shape.form {
        BOX => [x, y, z].iter().all(|side| SIDE.contains(side)),
        SPHERE => SIDE.contains(&x),
        CAPSULE => SIDE.contains(&x) && SIDE.contains(&y),
        CONVEX => {
            let points = &collision.points[range(shape.points)];
            points.len() <= CONVEX_POINTS_MAX && has_volume(points)
        }
        MESH => is_mesh(collision, shape),
        HEIGHTS => {
            let [first, rows, columns] = shape.heights;
            let sides = 2..=HEIGHTS_SIDE_MAX as u32;
            sides.contains(&rows)
                && sides.contains(&columns)
                && has([first, rows * columns], collision.heights.len())
                && [x, y, z].iter().all(|side| SIDE.contains(side))
        }
        _ => return Err(("shapes", "of a form that there is")),
    };
    match is_right {
        true => Ok(()),
        false => Err(("shapes", "of sizes, points and triangles that make their form")),
    }
}

fn is_mesh(collision: &Collision<'_>, shape: &CollisionShape) -> bool {
    let triangles = &collision.triangles[range(shape.triangles)];
    let count = shape.points[1];
    let is_whole = |[a, b, c]: &[u32; 3]| a.max(b).max(c) < &count && a != b && b != c && c != a;
    (3..=MESH_MAX).contains(&(count as usize))
        && (1..=MESH_MAX).contains(&triangles.len())
        && triangles.iter().all(is_whole)
}
