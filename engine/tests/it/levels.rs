//! Levels in addition that come over several frames, as a game sees them.

use core::fmt::Write as _;

use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_ids::{id32, id64};

use crate::packages;
use crate::support::{Game, frames};

/// How many entities the town has: lamps, each with a bulb below it.
const COUNT: usize = 40;

/// A game with a package of a town.
fn game(script: &str) -> Game {
    let game = packages::game(script);
    let mut town = String::from("entities = {\n");
    for at in 0..COUNT / 2 {
        writeln!(
            town,
            "lamp{at} = {{
                components = {{ transform = {{ position = [ {at} 0 0 ] }} tag = [ \"town\" ] }}
                children = {{ bulb{at} = {{ components = {{ light = {{}} tag = [ \"town\" ] }} }} }}
            }}"
        )
        .expect("it is a string");
    }
    town.push('}');
    game.write("town.level", &town);
    game.write("day.package", "level = [ \"town\" ]");
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Returns what was logged after a number of entries, line by line.
fn said(game: &Game, before: usize) -> Vec<String> {
    game.log.all()[before..].iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
}

/// Spawns the town in frame 2, and says in each frame how much of it is there.
const SCRIPT: &str = "
function start() Package.load('day') end
function town() return Transform.parent(Entity.find('lamp0')) end
function update()
    local frame = Game.frame()
    if frame == 2 then
        Level.spawn('town', Vector3(0, 0, 0))
        Level.spawn('cellar', Vector3(0, 0, 0))
    elseif frame == 4 then
        Transform.set_position(town(), Vector3(0, 5, 0))
    end
    if frame > 1 then
        print(frame, Tag.count('town'), Tag.count('cellar'), Entity.find('bulb19') ~= nil)
    end
end
function level_spawned(root) print('there', Game.frame(), root == town()) end";

fn options<'o>(game: &'o Game, data: &'o std::path::Path) -> EngineOptions<'o> {
    EngineOptions { spawns_per_frame: 12, ..game.options(data) }
}

#[test]
fn a_level_comes_over_several_frames_and_then_an_event() {
    let game = game(&SCRIPT.replace("'day'", "'day') Package.load('night'"));
    let data = game.data();
    with_engine(&options(&game, &data), |engine| {
        frames(engine, 9);
        let bulb = engine.world().find(id32!("bulb19")).expect("it has come");
        let place = engine.world().transforms().world(bulb).expect("it is placed").translation;
        assert_eq!(place.to_array(), [19.0, 5.0, 0.0], "it is below the root, which was moved");
    })
    .expect("it boots");
    let lines = said(&game, 0);
    let wanted = [
        "2\t12\t0\tfalse",
        "3\t24\t0\tfalse",
        "4\t36\t0\tfalse",
        // The town ends, and what is left of the budget is the cellar's.
        "5\t40\t3\ttrue",
        "there\t5\ttrue",
        "there\t5\tfalse",
        "6\t40\t3\ttrue",
    ];
    let mut said = lines.iter();
    for line in wanted {
        assert!(said.any(|said| said.ends_with(line)), "{line:?}, in this order: {lines:#?}");
    }
}

#[test]
fn a_game_that_is_saved_while_a_level_comes_goes_on_as_the_one_that_was_not() {
    let game = game(&SCRIPT.replace("'day'", "'day') Package.load('night'"));
    let data = game.data();
    for at in 2..7 {
        let mut saved = Vec::new();
        let mut hashes = Vec::new();
        let run = |engine: &mut Engine<'_, '_>| {
            frames(engine, 1);
            let tags = engine.world().tags().entities(id32!("town")).to_vec();
            (engine.state_hashes().collect::<Vec<_>>(), tags, engine.world().find(id32!("bulb19")))
        };
        with_engine(&options(&game, &data), |engine| {
            frames(engine, at);
            saved.extend_from_slice(&engine.save().expect("there is memory"));
            hashes.extend((0..8).map(|_| run(engine)));
        })
        .expect("it boots");
        assert!(at > 4 || hashes[0].1.len() < COUNT, "{at}: it was saved in between");
        let before = game.log.all().len();
        with_engine(&options(&game, &data), |engine| {
            engine.load(&saved).expect("it is whole");
            for (after, hashes) in hashes.iter().enumerate() {
                assert_eq!(*hashes, run(engine), "{at} + {after}");
            }
            for end in (0..saved.len()).step_by(41) {
                engine.load(&saved[..end]).expect_err("it is cut off");
            }
        })
        .expect("it boots");
        let lines = said(&game, before);
        let count = lines.iter().filter(|line| line.contains("there\t5")).count();
        assert_eq!(count, if at > 5 { 0 } else { 2 }, "{at}: {lines:#?}");
    }
}

#[test]
fn a_saved_level_that_is_another_now_stays_as_it_is() {
    let game = game(SCRIPT);
    let data = game.data();
    let mut saved = Vec::new();
    with_engine(&options(&game, &data), |engine| {
        frames(engine, 4);
        saved.extend_from_slice(&engine.save().expect("there is memory"));
    })
    .expect("it boots");
    game.write("town.level", "entities = { lamp = { components = { tag = [ \"town\" ] } } }");
    assert_eq!(game.compile(), [""; 0], "it is right");
    with_engine(&options(&game, &data), |engine| {
        engine.load(&saved).expect("it is whole");
        frames(engine, 4);
        assert_eq!(engine.world().tags().entities(id32!("town")).len(), 24);
    })
    .expect("it boots");
    let lines = said(&game, 0);
    let is_it = |line: &&String| line.contains("town") && line.contains("stays as it is");
    assert_eq!(lines.iter().filter(is_it).count(), 1, "{lines:#?}");
}

#[test]
fn a_replay_has_the_parts_of_a_level_in_the_same_frames() {
    let game = game(SCRIPT);
    let data = game.data();
    let mut recording = Vec::new();
    let options = EngineOptions { is_recorded: true, ..options(&game, &data) };
    with_engine(&options, |engine| {
        frames(engine, 12);
        recording.extend_from_slice(engine.recording().expect("memory").expect("it is recorded"));
    })
    .expect("it boots");
    for (spawns_per_frame, is_same) in [(12, true), (13, false)] {
        let replay = Some(&*recording);
        let options = EngineOptions {
            replay,
            is_recorded: false,
            threads: Some(1),
            spawns_per_frame,
            ..game.options(&data)
        };
        with_engine(&options, |engine| {
            while !engine.is_over() {
                frames(engine, 1);
            }
            assert_eq!(engine.replay_difference().is_none(), is_same, "{spawns_per_frame}");
        })
        .expect("it boots");
    }
}

#[test]
fn a_level_that_is_unloaded_while_it_comes_is_finished_before() {
    let game = game(SCRIPT);
    let data = game.data();
    with_engine(&options(&game, &data), |engine| {
        frames(engine, 3);
        let count = |engine: &Engine<'_, '_>| engine.world().tags().entities(id32!("town")).len();
        assert_eq!(count(engine), 12);
        assert!(engine.world_mut().unload_package(id64!("day")));
        frames(engine, 1);
        assert_eq!(count(engine), COUNT);
        frames(engine, 2);
        assert_eq!(count(engine), COUNT, "it is there once");
    })
    .expect("it boots");
    let lines = said(&game, 0);
    assert!(lines.iter().any(|line| line == "there\t3\ttrue"), "{lines:#?}");
}

#[test]
fn what_comes_later_is_on_the_stage_of_its_level() {
    let game = game(
        "function start() Package.load('day') end
        function update()
            if Game.frame() == 2 then Stage.move(Level.spawn('town', Vector3(0, 0, 0)), 3) end
        end
        function level_spawned(root)
            local lamp = Entity.find('lamp19')
            print('there', Stage.of(root), Stage.of(Entity.find('lamp0')), Stage.of(lamp))
        end",
    );
    let data = game.data();
    let options = options(&game, &data);
    let before = game.log.all().len();
    with_engine(&options, |engine| frames(engine, 9)).expect("it boots");
    let said = said(&game, before);
    assert!(said.iter().any(|line| line == "there\t3\t3\t3"), "{said:#?}");
}
