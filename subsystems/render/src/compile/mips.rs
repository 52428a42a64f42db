//! The smaller levels of a texture.

use std::vec::Vec;

use crate::texture_packing::side_of;
use loligo_formats::Picture;

/// A pixel in linear numbers, its color multiplied by its opacity.
pub(super) type Light = [f32; 4];

/// Returns the pixels of all levels, the largest first, each level the average of the one before by
/// area.
pub(super) fn all_levels(picture: &Picture, levels: u32, is_linear: bool) -> Vec<u8> {
    let curve = Curve::new(is_linear);
    let mut pixels = picture.pixels.clone();
    let mut light: Vec<Light> =
        picture.pixels.as_chunks().0.iter().map(|pixel| curve.to_light(*pixel)).collect();
    let (mut width, mut height) = (picture.width as usize, picture.height as usize);
    for level in 1..levels {
        let next_width = side_of(picture.width, level) as usize;
        let next_height = side_of(picture.height, level) as usize;
        let narrow = halved(&light, width, height, next_width);
        // Columns are rows of the picture that is on its side.
        let turned = turned(&narrow, next_width, height);
        let small = halved(&turned, height, next_width, next_height);
        light = self::turned(&small, next_height, next_width);
        (width, height) = (next_width, next_height);
        pixels.extend(light.iter().flat_map(|light| curve.to_pixel(*light)));
    }
    pixels
}

/// Makes rows narrower: each new pixel is the average of the part of the row that it covers.
fn halved(light: &[Light], width: usize, height: usize, narrow: usize) -> Vec<Light> {
    if narrow == width {
        return light.to_vec();
    }
    let mut out = Vec::with_capacity(narrow * height);
    for row in light.chunks_exact(width) {
        for at in 0..narrow {
            // In parts of `1 / narrow` of a pixel, so that all is whole numbers.
            let (start, end) = (at * width, (at + 1) * width);
            let mut sum = [0.0; 4];
            for (place, pixel) in
                row.iter().enumerate().take(end.div_ceil(narrow)).skip(start / narrow)
            {
                let covered = end.min((place + 1) * narrow) - start.max(place * narrow);
                let share = covered as f32 / width as f32;
                for (sum, part) in sum.iter_mut().zip(pixel) {
                    *sum += share * part;
                }
            }
            out.push(sum);
        }
    }
    out
}

fn turned(light: &[Light], width: usize, height: usize) -> Vec<Light> {
    (0..width * height).map(|at| light[(at % height) * width + at / height]).collect()
}

/// From bytes to light and back.
pub(super) struct Curve {
    /// The light of each byte.
    light: [f32; 256],
    /// From which light on it is the next byte.
    steps: [f32; 255],
}

impl Curve {
    pub(super) fn new(is_linear: bool) -> Self {
        let curve = |value: f32| if is_linear { value } else { from_srgb(value) };
        Self {
            light: core::array::from_fn(|byte| curve(byte as f32 / 255.0)),
            steps: core::array::from_fn(|byte| curve((byte as f32 + 0.5) / 255.0)),
        }
    }

    pub(super) fn to_light(&self, [r, g, b, a]: [u8; 4]) -> Light {
        let opacity = f32::from(a) / 255.0;
        let light = |byte: u8| self.light[usize::from(byte)] * opacity;
        [light(r), light(g), light(b), opacity]
    }

    pub(super) fn to_pixel(&self, [r, g, b, a]: Light) -> [u8; 4] {
        // What is fully clear has no color.
        let scale = if a > 0.0 { 1.0 / a } else { 0.0 };
        let byte = |light: f32| self.steps.partition_point(|step| *step <= light * scale) as u8;
        [byte(r), byte(g), byte(b), (a * 255.0 + 0.5) as u8]
    }
}

/// Returns the light of a value in sRGB, both from 0 to 1.
fn from_srgb(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}
