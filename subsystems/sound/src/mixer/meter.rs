//! How loud a bus is, as people hear it.
//!
//! "Algorithms to measure audio programme loudness and true-peak audio level" (ITU-R BS.1770, 2023) has the two filters
//! and the weights of channels; "EBU Mode metering" (EBU Tech 3341, 2023) the window of 0.4 seconds. The window here goes on
//! in steps of 0.1 seconds.

use core::f64::consts::PI;

use crate::block::{BLOCK, PAIRS_MAX, Stereo, peak_of};

/// The steps of a window.
const STEPS: usize = 4;

/// The weights of the channels of 5.1: low frequencies do not count, and what is at the back counts more.
const WEIGHTS: [[f64; 2]; PAIRS_MAX] = [[1.0, 1.0], [1.0, 0.0], [1.41, 1.41]];

/// What is quieter is silence, in LUFS.
pub(super) const SILENCE: f32 = -144.0;

/// The two filters of a rate: a shelf that is the head, and what takes low frequencies away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighting {
    filters: [Biquad; 2],
    /// The blocks of a step of the window.
    blocks: u32,
}

/// A filter of second order: what of three inputs and of two outputs before is heard.
#[derive(Clone, Copy, Debug)]
struct Biquad {
    inputs: [f64; 3],
    outputs: [f64; 2],
}

/// The meter of a bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    state: [[[[f64; 2]; 2]; 2]; PAIRS_MAX],
    /// The energy and the highest sample of steps that are over, and of the one that goes on, which is the last.
    energies: [f64; STEPS + 1],
    peaks: [f32; STEPS + 1],
    blocks: u32,
}

impl Weighting {
    pub(super) fn new(rate: f32) -> Self {
        let rate = f64::from(rate);
        let steps = rate * 0.1 / BLOCK as f64;
        Self { filters: [head(rate), low_cut(rate)], blocks: (libm::round(steps) as u32).max(1) }
    }
}

fn head(rate: f64) -> Biquad {
    let (frequency, decibels, quality) =
        (1_681.974_450_955_533, 3.999_843_853_973_347, 0.707_175_236_955_419_6);
    let tangent = libm::tan(PI * frequency / rate);
    let high = libm::pow(10.0, decibels / 20.0);
    let band = libm::pow(high, 0.499_666_774_154_541_6);
    let (square, loss) = (tangent * tangent, tangent / quality);
    let all = 1.0 + loss + square;
    Biquad {
        inputs: [
            (high + band * loss + square) / all,
            2.0 * (square - high) / all,
            (high - band * loss + square) / all,
        ],
        outputs: [2.0 * (square - 1.0) / all, (1.0 - loss + square) / all],
    }
}

fn low_cut(rate: f64) -> Biquad {
    let (frequency, quality) = (38.135_470_876_024_44, 0.500_327_037_323_877_3);
    let tangent = libm::tan(PI * frequency / rate);
    let (square, loss) = (tangent * tangent, tangent / quality);
    let all = 1.0 + loss + square;
    Biquad {
        inputs: [1.0, -2.0, 1.0],
        outputs: [2.0 * (square - 1.0) / all, (1.0 - loss + square) / all],
    }
}

impl Biquad {
    #[inline]
    fn next(&self, state: &mut [f64; 2], input: f64) -> f64 {
        let output = self.inputs[0] * input + state[0];
        state[0] = self.inputs[1] * input - self.outputs[0] * output + state[1];
        state[1] = self.inputs[2] * input - self.outputs[1] * output;
        output
    }
}

impl Meter {
    pub(super) const SILENT: Self = Self {
        state: [[[[0.0; 2]; 2]; 2]; PAIRS_MAX],
        energies: [0.0; STEPS + 1],
        peaks: [0.0; STEPS + 1],
        blocks: 0,
    };

    /// Hears a block.
    pub(super) fn hear(&mut self, weighting: &Weighting, pairs: &[Stereo]) {
        let mut energy = 0.0;
        for ((pair, states), weights) in pairs.iter().zip(&mut self.state).zip(&WEIGHTS) {
            for ((samples, states), weight) in pair.channels.iter().zip(states).zip(weights) {
                let mut sum = 0.0;
                for sample in samples {
                    let first = weighting.filters[0].next(&mut states[0], f64::from(*sample));
                    let heard = weighting.filters[1].next(&mut states[1], first);
                    sum += heard * heard;
                }
                energy += sum * weight;
            }
        }
        self.energies[STEPS] += energy;
        self.peaks[STEPS] = self.peaks[STEPS].max(peak_of(pairs));
        self.blocks += 1;
        if self.blocks >= weighting.blocks {
            self.energies[STEPS] /= f64::from(self.blocks) * BLOCK as f64;
            self.energies.rotate_left(1);
            self.peaks.rotate_left(1);
            (self.energies[STEPS], self.peaks[STEPS], self.blocks) = (0.0, 0.0, 0);
        }
    }

    /// The highest sample of the last half second, without its sign.
    pub(super) fn peak(&self) -> f32 {
        self.peaks.iter().copied().fold(0.0, f32::max)
    }

    /// How loud the last 0.4 seconds were, in LUFS.
    pub(super) fn loudness(&self) -> f32 {
        let energy = self.energies[..STEPS].iter().sum::<f64>() / STEPS as f64;
        if energy <= 0.0 {
            return SILENCE;
        }
        ((-0.691 + 10.0 * libm::log10(energy)) as f32).max(SILENCE)
    }
}
