//! How exact a resampler is.

use loligo_sound::{MixerSettings, Play, Wave};

use super::tones::{distance_from_sine, left, loudness, sine};
use super::{RATE, voices};
use crate::memory::HEAP;
use crate::outcome::Reading;

/// Returns by how many decibels a sine of 1 kHz that is slower is above what is not a sine.
pub(crate) fn noise<const TAPS: usize>() -> Reading {
    const SPEED: f32 = 0.73;
    let cycles = 1000.0 / f64::from(RATE);
    let ours = ours(TAPS, cycles, SPEED);
    let figure = distance_from_sine(&ours, cycles * f64::from(SPEED));
    let theirs = theirs(cycles, SPEED)
        .map(|samples| distance_from_sine(&samples, cycles * f64::from(SPEED)));
    Reading::Alone { figures: vec![figure], note: theirs.map(note) }
}

/// Returns by how many decibels 18 kHz at twice the speed are above what is heard of them at 12 kHz.
pub(crate) fn alias<const TAPS: usize>() -> Reading {
    let cycles = 18_000.0 / f64::from(RATE);
    let below = |samples: &[f32]| 20.0 * (0.5 * 0.5_f64.sqrt() / loudness(samples)).log10();
    let figure = below(&ours(TAPS, cycles, 2.0));
    let theirs = theirs(cycles, 2.0).map(|samples| below(&samples));
    Reading::Alone { figures: vec![figure], note: theirs.map(note) }
}

fn note(decibels: f64) -> String {
    format!("rubato with 256 weights: {decibels:.1}")
}

/// Returns what our mixer makes of a sine, without its begin.
fn ours(taps: usize, cycles: f64, speed: f32) -> Vec<f32> {
    let mut mixer = voices::mixer(&MixerSettings { taps, ..MixerSettings::default() });
    let wave = Wave::try_new_in(&sine(1.0 / cycles, 40_000), 1, RATE, &HEAP).expect("it is right");
    let wave = mixer.add_wave(wave).expect("there is memory");
    mixer.play(&Play::new(wave).with_speed(speed)).expect("it plays");
    let mut out = vec![[0.0; 2]; 5000];
    mixer.render(&mut out);
    left(&out)[256..].to_vec()
}

/// Returns what rubato makes of it.
#[cfg(feature = "peers-all")]
fn theirs(cycles: f64, speed: f32) -> Option<Vec<f32>> {
    use rubato::audioadapter_buffers::direct::InterleavedSlice;
    use rubato::{Async, FixedAsync, Resampler as _, SincInterpolationParameters};

    let samples: Vec<f32> =
        sine(1.0 / cycles, 40_000).iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
    let terms = SincInterpolationParameters::default();
    let ratio = 1.0 / f64::from(speed);
    let mut resampler =
        Async::<f32>::new_sinc(ratio, 1.1, &terms, 1024, 1, FixedAsync::Input).ok()?;
    let input = InterleavedSlice::new(&samples, 1, samples.len()).ok()?;
    let out = resampler.process_all(&input, samples.len(), None).ok()?.take_data();
    let middle = out.len() / 2;
    Some(out[middle - 2000..middle + 2000].to_vec())
}

#[cfg(not(feature = "peers-all"))]
const fn theirs(_: f64, _: f32) -> Option<Vec<f32>> {
    None
}
