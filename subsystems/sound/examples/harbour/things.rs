//! What things sound like: an engine, a bell, gulls, steps.

use core::f32::consts::TAU;

use crate::noise::{Filter, Noise};

/// A second of an engine that fires 24 times a second: its end leads to its begin.
pub(crate) fn engine(rate: u32) -> Vec<f32> {
    const STROKES: usize = 24;
    let frames = rate as usize;
    let mut samples = vec![0.0; frames];
    let mut noise = Noise::new(3);
    // Four cylinders, no two of them alike.
    let cylinders = [1.0, 0.82, 0.95, 0.74];
    for stroke in 0..STROKES {
        let loud = cylinders[stroke % cylinders.len()];
        for at in 0..frames / 6 {
            let time = at as f32 / rate as f32;
            let boom = (TAU * 62.0 * time).sin() * (-time * 24.0).exp();
            let knock = (TAU * 215.0 * time).sin() * (-time * 60.0).exp();
            let hiss = noise.sample() * (-time * 150.0).exp();
            let place = (stroke * frames / STROKES + at) % frames;
            samples[place] += loud * (boom + 0.45 * knock + 0.12 * hiss) * (time * 900.0).min(1.0);
        }
    }
    samples
}

/// A bell on a buoy, for two and a half seconds.
pub(crate) fn bell(rate: u32) -> Vec<f32> {
    // The partials of a bell, against its prime, with how loud they are and how soon they fade.
    const PARTIALS: [[f32; 3]; 7] = [
        [0.5, 0.5, 1.1],
        [1.0, 0.8, 1.7],
        [1.19, 0.6, 1.9],
        [1.5, 0.3, 2.6],
        [2.0, 0.7, 2.6],
        [2.74, 0.35, 4.5],
        [4.07, 0.25, 8.0],
    ];
    let frames = rate as usize * 5 / 2;
    let sample = |at: usize| {
        let time = at as f32 / rate as f32;
        let partial = |[ratio, loud, fade]: [f32; 3]| {
            (TAU * 523.0 * ratio * time).sin() * loud * (-time * fade).exp()
        };
        let ringing: f32 = PARTIALS.into_iter().map(partial).sum();
        ringing * (time * 700.0).min(1.0) * (1.0 - at as f32 / frames as f32)
    };
    (0..frames).map(sample).collect()
}

/// A gull: a cry that rises and falls, or one that falls twice.
pub(crate) fn gull(number: u32, rate: u32) -> Vec<f32> {
    let (seconds, cries) = if number == 1 { (0.8, 1) } else { (0.7, 2) };
    let frames = (seconds * rate as f32) as usize;
    let (mut phase, mut noise) = (0.0_f32, Noise::new(40 + number));
    let sample = |at: usize| {
        let time = (at * cries) as f32 / frames as f32 % 1.0;
        let hertz = 950.0 + 900.0 * (time * 2.6).min(1.0) - 780.0 * (time - 0.35).max(0.0);
        phase = (phase + hertz * (1.0 + 0.012 * noise.sample()) / rate as f32) % 1.0;
        // A voice with much above its tone, the less the quieter it is.
        let voice: f32 = (1..=6)
            .map(|harmonic| {
                let of = harmonic as f32;
                (TAU * phase * of).sin() / (1.0 + (of - 2.0).abs())
            })
            .sum();
        voice * (time * 14.0).min(1.0) * (1.0 - time).powf(0.7)
    };
    (0..frames).map(sample).collect()
}

/// A step on planks: they boom, and knock.
pub(crate) fn wood(number: u32, rate: u32) -> Vec<f32> {
    let mut noise = Noise::new(60 + number);
    let (boom, knock) = (noise.between(95.0, 125.0), noise.between(340.0, 460.0));
    step(rate, |time| {
        let hollow = (TAU * boom * time).sin() * (-time * 26.0).exp();
        let hard = (TAU * knock * time).sin() * (-time * 70.0).exp();
        hollow + 0.6 * hard + 0.25 * noise.sample() * (-time * 260.0).exp()
    })
}

/// A step on stone: a click of the heel, and the sole after it.
pub(crate) fn stone(number: u32, rate: u32) -> Vec<f32> {
    let (mut noise, mut filter) = (Noise::new(70 + number), Filter::default());
    let (hertz, late) = (noise.between(2200.0, 2900.0), noise.between(0.06, 0.08));
    step(rate, |time| {
        let [_, band, _] = filter.pass(noise.sample(), hertz, 0.7, rate);
        let sole = if time > late { 0.35 * (-(time - late) * 60.0).exp() } else { 0.0 };
        let thump = 0.5 * (TAU * 150.0 * time).sin() * (-time * 70.0).exp();
        band * ((-time * 130.0).exp() + sole) + thump
    })
}

/// A step on gravel: many small stones.
pub(crate) fn gravel(number: u32, rate: u32) -> Vec<f32> {
    let (mut noise, mut filter) = (Noise::new(80 + number), Filter::default());
    let stones: Vec<[f32; 2]> = (0..26)
        .map(|_| [noise.between(0.0, 0.45).powi(2), noise.between(0.2, 1.0).powi(2)])
        .collect();
    step(rate, |time| {
        let [_, band, high] = filter.pass(noise.sample(), 3400.0, 1.2, rate);
        let of = |[start, loud]: &[f32; 2]| {
            if time < *start { 0.0 } else { loud * (-(time - start) * 220.0).exp() }
        };
        let loud: f32 = stones.iter().map(of).sum();
        (band + 0.4 * high) * loud
    })
}

/// A quarter of a second that begins and ends in silence.
fn step(rate: u32, mut sample: impl FnMut(f32) -> f32) -> Vec<f32> {
    let frames = rate as usize / 4;
    let shaped = |at: usize| {
        let time = at as f32 / rate as f32;
        sample(time) * (time * 1500.0).min(1.0) * (1.0 - at as f32 / frames as f32).sqrt()
    };
    (0..frames).map(shaped).collect()
}
