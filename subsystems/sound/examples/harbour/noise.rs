//! What is made of noise: the sea, rain, and what steps have of it.

use core::f32::consts::{PI, TAU};

/// White noise, by a seed.
pub(crate) struct Noise(u32);

impl Noise {
    pub(crate) const fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) | 1)
    }

    /// Returns the next sample, from -1 to 1.
    pub(crate) const fn sample(&mut self) -> f32 {
        // Xorshift of 32 bits.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as f32 / 2_147_483_648.0 - 1.0
    }

    /// Returns a number from one to another.
    pub(crate) const fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * (0.5 + 0.5 * self.sample())
    }
}

/// A filter with three outputs that is stable at each frequency and damping.
///
/// After Vadim Zavalishin, "The Art of VA Filter Design" (2012).
#[derive(Default)]
pub(crate) struct Filter {
    low: f32,
    band: f32,
}

impl Filter {
    /// Returns what is below, at, and above a frequency.
    pub(crate) fn pass(&mut self, input: f32, hertz: f32, damping: f32, rate: u32) -> [f32; 3] {
        let gain = (PI * hertz / rate as f32).tan();
        let band = (self.band + gain * (input - self.low)) / (1.0 + gain * (gain + damping));
        let low = self.low + gain * band;
        (self.low, self.band) = (2.0 * low - self.low, 2.0 * band - self.band);
        [low, band, input - damping * band - low]
    }
}

/// Blends what is after the end of a loop into its begin, so that its end leads to its begin.
pub(crate) fn closed(mut samples: Vec<f32>, frames: usize) -> Vec<f32> {
    let more = samples.split_off(frames);
    let count = more.len();
    for (at, after) in more.into_iter().enumerate() {
        // The sum of two noises is as loud as one of them.
        let share = (0.5 * PI * (at as f32 + 0.5) / count as f32).sin();
        samples[at] = samples[at] * share + after * (1.0 - share * share).sqrt();
    }
    samples
}

/// Six seconds of waves that come and go, twice.
pub(crate) fn sea(rate: u32) -> Vec<f32> {
    let frames = 6 * rate as usize;
    let (mut noise, mut deep, mut spray) = (Noise::new(1), Filter::default(), Filter::default());
    let samples = (0..frames + frames / 8).map(|at| {
        let time = at as f32 / frames as f32;
        let swell = 0.5 - 0.5 * (2.0 * TAU * time).cos();
        let late = 0.5 - 0.5 * (2.0 * TAU * (time - 0.04)).cos();
        let white = noise.sample();
        let [low, ..] = deep.pass(white, 260.0 + 500.0 * swell, 1.2, rate);
        let [_, band, _] = spray.pass(white, 2600.0, 1.4, rate);
        low * (0.35 + 0.65 * swell) + 0.35 * band * late.powi(4)
    });
    closed(samples.collect(), frames)
}

/// Two seconds of rain: a hiss, and drops.
pub(crate) fn rain(rate: u32) -> Vec<f32> {
    let frames = 2 * rate as usize;
    let (mut noise, mut filter) = (Noise::new(2), Filter::default());
    let hiss = (0..frames + frames / 8).map(|_| {
        let [_, band, high] = filter.pass(noise.sample(), 3000.0, 1.6, rate);
        0.10 * high + 0.16 * band
    });
    let mut samples = closed(hiss.collect(), frames);
    for _ in 0..420 {
        let start = noise.between(0.0, frames as f32) as usize;
        let (hertz, loud) = (noise.between(900.0, 5200.0), noise.between(0.04, 0.4).powi(2));
        for at in 0..rate as usize / 50 {
            let time = at as f32 / rate as f32;
            let drop = (TAU * hertz * time * (1.0 + 9.0 * time)).sin() * (-time * 320.0).exp();
            samples[(start + at) % frames] += loud * drop * (time * 4000.0).min(1.0);
        }
    }
    samples
}
