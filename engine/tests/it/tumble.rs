//! The sample `40-tumble` is played by keys, and by the recording of that: the car breaks into the tower, the
//! walker crosses the bridge. `LOLIGO_WRITE=1` records it again.

use std::fs;

use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_ids::id32;
use loligo_platform::{KeyCode, KeyInput, KeySymbol};

use crate::support::{Lines, compile_sample, options, place, sample};

const SAMPLE: &str = "40-tumble";

/// What the player does: at which frame, with which key, down or up.
const KEYS: [(usize, KeyCode, bool); 5] = [
    (10, KeyCode::ArrowUp, true),
    (12, KeyCode::KeyD, true),
    (330, KeyCode::ArrowUp, false),
    (430, KeyCode::Space, true),
    (432, KeyCode::Space, false),
];

/// Until the walker is on the other pillar.
const FRAMES: usize = 520;

/// Checks what the player has come to.
fn check(engine: &Engine<'_, '_>, log: &Lines) {
    let car = place(engine, id32!("car"));
    assert!(car.x > -8.0 && car.y < 1.5, "the car has driven: {car}");
    let reached = log.all().iter().any(|line| line.contains("the tower is hit"));
    assert!(reached, "the car has come to the tower: {car}");
    let walker = place(engine, id32!("walker"));
    assert!(walker.x > 5.2 && walker.y > 3.7, "the walker is on the other pillar: {walker}");
    let plank = place(engine, id32!("plank_5"));
    assert!((1.5..2.94).contains(&plank.y), "the bridge hangs: {plank}");
    assert_eq!(log.errors(), [""; 0], "nothing fails");
}

#[test]
fn the_tumble_is_played_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let log = Lines::default();
    let recorded = EngineOptions { is_recorded: true, ..options(folder.path(), &log) };
    let bytes = with_engine(&recorded, |engine| {
        for frame in 0..FRAMES {
            for (_, code, is_pressed) in KEYS.iter().filter(|(at, ..)| *at == frame) {
                let (code, is_pressed) = (*code, *is_pressed);
                let key = KeyInput { code, is_pressed, is_repeat: false, symbol: KeySymbol::NONE };
                engine.do_input(key).expect("there is memory");
            }
            engine.frame(&mut ()).expect("a frame");
        }
        check(engine, &log);
        engine.recording().expect("there is memory").expect("it was recorded").to_vec()
    })
    .expect("it boots");
    let kept = sample(SAMPLE).join("played.recording");
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        fs::write(&kept, &bytes).expect("the sample may be written");
    }
    let kept = fs::read(&kept).expect("the sample has one");
    let log = Lines::default();
    let options =
        EngineOptions { replay: Some(&kept), threads: Some(3), ..options(folder.path(), &log) };
    with_engine(&options, |engine| {
        while !engine.is_over() {
            engine.frame(&mut ()).expect("a frame");
        }
        let why = "LOLIGO_WRITE=1 cargo test -p loligo-engine tumble records it again";
        assert!(engine.replay_error().is_none(), "{:?}; {why}", engine.replay_error());
        assert_eq!(engine.replay_difference(), None, "{why}");
        check(engine, &log);
    })
    .expect("it boots");
}
