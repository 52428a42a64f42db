//! Sound: voices, commands, places, and how exact a resampler is.

mod exactness;
mod peers;
mod random_run;
mod voices;

// What these measure is what the crate's own tests use.
#[expect(dead_code, reason = "its mixers are those of the crate's tests")]
#[path = "../../../subsystems/sound/tests/it/tones.rs"]
mod tones;

pub(crate) use exactness::{alias, noise};
pub(crate) use peers::{kira, rodio};
pub(crate) use random_run::worst_block;
pub(crate) use voices::{Kind, thousand, voices};

use core::hint::black_box;

use glam::Vec3;
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_ids::IdString32;
use loligo_sound::space::{
    Cone, DistanceCurve, Listener, Placement, Source, Sources, SpaceSettings, Speakers,
};
use loligo_sound::{
    BLOCK, Control, MixerSettings, PACKED_FRAMES, Packer, Parameter, Parameters, Pipe, Play,
    SoundParameters, packed_bytes, unpack,
};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;
use crate::outcome::Reading;

/// The frames a second of all mixers.
const RATE: u32 = 48_000;

/// Returns the time of commands that a mixer obeys in a block, and of the block without them.
pub(crate) fn command() -> [Contender; 2] {
    [1000, 0].map(|commands| {
        let settings = MixerSettings { voices: 8, ..MixerSettings::default() };
        let mut mixer = voices::mixer(&settings);
        let wave = voices::noise(&mut mixer);
        // Both ends stay for as long as the program, as those of a device do.
        let pipe = || &mut *Box::leak(Box::new(Pipe::try_new_in(1024, &HEAP).expect("memory")));
        let ((to, mut from), (mut said, heard)) = (pipe().split(), pipe().split());
        let mut control = Control::new_in(&settings, to, heard, &HEAP);
        let voice = control.play(&Play::new(wave).looped()).expect("it plays");
        let mut out = [[0.0; 2]; BLOCK];
        Contender::new("loligo", move || {
            let ns = clock::time(|| {
                for at in 0..commands {
                    control.set_gains(voice, [0.5, at as f32 * 1e-3]);
                }
                mixer.render_for(&mut from, &mut said, black_box(&mut out));
            });
            Pass { ns, operations: 1000 }
        })
    })
}

/// Returns the time in which a thousand sources are placed.
pub(crate) fn placing() -> Contender {
    let mut sources = Sources::new_in(&HEAP);
    for at in 0..1000_u32 {
        let number = |by: u32| (at.wrapping_mul(by) % 997) as f32 / 5.0 - 100.0;
        let source = Source {
            at: Vec3::new(number(37), number(59) * 0.1, number(101)),
            speed: Vec3::new(number(11) * 0.1, 0.0, number(23) * 0.1),
            cone: if at % 4 == 0 { Cone::new(60.0, 180.0, 0.2) } else { Cone::ALL },
            curve: at % 2,
            occlusion: (at % 3) as f32 * 0.5,
            ..Source::default()
        };
        sources.try_push(&source).expect("there is memory");
    }
    let curves = [
        DistanceCurve::Inverse { near: 1.0, far: 200.0, rolloff: 1.0 },
        DistanceCurve::Linear { near: 2.0, far: 120.0 },
    ];
    let listeners = [Listener::default(), Listener { at: Vec3::X * 50.0, ..Listener::default() }];
    let settings = SpaceSettings { speakers: Speakers::Ears, ..SpaceSettings::default() };
    let mut out = vec![Placement::SILENT; 1000];
    Contender::new("loligo", move || {
        const TIMES: u64 = 20;
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                sources.place(black_box(&listeners), &curves, &settings, &mut out);
                black_box(&out);
            }
        });
        Pass { ns, operations: TIMES }
    })
}

/// Returns the time of a packed sample.
pub(crate) fn unpacking() -> Contender {
    let samples = tones::sine(37.3, 2 * PACKED_FRAMES);
    let mut packed = vec![0; packed_bytes(2)];
    Packer::default().pack(&samples, 2, &mut packed);
    let mut out = vec![0_i16; 2 * PACKED_FRAMES];
    Contender::new("loligo", move || {
        const TIMES: u64 = 100;
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                assert!(unpack(black_box(&packed), 2, &mut out), "it is a block");
                black_box(&out);
            }
        });
        Pass { ns, operations: TIMES * out.len() as u64 }
    })
}

/// Returns the bytes of a sound with its parameters.
pub(crate) fn parameters() -> Reading {
    let half = |at: usize| if at % 2 == 1 { 0 } else { 4 };
    let mixed = bytes(|at| if at % 16 == 0 { 32 } else { half(at) });
    let article = bytes(|_| 32);
    let note = format!("{:.1} KiB in all; {:.1} with 32 each", mixed / 1024.0, article / 1024.0);
    Reading::Alone { figures: vec![mixed / 512.0], note: Some(note) }
}

/// Returns the bytes of 512 sounds, each with a number of parameters, all of which are set by name.
fn bytes(count: impl Fn(usize) -> u32) -> f64 {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("parameters", &pages);
    let before = heap.stats().granted;
    let mut parameters = Parameters::new(&heap);
    let mut sounds: Vec<SoundParameters> = (0..512).map(|_| SoundParameters::default()).collect();
    for frame in 0..3 {
        for (at, sound) in sounds.iter_mut().enumerate() {
            for name in 0..count(at) {
                let parameter = Parameter::number(IdString32::from_hash(1 + name), frame as f32);
                parameters.try_set(sound, parameter).expect("there is memory");
            }
        }
    }
    let bytes = heap.stats().granted - before + size_of_val(&sounds[..]);
    for sound in sounds {
        parameters.remove(sound);
    }
    bytes as f64
}
