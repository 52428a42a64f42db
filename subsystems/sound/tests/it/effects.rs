//! Effects against what is known of them.

use core::f32::consts::FRAC_1_SQRT_2;

use loligo_ids::IdString32;
use loligo_sound::{
    Bus, Compression, Echo, Effect, FilterKind, Filtering, Limiting, Mixer, MixerSettings, Play,
    Reverberation, Send, decibels,
};

use crate::memory::{every_refusal, with_memory};
use crate::tones::{RATE, left, loudness, mixer, render, sine, wave};

const BUS: IdString32 = IdString32::new("bus");

/// Returns what is heard of samples through effects.
fn through(effects: &[Effect], samples: &[i16], frames: usize) -> Vec<f32> {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        mixer.add_bus(&Bus::new(BUS).with_effects(effects)).expect("they are right");
        let id = mixer.add_wave(wave(samples, memory)).expect("there is memory");
        mixer.play(&Play::new(id).on(BUS)).expect("it plays");
        left(&render(&mut mixer, frames))
    })
}

/// Returns by how many decibels a sine of a frequency is louder after an effect.
fn response(effect: Effect, hertz: f64) -> f64 {
    let samples = sine(f64::from(RATE) / hertz, 30_000);
    let [with, without] =
        [&[effect][..], &[]].map(|effects| loudness(&through(effects, &samples, 30_000)[10_000..]));
    20.0 * (with / without).log10()
}

#[test]
fn filters_have_the_response_of_their_formulas() {
    let filter = |kind, decibels| {
        Effect::Filter(Filtering { kind, frequency: 1000.0, quality: FRAC_1_SQRT_2, decibels })
    };
    for (kind, decibels, hertz, expected) in [
        // A filter of second order: half the power at its frequency, 12 decibels an octave far from it.
        (FilterKind::LowPass, 0.0, 1000.0, -3.01),
        (FilterKind::LowPass, 0.0, 100.0, 0.0),
        (FilterKind::LowPass, 0.0, 4000.0, -24.6),
        (FilterKind::HighPass, 0.0, 1000.0, -3.01),
        (FilterKind::HighPass, 0.0, 250.0, -24.1),
        (FilterKind::HighPass, 0.0, 8000.0, 0.0),
        (FilterKind::Peak, 9.0, 1000.0, 9.0),
        (FilterKind::Peak, -9.0, 1000.0, -9.0),
        (FilterKind::Peak, 9.0, 30.0, 0.0),
        (FilterKind::LowShelf, 6.0, 50.0, 6.0),
        (FilterKind::LowShelf, 6.0, 1000.0, 3.0),
        (FilterKind::LowShelf, 6.0, 12_000.0, 0.0),
        (FilterKind::HighShelf, -6.0, 50.0, 0.0),
        (FilterKind::HighShelf, -6.0, 1000.0, -3.0),
        (FilterKind::HighShelf, -6.0, 15_000.0, -6.0),
    ] {
        let found = response(filter(kind, decibels), hertz);
        let distance = (found - expected).abs();
        assert!(distance < 0.5, "{kind:?} of {decibels} dB at {hertz} Hz: {found:.2} dB");
    }
}

#[test]
fn a_compressor_has_the_curve_of_its_numbers() {
    let compression = Compression {
        threshold: -20.0,
        ratio: 4.0,
        knee: 0.0,
        attack: 0.001,
        release: 0.5,
        makeup: 3.0,
        listen: None,
    };
    // A constant, so that its level is the same in each piece.
    for (level, expected) in [(-30.0_f32, -27.0), (-20.0, -17.0), (-12.0, -15.0), (-4.0, -13.0)] {
        let sample = (32_768.0 * libm::exp10f(level / 20.0)) as i16;
        let heard = through(&[Effect::Compressor(compression)], &[sample; 9000], 9000);
        let found = decibels(heard[8000]);
        assert!((found - expected).abs() < 0.1, "{level} dB become {found:.2}, not {expected}");
    }
}

#[test]
fn a_compressor_listens_to_another_bus() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let [speech, music] = ["speech", "music"].map(IdString32::new);
        let ducking = Compression {
            threshold: -30.0,
            ratio: 10.0,
            knee: 6.0,
            attack: 0.002,
            release: 0.1,
            makeup: 0.0,
            listen: Some(speech),
        };
        mixer.add_bus(&Bus::new(speech)).expect("it is right");
        let effects = [Effect::Compressor(ducking)];
        mixer.add_bus(&Bus::new(music).with_effects(&effects)).expect("it is right");
        let id = mixer.add_wave(wave(&sine(40.0, 48_000), memory)).expect("there is memory");
        mixer.play(&Play::new(id).on(music)).expect("it plays");
        render(&mut mixer, 4800);
        let alone = mixer.bus(music).expect("it is there").peak;
        let said = Play::new(id).on(speech);
        let voice = mixer.play(&said).expect("it plays");
        render(&mut mixer, 9600);
        let ducked = mixer.bus(music).expect("it is there").peak;
        assert!(ducked < alone * 0.2, "from {alone} to {ducked}");
        mixer.stop(voice, 0);
        render(&mut mixer, 30_000);
        let after = mixer.bus(music).expect("it is there").peak;
        assert!((after - alone).abs() < 0.01, "from {alone} to {after} again");
    });
}

#[test]
fn a_limiter_holds_its_ceiling_and_leaves_what_is_below_it() {
    let limiter = Effect::Limiter(Limiting { ceiling: -12.0, ahead: 0.002, release: 0.05 });
    let ceiling = loligo_sound::gain_of(-12.0);
    // Quiet, then three bursts that are far too loud.
    let quiet: Vec<i16> = sine(40.0, 24_000).iter().map(|sample| sample / 4).collect();
    let mut samples = quiet.clone();
    for first in [9000, 9500, 15_000] {
        samples[first..first + 30].fill(32_000);
    }
    let heard = through(&[limiter], &samples, 24_000);
    let late = 96;
    let peak = heard.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    assert!(peak <= ceiling, "{peak} is above {ceiling}");
    assert!(peak > ceiling * 0.999, "{peak}: no more is taken than must be");
    let as_it_was = quiet[..8800].iter().map(|sample| f32::from(*sample) / 32_768.0);
    assert!(heard[late..].iter().zip(as_it_was).all(|(a, b)| *a == b), "quiet parts are unchanged");
    let jump = heard[late + 8990 - 96..late + 9000].windows(2);
    let jump = jump.map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(jump < 0.03, "its gain falls by a line before the burst, not by {jump}");
}

#[test]
fn an_echo_comes_when_it_was_said() {
    let echo = Echo { seconds: 0.01, feedback: 0.5, damping: 0.0, wet: 1.0, dry: 1.0 };
    let mut samples = [0; 100];
    samples[0] = 16_384;
    let heard = through(&[Effect::Echo(echo)], &samples, 2000);
    let found: Vec<(usize, f32)> =
        heard.iter().copied().enumerate().filter(|(_, sample)| *sample != 0.0).collect();
    assert_eq!(found, [(0, 0.5), (480, 0.5), (960, 0.25), (1440, 0.125), (1920, 0.0625)]);
}

#[test]
fn a_room_fades_by_60_decibels_in_its_time() {
    for seconds in [0.5, 1.5] {
        let room = Reverberation { seconds, size: 1.0, damping: 0.0, wet: 1.0, dry: 0.0 };
        // Noise, so that no line is missed.
        let mut state = 1_u32;
        let noise: Vec<i16> = (0..4800)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 18) as i16 - 8192
            })
            .collect();
        let frames = (48_000.0 * (seconds + 0.4)) as usize;
        let heard = through(&[Effect::Reverb(room)], &noise, frames);
        let level = |at: f32| {
            let first = (at * 48_000.0) as usize;
            20.0 * loudness(&heard[first..first + 4800]).log10()
        };
        let lost = level(0.15) - level(0.15 + seconds);
        assert!((lost - 60.0).abs() < 4.0, "{lost:.1} decibels in {seconds} seconds");
    }
}

#[test]
fn effects_without_memory_are_refused_and_leak_nothing() {
    let effects = [
        Effect::Reverb(Reverberation { seconds: 1.0, size: 0.1, damping: 0.1, wet: 0.5, dry: 0.5 }),
        Effect::Echo(Echo { seconds: 0.01, feedback: 0.5, damping: 0.0, wet: 1.0, dry: 1.0 }),
        Effect::Limiter(Limiting { ceiling: -12.0, ahead: 0.002, release: 0.05 }),
    ];
    let refused = every_refusal(|memory| {
        let settings = MixerSettings { voices: 1, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).map_err(|error| error.to_string())?;
        let sends = [Send { into: Mixer::<dyn loligo_allocators::Allocator>::MASTER, gain: 0.1 }];
        let bus = Bus::new(BUS).with_effects(&effects).with_sends(&sends);
        let added = mixer.add_bus(&bus).map_err(|error| error.to_string());
        assert_eq!(mixer.buses().count(), 1 + usize::from(added.is_ok()), "all of it or nothing");
        added
    });
    assert!(refused > 20, "{refused} refusals");
}
