//! Normals of a picture of heights.

use std::vec::Vec;

use glam::Vec3;
use loligo_formats::Picture;

use crate::texture::TextureWrap;

/// Returns normals of a picture whose brightness is height: white is `height` pixels above black.
/// Red is x along its rows, green y up its columns, blue z out of it; 128 is 0, and 1 and 255 are
/// the ends.
pub(super) fn normals(picture: &Picture, height: f32, wrap: TextureWrap) -> Picture {
    let [columns, rows] = [picture.width, picture.height].map(|side| side as usize);
    let heights: Vec<f32> =
        picture.pixels.as_chunks().0.iter().map(|pixel| height * brightness(*pixel)).collect();
    let before = |at: usize, side: usize| match wrap {
        TextureWrap::Repeat => (at + side - 1) % side,
        TextureWrap::Clamp | TextureWrap::Mirror => at.saturating_sub(1),
    };
    let after = |at: usize, side: usize| match wrap {
        TextureWrap::Repeat => (at + 1) % side,
        TextureWrap::Clamp | TextureWrap::Mirror => (at + 1).min(side - 1),
    };
    let mut pixels = Vec::with_capacity(picture.pixels.len());
    for row in 0..rows {
        for column in 0..columns {
            let at = |row: usize, column: usize| heights[row * columns + column];
            let across = at(row, after(column, columns)) - at(row, before(column, columns));
            let down = at(after(row, rows), column) - at(before(row, rows), column);
            // Over two pixels.
            let normal = Vec3::new(-across, down, 2.0).normalize();
            let part = |part: f32| (128.0 + 127.0 * part).round() as u8;
            pixels.extend([part(normal.x), part(normal.y), part(normal.z), 255]);
        }
    }
    Picture { width: picture.width, height: picture.height, pixels }
}

/// Returns how bright a pixel is, from 0 to 1, as its numbers are.
fn brightness([red, green, blue, _]: [u8; 4]) -> f32 {
    (f32::from(red) + f32::from(green) + f32::from(blue)) / 765.0
}
