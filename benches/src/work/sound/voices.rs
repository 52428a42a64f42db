//! Voices that are resampled and placed.

use core::hint::black_box;

use loligo_sound::space::{OPEN, Placement};
use loligo_sound::{BLOCK, Mixer, MixerSettings, Play, Wave, WaveId};

use super::RATE;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::outcome::Reading;

/// The voices of a row.
const VOICES: usize = 256;

/// What a voice has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A place between left and right.
    Plain,
    /// A low-pass filter as well.
    Filtered,
    /// A delay and a filter for each ear.
    Ears,
    /// Six channels.
    Surround,
}

/// Returns a mixer.
pub(super) fn mixer(settings: &MixerSettings) -> Mixer<'static, Heap> {
    Mixer::try_new_in(settings, &HEAP).expect("there is memory")
}

/// Adds half a second of noise that loops.
pub(super) fn noise(mixer: &mut Mixer<'static, Heap>) -> WaveId {
    let wave = Wave::try_new_in(&samples(), 1, RATE, &HEAP).expect("it is right");
    mixer.add_wave(wave.with_loop(0, 24_000).expect("it is within")).expect("there is memory")
}

pub(super) fn samples() -> Vec<i16> {
    (0..24_000_u32).map(|at| (at.wrapping_mul(at) % 1999) as i16).collect()
}

/// Returns a mixer with voices that play at about 0.9 of their speed.
fn playing(kind: Kind, voices: usize) -> Mixer<'static, Heap> {
    let channels = if kind == Kind::Surround { 6 } else { 2 };
    let mut mixer = mixer(&MixerSettings { channels, ..MixerSettings::default() });
    let wave = noise(&mut mixer);
    for at in 0..voices {
        let speed = 0.9 + at as f32 * 1e-5;
        let play = Play { from: at as u32 * 17, ..Play::new(wave).with_speed(speed).looped() };
        let voice = mixer.play(&play).expect("there is room");
        let mut placement = Placement {
            gains: [0.01, 0.02, 0.0, 0.0, 0.0, 0.0],
            delays: [0.0; 2],
            low_pass: [OPEN * 2.0; 2],
            speed,
            listener: 0,
        };
        match kind {
            Kind::Plain => {}
            Kind::Filtered => placement.low_pass = [4000.0; 2],
            Kind::Ears => {
                placement.delays[1] = 0.0004;
                placement.low_pass[1] = 4000.0;
            }
            Kind::Surround => placement.gains = [0.01, 0.02, 0.01, 0.005, 0.0, 0.01],
        }
        mixer.place(voice, &placement);
    }
    mixer
}

/// Returns the time of a voice and frame.
pub(crate) fn voices(kind: Kind) -> Contender {
    const BLOCKS: usize = 40;
    let mut mixer = playing(kind, VOICES);
    let mut out = vec![[0.0; 6]; BLOCK];
    let mut stereo = vec![[0.0; 2]; BLOCK];
    Contender::new("loligo", move || {
        let ns = clock::time(|| {
            for _ in 0..BLOCKS {
                match kind {
                    Kind::Surround => mixer.render(black_box(&mut out)),
                    _ => mixer.render(black_box(&mut stereo)),
                }
            }
        });
        Pass { ns, operations: (BLOCKS * BLOCK * VOICES) as u64 }
    })
}

/// Returns the part of a core that a thousand voices take.
pub(crate) fn thousand() -> Reading {
    let mut mixer = playing(Kind::Plain, 1000);
    let mut out = vec![[0.0; 2]; RATE as usize / 4];
    let quarter = 0.25e9;
    let figures =
        (0..6).map(|_| clock::time(|| mixer.render(black_box(&mut out))) as f64 / quarter);
    // The first warms up.
    Reading::Alone { figures: figures.skip(1).collect(), note: None }
}
