//! Built-in shapes.

use core::f32::consts::{PI, TAU};
use core::ops::RangeInclusive;

use glam::Vec3;
use loligo_compiler::{CompileError, Property};
use std::format;

use super::geometry::Geometry;

/// A shape and the keys that mean something to it.
pub(super) struct Shape {
    pub(super) name: &'static str,
    keys: &'static [&'static str],
    make: fn(&Property) -> Result<Geometry, CompileError>,
}

pub(super) const SHAPES: [Shape; 4] = [
    Shape { name: "box", keys: &["size"], make: cuboid },
    Shape { name: "plane", keys: &["size", "segments"], make: plane },
    Shape {
        name: "cylinder",
        keys: &["radius", "radius_top", "height", "segments"],
        make: cylinder,
    },
    Shape { name: "sphere", keys: &["radius", "segments", "rings"], make: sphere },
];

/// Keys that mean something to every mesh.
const COMMON: [&str; 8] =
    ["shape", "scale", "offset", "uv_scale", "lods", "lod_hysteresis", "share", "occluder"];

/// Lengths in metres: from a micrometre to as far as a mesh may go.
const LENGTH: RangeInclusive<f32> = 1.0e-6..=1.0e6;

/// Makes a shape, its center at the origin.
pub(super) fn make(source: &Property, shape: &Shape) -> Result<Geometry, CompileError> {
    for member in source.members()? {
        if !COMMON.contains(&member.key()) && !shape.keys.contains(&member.key()) {
            let reason = format!("`{}` means nothing to the shape `{}`", member.key(), shape.name);
            let remedy = format!("its keys are {}", shape.keys.join(", "));
            return Err(member.error(reason, remedy));
        }
    }
    (shape.make)(source)
}

/// The sides of a box: the direction of the side, that of its texture's rows, that of its columns.
const SIDES: [[Vec3; 3]; 6] = [
    [Vec3::X, Vec3::NEG_Z, Vec3::NEG_Y],
    [Vec3::NEG_X, Vec3::Z, Vec3::NEG_Y],
    [Vec3::Y, Vec3::X, Vec3::Z],
    [Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z],
    [Vec3::Z, Vec3::X, Vec3::NEG_Y],
    [Vec3::NEG_Z, Vec3::NEG_X, Vec3::NEG_Y],
];

fn cuboid(source: &Property) -> Result<Geometry, CompileError> {
    let half = Vec3::from_array(source.numbers_or("size", LENGTH, [1.0; 3])?) * 0.5;
    let mut geometry = Geometry::default();
    for [normal, right, down] in SIDES {
        grid(&mut geometry, 1, normal, |u, v| {
            (normal + right * (2.0 * u - 1.0) + down * (2.0 * v - 1.0)) * half
        });
    }
    Ok(geometry)
}

fn plane(source: &Property) -> Result<Geometry, CompileError> {
    let [x, z] = source.numbers_or("size", LENGTH, [1.0; 2])?;
    let segments = whole(source, "segments", 1, 1)?;
    let mut geometry = Geometry::default();
    grid(&mut geometry, segments, Vec3::Y, |u, v| Vec3::new(x * (u - 0.5), 0.0, z * (v - 0.5)));
    Ok(geometry)
}

/// Adds a flat grid with `parts` cells along each side; `at` returns the position for texture
/// coordinates.
fn grid(geometry: &mut Geometry, parts: u32, normal: Vec3, at: impl Fn(f32, f32) -> Vec3) {
    let part = |number: u32| number as f32 / parts as f32;
    let row = parts + 1;
    let first = geometry.vertices.len() as u32;
    for down in 0..row {
        for right in 0..row {
            let uv = [part(right), part(down)];
            geometry.vertex(at(uv[0], uv[1]), normal, uv);
        }
    }
    quads(geometry, first, parts, parts);
}

/// Adds the triangles of rows of vertices: `right` quads to the right, `down` quads down.
fn quads(geometry: &mut Geometry, first: u32, right: u32, down: u32) {
    let row = right + 1;
    for corner in (0..down).flat_map(|y| (0..right).map(move |x| first + y * row + x)) {
        geometry.triangle(corner, corner + row, corner + 1);
        geometry.triangle(corner + 1, corner + row, corner + row + 1);
    }
}

fn cylinder(source: &Property) -> Result<Geometry, CompileError> {
    let radius = source.number_or("radius", 0.0..=1.0e6, 0.5)?;
    let top = source.number_or("radius_top", 0.0..=1.0e6, radius)?;
    let height = source.number_or("height", LENGTH, 1.0)?;
    let segments = whole(source, "segments", 3, 24)?;
    let mut geometry = Geometry::default();
    // Seen from outside the texture goes to the right, which is the way of the angle, and down.
    let slope = (radius - top) / height;
    for (radius, v) in [(top, 0.0), (radius, 1.0)] {
        for segment in 0..=segments {
            let u = segment as f32 / segments as f32;
            let out = direction(segment, segments);
            let normal = Vec3::new(out.x, slope, out.z).normalize();
            geometry.vertex(out * radius + Vec3::Y * height * (0.5 - v), normal, [u, v]);
        }
    }
    if radius.max(top) == 0.0 {
        return Err(source.error("both ends have no radius", "give one of them a radius"));
    }
    for corner in 0..segments {
        let below = corner + segments + 1;
        // Where an end is a point, one of both triangles of a quad would be a line.
        if top > 0.0 {
            geometry.triangle(corner, below, corner + 1);
        }
        if radius > 0.0 {
            geometry.triangle(corner + 1, below, below + 1);
        }
    }
    for (radius, up) in [(top, 1.0), (radius, -1.0)] {
        if radius > 0.0 {
            cap(&mut geometry, segments, radius, height * 0.5 * up, up);
        }
    }
    Ok(geometry)
}

/// Adds an end of a cylinder, which looks up or down.
fn cap(geometry: &mut Geometry, segments: u32, radius: f32, y: f32, up: f32) {
    let normal = Vec3::Y * up;
    let center = geometry.vertex(Vec3::Y * y, normal, [0.5, 0.5]);
    for segment in 0..=segments {
        let out = direction(segment, segments);
        let uv = [0.5 + 0.5 * out.x, 0.5 + 0.5 * out.z * up];
        let vertex = geometry.vertex(out * radius + Vec3::Y * y, normal, uv);
        if segment > 0 {
            match up > 0.0 {
                true => geometry.triangle(center, vertex - 1, vertex),
                false => geometry.triangle(center, vertex, vertex - 1),
            }
        }
    }
}

fn sphere(source: &Property) -> Result<Geometry, CompileError> {
    let radius = source.number_or("radius", LENGTH, 0.5)?;
    let segments = whole(source, "segments", 3, 24)?;
    let rings = whole(source, "rings", 2, 12)?;
    let mut geometry = Geometry::default();
    for ring in 0..=rings {
        let v = ring as f32 / rings as f32;
        let (sin, cos) = libm::sincosf(PI * v);
        for segment in 0..=segments {
            let u = segment as f32 / segments as f32;
            let normal = direction(segment, segments) * sin + Vec3::Y * cos;
            geometry.vertex(normal * radius, normal.normalize(), [u, v]);
        }
    }
    for ring in 0..rings {
        for segment in 0..segments {
            let corner = ring * (segments + 1) + segment;
            let below = corner + segments + 1;
            // At the poles one of both triangles of a quad would be a line.
            if ring > 0 {
                geometry.triangle(corner, below, corner + 1);
            }
            if ring + 1 < rings {
                geometry.triangle(corner + 1, below, below + 1);
            }
        }
    }
    Ok(geometry)
}

/// Returns the direction of a side's edge, counter-clockwise seen from above; the last is the first
/// again, to the bit.
fn direction(segment: u32, segments: u32) -> Vec3 {
    let (sin, cos) = libm::sincosf(TAU * ((segment % segments) as f32 / segments as f32));
    Vec3::new(cos, 0.0, -sin)
}

/// Returns a whole number up to 512.
fn whole(source: &Property, key: &str, min: u32, default: u32) -> Result<u32, CompileError> {
    let number = source.number_or(key, min as f32..=512.0, default as f32)?;
    match (number as u32, source.get(key)) {
        (whole, Some(value)) if whole as f32 != number => {
            Err(value.error(format!("{number} is no whole number"), format!("write {whole}")))
        }
        (whole, _) => Ok(whole),
    }
}
