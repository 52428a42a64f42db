//! Prints what a voice costs: `cargo run --release -p loligo-sound --example voices`. Numbers are those of
//! voices, frames, rounds and the only row: `.. voices 64 4800 1 3` is short enough to count instructions.

use core::hint::black_box;
use std::time::Instant;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_sound::space::{OPEN, Placement};
use loligo_sound::{Mixer, MixerSettings, Play, Wave};

/// How a row is played: its speed, and where it is heard.
struct Kind {
    what: &'static str,
    speed: f32,
    channels: u32,
    placement: Placement,
}

fn kinds() -> [Kind; 6] {
    let plain = Placement {
        gains: [0.01, 0.02, 0.0, 0.0, 0.0, 0.0],
        delays: [0.0; 2],
        low_pass: [OPEN * 2.0; 2],
        speed: 1.0,
        listener: 0,
    };
    let kind = |what, speed, placement| Kind { what, speed, channels: 2, placement };
    let ears = Placement { delays: [0.0, 0.0004], low_pass: [OPEN * 2.0, 4000.0], ..plain };
    let around = Placement { gains: [0.01, 0.02, 0.01, 0.005, 0.0, 0.01], ..plain };
    [
        kind("at their own rate", 1.0, plain),
        kind("at 0.9 of their speed", 0.9, plain),
        kind("at 1.2 of their speed", 1.2, plain),
        kind("at 0.9, with a low-pass filter", 0.9, Placement { low_pass: [4000.0; 2], ..plain }),
        kind("at 0.9, for headphones", 0.9, ears),
        Kind { channels: 6, ..kind("at 0.9, on six channels", 0.9, around) },
    ]
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let number = |at: usize, other: usize| numbers.get(at).copied().unwrap_or(other).max(1);
    let (voices, frames, rounds) = (number(0, 256), number(1, 48_000), number(2, 5));
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("sound", &pages);
    println!("{voices} voices in a loop, nanoseconds a voice and frame");
    let only = numbers.get(3).copied();
    for taps in [8, 16] {
        for (row, kind) in kinds().into_iter().enumerate() {
            if only.is_some_and(|only| only != row || taps > 8) {
                continue;
            }
            let Kind { what, speed, channels, placement } = kind;
            let settings = MixerSettings { taps, channels, ..MixerSettings::default() };
            let mut mixer = Mixer::try_new(&settings, &heap)?;
            let noise: Vec<i16> = (0..24_000_u32).map(|at| (at * at % 1999) as i16).collect();
            let wave = Wave::try_new(&noise, 1, 48_000, &heap)?.with_loop(0, 24_000)?;
            let wave = mixer.add_wave(wave)?;
            for at in 0..voices {
                let speed = speed + at as f32 * 1e-5;
                let speed = if speed > 0.99 && speed < 1.01 { 1.0 } else { speed };
                let voice = mixer.play(&Play::new(wave).with_speed(speed).looped())?;
                mixer.place(voice, &Placement { speed, ..placement });
            }
            let mut out = vec![[0.0; 2]; frames];
            let mut least = f64::INFINITY;
            for _ in 0..rounds {
                let start = Instant::now();
                mixer.render(black_box(&mut out));
                least = least.min(start.elapsed().as_nanos() as f64);
            }
            let each = least / (voices * frames) as f64;
            println!("{taps:2} samples for one, {what:32} {each:6.2}");
        }
    }
    Ok(())
}
