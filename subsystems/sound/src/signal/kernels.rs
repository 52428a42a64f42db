//! The weights by which samples between samples are computed.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// The places between two samples for which weights are stored; those between are interpolated.
pub(crate) const PHASES: usize = 64;

/// The least and most weights of a kernel at speeds up to 1.
const TAPS: [usize; 2] = [8, 32];

/// The speeds up to which each table is for. A faster sound is filtered more, so that what would be above
/// half the rate is not heard as something else.
const SPEEDS: [f32; 7] = [1.0, 1.25, 1.5, 2.0, 3.0, 4.0, SPEED_MAX];

/// The fastest that a sound is played.
pub const SPEED_MAX: f32 = 8.0;

/// The weights of sounds that are played at other speeds or have other rates than the mixer.
///
/// A sample between samples is a sum of the samples around it, each times a weight: a sinc in a window of
/// Kaiser. For each of 64 places there are weights and how they change up to the next place.
///
/// # Memory
///
/// 84 KiB with eight weights, twice that with sixteen; the tables for speeds up to 1 are 4 KiB of it, which
/// stay in the first cache.
pub struct Kernels<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    weights: Array<'a, [f32; 4], A>,
    tables: [KernelPlace; SPEEDS.len()],
}

/// Where the table of a speed is.
#[derive(Clone, Copy, Debug, Default)]
struct KernelPlace {
    first: usize,
    taps: usize,
}

/// The weights for a range of speeds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel<'k> {
    weights: &'k [[f32; 4]],
    taps: usize,
}

impl<'a> Kernels<'a> {
    /// Returns the weights, `taps` for each sample at speeds up to 1: eight are fast, sixteen keep more of
    /// what is high. The number is brought to a multiple of four from 8 to 32.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(taps: usize, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(taps, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Kernels<'a, A> {
    /// As [`try_new`](Kernels::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new_in(taps: usize, memory: &'a A) -> Result<Self, GrowError> {
        let taps = taps.clamp(TAPS[0], TAPS[1]).next_multiple_of(4);
        let mut weights = Array::new_in(memory);
        let mut tables = [KernelPlace::default(); SPEEDS.len()];
        for (table, speed) in tables.iter_mut().zip(SPEEDS) {
            // As many samples of the slower sound as there would be of a sound of normal speed.
            let taps = libm::ceilf(taps as f32 * speed * 0.25) as usize * 4;
            *table = KernelPlace { first: weights.len(), taps };
            push_table(&mut weights, taps, speed)?;
        }
        Ok(Self { weights, tables })
    }

    /// Returns the weights for a speed.
    pub(crate) fn at(&self, speed: f32) -> Kernel<'_> {
        let index = SPEEDS.iter().position(|most| speed <= *most).unwrap_or(SPEEDS.len() - 1);
        let KernelPlace { first, taps } = self.tables[index];
        Kernel { weights: &self.weights[first..first + PHASES * taps / 2], taps }
    }

    /// The most samples that are read for one.
    pub(crate) fn taps_max(&self) -> usize {
        self.tables.iter().map(|table| table.taps).max().unwrap_or(0)
    }
}

impl<'k> Kernel<'k> {
    /// The number of samples that are read for one: half of them before it.
    pub(crate) const fn taps(&self) -> usize {
        self.taps
    }

    /// For each place: four weights, four changes of them, the next four weights.
    pub(crate) const fn weights(&self) -> &'k [[f32; 4]] {
        self.weights
    }
}

/// Returns the place before a fraction of a sample, and how far the fraction is to the next place.
#[inline(always)]
pub(crate) fn place_of(fraction: u32) -> (usize, f32) {
    const BITS: u32 = PHASES.ilog2();
    // The upper 23 bits of the rest, as a number from 1 to 2.
    let part = (fraction << BITS) >> 9 | 1.0_f32.to_bits();
    ((fraction >> (u32::BITS - BITS)) as usize, f32::from_bits(part) - 1.0)
}

/// Pushes the weights of all places for one range of speeds.
fn push_table<A: Allocator + ?Sized>(
    weights: &mut Array<'_, [f32; 4], A>,
    taps: usize,
    speed: f32,
) -> Result<(), GrowError> {
    weights.try_reserve(PHASES * taps / 2)?;
    for place in 0..PHASES {
        let sums = [place, place + 1].map(|place| sum(taps, place, speed));
        for first in (0..taps).step_by(4) {
            let four = |place: usize, sum: f64| {
                [0, 1, 2, 3].map(|lane| weight(taps, place, first + lane, speed) / sum)
            };
            let [now, next] = [four(place, sums[0]), four(place + 1, sums[1])];
            weights.try_push(now.map(|weight| weight as f32))?;
            weights.try_push([0, 1, 2, 3].map(|lane| (next[lane] - now[lane]) as f32))?;
        }
    }
    Ok(())
}

/// What the weights of a place sum up to; divided by it, a constant signal stays as it is.
fn sum(taps: usize, place: usize, speed: f32) -> f64 {
    (0..taps).map(|tap| weight(taps, place, tap, speed)).sum()
}

/// Returns the weight of sample `tap` for a place after the middle.
fn weight(taps: usize, place: usize, tap: usize, speed: f32) -> f64 {
    let half = taps as f64 / 2.0;
    // How steep the window is: a lower one passes more of what is high, a higher one less of what is not
    // there. Eight weights are too few to have both.
    let beta = (5.0 + 0.1875 * taps as f64).min(9.0);
    let distance = tap as f64 - (half - 1.0) - place as f64 / PHASES as f64;
    let inside = 1.0 - (distance / half) * (distance / half);
    if inside <= 0.0 {
        return 0.0;
    }
    // What is just below half the rate is given up for what would be mirrored there.
    let cutoff = if speed > 1.0 { 0.94 / f64::from(speed) } else { 1.0 };
    let at = core::f64::consts::PI * distance * cutoff;
    let sinc = if libm::fabs(at) < 1e-9 { 1.0 } else { libm::sin(at) / at };
    sinc * bessel(beta * libm::sqrt(inside)) / bessel(beta)
}

/// The modified Bessel function of order zero, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for at in 1..40 {
        let factor = x / (2.0 * f64::from(at));
        term *= factor * factor;
        sum += term;
    }
    sum
}

impl<A: Allocator + ?Sized> fmt::Debug for Kernels<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernels").field("tables", &self.tables).finish_non_exhaustive()
    }
}
