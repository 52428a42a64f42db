//! Six pictures around a place become one of all directions.

use core::f32::consts::PI;

use glam::Vec3;
use loligo_compiler::{CompileError, Context, Property};
use loligo_diagnostics::context;
use loligo_formats::Picture;
use std::format;
use std::vec::Vec;

use super::mips::{Curve, Light};
use crate::texture_packing::TEXTURE_SIDE_MAX;

/// The faces, and what the middle of each looks at, what is to its right, and what is above it.
const FACES: [(&str, Vec3, Vec3, Vec3); 6] = [
    ("front", Vec3::NEG_Z, Vec3::X, Vec3::Y),
    ("right", Vec3::X, Vec3::Z, Vec3::Y),
    ("back", Vec3::Z, Vec3::NEG_X, Vec3::Y),
    ("left", Vec3::NEG_X, Vec3::NEG_Z, Vec3::Y),
    ("up", Vec3::Y, Vec3::X, Vec3::Z),
    ("down", Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z),
];

/// Makes a picture of all directions of the six that an object names: its middle is ahead, -z, its
/// right half goes on to the right, its top is up. It is four faces wide and two high.
pub(super) fn panorama(
    context: &mut Context<'_>,
    faces: &Property,
    is_linear: bool,
) -> Result<Picture, CompileError> {
    faces.allow(&FACES.map(|(name, ..)| name))?;
    let mut pictures = Vec::with_capacity(FACES.len());
    for (name, ..) in FACES {
        let face = faces.need(name, &format!("name a PNG: `{name} = \"skies/{name}.png\"`"))?;
        let picture = read(context, face)?;
        let side = pictures.first().map_or(picture.width, |first: &Picture| first.width);
        if picture.width != picture.height || picture.width != side {
            let reason = format!("the face has {} by {} pixels", picture.width, picture.height);
            return Err(face.error(reason, "make all faces squares of one size"));
        }
        pictures.push(picture);
    }
    let side = pictures.first().map_or(1, |first| first.width);
    let (width, height) = (4 * side, 2 * side);
    let curve = Curve::new(is_linear);
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for row in 0..height {
        let (sin, cos) = libm::sincosf((0.5 - (row as f32 + 0.5) / height as f32) * PI);
        for column in 0..width {
            let (right, ahead) =
                libm::sincosf(((column as f32 + 0.5) / width as f32 - 0.5) * 2.0 * PI);
            let direction = Vec3::new(right * cos, sin, -ahead * cos);
            pixels.extend(curve.to_pixel(look(&pictures, direction, &curve)));
        }
    }
    Ok(Picture { width, height, pixels })
}

fn read(context: &mut Context<'_>, face: &Property) -> Result<Picture, CompileError> {
    let path = face.string()?;
    context!("In the picture", path);
    let bytes = context.try_read(path).map_err(|error| {
        let (line, column) = face.place();
        error.at(line, column)
    })?;
    let Some(bytes) = bytes else {
        let remedy = "give its path from the project's folder on";
        return Err(face.error(format!("there is no file `{path}`"), remedy));
    };
    Picture::read(&bytes, TEXTURE_SIDE_MAX / 4).map_err(|error| error.in_file(path))
}

/// Returns the light from a direction: mixed of four pixels of the face that it goes through.
fn look(pictures: &[Picture], direction: Vec3, curve: &Curve) -> Light {
    // The face that the direction goes through is the one that it goes along the farthest.
    let ahead = |face: &(&str, Vec3, Vec3, Vec3)| direction.dot(face.1);
    let mut found = 0;
    for (number, face) in FACES.iter().enumerate() {
        if ahead(face) > ahead(&FACES[found]) {
            found = number;
        }
    }
    let (_, middle, right, up) = FACES[found];
    let (picture, far) = (&pictures[found], direction.dot(middle));
    let side = picture.width as f32;
    let place = |part: f32| ((part / far * 0.5 + 0.5) * side - 0.5).clamp(0.0, side - 1.0);
    let (x, y) = (place(direction.dot(right)), place(-direction.dot(up)));
    let (columns, rows) = ([x as u32, x as u32 + 1], [y as u32, y as u32 + 1]);
    let (across, down) = (x - columns[0] as f32, y - rows[0] as f32);
    let mut light = [0.0; 4];
    for (row, share) in rows.into_iter().zip([1.0 - down, down]) {
        for (column, own) in columns.into_iter().zip([1.0 - across, across]) {
            // The last pixel is mixed with itself.
            let at = row.min(picture.width - 1) * picture.width + column.min(picture.width - 1);
            let pixel = picture.pixels.as_chunks().0[at as usize];
            for (sum, part) in light.iter_mut().zip(curve.to_light(pixel)) {
                *sum += part * (share * own);
            }
        }
    }
    light
}
