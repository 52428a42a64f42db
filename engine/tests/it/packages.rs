//! Packages and levels that come and go, and what is in the place of what is missing.

use glam::Vec3;
use loligo_engine::{BackEndChoice, Engine, EngineOptions, with_engine};
use loligo_entities::Pose;
use loligo_ids::{id32, id64};

use crate::support::Game;

/// A game with a package of a ghost, which has its own mesh and material, and of a
/// cellar.
pub(crate) fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write("sheet.mesh", "shape = \"sphere\"");
    game.write("pale.shader", PALE);
    game.write("pale.material", "shader = \"pale\" layer = \"opaque\"");
    game.write(
        "ghost.entity",
        "components = { transform = {} model = { mesh = \"sheet\" material = \"pale\" } tag = [ \"ghost\" ] }",
    );
    game.write(
        "cellar.level",
        "entities = {
            lamp = { components = { transform = { position = [ 0 9 0 ] } light = {} tag = [ \"cellar\" ] } }
            rule = { components = { tag = [ \"cellar\" ] } }
            shelf = { components = { transform = {} model = { mesh = \"sheet\" material = \"pale\" } tag = [ \"cellar\" ] } }
        }",
    );
    game.write("night.package", "entity = [ \"ghost\" ] level = [ \"cellar\" ]");
    game.write("all.package", "package = [ \"night\" ]");
    game.write("main.lua", script);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nscript = \"main\" packages = []"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

const PALE: &str = "
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(0.5); }
";

fn frames(engine: &mut Engine<'_, '_>, count: usize) {
    for _ in 0..count {
        engine.frame(&mut ()).expect("a frame");
    }
    engine.finish().expect("it is drawn");
}

fn tags(engine: &Engine<'_, '_>, tag: loligo_ids::IdString32) -> usize {
    engine.world().tags().entities(tag).len()
}

/// Runs frames until something is so, which it must be at last.
fn until(engine: &mut Engine<'_, '_>, is_so: impl Fn(&Engine<'_, '_>) -> bool) {
    for _ in 0..2_000_000 {
        if is_so(engine) {
            return;
        }
        engine.frame(&mut ()).expect("a frame");
        std::thread::yield_now();
    }
    panic!("it does not come about");
}

#[test]
fn a_script_loads_a_package_uses_it_and_unloads_it() {
    let game = game(
        "function update()
            local frame = Game.frame()
            if frame == 1 then
                print('before', Package.is_loaded('all'), pcall(Entity.spawn, 'ghost', Vector3(0, 0, 0)))
                Package.load('all')
            elseif frame == 2 then
                print('there', Package.is_loaded('all'), Package.is_loaded('night'))
                ghost = Entity.spawn('ghost', Vector3(0, 0, 0))
                cellar = Level.spawn('cellar', Vector3(5, 0, 0))
                print('tags', Tag.count('ghost'), Tag.count('cellar'))
            elseif frame == 4 then
                print('lamp', Transform.world_position(Entity.find('lamp')))
                Entity.destroy(cellar)
                Entity.destroy(ghost)
                print('tags', Tag.count('ghost'), Tag.count('cellar'), Package.unload('all'))
            elseif frame == 6 then
                print('after', Package.is_loaded('all'), Package.unload('all'))
                print('after', pcall(Level.spawn, 'cellar', Vector3(0, 0, 0)))
            end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| frames(engine, 8)).expect("it boots");
    let log = game.log.all();
    for line in [
        "before\tfalse\tfalse",
        "there\ttrue\tfalse",
        "tags\t1\t3",
        "lamp\tVector3[5, 9, 0]",
        "tags\t0\t0\ttrue",
        "after\tfalse\tfalse",
        "no level `cellar` is loaded",
    ] {
        assert!(log.iter().any(|said| said.contains(line)), "{line}: {log:#?}");
    }
}

/// Returns the bytes that each subsystem has.
fn live(engine: &Engine<'_, '_>) -> Vec<(String, usize)> {
    let memory = engine.memory();
    let bytes = |name: &str| memory.subsystem(name).map_or(0, |room| room.stats().requested);
    ["entities", "render", "resources", "engine"]
        .map(|name| (name.to_owned(), bytes(name)))
        .to_vec()
}

/// How often a package is loaded and unloaded.
const ROUNDS: usize = 1100;

#[test]
fn a_thousand_loads_end_where_they_began() {
    let game = game("");
    let data = game.data();
    for is_in_background in [false, true] {
        let background_loading = Some(is_in_background);
        let options = EngineOptions { background_loading, ..game.options(&data) };
        with_engine(&options, |engine| {
            let mut before = None;
            for round in 0..2 * ROUNDS {
                engine.world_mut().load_package(id64!("all")).expect("there is memory");
                until(engine, |engine| engine.world().is_package_loaded(id64!("all")));
                let world = engine.world_mut();
                let ghost = world.spawn_named(id64!("ghost"), &Pose::IDENTITY);
                let ghost = ghost.expect("there is memory").expect("it is loaded");
                frames(engine, 1);
                assert_eq!(engine.drawn().meshes, 4, "the ghost is drawn");
                engine.world_mut().destroy(ghost).expect("there is memory");
                assert!(engine.world_mut().unload_package(id64!("all")));
                frames(engine, 2);
                // What grows with use has grown by then: the list of names, for one.
                match &before {
                    None if round == ROUNDS => before = Some(live(engine)),
                    Some(before) if round + 1 == 2 * ROUNDS => assert_eq!(*before, live(engine)),
                    _ => {}
                }
            }
        })
        .expect("it boots");
        let log = game.log.all();
        assert!(!log.iter().any(|line| line.contains("rror")), "{log:#?}");
    }
}

#[test]
fn a_level_comes_in_the_background_and_the_old_one_goes_on() {
    let game = game("function start() print('start', Tag.count('cellar')) end");
    let data = game.data();
    let background_loading = Some(true);
    let options = EngineOptions { background_loading, ..game.options(&data) };
    with_engine(&options, |engine| {
        frames(engine, 2);
        engine.world_mut().load_level(id64!("cellar"));
        until(engine, |engine| tags(engine, id32!("cellar")) == 3);
        assert!(engine.world().find(id32!("hub")).is_none(), "the old one is gone");
        frames(engine, 2);
        assert_eq!(engine.drawn().meshes, 1);
        engine.world_mut().load_level(id64!("attic"));
        until(engine, |_| game.log.all().iter().any(|line| line.contains("the level that it has")));
        assert_eq!(tags(engine, id32!("cellar")), 3, "there is no attic");
    })
    .expect("it boots");
    let log = game.log.all();
    assert!(log.iter().any(|line| line.contains("start\t3")), "{log:#?}");
}

#[test]
fn what_is_unloaded_while_it_is_used_is_a_placeholder() {
    let game = game("");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        engine.world_mut().load_package(id64!("night")).expect("there is memory");
        frames(engine, 1);
        let world = engine.world_mut();
        let ghost = world.spawn_named(id64!("ghost"), &Pose::at(Vec3::new(0.0, 2.0, 0.0)));
        assert!(ghost.expect("there is memory").is_some());
        frames(engine, 1);
        let sphere = engine.drawn();
        assert!(engine.world_mut().unload_package(id64!("night")));
        frames(engine, 2);
        let cube = engine.drawn();
        assert_eq!((sphere.meshes, cube.meshes), (4, 4), "it is drawn in the place of the sphere");
        engine.world_mut().load_package(id64!("night")).expect("there is memory");
        frames(engine, 2);
        assert_eq!(engine.drawn().meshes, 4);
    })
    .expect("it boots");
}

#[test]
fn a_package_that_is_not_there_is_logged_once() {
    let game = game(
        "function start() Package.load('day') end function update() Package.is_loaded('day') end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 5);
        assert!(!engine.world().is_package_loaded(id64!("day")));
        assert!(engine.world_mut().unload_package(id64!("day")));
        frames(engine, 2);
    })
    .expect("it boots");
    let log = game.log.all();
    let said = log.iter().filter(|line| line.contains("there is no such resource")).count();
    assert_eq!(said, 1, "{log:#?}");
}

#[test]
fn a_game_that_is_saved_while_it_loads_goes_on_as_the_one_that_was_not() {
    let game = game(
        "function update()
            if Game.frame() == 3 then Package.load('night') end
            if Game.frame() == 4 then Level.load('cellar') end
            if Package.is_loaded('night') and Game.frame() % 3 == 0 then
                Entity.spawn('ghost', Vector3(Game.frame(), 0, 0))
            end
        end",
    );
    let data = game.data();
    for at in 3..8 {
        let mut saved = Vec::new();
        let mut hashes = Vec::new();
        with_engine(&game.options(&data), |engine| {
            frames(engine, at);
            saved.extend_from_slice(&engine.save().expect("there is memory"));
            for _ in 0..60 {
                frames(engine, 1);
                hashes.push(engine.state_hashes().collect::<Vec<_>>());
            }
        })
        .expect("it boots");
        with_engine(&game.options(&data), |engine| {
            engine.load(&saved).expect("it is whole");
            for (after, hashes) in hashes.iter().enumerate() {
                frames(engine, 1);
                assert_eq!(*hashes, engine.state_hashes().collect::<Vec<_>>(), "{at} + {after}");
            }
        })
        .expect("it boots");
    }
}

#[test]
fn a_replay_has_what_was_loaded_in_the_same_frames() {
    let game = game(
        "function update()
            if Game.frame() == 3 then Package.load('night') end
            if Game.frame() == 5 then Level.load('cellar') end
            if Package.is_loaded('night') then Entity.spawn('ghost', Vector3(Game.frame(), 0, 0)) end
        end",
    );
    let data = game.data();
    let mut recording = Vec::new();
    let background_loading = Some(true);
    let options = EngineOptions { is_recorded: true, background_loading, ..game.options(&data) };
    with_engine(&options, |engine| {
        until(engine, |engine| {
            engine.world().is_package_loaded(id64!("night")) && tags(engine, id32!("cellar")) > 0
        });
        frames(engine, 20);
        recording.extend_from_slice(engine.recording().expect("memory").expect("it is recorded"));
    })
    .expect("it boots");
    for (threads, is_in_background) in [(1, false), (3, false), (3, true), (1, true)] {
        let options = EngineOptions {
            replay: Some(&recording),
            threads: Some(threads),
            background_loading: Some(is_in_background),
            ..game.options(&data)
        };
        with_engine(&options, |engine| {
            until(engine, |engine| engine.is_over());
            assert_eq!(engine.replay_difference(), None, "{threads} {is_in_background}");
            assert!(engine.replay_error().is_none());
        })
        .expect("it boots");
    }
}

#[test]
fn what_is_missing_is_seen() {
    let game = game("");
    let frame = std::fs::read_to_string(game.sources().join("yard.frame")).expect("written");
    game.write("yard.frame", &frame.replace("material = \"sky\"", "material = \"heaven\""));
    game.write(
        "yard.level",
        "entities = {
            eye = { components = { transform = { position = [ 0 0 3 ] } camera = {} } }
            ghost = { components = { transform = {} model = { mesh = \"nothing\" material = \"none\" } } }
        }",
    );
    // The compiler says so as well, and keeps what names them.
    let _ = game.compile_unchecked();
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    with_engine(&EngineOptions { size: Some([64, 64]), ..options }, |engine| {
        engine.want_picture();
        frames(engine, 1);
        assert_eq!(engine.drawn().meshes, 1, "a cube");
        let picture = engine.picture();
        if picture.is_empty() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        let pixel = |x: usize, y: usize| &picture[(y * 64 + x) * 4..][..3];
        let is_magenta = |color: &[u8]| color[0] > 150 && color[1] < 60 && color[2] > 150;
        assert!(is_magenta(pixel(1, 1)), "the sky: {:?}", pixel(1, 1));
        let middle: Vec<_> = (16..48).map(|x| is_magenta(pixel(x, 32))).collect();
        assert!(middle.contains(&true) && middle.contains(&false), "a checkered cube: {middle:?}");
    })
    .expect("it boots");
    let log = game.log.all();
    for line in ["a checkered cube is in its place", "what it is for is magenta"] {
        assert!(log.iter().any(|said| said.contains(line)), "{line}: {log:#?}");
    }
}

#[test]
fn materials_that_the_settings_name_no_more_go() {
    let game = game("");
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    let with = |materials: &str| {
        game.write("game.config", &format!("{config} materials = [ {materials} ]"));
        assert_eq!(game.compile(), [""; 0], "it is right");
    };
    with("\"pale\"");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 1);
        let hub = engine.world().find(id32!("hub")).expect("the level has one");
        let stone = engine.world_mut().set_material(hub, id64!("pale"));
        assert!(stone.is_ok(), "it is loaded: {stone:?}");
        with("");
        engine.reload(&mut ()).expect("there is memory");
        frames(engine, 2);
        let gone = engine.world_mut().set_material(hub, id64!("pale"));
        assert!(gone.is_err(), "nobody names it");
        with("\"pale\"");
        engine.reload(&mut ()).expect("there is memory");
        frames(engine, 1);
        assert!(engine.world_mut().set_material(hub, id64!("pale")).is_ok(), "it is back");
    })
    .expect("it boots");
}
