//! The sample `50-harbour` is walked through by keys, and by the recording of that. What is heard is compared with
//! what was heard: levels of three bands on both sides, for each half second. `LOLIGO_WRITE=1` writes both.

use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_platform::{KeyCode, KeyInput, KeySymbol};
use loligo_resources::PreferenceOrder;

use crate::sound::Ears;
use crate::support::{Lines, compile_sample, options, sample};

const SAMPLE: &str = "50-harbour";

/// Where the player goes: out of the hall, onto the pier, to the beach. It rains from when the player is still in the
/// hall until they are on the pier.
const KEYS: [(usize, KeyCode, bool); 12] = [
    (4, KeyCode::KeyR, true),
    (6, KeyCode::KeyR, false),
    (120, KeyCode::KeyD, true),
    (360, KeyCode::KeyD, false),
    (360, KeyCode::KeyW, true),
    (620, KeyCode::KeyW, false),
    (640, KeyCode::KeyR, true),
    (642, KeyCode::KeyR, false),
    (770, KeyCode::KeyS, true),
    (890, KeyCode::KeyS, false),
    (890, KeyCode::KeyD, true),
    (1360, KeyCode::KeyD, false),
];

/// Until the walker has been on the beach for a second.
const FRAMES: usize = 1420;

/// The frames of a bar of music.
const BAR: usize = 150;

/// The frames of sound of half a second.
const HALF_SECOND: usize = 24_000;

/// Decibels by which a level may differ: what a machine's own sine and cosine make of where things are.
const ERROR: f32 = 0.5;

/// What is quieter is not heard.
const SILENCE: f32 = -90.0;

#[test]
fn the_harbour_is_heard_and_heard_again() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let (recording, walked) = walk(folder.path());
    let kept = sample(SAMPLE).join("played.recording");
    let levels_path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/harbour.txt");
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        fs::write(&kept, &recording).expect("the sample may be written");
        fs::write(&levels_path, table(&walked.heard)).expect("the folder may be written");
    }
    let kept = fs::read(&kept).expect("the sample has one");
    let replayed = replay(folder.path(), &kept);
    assert_eq!(walked.heard.len(), replayed.heard.len(), "both are as long");
    assert!(walked.heard == replayed.heard, "with other threads it sounds the same, to the bit");
    let wanted = fs::read_to_string(levels_path).expect("it is kept");
    compare(&wanted, &table(&walked.heard));
}

#[test]
fn who_comes_onto_the_pier_is_hailed_in_the_language_that_is_preferred() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let walk = |prefer: &str, keys: &[(usize, KeyCode, bool)]| {
        let log = Lines::default();
        let prefer = Some(PreferenceOrder::parse(prefer).expect("names"));
        let options = EngineOptions { prefer, ..options(folder.path(), &log) };
        with_engine(&options, |engine| {
            let mut ears = Ears::asking();
            for frame in 0..660 {
                for (_, code, is_pressed) in keys.iter().filter(|(at, ..)| *at == frame) {
                    press(engine, *code, *is_pressed);
                }
                engine.frame(&mut ears).expect("a frame");
            }
            assert_eq!(log.errors(), [""; 0]);
            ears.heard
        })
        .expect("it boots")
    };
    let mut keys = KEYS.to_vec();
    let [english, french] = ["", "fr"].map(|prefer| walk(prefer, &keys));
    keys.extend([(200, KeyCode::KeyL, true), (210, KeyCode::KeyL, false)]);
    let changed = walk("", &keys);
    assert!(changed == french, "the language changes while the game runs");
    let first = english.iter().zip(&french).position(|(english, french)| english != french);
    let second = first.expect("they differ") as f32 / 48_000.0;
    assert!((9.0..10.5).contains(&second), "the pier is reached: {second}");
    let differs = english.iter().zip(&french).map(|(a, b)| (a[0] - b[0]).abs()).fold(0.0, f32::max);
    assert!(differs > 0.05, "it is heard: {differs}");
}

/// Plays the keys; returns the recording of it, and what was heard.
fn walk(data: &Path) -> (Vec<u8>, Ears) {
    let log = Lines::default();
    let recorded = EngineOptions { is_recorded: true, ..options(data, &log) };
    with_engine(&recorded, |engine| {
        let mut ears = Ears::asking();
        for frame in 0..FRAMES {
            for (_, code, is_pressed) in KEYS.iter().filter(|(at, ..)| *at == frame) {
                press(engine, *code, *is_pressed);
            }
            engine.frame(&mut ears).expect("a frame");
        }
        check(&ears, &log);
        let recording = engine.recording().expect("there is memory").expect("it was recorded");
        (recording.to_vec(), ears)
    })
    .expect("it boots")
}

fn press(engine: &mut Engine<'_, '_>, code: KeyCode, is_pressed: bool) {
    let key = KeyInput { code, is_pressed, is_repeat: false, symbol: KeySymbol::NONE };
    engine.do_input(key).expect("there is memory");
}

/// Plays a recording with three threads, and returns what was heard.
fn replay(data: &Path, recording: &[u8]) -> Ears {
    let log = Lines::default();
    let options =
        EngineOptions { replay: Some(recording), threads: Some(3), ..options(data, &log) };
    with_engine(&options, |engine| {
        let mut ears = Ears::asking();
        while !engine.is_over() {
            engine.frame(&mut ears).expect("a frame");
        }
        let why = "LOLIGO_WRITE=1 cargo test -p loligo-engine harbour records it again";
        assert!(engine.replay_error().is_none(), "{:?}; {why}", engine.replay_error());
        assert_eq!(engine.replay_difference(), None, "{why}");
        check(&ears, &log);
        ears
    })
    .expect("it boots")
}

/// Checks what the player has heard.
fn check(ears: &Ears, log: &Lines) {
    assert_eq!(log.errors(), [""; 0], "nothing fails");
    let log = log.all();
    let music: Vec<_> = log.iter().filter(|line| line.contains("music: ")).collect();
    assert!(
        matches!(&music[..], [on, off] if on.contains("lively") && off.contains("calm")),
        "on the pier there is another section: {music:?}"
    );
    let loudest = ears.heard.iter().flatten().fold(0.0_f32, |most, sample| most.max(sample.abs()));
    assert!(loudest.is_finite() && (0.1..1.0).contains(&loudest), "{loudest}");
    // The section that begins has its first bar where the other would have had its next one.
    let bars: Vec<usize> = ears
        .events
        .iter()
        .filter(|event| event.contains("marker"))
        .map(|event| event.split(':').next().and_then(|at| at.parse().ok()).expect("a frame"))
        .collect();
    assert!(bars.len() > FRAMES / BAR, "{bars:?}");
    for pair in bars.windows(2) {
        let apart = pair[1] - pair[0];
        assert!(apart <= 2 || apart.abs_diff(BAR) <= 2, "a bar is {BAR} frames: {bars:?}");
    }
}

/// Returns the levels of what was heard: a line for each half second, low, mid and high on the left and the right.
fn table(heard: &[[f32; 2]]) -> String {
    // The filters of both sides: what is below 300 and below 3000 hertz.
    let factors =
        [300.0, 3000.0].map(|hertz: f32| 1.0 - (-core::f32::consts::TAU * hertz / 48_000.0).exp());
    let mut below = [[0.0_f32; 2]; 2];
    let mut text = String::new();
    for part in heard.chunks_exact(HALF_SECOND) {
        let mut power = [[0.0_f64; 3]; 2];
        for frame in part {
            for (side, sample) in frame.iter().enumerate() {
                let [low, mid] = &mut below[side];
                *low += factors[0] * (sample - *low);
                *mid += factors[1] * (sample - *mid);
                for (band, of) in [*low, *mid - *low, sample - *mid].into_iter().enumerate() {
                    power[side][band] += f64::from(of).powi(2);
                }
            }
        }
        for (at, power) in power.as_flattened().iter().enumerate() {
            let level = 10.0 * (power / HALF_SECOND as f64 + 1.0e-12).log10();
            let separator = if at == 5 { "\n" } else { " " };
            write!(text, "{level:.1}{separator}").expect("a string takes all");
        }
    }
    text
}

/// Compares levels with those that are kept.
fn compare(wanted: &str, found: &str) {
    assert_eq!(wanted.lines().count(), found.lines().count(), "both are as long");
    for (at, (wanted, found)) in wanted.lines().zip(found.lines()).enumerate() {
        let [wanted, found] = [wanted, found].map(|line| {
            let level = |text: &str| text.parse::<f32>().expect("a number").max(SILENCE);
            line.split(' ').map(level).collect::<Vec<_>>()
        });
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= ERROR;
        assert!(
            wanted.iter().zip(&found).all(is_near),
            "from second {} on: {found:?}, kept are {wanted:?}; LOLIGO_WRITE=1 keeps them",
            at as f32 / 2.0
        );
    }
}
