//! Waves for tests, and how they are looked at.

use core::f64::consts::TAU;

use loligo_allocators::Allocator;
use loligo_sound::{Mixer, MixerSettings, Wave};

/// The rate of all mixers of tests.
pub(crate) const RATE: u32 = 48_000;

/// Returns the samples of a sine, `period` frames long, at half of full scale.
pub(crate) fn sine(period: f64, frames: usize) -> Vec<i16> {
    let sample = |at: usize| (libm::sin(TAU * at as f64 / period) * 16_384.0).round() as i16;
    (0..frames).map(sample).collect()
}

/// Returns a mixer with the default settings.
pub(crate) fn mixer(memory: &dyn Allocator) -> Mixer<'_> {
    Mixer::try_new(&MixerSettings::default(), memory).expect("there is memory")
}

/// Returns a wave of one channel.
pub(crate) fn wave<'a>(samples: &[i16], memory: &'a dyn Allocator) -> Wave<'a> {
    Wave::try_new(samples, 1, RATE, memory).expect("it is right")
}

/// Renders frames.
pub(crate) fn render(mixer: &mut Mixer<'_>, frames: usize) -> Vec<[f32; 2]> {
    let mut out = vec![[f32::NAN; 2]; frames];
    mixer.render(&mut out);
    out
}

/// Returns the left side.
pub(crate) fn left(frames: &[[f32; 2]]) -> Vec<f32> {
    frames.iter().map(|frame| frame[0]).collect()
}

/// Returns the root of the mean square.
pub(crate) fn loudness(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|sample| f64::from(*sample) * f64::from(*sample)).sum();
    (sum / samples.len() as f64).sqrt()
}

/// Returns how far samples are from the sine of a frequency that fits best, in decibels below it.
pub(crate) fn distance_from_sine(samples: &[f32], cycles_per_sample: f64) -> f64 {
    let angle = |at: usize| TAU * cycles_per_sample * at as f64;
    let basis = |at: usize| [libm::sin(angle(at)), libm::cos(angle(at))];
    // The least squares: two equations, since a sine and a cosine of no whole periods share something.
    let [mut aa, mut ab, mut bb, mut ay, mut by] = [0.0; 5];
    for (at, sample) in samples.iter().enumerate() {
        let ([a, b], y) = (basis(at), f64::from(*sample));
        (aa, ab, bb, ay, by) = (aa + a * a, ab + a * b, bb + b * b, ay + a * y, by + b * y);
    }
    let determinant = aa * bb - ab * ab;
    let scale = [(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant];
    let fit = |at: usize| basis(at)[0] * scale[0] + basis(at)[1] * scale[1];
    let rest: Vec<f32> = samples
        .iter()
        .enumerate()
        .map(|(at, sample)| (f64::from(*sample) - fit(at)) as f32)
        .collect();
    20.0 * (loudness(samples) / loudness(&rest)).log10()
}
