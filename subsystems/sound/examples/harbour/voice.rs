//! A voice that hails, in two languages: a tone with the resonances of a mouth, which glide from vowel to vowel.

use core::f32::consts::TAU;

use crate::noise::{Filter, Noise};

/// The three lowest resonances of a mouth in hertz, of a man who calls.
type Vowel = [f32; 3];

const A: Vowel = [760.0, 1250.0, 2550.0];
const E: Vowel = [430.0, 1950.0, 2600.0];
const I: Vowel = [320.0, 2150.0, 2900.0];
const O: Vowel = [480.0, 850.0, 2450.0];

/// A piece of a word: where the mouth is at its end, the seconds until then, and how much of it is breath.
type Piece = (Vowel, f32, f32);

/// "Ahoy": it rises, and closes to an i.
pub(crate) fn ahoy(rate: u32) -> Vec<f32> {
    say(&[(A, 0.16, 0.1), (A, 0.07, 0.9), (O, 0.1, 0.1), (O, 0.26, 0.05), (I, 0.32, 0.05)], A, rate)
}

/// "Ohé": the same in French.
pub(crate) fn ohe(rate: u32) -> Vec<f32> {
    say(&[(O, 0.42, 0.05), (E, 0.12, 0.2), (E, 0.5, 0.05)], O, rate)
}

/// Says pieces, from a vowel on.
fn say(pieces: &[Piece], first: Vowel, rate: u32) -> Vec<f32> {
    let all: f32 = pieces.iter().map(|(_, seconds, _)| seconds).sum();
    let mut filters = [Filter::default(), Filter::default(), Filter::default()];
    let (mut phase, mut noise) = (0.0_f32, Noise::new(90));
    let (mut mouth, mut breath, mut samples) = (first, 0.1, Vec::new());
    for (vowel, seconds, breathes) in pieces {
        let frames = (seconds * rate as f32) as usize;
        let from = (mouth, breath);
        for at in 0..frames {
            let share = at as f32 / frames as f32;
            let share = share * share * (3.0 - 2.0 * share);
            mouth = core::array::from_fn(|of| from.0[of] + (vowel[of] - from.0[of]) * share);
            breath = from.1 + (breathes - from.1) * share;
            let time = samples.len() as f32 / rate as f32 / all;
            // It rises to its middle and falls, and trembles a little.
            let hertz =
                150.0 + 70.0 * (TAU * 0.5 * time).sin() + 3.0 * (TAU * 5.5 * time * all).sin();
            phase = (phase + hertz / rate as f32) % 1.0;
            // What vocal cords do: open slowly, close at once.
            let cords = if phase < 0.6 { (phase / 0.6).powi(2) } else { 0.0 } - 0.2;
            let source = cords * (1.0 - breath) + 0.4 * noise.sample() * breath;
            let loud = (time * 18.0).min(1.0) * ((1.0 - time) * 7.0).min(1.0);
            samples.push(loud * resonate(&mut filters, source, mouth, rate));
        }
    }
    samples
}

/// Returns what a mouth makes of a sample.
fn resonate(filters: &mut [Filter; 3], source: f32, mouth: Vowel, rate: u32) -> f32 {
    const LOUD: [f32; 3] = [1.0, 0.6, 0.35];
    let bands = filters.iter_mut().zip(mouth).zip(LOUD);
    let band = |((filter, hertz), loud): ((&mut Filter, f32), f32)| {
        // Ninety hertz wide, as resonances of a mouth are.
        let [_, band, _] = filter.pass(source, hertz, 90.0 / hertz, rate);
        band * 90.0 / hertz * loud
    };
    bands.map(band).sum()
}
