//! Meshes that are made of numbers.

use glam::Vec3;

/// Vertices as shaders read them, and triangles.
#[derive(Default)]
pub(crate) struct Shape {
    pub(crate) vertices: Vec<[f32; 8]>,
    pub(crate) indices: Vec<u32>,
}

impl Shape {
    fn vertex(&mut self, position: Vec3, normal: Vec3, uv: [f32; 2]) -> u32 {
        let ([x, y, z], [a, b, c]) = (position.to_array(), normal.to_array());
        self.vertices.push([x, y, z, a, b, c, uv[0], uv[1]]);
        self.vertices.len() as u32 - 1
    }

    fn position(&self, vertex: u32) -> Vec3 {
        Vec3::from_slice(&self.vertices[vertex as usize][..3])
    }

    /// Adds a triangle, turned so that it looks away from the origin: the shapes here are convex.
    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        let [p, q, r] = [a, b, c].map(|vertex| self.position(vertex));
        let looks_out = (q - p).cross(r - p).dot(p + q + r) >= 0.0;
        self.indices.extend(if looks_out { [a, b, c] } else { [a, c, b] });
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }
}

/// A cube of 1 m whose edges are rounded off.
pub(crate) fn block(bevel: f32) -> Shape {
    let mut shape = Shape::default();
    let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0_f32 };
    // Three vertices at each corner, one for each side that meets there: number 3 corner + axis.
    for corner in 0..8 {
        for axis in 0..3 {
            let part = |of: u32| sign(corner, of) * if of == axis { 0.5 } else { 0.5 - bevel };
            let position = Vec3::new(part(0), part(1), part(2));
            let mut normal = Vec3::ZERO;
            normal[axis as usize] = sign(corner, axis);
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let uv = [part(u) + 0.5, 0.5 - part(v)];
            shape.vertex(position, normal, uv);
        }
    }
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let at = |a: u32, b: u32, c: u32| a << axis | b << u | c << v;
        for side in 0..2 {
            let face = [(0, 0), (1, 0), (1, 1), (0, 1)];
            shape.quad(face.map(|(b, c)| at(side, b, c) * 3 + axis));
        }
        // The four edges along this axis, between the sides of the other two.
        for (b, c) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
            let [low, high] = [at(0, b, c), at(1, b, c)];
            shape.quad([low * 3 + u, high * 3 + u, high * 3 + v, low * 3 + v]);
        }
    }
    (0..8).for_each(|corner| shape.triangle([corner * 3, corner * 3 + 1, corner * 3 + 2]));
    shape
}

/// A body that is round about the y axis: rings of radius and height from the bottom up, between
/// which sides are smooth, and its ends closed.
pub(crate) fn turned(profile: &[[f32; 2]], parts: u32) -> Shape {
    let mut shape = Shape::default();
    let around = |part: u32| {
        let angle = part as f32 / parts as f32 * core::f32::consts::TAU;
        Vec3::new(angle.cos(), 0.0, angle.sin())
    };
    for pair in profile.windows(2) {
        let [[r0, y0], [r1, y1]] = [pair[0], pair[1]];
        let slope = Vec3::new(y1 - y0, r0 - r1, 0.0).normalize_or_zero();
        let ring = |shape: &mut Shape, part: u32, radius: f32, height: f32| {
            let out = around(part);
            let normal = out * slope.x + Vec3::Y * slope.y;
            let uv = [part as f32 / parts as f32 * 4.0, -height];
            shape.vertex(out * radius + Vec3::Y * height, normal, uv)
        };
        for part in 0..parts {
            let corners = [(part, r0, y0), (part + 1, r0, y0), (part + 1, r1, y1), (part, r1, y1)];
            let [a, b, c, d] = corners.map(|(part, r, y)| ring(&mut shape, part, r, y));
            // Up and around: seen from outside, counter-clockwise is against the angle.
            shape.indices.extend([a, c, b, a, d, c]);
        }
    }
    for (end, normal) in [(profile.first(), Vec3::NEG_Y), (profile.last(), Vec3::Y)] {
        let Some([radius, height]) = end else { continue };
        let center = shape.vertex(Vec3::Y * height, normal, [0.5; 2]);
        for part in 0..parts {
            let [a, b] = [part, part + 1].map(|part| {
                let out = around(part);
                shape.vertex(out * radius + Vec3::Y * height, normal, [out.x, out.z])
            });
            shape.indices.extend(if normal.y > 0.0 { [center, b, a] } else { [center, a, b] });
        }
    }
    shape
}

/// A sphere of 1 m across.
pub(crate) fn sphere(rings: u32, parts: u32) -> Shape {
    let mut shape = Shape::default();
    for ring in 0..=rings {
        for part in 0..=parts {
            let (v, u) = (ring as f32 / rings as f32, part as f32 / parts as f32);
            let (tilt, turn) = (v * core::f32::consts::PI, u * core::f32::consts::TAU);
            let out = Vec3::new(tilt.sin() * turn.cos(), tilt.cos(), tilt.sin() * turn.sin());
            shape.vertex(out * 0.5, out, [u * 2.0, v]);
        }
    }
    let at = |ring: u32, part: u32| ring * (parts + 1) + part;
    for ring in 0..rings {
        for part in 0..parts {
            shape.quad([
                at(ring, part),
                at(ring, part + 1),
                at(ring + 1, part + 1),
                at(ring + 1, part),
            ]);
        }
    }
    shape
}
