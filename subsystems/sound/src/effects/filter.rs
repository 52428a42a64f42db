//! Filters of second order.

use core::f32::consts::PI;

use super::within;
use crate::block::{BLOCK, PAIRS_MAX, Stereo};
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

/// A filter at work: two integrators for each channel, of which what is heard is a sum.
///
/// "Linear Trapezoidal Integrated State Variable Filter" (Andrew Simper, Cytomic, 2013) has the structure and
/// the weights. Its state is what was heard and not sums of weights, so the weights may change in each frame
/// without a click, and it is stable on the way.
#[derive(Debug)]
pub(crate) struct Filter {
    now: Weights,
    /// What its weights are at the end of the next block.
    to: Weights,
    rate: f32,
    state: [[[f32; 2]; 2]; PAIRS_MAX],
}

/// How fast the integrators go, how much they lose, and what of the input and of each is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weights {
    speed: f32,
    loss: f32,
    heard: [f32; 3],
}

impl Filtering {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("frequency", self.frequency, [10.0, 20_000.0], "from 10 to 20000 hertz")?;
        within("quality", self.quality, [0.1, 20.0], "from 0.1 to 20")?;
        within("decibels", self.decibels, [-48.0, 48.0], "from -48 to 48")
    }
}

impl Weights {
    fn new(filtering: &Filtering, rate: f32) -> Self {
        let tangent = libm::tanf(PI * filtering.frequency.min(rate * 0.49) / rate);
        let loss = 1.0 / filtering.quality;
        // The root of the gain of the part that is changed.
        let root = gain_of(filtering.decibels * 0.5);
        let whole = root * root;
        let (speed, loss, heard) = match filtering.kind {
            FilterKind::LowPass => (tangent, loss, [0.0, 0.0, 1.0]),
            FilterKind::HighPass => (tangent, loss, [1.0, -loss, -1.0]),
            FilterKind::Peak => {
                let loss = loss / root;
                (tangent, loss, [1.0, loss * (whole - 1.0), 0.0])
            }
            FilterKind::LowShelf => {
                let speed = tangent / libm::sqrtf(root);
                (speed, loss, [1.0, loss * (root - 1.0), whole - 1.0])
            }
            FilterKind::HighShelf => {
                let speed = tangent * libm::sqrtf(root);
                (speed, loss, [whole, loss * (1.0 - root) * root, 1.0 - whole])
            }
        };
        Self { speed, loss, heard }
    }

    /// Returns by how much they change in a frame to be others after a block.
    fn step_to(&self, to: &Self) -> Self {
        let step = |now: f32, to: f32| (to - now) * (1.0 / BLOCK as f32);
        Self {
            speed: step(self.speed, to.speed),
            loss: step(self.loss, to.loss),
            heard: [0, 1, 2].map(|at| step(self.heard[at], to.heard[at])),
        }
    }

    #[inline(always)]
    fn plus(&self, step: &Self) -> Self {
        Self {
            speed: self.speed + step.speed,
            loss: self.loss + step.loss,
            heard: [0, 1, 2].map(|at| self.heard[at] + step.heard[at]),
        }
    }

    /// What of the distance to the input each integrator gets.
    #[inline(always)]
    fn shares(&self) -> [f32; 3] {
        let first = 1.0 / (1.0 + self.speed * (self.speed + self.loss));
        [first, self.speed * first, self.speed * self.speed * first]
    }
}

impl Filter {
    pub(crate) fn new(filtering: &Filtering, rate: f32) -> Self {
        let now = Weights::new(filtering, rate);
        Self { now, to: now, rate, state: [[[0.0; 2]; 2]; PAIRS_MAX] }
    }

    /// Becomes another within a block, to which the weights go by lines.
    pub(crate) fn set(&mut self, filtering: &Filtering) {
        self.to = Weights::new(filtering, self.rate);
    }

    pub(crate) fn process(&mut self, block: &mut [Stereo]) {
        let step = self.now.step_to(&self.to);
        for (pair, state) in block.iter_mut().zip(&mut self.state) {
            if self.now == self.to {
                filter::<false>(pair, state, self.now, &step);
            } else {
                filter::<true>(pair, state, self.now, &step);
            }
            *state = state.map(|state| state.map(without_denormal));
        }
        self.now = self.to;
    }
}

/// The channels go side by side, so that one waits while the other is computed.
fn filter<const IS_GLIDING: bool>(
    pair: &mut Stereo,
    state: &mut [[f32; 2]; 2],
    mut weights: Weights,
    step: &Weights,
) {
    let [mut s, mut t] = *state;
    let mut shares = weights.shares();
    let [left, right] = &mut pair.channels;
    for (left, right) in left.iter_mut().zip(right) {
        if IS_GLIDING {
            weights = weights.plus(step);
            shares = weights.shares();
        }
        let input = [*left, *right];
        let [a, b, c] = shares;
        let distance = [0, 1].map(|at| input[at] - t[at]);
        let first = [0, 1].map(|at| a * s[at] + b * distance[at]);
        let second = [0, 1].map(|at| t[at] + b * s[at] + c * distance[at]);
        s = [0, 1].map(|at| 2.0 * first[at] - s[at]);
        t = [0, 1].map(|at| 2.0 * second[at] - t[at]);
        let [d, e, f] = weights.heard;
        [*left, *right] = [0, 1].map(|at| d * input[at] + e * first[at] + f * second[at]);
    }
    *state = [s, t];
}

/// Numbers that are too small to be heard take a hundred times as long to compute with.
pub(super) fn without_denormal(number: f32) -> f32 {
    if number.abs() < 1e-15 { 0.0 } else { number }
}
