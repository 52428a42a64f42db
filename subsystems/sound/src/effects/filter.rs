//! Filters of second order.

use core::f32::consts::TAU;

use super::within;
use crate::block::Stereo;
use crate::level::gain_of;

/// What a filter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// Keeps what is below the frequency.
    LowPass,
    /// Keeps what is above the frequency.
    HighPass,
    /// Makes what is around the frequency louder or quieter.
    Peak,
    /// Makes what is below the frequency louder or quieter.
    LowShelf,
    /// Makes what is above the frequency louder or quieter.
    HighShelf,
}

/// All kinds of filters, for tools.
pub const FILTERS: [FilterKind; 5] = [
    FilterKind::LowPass,
    FilterKind::HighPass,
    FilterKind::Peak,
    FilterKind::LowShelf,
    FilterKind::HighShelf,
];

/// A filter, as data: an equaliser is several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filtering {
    /// What it does.
    pub kind: FilterKind,
    /// The frequency in hertz, from 10 to 20 000; less than half the rate is taken where that is lower.
    pub frequency: f32,
    /// How narrow it is, from 0.1 to 20; 0.707 has no peak.
    pub quality: f32,
    /// What a peak or shelf adds, in decibels, from -48 to 48.
    pub decibels: f32,
}

/// A filter at work: two numbers of state for each channel.
#[derive(Debug)]
pub(crate) struct Filter {
    input: [f32; 3],
    output: [f32; 2],
    state: [[f32; 2]; 2],
}

impl Filtering {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("frequency", self.frequency, [10.0, 20_000.0], "from 10 to 20000 hertz")?;
        within("quality", self.quality, [0.1, 20.0], "from 0.1 to 20")?;
        within("decibels", self.decibels, [-48.0, 48.0], "from -48 to 48")
    }
}

impl Filter {
    /// Returns a filter by the formulas of Robert Bristow-Johnson's cookbook.
    pub(crate) fn new(filtering: &Filtering, rate: f32) -> Self {
        let angle = TAU * filtering.frequency.min(rate * 0.49) / rate;
        let (sine, cosine) = (libm::sinf(angle), libm::cosf(angle));
        let alpha = sine / (2.0 * filtering.quality);
        let amplitude = gain_of(filtering.decibels * 0.5);
        let root = 2.0 * libm::sqrtf(amplitude) * alpha;
        let [up, down] = [amplitude + 1.0, amplitude - 1.0];
        let (input, output) = match filtering.kind {
            FilterKind::LowPass => {
                let side = (1.0 - cosine) * 0.5;
                ([side, 1.0 - cosine, side], [1.0 + alpha, -2.0 * cosine, 1.0 - alpha])
            }
            FilterKind::HighPass => {
                let side = (1.0 + cosine) * 0.5;
                ([side, -1.0 - cosine, side], [1.0 + alpha, -2.0 * cosine, 1.0 - alpha])
            }
            FilterKind::Peak => {
                let [more, less] = [alpha * amplitude, alpha / amplitude];
                let middle = -2.0 * cosine;
                ([1.0 + more, middle, 1.0 - more], [1.0 + less, middle, 1.0 - less])
            }
            FilterKind::LowShelf => (
                [
                    amplitude * (up - down * cosine + root),
                    2.0 * amplitude * (down - up * cosine),
                    amplitude * (up - down * cosine - root),
                ],
                [up + down * cosine + root, -2.0 * (down + up * cosine), up + down * cosine - root],
            ),
            FilterKind::HighShelf => (
                [
                    amplitude * (up + down * cosine + root),
                    -2.0 * amplitude * (down + up * cosine),
                    amplitude * (up + down * cosine - root),
                ],
                [up - down * cosine + root, 2.0 * (down - up * cosine), up - down * cosine - root],
            ),
        };
        Self {
            input: input.map(|number| number / output[0]),
            output: [output[1] / output[0], output[2] / output[0]],
            state: [[0.0; 2]; 2],
        }
    }

    /// The channels go side by side, so that one waits while the other is computed.
    pub(crate) fn process(&mut self, block: &mut Stereo) {
        let [b0, b1, b2] = self.input;
        let [a1, a2] = self.output;
        let [mut s, mut t] = self.state;
        let [left, right] = &mut block.channels;
        for (left, right) in left.iter_mut().zip(right) {
            let input = [*left, *right];
            let output = [0, 1].map(|at| b0 * input[at] + s[at]);
            s = [0, 1].map(|at| b1 * input[at] - a1 * output[at] + t[at]);
            t = [0, 1].map(|at| b2 * input[at] - a2 * output[at]);
            [*left, *right] = output;
        }
        self.state = [s, t].map(|state| state.map(without_denormal));
    }
}

/// Numbers that are too small to be heard take a hundred times as long to compute with.
pub(super) fn without_denormal(number: f32) -> f32 {
    if number.abs() < 1e-15 { 0.0 } else { number }
}
