//! Ten minutes in which all is by chance.

use core::hint::black_box;

use loligo_ids::IdString32;
use loligo_sound::space::{OPEN, Placement};
use loligo_sound::{
    BLOCK, Bus, Compression, Effect, FilterKind, Filtering, Limiting, MixerSettings, Play,
    Reverberation, Send, VoiceId,
};

use super::{RATE, voices};
use crate::clock;
use crate::memory::Heap;
use crate::outcome::Reading;
use crate::random::Random;

/// The voices that play at most.
const VOICES: usize = 200;

/// The blocks of ten minutes.
const BLOCKS: usize = 600 * RATE as usize / BLOCK;

const BUSES: [IdString32; 3] =
    [IdString32::new("room"), IdString32::new("steps"), IdString32::new("music")];

/// How often the ten minutes are played. Each block computes the same each time, and the least time is its own: a
/// machine that is a guest of another pauses now and then, and its clock of processor time does not.
const RUNS: usize = 2;

/// Returns the longest block of ten minutes as a part of the time that it plays.
pub(crate) fn worst_block() -> Reading {
    let mut times = run();
    for _ in 1..RUNS {
        for (time, other) in times.iter_mut().zip(run()) {
            *time = (*time).min(other);
        }
    }
    times.sort_unstable();
    let deadline = BLOCK as f64 * 1e9 / f64::from(RATE);
    let part = |at: usize| times[at] as f64 / deadline;
    let note = format!("median {:.3}, p99.9 {:.3}", part(BLOCKS / 2), part(BLOCKS - BLOCKS / 1000));
    Reading::Alone { figures: vec![part(BLOCKS - 1)], note: Some(note) }
}

/// Plays ten minutes, and returns the time of each block in nanoseconds.
fn run() -> Vec<u64> {
    let settings = MixerSettings { voices: VOICES as u32, ..MixerSettings::default() };
    let mut mixer = voices::mixer(&settings);
    add_buses(&mut mixer);
    let wave = voices::noise(&mut mixer);
    let mut random = Random::new(29);
    let mut playing: Vec<VoiceId> = Vec::new();
    let mut times = Vec::with_capacity(BLOCKS);
    let mut out = [[0.0; 2]; BLOCK];
    for _ in 0..BLOCKS {
        let ns = clock::time(|| {
            for _ in 0..random.below(8) {
                change(&mut mixer, &mut playing, wave, &mut random);
            }
            mixer.render(black_box(&mut out));
            mixer.take_events(|_| ());
        });
        times.push(ns);
    }
    times
}

/// A room, steps that are heard in it, and music that is limited.
fn add_buses(mixer: &mut loligo_sound::Mixer<'static, Heap>) {
    let [room, steps, music] = BUSES;
    let reverb = Reverberation { seconds: 2.0, size: 1.0, damping: 0.3, wet: 1.0, dry: 0.0 };
    let filter =
        Filtering { kind: FilterKind::LowShelf, frequency: 200.0, quality: 0.7, decibels: 3.0 };
    let compression = Compression {
        threshold: -20.0,
        ratio: 4.0,
        knee: 6.0,
        attack: 0.005,
        release: 0.2,
        makeup: 3.0,
        listen: None,
    };
    let limiter = Effect::Limiter(Limiting { ceiling: -1.0, ahead: 0.002, release: 0.05 });
    let sends = [Send { into: room, gain: 0.3 }];
    for bus in [
        Bus::new(room).with_effects(&[Effect::Reverb(reverb)]),
        Bus::new(steps).with_effects(&[Effect::Filter(filter)]).with_sends(&sends),
        Bus::new(music).with_effects(&[Effect::Compressor(compression), limiter]),
    ] {
        mixer.add_bus(&bus).expect("it is right");
    }
}

/// Does something by chance.
fn change(
    mixer: &mut loligo_sound::Mixer<'static, Heap>,
    playing: &mut Vec<VoiceId>,
    wave: loligo_sound::WaveId,
    random: &mut Random,
) {
    let part = |random: &mut Random| random.below(1000) as f32 * 1e-3;
    playing.retain(|voice| mixer.is_playing(*voice));
    let chosen = match playing.len() {
        0 => None,
        count => Some(playing[random.below(count as u32) as usize]),
    };
    match (random.below(4), chosen) {
        (0, Some(voice)) => _ = mixer.stop(voice, 4800),
        (1 | 2, Some(voice)) => {
            let placement = Placement {
                gains: [part(random) * 0.1, part(random) * 0.1, 0.0, 0.0, 0.0, 0.0],
                delays: [0.0, part(random) * 0.0006],
                low_pass: [OPEN * 2.0, 500.0 + part(random) * 20_000.0],
                speed: 0.5 + part(random) * 1.5,
                listener: 0,
            };
            mixer.place(voice, &placement);
        }
        _ if playing.len() < VOICES => {
            let bus = BUSES[random.below(3) as usize];
            let play = Play::new(wave).on(bus).with_speed(0.5 + part(random)).looped();
            playing.extend(mixer.play(&play.with_gains([0.02; 2])).ok());
        }
        _ => {}
    }
}
