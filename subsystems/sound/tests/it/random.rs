//! Random voices and changes: no click, nothing that is no number, nothing above the ceiling.

use loligo_ids::IdString32;
use loligo_sound::{
    Bus, Compression, Echo, Effect, FilterKind, Filtering, Limiting, Play, Reverberation, Send,
    gain_of,
};
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::tones::{mixer, render, sine, wave};

/// What is done between pieces.
#[derive(Clone, Debug)]
enum Step {
    Play { speed: f32, gains: [f32; 2], is_looped: bool, bus: usize },
    Gains { voice: usize, gains: [f32; 2] },
    Speed { voice: usize, speed: f32 },
    LowPass { voice: usize, hertz: f32 },
    Pause { voice: usize, is_paused: bool },
    Seek { voice: usize, frame: u32 },
    Stop { voice: usize, frames: u32 },
    Bus { bus: usize, gain: f32 },
    Render { frames: usize },
}

fn gains() -> impl Strategy<Value = [f32; 2]> {
    [0.0_f32..1.0, 0.0_f32..1.0]
}

fn step() -> impl Strategy<Value = Step> {
    let voice = || 0_usize..8;
    prop_oneof![
        1 => (0.0_f32..4.0, gains(), any::<bool>(), 0_usize..4)
            .prop_map(|(speed, gains, is_looped, bus)| Step::Play { speed, gains, is_looped, bus }),
        1 => (voice(), gains()).prop_map(|(voice, gains)| Step::Gains { voice, gains }),
        1 => (voice(), 0.0_f32..9.0).prop_map(|(voice, speed)| Step::Speed { voice, speed }),
        1 => (voice(), 10.0_f32..30_000.0).prop_map(|(voice, hertz)| Step::LowPass { voice, hertz }),
        1 => (voice(), any::<bool>()).prop_map(|(voice, is_paused)| Step::Pause { voice, is_paused }),
        1 => (voice(), 0_u32..5000).prop_map(|(voice, frame)| Step::Seek { voice, frame }),
        1 => (voice(), 0_u32..2000).prop_map(|(voice, frames)| Step::Stop { voice, frames }),
        1 => (0_usize..4, 0.0_f32..1.0).prop_map(|(bus, gain)| Step::Bus { bus, gain }),
        4 => (1_usize..700).prop_map(|frames| Step::Render { frames }),
    ]
}

const NAMES: [IdString32; 4] = [
    IdString32::new("master"),
    IdString32::new("room"),
    IdString32::new("effects"),
    IdString32::new("loud"),
];

fn limiter() -> Effect {
    Effect::Limiter(Limiting { ceiling: -3.0, ahead: 0.002, release: 0.05 })
}

/// Plays the steps, and returns what is heard.
fn play(steps: &[Step], effects: [&[Effect]; 3], samples: &[i16]) -> Vec<[f32; 2]> {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        for (at, effects) in effects.into_iter().enumerate() {
            let sends = [Send { into: NAMES[1], gain: 0.3 }];
            let sends = if at == 2 { &sends[..] } else { &[] };
            let bus = Bus::new(NAMES[at + 1]).with_effects(effects).with_sends(sends);
            mixer.add_bus(&bus).expect("it is right");
        }
        let end = samples.len() as u32;
        let wave = wave(samples, memory).with_loop(400, end).expect("it is within");
        let wave = mixer.add_wave(wave).expect("there is memory");
        let mut voices = Vec::new();
        let mut heard = Vec::new();
        for step in steps {
            let voice = |at: usize| voices.get(at % voices.len().max(1)).copied();
            match *step {
                Step::Play { speed, gains, is_looped, bus } => {
                    let play = Play { gains, is_looped, fade: 200, ..Play::new(wave) };
                    let play = play.with_speed(speed).on(NAMES[bus]);
                    voices.push(mixer.play(&play).expect("there is room"));
                }
                Step::Gains { voice: at, gains } => {
                    voice(at).map(|voice| mixer.set_gains(voice, gains));
                }
                Step::Speed { voice: at, speed } => {
                    voice(at).map(|voice| mixer.set_speed(voice, speed));
                }
                Step::LowPass { voice: at, hertz } => {
                    voice(at).map(|voice| mixer.set_low_pass(voice, hertz));
                }
                Step::Pause { voice: at, is_paused } => {
                    voice(at).map(|voice| mixer.set_paused(voice, is_paused));
                }
                Step::Seek { voice: at, frame } => {
                    voice(at).map(|voice| mixer.seek(voice, frame));
                }
                Step::Stop { voice: at, frames } => {
                    voice(at).map(|voice| mixer.stop(voice, frames));
                }
                Step::Bus { bus, gain } => {
                    assert!(mixer.set_bus_gain(NAMES[bus], gain), "it is there");
                }
                Step::Render { frames } => heard.extend(render(&mut mixer, frames)),
            }
        }
        heard
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_clicks(steps in proptest::collection::vec(step(), 1..60)) {
        // A constant: all that changes is what gains, fades and filters do, over a block at least.
        let heard = play(&steps, [&[], &[], &[]], &[8192; 6000]);
        let plays = steps.iter().filter(|step| matches!(step, Step::Play { .. })).count() as f32;
        // A voice ends where its wave does, which is a step of the wave's and not of the mixer's.
        let heard = if steps.iter().all(|step| !may_end(step)) { heard } else { Vec::new() };
        let most = plays * 0.25 * 1.3 * 3.0 / 128.0 + 1e-6;
        for pair in heard.windows(2) {
            for (before, after) in pair[0].iter().zip(pair[1]) {
                let jump = (after - before).abs();
                prop_assert!(jump <= most, "{jump} of {most}");
            }
        }
    }

    #[test]
    fn nothing_is_above_the_ceiling_or_no_number(
        steps in proptest::collection::vec(step(), 1..60),
        loud in 0.0_f32..40.0,
    ) {
        let room =
            Reverberation { seconds: 30.0, size: 0.1, damping: 0.0, wet: 1.0, dry: 1.0 };
        let echo = Echo { seconds: 0.003, feedback: 0.98, damping: 0.1, wet: 1.0, dry: 1.0 };
        let filtering = Filtering {
            kind: FilterKind::Peak,
            frequency: 900.0,
            quality: 20.0,
            decibels: loud,
        };
        let compression = Compression {
            threshold: -60.0,
            ratio: 2.0,
            knee: 10.0,
            attack: 0.1,
            release: 0.1,
            makeup: loud,
            listen: Some(NAMES[1]),
        };
        let effects: [&[Effect]; 3] = [
            &[Effect::Reverb(room), limiter()],
            &[Effect::Filter(filtering), Effect::Compressor(compression), limiter()],
            &[Effect::Echo(echo), limiter()],
        ];
        let heard = play(&steps, effects, &sine(53.0, 6000));
        // What is played on the master bus itself has no limiter: at most eight voices of half of full scale.
        let most = 3.3 * gain_of(-3.0) + 0.55 * steps.len() as f32;
        for sample in heard.as_flattened() {
            prop_assert!(sample.is_finite() && sample.abs() <= most, "{sample} of {most}");
        }
        prop_assert_eq!(&heard, &play(&steps, effects, &sine(53.0, 6000)), "the same again");
    }
}

/// Whether a step may have a voice reach the end of its wave.
fn may_end(step: &Step) -> bool {
    matches!(step, Step::Play { is_looped: false, .. } | Step::Seek { .. })
}
