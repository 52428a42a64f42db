//! The spectrogram of a sound.

use core::f32::consts::{PI, TAU};

/// The samples of a column.
const WINDOW: usize = 2048;

/// The size of the picture.
pub(super) const COLUMNS: usize = 800;
pub(super) const ROWS: usize = 256;

/// The lowest frequency that is drawn, in hertz; the highest is half the rate.
pub(super) const LOWEST: f32 = 40.0;

/// What is quieter than the loudest part by this is dark, in decibels.
const RANGE: f32 = 90.0;

/// Returns the picture of a spectrogram, as RGBA: time across, and frequencies upwards, an octave as high as the
/// next.
pub(super) fn picture(frames: &[[f32; 2]], rate: u32) -> Vec<u8> {
    let levels: Vec<Vec<f32>> = (0..COLUMNS).map(|column| levels(frames, column, rate)).collect();
    let loudest = levels.iter().flatten().copied().fold(f32::MIN, f32::max);
    let mut pixels = Vec::with_capacity(4 * COLUMNS * ROWS);
    for row in (0..ROWS).rev() {
        for column in &levels {
            let share = (column[row] - loudest + RANGE) / RANGE;
            pixels.extend(colour(share.clamp(0.0, 1.0)));
        }
    }
    pixels
}

/// Returns the frequency that is drawn at a share of the height.
pub(super) fn frequency(share: f32, rate: u32) -> f32 {
    LOWEST * (rate as f32 * 0.5 / LOWEST).powf(share)
}

/// Returns the decibels of the rows of a column.
fn levels(frames: &[[f32; 2]], column: usize, rate: u32) -> Vec<f32> {
    let middle = (column * frames.len() / COLUMNS) as isize;
    let sample = |at: usize| {
        let place = usize::try_from(middle + at as isize - (WINDOW / 2) as isize).ok();
        let frame = place.and_then(|place| frames.get(place)).copied().unwrap_or_default();
        let window = 0.5 - 0.5 * (TAU * at as f32 / WINDOW as f32).cos();
        (frame[0] + frame[1]) * 0.5 * window
    };
    let spectrum = transform(&(0..WINDOW).map(sample).collect::<Vec<f32>>());
    let bin = |share: f32| {
        let at = frequency(share, rate) * WINDOW as f32 / rate as f32;
        (at as usize).min(WINDOW / 2 - 1)
    };
    let row = |row: usize| {
        let (low, high) = (bin(row as f32 / ROWS as f32), bin((row + 1) as f32 / ROWS as f32));
        let power = spectrum[low..=high].iter().copied().fold(0.0_f32, f32::max);
        10.0 * (power + 1e-20).log10()
    };
    (0..ROWS).map(row).collect()
}

/// Returns the power of each frequency up to half the rate, by the fast transform of Cooley and Tukey.
fn transform(samples: &[f32]) -> Vec<f32> {
    let len = samples.len();
    let bits = len.trailing_zeros();
    let mirrored = |at: usize| at.reverse_bits() >> (usize::BITS - bits);
    let mut values: Vec<[f32; 2]> = (0..len).map(|at| [samples[mirrored(at)], 0.0]).collect();
    let mut half = 1;
    while half < len {
        for first in (0..len).step_by(2 * half) {
            for at in 0..half {
                let (sine, cosine) = (-PI * at as f32 / half as f32).sin_cos();
                let [[a, b], [c, d]] = [values[first + at], values[first + at + half]];
                let [c, d] = [c * cosine - d * sine, c * sine + d * cosine];
                values[first + at] = [a + c, b + d];
                values[first + at + half] = [a - c, b - d];
            }
        }
        half *= 2;
    }
    values[..len / 2].iter().map(|[real, imaginary]| real * real + imaginary * imaginary).collect()
}

/// From dark to bright: each step is as much brighter as the one before.
fn colour(share: f32) -> [u8; 4] {
    const STOPS: [[f32; 3]; 5] = [
        [8.0, 8.0, 24.0],
        [58.0, 24.0, 104.0],
        [158.0, 46.0, 104.0],
        [240.0, 128.0, 62.0],
        [252.0, 246.0, 190.0],
    ];
    let at = share * (STOPS.len() - 1) as f32;
    let below = (at as usize).min(STOPS.len() - 2);
    let part = at - below as f32;
    let [red, green, blue] = [0, 1, 2]
        .map(|channel| STOPS[below][channel] * (1.0 - part) + STOPS[below + 1][channel] * part);
    [red as u8, green as u8, blue as u8, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_at_its_frequency() {
        let sine = |at: usize| (TAU * 64.0 * at as f32 / 2048.0).sin();
        let power = transform(&(0..2048).map(sine).collect::<Vec<f32>>());
        let loudest = power.iter().copied().fold(0.0, f32::max);
        assert!((loudest.sqrt() - 1024.0).abs() < 1.0, "half of the samples: {loudest}");
        assert_eq!(power.iter().position(|level| *level == loudest), Some(64));
        let rest = power.iter().enumerate().filter(|(at, _)| *at != 64);
        assert!(rest.map(|(_, level)| level / loudest).fold(0.0, f32::max) < 1e-8, "nothing else");
    }
}
