//! Samples at a speed: what is between the samples of a window.

use wide::f32x4;

use super::kernels::{Kernel, PHASES, place_of};
use crate::signal::Step;

/// Computes samples at a speed from a window of samples.
///
/// Sample 0 of `out` is at `fraction` after sample `taps / 2 - 1` of the window, the next one a step later.
/// Where the speed is 1 and nothing is between samples they are copied, so a sound at its own rate passes
/// unchanged.
///
/// # Panics
///
/// If the window is too short: see [`window_len`].
pub(crate) fn resample(
    window: &[f32],
    kernel: Kernel<'_>,
    fraction: u32,
    step: Step,
    out: &mut [f32],
) {
    let before = kernel.taps() / 2 - 1;
    if step == Step::ONE && fraction == 0 {
        out.copy_from_slice(&window[before..before + out.len()]);
        return;
    }
    match kernel.taps() {
        8 => sum_of::<8, 4>(window, kernel, fraction, step, out),
        12 => sum_of::<12, 6>(window, kernel, fraction, step, out),
        16 => sum_of::<16, 8>(window, kernel, fraction, step, out),
        _ => sum_of_any(window, kernel, fraction, step, out),
    }
}

/// The number of samples that a window must have.
pub(crate) fn window_len(taps: usize, fraction: u32, step: Step, frames: usize) -> usize {
    if frames == 0 {
        return 0;
    }
    let last = u64::from(fraction) + step.bits() * (frames as u64 - 1);
    (last >> 32) as usize + taps
}

/// With a number of weights that the compiler knows, and half of it.
fn sum_of<const TAPS: usize, const ROWS: usize>(
    window: &[f32],
    kernel: Kernel<'_>,
    fraction: u32,
    step: Step,
    out: &mut [f32],
) {
    let (places, _) = kernel.weights().as_chunks::<ROWS>();
    // The upper six bits of a fraction are always one of these places, so that is not checked.
    let places: &[[[f32; 4]; ROWS]; PHASES] =
        places.first_chunk().expect("a kernel has all places");
    let mut at = u64::from(fraction);
    let (fours, rest) = out.as_chunks_mut::<4>();
    for out in fours {
        let mut sums = [f32x4::ZERO; 4];
        for sum in &mut sums {
            *sum = products::<TAPS, ROWS>(window, places, at);
            at += step.bits();
        }
        // The four lanes of four sums are added up at once.
        let [x, y, z, w] = f32x4::transpose(sums);
        *out = ((x + z) + (y + w)).to_array();
    }
    for out in rest {
        *out = added(products::<TAPS, ROWS>(window, places, at));
        at += step.bits();
    }
}

/// The products of the samples around a place and their weights, added up in four lanes.
#[inline(always)]
fn products<const TAPS: usize, const ROWS: usize>(
    window: &[f32],
    places: &[[[f32; 4]; ROWS]; PHASES],
    at: u64,
) -> f32x4 {
    let (place, part) = place_of(at as u32);
    let (weights, samples) = (&places[place], &window[(at >> 32) as usize..][..TAPS]);
    let (mut sum, part) = (f32x4::ZERO, f32x4::splat(part));
    let (samples, _) = samples.as_chunks();
    for four in 0..TAPS / 4 {
        let [now, change] = [weights[four * 2], weights[four * 2 + 1]].map(f32x4::new);
        sum += (now + change * part) * f32x4::new(samples[four]);
    }
    sum
}

/// The sum of four lanes, in the order in which sums of four samples are added up.
#[inline(always)]
fn added(sum: f32x4) -> f32 {
    let [x, y, z, w] = sum.to_array();
    (x + z) + (y + w)
}

/// With any number of weights.
fn sum_of_any(window: &[f32], kernel: Kernel<'_>, fraction: u32, step: Step, out: &mut [f32]) {
    let taps = kernel.taps();
    let mut at = u64::from(fraction);
    for out in out {
        let (place, part) = place_of(at as u32);
        let weights = &kernel.weights()[place * taps / 2..][..taps / 2];
        let samples = &window[(at >> 32) as usize..][..taps];
        let (mut sum, part) = (f32x4::ZERO, f32x4::splat(part));
        let (samples, _) = samples.as_chunks();
        let (weights, _) = weights.as_chunks::<2>();
        for (samples, [now, change]) in samples.iter().zip(weights) {
            sum += (f32x4::new(*now) + f32x4::new(*change) * part) * f32x4::new(*samples);
        }
        *out = added(sum);
        at += step.bits();
    }
}
