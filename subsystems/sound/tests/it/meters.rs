//! How loud buses are, against another meter, and volumes of buses in a file.

use std::io::Cursor;

use ebur128::{EbuR128, Mode};
use loligo_ids::IdString32;
use loligo_sound::{Bus, Mixer, MixerSettings, Play, WavFile, WavSamples, Wave};

use crate::memory::with_memory;
use crate::tones::{render, sine};

const MUSIC: IdString32 = IdString32::new("music");

#[test]
fn a_bus_is_as_loud_as_another_meter_says() {
    for (rate, period) in [(48_000, 48.0), (48_000, 480.0), (44_100, 9.0), (96_000, 1200.0)] {
        with_memory(|memory| {
            let settings = MixerSettings { rate, ..MixerSettings::default() };
            let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
            mixer.add_bus(&Bus { gain: 0.5, ..Bus::new(MUSIC) }).expect("there is memory");
            let wave = Wave::try_new(&sine(period, 2 * rate as usize), 1, rate, memory);
            let wave = mixer.add_wave(wave.expect("it is right")).expect("there is memory");
            let play = Play::new(wave).on(MUSIC).with_gains([0.8, 0.3]);
            mixer.play(&play).expect("there is a voice");
            let quiet = render(&mut mixer, 12_800);
            let bus = mixer.bus(MUSIC).expect("it is there");
            assert_eq!((bus.peak_held, bus.loudness), (0.0, -144.0), "nobody asks");
            assert!(quiet[1000..].iter().any(|frame| frame[0] > 0.1), "it is heard all the same");
            mixer.set_metered(true);
            let heard = render(&mut mixer, rate as usize * 3 / 4);
            let mut meter = EbuR128::new(2, rate, Mode::M).expect("such rates are known");
            meter.add_frames_f32(heard.as_flattened()).expect("there is memory");
            let wanted = meter.loudness_momentary().expect("it is long enough") as f32;
            let samples = heard.as_flattened().iter();
            let highest = samples.fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            for name in [MUSIC, IdString32::new("master")] {
                let bus = mixer.bus(name).expect("it is there");
                let off = (bus.loudness - wanted).abs();
                assert!(off < 0.1, "{rate} {period}: {} instead of {wanted}", bus.loudness);
                assert!((bus.peak_held - highest).abs() < 1e-4, "{period}: {}", bus.peak_held);
            }
            mixer.set_metered(false);
            assert_eq!(mixer.bus(MUSIC).map(|bus| bus.loudness), Some(-144.0), "it is over");
        });
    }
}

/// What a player's settings say is heard in a file, and no step in it is more than that of the tone.
#[test]
fn a_volume_of_a_bus_is_heard_without_a_click() {
    /// The frames of a piece, after each of which the volume is another.
    const PIECE: usize = 4800;
    with_memory(|memory| {
        let mut mixer = Mixer::try_new(&MixerSettings::default(), memory).expect("memory");
        mixer.add_bus(&Bus::new(MUSIC)).expect("there is memory");
        let tone = sine(960.0, 8 * PIECE);
        let wave = Wave::try_new(&tone, 1, 48_000, memory).expect("it is right");
        let wave = mixer.add_wave(wave).expect("there is memory");
        mixer.play(&Play::new(wave).on(MUSIC)).expect("there is a voice");
        let mut bytes = Cursor::new(Vec::new());
        let mut file =
            WavFile::<_, 2>::create(&mut bytes, 48_000, WavSamples::Float32).expect("it is memory");
        for gain in [1.0, 0.0, 0.5, 2.0, 0.0] {
            assert!(mixer.set_bus_gain(MUSIC, gain), "there is such a bus");
            file.render(&mut mixer, PIECE as u64).expect("it is memory");
        }
        file.finish().expect("it is memory");
        let mut reader = hound::WavReader::new(Cursor::new(bytes.into_inner())).expect("a file");
        let samples: Vec<f32> = reader.samples().map(|sample| sample.expect("whole")).collect();
        let left: Vec<f32> = samples.iter().step_by(2).copied().collect();
        let loudest = |piece: usize| {
            let last = &left[(piece + 1) * PIECE - 1000..(piece + 1) * PIECE];
            last.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()))
        };
        for (piece, wanted) in [0.5, 0.0, 0.25, 1.0, 0.0].into_iter().enumerate() {
            assert!((loudest(piece) - wanted).abs() < 1e-3, "{piece}: {}", loudest(piece));
        }
        // A sine of 50 hertz goes on by 0.0065 of its height, and a change within a block by 1 / 128 of it.
        let step = left.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(step < 0.03, "a click of {step}");
    });
}
