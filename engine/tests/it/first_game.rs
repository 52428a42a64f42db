//! The sample `20-first-game` is played to its end, by a player who looks at the world, and by the
//! recording of one. `LOLIGO_WRITE=1` records that again.

use std::fs;
use std::path::{Path, PathBuf};

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{GameData, Platform};
use loligo_engine::{Engine, EngineOptions, SaveName, SaveRequest, World, with_engine};
use loligo_ids::id32;
use loligo_platform::{KeyCode, KeyInput, KeySymbol};

use crate::support::{Lines, compile_sample, options, sample};

const SAMPLE: &str = "20-first-game";

fn recording() -> PathBuf {
    sample(SAMPLE).join("played.recording")
}

/// More frames than any player needs.
const FRAMES_MAX: usize = 3000;

fn key(code: KeyCode, is_pressed: bool) -> KeyInput {
    KeyInput { code, is_pressed, is_repeat: false, symbol: KeySymbol::NONE }
}

/// How far the first target is to the right of the hero.
fn aim(world: &World<'_>) -> Option<f32> {
    let x = |entity| world.transforms().pose(entity).map(|pose| pose.position.x);
    let target = *world.tags().entities(id32!("target")).first()?;
    Some(x(target)? - x(world.find(id32!("hero"))?)?)
}

/// Plays until all is over: goes to where the first target is, and fires.
fn play(engine: &mut Engine<'_, '_>, is_over: impl Fn() -> bool) {
    let mut held: Option<KeyCode> = None;
    for frame in 0..FRAMES_MAX {
        if is_over() {
            return;
        }
        let wanted = match aim(engine.world()) {
            Some(x) if x > 0.2 => Some(KeyCode::KeyD),
            Some(x) if x < -0.2 => Some(KeyCode::ArrowLeft),
            Some(_) => Some(KeyCode::Space),
            None => None,
        };
        if wanted != held {
            for (code, is_pressed) in [(held, false), (wanted, true)] {
                if let Some(code) = code {
                    engine.do_input(key(code, is_pressed)).expect("there is memory");
                }
            }
            held = wanted;
        }
        engine.frame(&mut ()).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }
    panic!("the targets are still there");
}

#[test]
fn the_first_game_is_played_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let log = Lines::default();
    let options = EngineOptions { is_recorded: true, ..options(folder.path(), &log) };
    let bytes = with_engine(&options, |engine| {
        play(engine, || log.all().iter().any(|line| line.contains("all targets are gone")));
        engine.recording().expect("there is memory").expect("it was recorded").to_vec()
    });
    let said = log.all();
    let has = |text: &str| said.iter().any(|line| line.contains(text));
    assert!(has("level 1: 3 targets") && has("level 2: 5 targets"), "{said:#?}");
    assert_eq!(log.errors(), [""; 0]);
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        fs::write(recording(), bytes.expect("it boots")).expect("the sample may be written");
    }
}

#[test]
fn the_recorded_player_comes_to_the_same_end() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let bytes = fs::read(recording()).expect("the sample has one");
    for threads in [1, 3] {
        let log = Lines::default();
        let options = EngineOptions {
            replay: Some(&bytes),
            threads: Some(threads),
            ..options(folder.path(), &log)
        };
        with_engine(&options, |engine| {
            while !engine.is_over() {
                engine.frame(&mut ()).expect("a frame");
            }
            let why = "LOLIGO_WRITE=1 cargo test -p loligo-engine first_game records it again";
            assert!(engine.replay_error().is_none(), "{:?}; {why}", engine.replay_error());
            assert_eq!(engine.replay_difference(), None, "{why}");
            assert_eq!(engine.world().tags().entities(id32!("target")).len(), 0);
        })
        .expect("it boots");
        assert!(log.all().iter().any(|line| line.contains("all targets are gone")));
    }
}

/// Compiles the sample, and puts what came of it into bundles; the files are gone then.
pub(crate) fn bundle(folder: &Path) {
    let (data, shipped) = (folder.join("data"), folder.join("shipped"));
    compile_sample(SAMPLE, &data);
    ship(&data, &shipped);
    fs::remove_dir_all(data).expect("it was made");
}

/// Puts what was compiled into bundles.
pub(crate) fn ship(data: &Path, shipped: &Path) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("bundles", &pages);
    let loose = GameData::open(data, Platform::here(), &heap).expect("it was compiled");
    let written = loose.build(shipped, &heap).expect("the folder may be written");
    assert!(!written.is_empty(), "one at the least");
}

#[test]
fn the_recorded_player_comes_to_the_same_end_from_bundles_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    bundle(folder.path());
    let data = folder.path().join("shipped");
    let bytes = fs::read(recording()).expect("the sample has one");
    for threads in [1, 3] {
        let log = Lines::default();
        let options =
            EngineOptions { replay: Some(&bytes), threads: Some(threads), ..options(&data, &log) };
        with_engine(&options, |engine| {
            while !engine.is_over() {
                engine.frame(&mut ()).expect("a frame");
            }
            assert!(engine.replay_error().is_none(), "{:?}", engine.replay_error());
            assert_eq!(engine.replay_difference(), None, "as from loose files");
        })
        .expect("it boots");
        assert!(log.all().iter().any(|line| line.contains("all targets are gone")));
    }
    let log = Lines::default();
    let options =
        EngineOptions { background_loading: Some(true), threads: Some(3), ..options(&data, &log) };
    with_engine(&options, |engine| {
        play(engine, || log.all().iter().any(|line| line.contains("all targets are gone")));
    })
    .expect("it boots");
    assert_eq!(log.errors(), [""; 0]);
}

#[test]
fn a_bundle_that_is_damaged_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    bundle(folder.path());
    let (data, log) = (folder.path().join("shipped"), Lines::default());
    let path = data.join("game.bundle");
    let mut bytes = fs::read(&path).expect("it was written");
    let index = bytes[48..].first_chunk().copied().map_or(0, u64::from_ne_bytes);
    bytes[(128 + index as usize).next_multiple_of(4096)] ^= 1;
    fs::write(&path, &bytes).expect("the folder may be written");
    let error = with_engine(&options(&data, &log), |_| ()).expect_err("settings are in the first");
    let text = error.to_string();
    assert!(text.contains("bundle `game.bundle`: block "), "{text}");
    fs::write(&path, &bytes[..50]).expect("the folder may be written");
    let error = with_engine(&options(&data, &log), |_| ()).expect_err("it was cut");
    let text = error.to_string();
    assert!(text.contains("bundle `game.bundle`: it was cut: it has 50 bytes"), "{text}");
}

#[test]
fn the_first_game_is_saved_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(SAMPLE, folder.path());
    let log = Lines::default();
    let name = SaveName::new("targets").expect("it is a name");
    with_engine(&options(folder.path(), &log), |engine| {
        let said = |text: &str| log.all().iter().any(|line| line.contains(text));
        let hold = |engine: &mut Engine<'_, '_>, code, is_pressed| {
            engine.do_input(key(code, is_pressed)).expect("there is memory");
        };
        let run = |engine: &mut Engine<'_, '_>, frames: usize| -> Vec<Vec<_>> {
            (0..frames)
                .map(|_| {
                    engine.frame(&mut ()).expect("a frame");
                    engine.state_hashes().collect()
                })
                .collect()
        };
        // In the second level, with bullets in the air.
        play(engine, || said("level 2: 5 targets"));
        for code in [KeyCode::KeyD, KeyCode::ArrowLeft] {
            hold(engine, code, false);
        }
        hold(engine, KeyCode::Space, true);
        run(engine, 40);
        hold(engine, KeyCode::Space, false);
        let press = |engine: &mut Engine<'_, '_>, code| {
            hold(engine, code, true);
            hold(engine, code, false);
            run(engine, 1);
        };
        press(engine, KeyCode::F5);
        assert_eq!(engine.take_save_request(), Some(SaveRequest::Save(name)));
        let entities = engine.world().entities().len();
        assert!(entities > 4 + 1, "bullets are in the air: {entities} entities");
        let bytes = engine.save().expect("there is memory");
        // A load releases all keys, so they are pressed after it.
        hold(engine, KeyCode::Space, true);
        let then = run(engine, 120);
        hold(engine, KeyCode::Space, false);
        press(engine, KeyCode::F9);
        assert_eq!(engine.take_save_request(), Some(SaveRequest::Load(name)));
        engine.load(&bytes).expect("it was saved");
        assert!(said("on with level 2: "), "{:#?}", log.all());
        assert_eq!(engine.world().entities().len(), entities);
        hold(engine, KeyCode::Space, true);
        let again = run(engine, 120);
        let differs = then.iter().zip(&again).position(|(old, new)| old != new);
        let which = differs.map(|at| (at, &then[at], &again[at]));
        assert!(which.is_none(), "the same frames once more: {which:?}");
    })
    .expect("it boots");
    assert_eq!(log.errors(), [""; 0]);
}
