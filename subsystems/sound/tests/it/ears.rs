//! Voices at places: delays to the sample, without clicks, on two channels and on six.

use loligo_ids::IdString32;
use loligo_sound::space::{OPEN, Placement};
use loligo_sound::{
    BLOCK, Bus, Echo, Effect, FilterKind, Filtering, Limiting, Mixer, MixerSettings, Play,
    Reverberation, Send, gain_of,
};

use crate::memory::with_memory;
use crate::tones::{distance_from_sine, loudness, mixer, render, sine, wave};

const AT_ONCE: Placement = Placement {
    gains: [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    delays: [0.0; 2],
    low_pass: [OPEN * 2.0; 2],
    speed: 1.0,
    listener: 0,
};

fn later(frames: f32) -> Placement {
    Placement { delays: [0.0, frames / 48_000.0], ..AT_ONCE }
}

fn side(frames: &[[f32; 2]], side: usize) -> Vec<f32> {
    frames.iter().map(|frame| frame[side]).collect()
}

#[test]
fn a_delay_of_whole_frames_is_exact() {
    with_memory(|memory| {
        for (delay, wait) in [(1, 0), (31, 0), (20, 77), (128, 3), (300, 0)] {
            let mut mixer = mixer(memory);
            let id = mixer.add_wave(wave(&sine(37.3, 2000), memory)).expect("there is memory");
            let play = Play { wait, ..Play::new(id) };
            let voice = mixer.play(&play).expect("it plays");
            assert!(mixer.place(voice, &later(delay as f32)), "it plays");
            let heard = render(&mut mixer, 2600);
            let (left, right) = (side(&heard, 0), side(&heard, 1));
            assert_eq!(left[wait as usize + 10], f32::from(sine(37.3, 11)[10]) / 32_768.0);
            assert_eq!(right[delay..], left[..left.len() - delay], "{delay} frames later");
            assert!(right[..delay].iter().all(|sample| *sample == 0.0), "and silence before");
        }
    });
}

#[test]
fn a_delay_between_frames_is_a_delay_of_a_sine() {
    with_memory(|memory| {
        let settings = MixerSettings { taps: 16, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
        let id = mixer.add_wave(wave(&sine(48.0, 9000), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id).with_speed(1.3)).expect("it plays");
        mixer.place(voice, &Placement { speed: 1.3, ..later(17.25) });
        let right = side(&render(&mut mixer, 4000), 1);
        let sine =
            |at: usize| 0.5 * libm::sin(core::f64::consts::TAU * 1.3 * (at as f64 - 17.25) / 48.0);
        let worst =
            (100..4000).map(|at| (f64::from(right[at]) - sine(at)).abs()).fold(0.0, f64::max);
        assert!(worst < 3e-4, "it is off by {worst} at most");
    });
}

#[test]
fn delays_glide_without_clicks() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let samples = wave(&sine(200.0, 40_000), memory).with_loop(0, 40_000).expect("within");
        let id = mixer.add_wave(samples).expect("there is memory");
        let voice = mixer.play(&Play::new(id).looped()).expect("it plays");
        mixer.place(voice, &AT_ONCE);
        let mut right = Vec::new();
        // From ear to ear, and faster and slower, in each block.
        for block in 0..200_usize {
            let delay = [0.0, 31.0, 12.5, 3.0, 31.0, 0.0][block / 7 % 6];
            let placement = Placement {
                delays: [(31.0 - delay) / 48_000.0, delay / 48_000.0],
                speed: [1.0, 0.8, 1.25][block / 5 % 3],
                ..AT_ONCE
            };
            mixer.place(voice, &placement);
            right.extend(side(&render(&mut mixer, BLOCK), 1));
        }
        // A sine of half of full scale at 1.25 of its speed, and a sixteenth faster while a delay glides.
        let steepest = 0.5 * core::f32::consts::TAU / 200.0 * 1.25 * (1.0 + 1.0 / 16.0);
        let jump = right.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump < steepest * 1.01, "it moves by {jump} at most, and may by {steepest}");
        assert!(jump > steepest * 0.9, "and the test has power: {jump} of {steepest}");
    });
}

#[test]
fn sides_have_filters_that_differ() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&sine(6.0, 20_000), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        mixer.place(voice, &Placement { low_pass: [OPEN * 2.0, 800.0], ..later(25.0) });
        let heard = render(&mut mixer, 9000);
        let peak = |at: usize| 2.0_f64.sqrt() * loudness(&side(&heard[2000..], at));
        assert!((peak(0) - 0.5).abs() < 0.001, "the near ear: {}", peak(0));
        // One pole at 800 Hz, at 8 kHz: 0.0994 / |1 - 0.9006 e^(-i pi / 3)|.
        assert!((peak(1) - 0.5 * 0.1042).abs() < 0.001, "the far ear: {}", peak(1));
        let found = distance_from_sine(&side(&heard[2000..], 1), 1.0 / 6.0);
        assert!(found > 60.0, "and it is a sine: {found:.1} dB");
    });
}

#[test]
fn a_low_pass_filter_is_its_recurrence() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let samples = sine(23.7, 1500);
        let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
        let voice = mixer.play(&Play { wait: 3, ..Play::new(id) }).expect("it plays");
        let low_pass = [2000.0; 2];
        mixer.place(voice, &Placement { low_pass, ..AT_ONCE });
        let heard = side(&render(&mut mixer, 1503), 0);
        let share = 1.0 - libm::exp(-core::f64::consts::TAU * 2000.0 / 48_000.0);
        let mut state = 0.0;
        for (at, sample) in samples.iter().enumerate() {
            state += share * (f64::from(*sample) / 32_768.0 - state);
            let distance = (f64::from(heard[at + 3]) - state).abs();
            assert!(distance < 2e-6, "at {at}: off by {distance}");
        }
    });
}

fn surround(memory: &dyn loligo_allocators::Allocator) -> Mixer<'_> {
    let settings = MixerSettings { channels: 6, ..MixerSettings::default() };
    Mixer::try_new(&settings, memory).expect("there is memory")
}

#[test]
fn six_channels_have_their_gains() {
    with_memory(|memory| {
        let mut mixer = surround(memory);
        let id = mixer.add_wave(wave(&[8192; 4000], memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        let gains = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        mixer.place(voice, &Placement { gains, ..AT_ONCE });
        let mut heard = [[0.0; 6]; 300];
        mixer.render(&mut heard);
        assert_eq!(heard[0], gains.map(|gain| gain * 0.25), "from its first frame on");
        assert_eq!(heard[299], heard[0], "and then");
        mixer.place(voice, &Placement { gains: [0.0; 6], ..AT_ONCE });
        let mut after = [[0.0; 6]; 600];
        mixer.render(&mut after);
        for channel in 0..6 {
            let falls = after[84..].windows(2).all(|pair| pair[1][channel] <= pair[0][channel]);
            assert!(falls && after[599][channel] == 0.0, "channel {channel} falls to silence");
        }
    });
}

#[test]
fn stereo_in_six_channels_is_as_in_two() {
    with_memory(|memory| {
        let effects = [
            Effect::Filter(Filtering {
                kind: FilterKind::Peak,
                frequency: 900.0,
                quality: 2.0,
                decibels: 6.0,
            }),
            Effect::Echo(Echo { seconds: 0.01, feedback: 0.5, damping: 0.2, wet: 0.5, dry: 1.0 }),
            Effect::Reverb(Reverberation {
                seconds: 1.0,
                size: 0.3,
                damping: 0.2,
                wet: 0.3,
                dry: 1.0,
            }),
            Effect::Limiter(Limiting { ceiling: -6.0, ahead: 0.002, release: 0.1 }),
        ];
        let play = |channels| {
            let settings = MixerSettings { channels, ..MixerSettings::default() };
            let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
            let [room, bus] = ["room", "bus"].map(IdString32::new);
            mixer.add_bus(&Bus::new(room).with_effects(&effects[1..2])).expect("it is right");
            let sends = [Send { into: room, gain: 0.3 }];
            // Without the reverb, whose sound is at the back as well and so reaches the limiter.
            let own = [effects[0], effects[3]];
            let bus_of = Bus::new(bus).with_effects(&own).with_sends(&sends);
            mixer.add_bus(&bus_of).expect("it is right");
            let id = mixer.add_wave(wave(&sine(37.3, 9000), memory)).expect("there is memory");
            mixer.play(&Play::new(id).on(bus).with_speed(0.9)).expect("it plays");
            let mut out = [[0.0; 6]; 5000];
            mixer.render(&mut out);
            out
        };
        let (two, six) = (play(2), play(6));
        for (two, six) in two.iter().zip(six) {
            assert_eq!(*two, six, "left and right, and nothing else");
        }
        let mut mixer = surround(memory);
        let room = IdString32::new("room");
        mixer.add_bus(&Bus::new(room).with_effects(&effects[2..3])).expect("it is right");
        let id = mixer.add_wave(wave(&sine(37.3, 9000), memory)).expect("there is memory");
        mixer.play(&Play::new(id).on(room)).expect("it plays");
        let mut out = [[0.0; 6]; 9000];
        mixer.render(&mut out);
        let peak = |at: usize| out.iter().map(|frame| frame[at].abs()).fold(0.0_f32, f32::max);
        assert!(peak(4) > 0.01 && peak(5) > 0.01, "a room is heard at the back");
        assert_eq!((peak(2), peak(3)), (0.0, 0.0), "and not in the middle");
    });
}

#[test]
fn effects_change_without_clicks() {
    with_memory(|memory| {
        let filter = |decibels, frequency| {
            let kind = FilterKind::LowShelf;
            Effect::Filter(Filtering { kind, frequency, quality: 0.7, decibels })
        };
        let echo = |wet, feedback| {
            Effect::Echo(Echo { seconds: 0.01, feedback, damping: 0.2, wet, dry: 1.0 - wet })
        };
        let room = |wet, seconds| {
            Effect::Reverb(Reverberation { seconds, size: 0.3, damping: 0.2, wet, dry: 1.0 - wet })
        };
        let limiter = |ceiling| Effect::Limiter(Limiting { ceiling, ahead: 0.002, release: 0.05 });
        for (from, to) in [
            (filter(-12.0, 100.0), filter(6.0, 4000.0)),
            (echo(0.0, 0.1), echo(0.9, 0.7)),
            (room(0.0, 0.3), room(0.7, 2.0)),
            (limiter(-20.0), limiter(-3.0)),
            (limiter(-3.0), limiter(-20.0)),
        ] {
            let mut mixer = mixer(memory);
            let bus = IdString32::new("bus");
            mixer.add_bus(&Bus::new(bus).with_effects(&[from])).expect("it is right");
            let looped = wave(&sine(480.0, 4800), memory).with_loop(0, 4800).expect("within");
            let id = mixer.add_wave(looped).expect("there is memory");
            mixer.play(&Play::new(id).on(bus).looped()).expect("it plays");
            render(&mut mixer, 20_000);
            let steady = side(&render(&mut mixer, 4800), 0);
            let mut heard = steady.clone();
            for at in 0..40 {
                let effect = if at % 2 == 0 { to } else { from };
                mixer.set_effect(bus, 0, &effect).expect("it is right");
                heard.extend(side(&render(&mut mixer, 77 + at * 13), 0));
            }
            mixer.set_effect(bus, 0, &to).expect("it is right");
            render(&mut mixer, 30_000);
            let after = side(&render(&mut mixer, 4800), 0);
            let steepest = |samples: &[f32]| {
                samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
            };
            let peak = |samples: &[f32]| samples.iter().map(|at| at.abs()).fold(0.0_f32, f32::max);
            // By a line over a block from one to the other, and three times that where both curve.
            let (loudest, quietest) =
                (peak(&steady).max(peak(&after)), peak(&steady).min(peak(&after)));
            let most = steepest(&steady).max(steepest(&after))
                + 3.0 * (loudest - quietest).max(0.3) / BLOCK as f32;
            let found = steepest(&heard);
            assert!(found < most, "{from:?} to {to:?}: by {found}, and at most {most}");
            // And it is what a bus with the other effect from the begin is.
            let difference = peak(&steady) - peak(&after);
            assert!(difference.abs() > 0.01 || matches!(from, Effect::Reverb(_)), "it is heard");
        }
    });
}

#[test]
fn effects_that_need_other_memory_are_refused_by_field() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let bus = IdString32::new("bus");
        let echo = Echo { seconds: 0.01, feedback: 0.5, damping: 0.0, wet: 1.0, dry: 1.0 };
        let limiting = Limiting { ceiling: -3.0, ahead: 0.002, release: 0.05 };
        let effects = [Effect::Echo(echo), Effect::Limiter(limiting)];
        mixer.add_bus(&Bus::new(bus).with_effects(&effects)).expect("it is right");
        let mut set = |name, index, effect: Effect| {
            mixer.set_effect(name, index, &effect).map_err(|error| error.to_string())
        };
        let longer = Effect::Echo(Echo { seconds: 0.02, ..echo });
        let error = set(bus, 0, longer).expect_err("it has other memory");
        assert!(error.contains("`seconds` of effect 0 cannot change"), "{error}");
        let further = Effect::Limiter(Limiting { ahead: 0.004, ..limiting });
        assert!(set(bus, 1, further).expect_err("so has this").contains("`ahead` of effect 1"));
        assert!(set(bus, 1, effects[0]).expect_err("another").contains("`kind` of effect 1"));
        let wrong = Effect::Echo(Echo { wet: 2.0, ..echo });
        assert!(set(bus, 0, wrong).expect_err("too much").contains("`wet` of effect 0 must be"));
        assert!(set(bus, 2, effects[0]).expect_err("none").contains("it has no effect 2"));
        let other = IdString32::new("other");
        assert!(set(other, 0, effects[0]).expect_err("none").contains("there is none"));
        set(bus, 0, Effect::Echo(Echo { wet: 0.1, ..echo })).expect("it is as long");
    });
}

#[test]
fn sends_change_without_clicks() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let [room, bus] = ["room", "bus"].map(IdString32::new);
        mixer.add_bus(&Bus::new(room)).expect("it is right");
        let sends = [Send { into: room, gain: 0.0 }];
        mixer.add_bus(&Bus::new(bus).with_sends(&sends)).expect("it is right");
        let id = mixer.add_wave(wave(&[8192; 4000], memory)).expect("there is memory");
        mixer.play(&Play::new(id).on(bus)).expect("it plays");
        assert_eq!(side(&render(&mut mixer, BLOCK), 0), [0.25; BLOCK], "without the room");
        assert!(mixer.set_send(bus, room, gain_of(0.0)), "it sends there");
        assert!(!mixer.set_send(room, bus, 1.0), "and not back");
        let heard = side(&render(&mut mixer, 2 * BLOCK), 0);
        let jump = heard.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump <= 0.25 / BLOCK as f32 + 1e-6, "by a line: {jump}");
        assert_eq!(heard[BLOCK..], [0.5; BLOCK], "twice as loud after a block");
    });
}
