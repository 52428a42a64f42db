//! Prints what a voice costs: `cargo run --release -p loligo-sound --example voices`.

use core::hint::black_box;
use std::time::Instant;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_sound::{Mixer, MixerSettings, Play, Wave};

const VOICES: usize = 256;
const FRAMES: usize = 48_000;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("sound", &pages);
    println!("{VOICES} voices in a loop, nanoseconds a voice and frame");
    for taps in [8, 16] {
        for (what, speed, low_pass) in [
            ("at their own rate", 1.0, 1e6),
            ("at 0.9 of their speed", 0.9, 1e6),
            ("at 1.2 of their speed", 1.2, 1e6),
            ("at 0.9, with a low-pass filter", 0.9, 4000.0),
        ] {
            let settings = MixerSettings { taps, ..MixerSettings::default() };
            let mut mixer = Mixer::try_new(&settings, &heap)?;
            let noise: Vec<i16> = (0..24_000_u32).map(|at| (at * at % 1999) as i16).collect();
            let wave = Wave::try_new(&noise, 1, 48_000, &heap)?.with_loop(0, 24_000)?;
            let wave = mixer.add_wave(wave)?;
            for at in 0..VOICES {
                let speed = speed + at as f32 * 1e-5;
                let speed = if speed > 0.99 && speed < 1.01 { 1.0 } else { speed };
                let play = Play::new(wave).with_speed(speed).with_gains([0.01, 0.02]).looped();
                let voice = mixer.play(&play)?;
                mixer.set_low_pass(voice, low_pass);
            }
            let mut out = vec![[0.0; 2]; FRAMES];
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let start = Instant::now();
                mixer.render(black_box(&mut out));
                least = least.min(start.elapsed().as_nanos() as f64);
            }
            let each = least / (VOICES * FRAMES) as f64;
            println!("{taps:2} samples for one, {what:32} {each:6.2}");
        }
    }
    Ok(())
}
