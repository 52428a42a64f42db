//! Textures that are made of noise.

/// How wide and how high a texture is.
pub(crate) const PIXELS: u32 = 256;

/// Returns the pixels of all levels of a texture between two colors, in sRGB: spots of several
/// sizes, which go on over the edges.
pub(crate) fn texture(seed: u32, dark: [u8; 3], bright: [u8; 3], grain: f32) -> (u32, Vec<u8>) {
    let mut level: Vec<[f32; 3]> = (0..PIXELS * PIXELS)
        .map(|at| {
            let (x, y) = (at % PIXELS, at / PIXELS);
            let share = spots(seed, x as f32 / PIXELS as f32, y as f32 / PIXELS as f32, grain);
            [0, 1, 2].map(|part| {
                f32::from(dark[part]) + (f32::from(bright[part]) - f32::from(dark[part])) * share
            })
        })
        .collect();
    let (mut pixels, mut wide, mut levels) = (Vec::new(), PIXELS, 0);
    loop {
        for [r, g, b] in &level {
            pixels.extend([*r as u8, *g as u8, *b as u8, 255]);
        }
        levels += 1;
        if wide == 1 {
            return (levels, pixels);
        }
        let half = wide / 2;
        level = (0..half * half)
            .map(|at| {
                let first = (at / half * 2 * wide + at % half * 2) as usize;
                let four = [first, first + 1, first + wide as usize, first + wide as usize + 1];
                [0, 1, 2].map(|part| four.iter().map(|at| level[*at][part]).sum::<f32>() / 4.0)
            })
            .collect();
        wide = half;
    }
}

fn spots(seed: u32, x: f32, y: f32, grain: f32) -> f32 {
    let (mut sum, mut strength, mut cells) = (0.0, 0.5, 4_u32);
    for octave in 0..5 {
        sum += strength * noise(seed + octave, x * cells as f32, y * cells as f32, cells);
        strength *= 0.5;
        cells *= 2;
    }
    let fine = noise(seed + 9, x * 128.0, y * 128.0, 128) - 0.5;
    (sum + fine * grain).clamp(0.0, 1.0)
}

/// Noise with a period of `cells` cells.
fn noise(seed: u32, x: f32, y: f32, cells: u32) -> f32 {
    let smooth = |share: f32| share * share * (3.0 - 2.0 * share);
    let (column, row) = (x as u32, y as u32);
    let (right, down) = (smooth(x.fract()), smooth(y.fract()));
    let at = |column: u32, row: u32| hashed(seed, column % cells, row % cells);
    let above = at(column, row) * (1.0 - right) + at(column + 1, row) * right;
    let below = at(column, row + 1) * (1.0 - right) + at(column + 1, row + 1) * right;
    above * (1.0 - down) + below * down
}

/// Returns a number from 0 to 1 that looks random.
pub(crate) fn hashed(seed: u32, column: u32, row: u32) -> f32 {
    let mut bits = seed.wrapping_mul(0x9E37_79B9) ^ column.wrapping_mul(0x85EB_CA6B);
    bits =
        (bits ^ bits >> 15).wrapping_add(row.wrapping_mul(0xC2B2_AE35)).wrapping_mul(0x27D4_EB2F);
    bits = (bits ^ bits >> 13).wrapping_mul(0x1656_67B1);
    ((bits ^ bits >> 16) >> 8) as f32 / (1 << 24) as f32
}
