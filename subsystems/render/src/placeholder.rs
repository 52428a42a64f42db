//! What is drawn in place of what is missing: a cube, a texture of two colors, a shader of one.
//!
//! A part of a game that cannot be found is to be seen at once, and the rest is to go on.

use crate::mesh::MeshVertex;

/// A shader that draws surfaces in the color and texture of their material, with a little light from
/// above, and nothing of the frame's light. It reads nothing of the pass.
pub const PLACEHOLDER_SHADER: &str = include_str!("placeholder.wgsl");

/// The color of what is missing: no game has it.
pub const PLACEHOLDER_COLOR: [f32; 4] = [1.0, 0.0, 1.0, 1.0];

/// The pixels on a side of the texture.
pub const PLACEHOLDER_PIXELS: u32 = 8;

/// The sphere around the cube: its center, and its radius.
pub const PLACEHOLDER_SPHERE: [f32; 4] = [0.0, 0.0, 0.0, 0.866_025_4];

/// How many indices the cube has.
pub const PLACEHOLDER_INDICES: usize = 36;

/// How many vertices the cube has.
pub const PLACEHOLDER_VERTICES: usize = 24;

/// Returns the texture: rows of red, green, blue and opacity, in squares of two pixels.
#[must_use]
pub fn placeholder_texture() -> [[u8; 4]; (PLACEHOLDER_PIXELS * PLACEHOLDER_PIXELS) as usize] {
    core::array::from_fn(|at| {
        let (x, y) = (at as u32 % PLACEHOLDER_PIXELS, at as u32 / PLACEHOLDER_PIXELS);
        let is_bright = (x / 2 + y / 2).is_multiple_of(2);
        if is_bright { [255, 0, 255, 255] } else { [16, 16, 16, 255] }
    })
}

/// Returns a cube of one metre around its middle: its vertices, and its triangles.
#[must_use]
pub fn placeholder_cube() -> ([MeshVertex; PLACEHOLDER_VERTICES], [u32; PLACEHOLDER_INDICES]) {
    let vertices = core::array::from_fn(|at| {
        let (face, corner) = (at / 4, at % 4);
        let (axis, sign) = (face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 });
        // The other two axes, in an order that makes the front counter-clockwise.
        let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
        let across = if matches!(corner, 1 | 2) { sign } else { -sign };
        let along = if corner >= 2 { 1.0 } else { -1.0 };
        let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
        normal[axis] = sign;
        position[axis] = sign * 0.5;
        position[right] = across * 0.5;
        position[up] = along * 0.5;
        MeshVertex { position, normal, uv: [across * 0.5 + 0.5, along * 0.5 + 0.5] }
    });
    let indices = core::array::from_fn(|at| {
        let corner = [0, 1, 2, 0, 2, 3][at % 6];
        (at / 6 * 4) as u32 + corner
    });
    (vertices, indices)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn each_triangle_of_the_cube_faces_outwards() {
        let (vertices, indices) = placeholder_cube();
        let radius = PLACEHOLDER_SPHERE[3];
        for triangle in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|at| vertices[triangle[at] as usize]);
            let [pa, pb, pc] = [a, b, c].map(|vertex| Vec3::from(vertex.position));
            let front = (pb - pa).cross(pc - pa).normalize();
            assert_eq!(front, Vec3::from(a.normal), "{triangle:?}");
            assert!((pa.length() - radius).abs() < 1e-6, "{triangle:?}");
        }
    }

    #[test]
    fn the_texture_has_two_colors_in_squares() {
        let texture = placeholder_texture();
        assert_eq!(texture[0], texture[1]);
        assert_ne!(texture[0], texture[2]);
        assert_ne!(texture[0], texture[2 * PLACEHOLDER_PIXELS as usize]);
        assert_eq!(texture.iter().filter(|pixel| **pixel == texture[0]).count(), 32);
    }
}
