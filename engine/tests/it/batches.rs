//! Functions of scripts that are called once for many entities or events.

use std::path::Path;

use loligo_engine::{
    Engine, EngineOptions, SUBSYSTEMS, SubsystemAllocator, SubsystemMemory, with_engine,
};
use loligo_ids::id32;
use serde_json::json;

use crate::frames::Turning;
use crate::support::Game;
use crate::tools::with_tool_of;

/// A game of `side` times `side` boxes, all tagged `box`, and a script.
pub(crate) fn game(side: u32, main: &str) -> Game {
    let game = Game::new(side);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nscript = \"main\""));
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    let tagged: Vec<_> = level
        .lines()
        .map(|line| match line.strip_prefix("box") {
            Some(_) => line.replacen("components = {", "components = { tag = [ \"box\" ]", 1),
            None => line.to_owned(),
        })
        .collect();
    game.write("yard.level", &tagged.join("\n"));
    game.write("main.lua", main);
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Runs frames, and what `look` says of the engine after them.
fn after<R>(game: &Game, frames: u32, look: impl FnOnce(&mut Engine<'_, '_>) -> R) -> R {
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        (0..frames).for_each(|_| engine.frame(&mut ()).expect("the game goes on"));
        look(engine)
    })
    .expect("it boots")
}

/// Where an entity is, in the space of its parent.
fn position(engine: &Engine<'_, '_>, name: loligo_ids::IdString32) -> [f32; 3] {
    let entity = engine.world().find(name).expect("the level has it");
    engine.world().transforms().pose(entity).expect("it has a transform").position.to_array()
}

/// What of the log has a part.
fn said(game: &Game, part: &str) -> Vec<String> {
    game.log.all().into_iter().filter(|line| line.contains(part)).collect()
}

pub(crate) const RISE: &str = "
batches = { { call = 'rise', tag = 'box', columns = 'position' } }
function rise(boxes, x, y, z, step)
    calls = (calls or 0) + 1
    for i = 1, #boxes do y[i] = y[i] + 3 * step end
end";

#[test]
fn a_function_moves_all_entities_of_a_tag() {
    let game = game(3, RISE);
    after(&game, 31, |engine| {
        for name in [id32!("box0"), id32!("box8")] {
            let [_, y, _] = position(engine, name);
            assert!((y - 2.0).abs() < 1e-3, "three metres a second, for half a second: {y}");
        }
        assert_eq!(position(engine, id32!("hub")), [0.0, 2.0, 0.0], "it has another tag");
        assert_eq!(engine.script_failures().count, 0, "{:?}", game.log.all());
    });
}

#[test]
fn columns_are_views_in_the_order_in_which_they_are_named() {
    let game = game(
        1,
        "batches = {
             { call = 'lib.look', component = 'sun', columns = 'world_position scale rotation position' },
             { call = 'count', component = 'model', columns = '' },
             { call = 'all', component = 'transform' },
         }
         lib = {}
         function lib.look(suns, wx, wy, wz, sx, sy, sz, rx, ry, rz, rw, x, y, z, step)
             assert(#suns == 1 and suns[1] == Sun.entity() and step == Game.step())
             if Game.frame() == 0 then
                 -- The sun of the level is turned around x, and at the origin.
                 assert(math.abs(rx[1] + 0.3826834) < 1e-6 and math.abs(rw[1] - 0.9238795) < 1e-6)
                 assert(sx[1] == 1 and wx[1] == 0)
             end
             assert(pcall(function() x[1], sy[1] = 5, 2 end))
             assert(not pcall(function() wx[1] = 5 end), 'it can be read alone')
             -- Parts need not have length 1 to the last digit.
             rx[1], ry[1], rz[1], rw[1] = 0, 3, 0, 0
             if Game.frame() == 2 then assert(wx[1] == 5) end
         end
         function count(models, step) assert(#models == 3 and type(step) == 'number') counted = true end
         function all(entities, x, y, z, step) assert(#entities == Entity.count() and counted) end",
    );
    after(&game, 3, |engine| {
        assert_eq!(engine.script_failures().count, 0, "{:?}", game.log.all());
        let (sun, _) = engine.world().sun().expect("the level has one");
        let pose = engine.world().transforms().pose(sun).expect("it has a transform");
        assert_eq!(pose.position.to_array(), [5.0, 0.0, 0.0]);
        assert_eq!(pose.rotation.to_array(), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(pose.scale.to_array(), [1.0, 2.0, 1.0]);
    });
}

#[test]
fn only_what_was_written_is_set() {
    let game = game(
        2,
        "batches = { { call = 'some', tag = 'box', columns = 'position rotation' } }
         function some(boxes, x, y, z)
             y[2] = 9
             Transform.set_xyz(boxes[1], 7, 8, 9)
             Transform.set_scale(boxes[2], Vector3(2, 2, 2))
         end",
    );
    after(&game, 2, |engine| {
        assert_eq!(position(engine, id32!("box0")), [7.0, 8.0, 9.0], "by the call alone");
        assert_eq!(position(engine, id32!("box1")), [2.0, 9.0, 0.0], "by the view");
        assert_eq!(position(engine, id32!("box2")), [0.0, 0.5, -2.0], "by nothing");
        let two = engine.world().find(id32!("box1")).expect("it is there");
        let pose = engine.world().transforms().pose(two).expect("it has a transform");
        assert_eq!(pose.scale.to_array(), [2.0; 3], "of the same entity, by a call");
    });
}

#[test]
fn numbers_that_mean_nothing_are_refused_by_name() {
    let game = game(
        2,
        "batches = { { call = 'sink', tag = 'box', columns = 'position rotation scale' } }
         function sink(boxes, x, y, z, rx, ry, rz, rw, sx)
             x[1], y[2], z[3], y[4] = 0/0, 1/0, -1/0, 4
             rw[2], sx[3] = 0, 1/0
         end",
    );
    after(&game, 3, |engine| {
        assert_eq!(position(engine, id32!("box0")), [0.0, 0.5, 0.0], "it stays");
        assert_eq!(position(engine, id32!("box1")), [2.0, 0.5, 0.0], "it stays");
        assert_eq!(position(engine, id32!("box3")), [2.0, 4.0, -2.0], "the others move");
        let failures = engine.script_failures();
        assert_eq!((failures.count, failures.named), (9, 3), "{failures:?}");
        let first = engine.world().find(id32!("box0")).expect("it is there").to_bits();
        let lines = said(&game, "`sink` wrote a position that is infinite or no number");
        assert_eq!(lines.len(), 1, "it is said once: {:?}", game.log.all());
        assert!(
            lines[0].contains(&format!("for Entity {first} at index 1 (and 2 more), which stays"))
                && lines[0].contains("look for a division by 0"),
            "{lines:?}"
        );
        assert!(said(&game, "of length 0 for Entity")[0].contains("at index 2"));
        assert!(said(&game, "wrote a scale")[0].contains("at index 3"));
    });
}

#[test]
fn what_was_destroyed_meanwhile_is_left_alone() {
    let game = game(
        2,
        "batches = { { call = 'eat', tag = 'box' }, { call = 'hubs', tag = 'turns' } }
         function eat(boxes, x, y)
             if Game.frame() == 1 then
                 gone = boxes[2]
                 y[1] = 5
                 Entity.destroy(gone)
                 -- One whose slot is in use again is another.
                 y[2] = 7
             end
             count = #boxes
         end
         function hubs(hubs, x, y) if Game.frame() == 1 then y[1] = count end end",
    );
    after(&game, 4, |engine| {
        assert_eq!(position(engine, id32!("box0"))[1], 5.0, "the others move");
        assert_eq!(position(engine, id32!("hub"))[1], 4.0, "the next function runs");
        assert!(engine.world().find(id32!("box1")).is_none(), "it is gone");
        let lines = said(&game, "`eat` wrote for Entity");
        assert_eq!(lines.len(), 1, "{:?}", game.log.all());
        assert!(
            lines[0].contains("at index 2, which was destroyed in the same call; that is dropped")
        );
        assert_eq!(engine.script_failures().count, 0, "a warning: {:?}", game.log.all());
    });
}

#[test]
fn a_function_that_fails_keeps_what_it_wrote_and_the_game_goes_on() {
    let game = game(
        2,
        "batches = { { call = 'half', tag = 'box' }, { call = 'other', tag = 'box' } }
         function half(boxes, x, y)
             for i = 1, 4 do
                 y[i] = 5
                 if i == 2 then nothing.at_all() end
             end
         end
         function other(boxes, x) x[1] = 8 end",
    );
    after(&game, 4, |engine| {
        let ys =
            [id32!("box0"), id32!("box1"), id32!("box2")].map(|name| position(engine, name)[1]);
        assert_eq!(ys, [5.0, 5.0, 0.5], "as far as it came");
        assert_eq!(position(engine, id32!("box0"))[0], 8.0, "the next function runs");
        let second = engine.world().find(id32!("box1")).expect("it is there").to_bits();
        let lines = said(&game, "nothing");
        let place = format!("(in the batch of `half`, at index 2: Entity {second})");
        assert!(lines.len() == 1 && lines[0].contains(&place), "{lines:?}");
        assert!(lines[0].starts_with("main:5:") || lines[0].contains("main.lua:5:"), "{lines:?}");
    });
}

#[test]
fn entries_that_are_wrong_are_errors_and_the_others_run() {
    let right = "{ call = 'rise', tag = 'box' }";
    let rise = "function rise(boxes, x, y) y[1] = 3 end";
    for (entry, wanted) in [
        ("{ call = 'sink', tag = 'box' }", "`batches` names the function `sink`, and there is no"),
        ("{ call = 'rise', tag = 'bocks' }", "for the tag `bocks`, which no entity has had so far"),
        (
            "{ call = rise, tag = 'box' }",
            "entry 2 of `batches`: `call` is a function; give the name",
        ),
        ("{ call = 'rise' }", "which entities is `rise` for? give either `tag` or `component`"),
        ("{ call = 'rise', tag = 'a', component = 'sun' }", "give either `tag` or `component`"),
        ("{ call = 'rise', tag = 5 }", "`tag` is a number; give a name"),
        ("{ call = 'rise', component = 'mesh' }", "scripts know no component `mesh`; give one of"),
        (
            "{ call = 'rise', tag = 'a', colums = '' }",
            "the key `colums` means nothing; the keys are",
        ),
        ("{ call = 'rise', tag = 'a', columns = 'x' }", "there are no columns `x`; give some of"),
        ("{ call = 'rise', tag = 'a', columns = 'scale scale' }", "has the columns `scale` twice"),
        ("{ call = 'rise', tag = 'a', columns = {} }", "`columns` is a table; give words"),
        ("'rise'", "entry 2 of `batches` is a string; write { call ="),
        ("key = 5", "`batches` is a list, and has keys that are not from 1 to 1"),
    ] {
        let game = game(1, &format!("{rise} batches = {{ {right}, {entry} }}"));
        after(&game, 3, |engine| {
            assert_eq!(position(engine, id32!("box0"))[1], 3.0, "{entry}");
        });
        let lines = said(&game, wanted);
        assert_eq!(lines.len(), 1, "{entry}: {:?}", game.log.all());
    }
    let game = game(1, "batches = 5 Batches = {}");
    after(&game, 2, |engine| assert_eq!(engine.script_failures().count, 1));
    assert_eq!(said(&game, "`batches` is a number; write { { call").len(), 1);
}

#[test]
fn tables_and_functions_that_look_like_the_engines_are_warned_of() {
    let game = game(1, "Batches = {} function RemovedAll() end");
    after(&game, 1, |_| ());
    assert_eq!(
        said(&game, "a table `Batches`, which nobody reads; the engine reads `batches`").len(),
        1
    );
    assert_eq!(
        said(&game, "`RemovedAll`, which nobody calls; the engine calls `removed_all`").len(),
        1
    );
}

#[test]
fn a_reload_replaces_functions_and_the_table() {
    let game = game(2, RISE);
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        let reload = json!({ "type": "reload" });
        engine.frame(logic).expect("a frame");
        game.write("main.lua", &RISE.replace("+ 3 * step", "* 0 - 4"));
        tool.ask(&reload, engine, logic);
        engine.frame(logic).expect("a frame");
        assert_eq!(position(engine, id32!("box1"))[1], -4.0, "the new function");

        game.write("main.lua", &RISE.replace("'rise', tag = 'box'", "'rise', tag = 'turns'"));
        tool.ask(&reload, engine, logic);
        engine.frame(logic).expect("a frame");
        assert_eq!(position(engine, id32!("box1"))[1], -4.0, "no more");
        assert!(position(engine, id32!("hub"))[1] > 2.0, "another tag");

        game.write("main.lua", &RISE.replace("'rise'", "'raise'"));
        let answer = tool.ask(&reload, engine, logic);
        let error = answer["value"]["errors"][0].as_str().unwrap_or_default();
        assert!(error.contains("names the function `raise`, and there is no"), "{answer}");

        // By a line of the console as well, until the next reload.
        let line =
            "batches = { { call = 'rise', tag = 'box' } } rise = function(_, x) x[1] = 6 end";
        tool.ask(&json!({ "type": "script", "code": line }), engine, logic);
        engine.frame(logic).expect("a frame");
        assert_eq!(position(engine, id32!("box0"))[0], 6.0, "as the line has it");
        tool.ask(&json!({ "type": "script", "code": "batches = nil" }), engine, logic);
        tool.ask(&json!({ "type": "restart" }), engine, logic);
        engine.frame(logic).expect("a frame");
        assert_eq!(position(engine, id32!("box0"))[0], 0.0, "nothing is called");
    });
}

#[test]
fn events_of_a_kind_are_one_call() {
    let game = game(
        2,
        "log = ''
         function spawned(count) log = log .. ' spawned ' .. count end
         function removed() log = log .. ' never' end
         function removed_all(ids, counts)
             for i = 1, #ids do
                 log = log .. ' ' .. tostring(Entity.is_alive(ids[i])) .. counts[i]
             end
             if Game.frame() == 1 then Entity.destroy(Entity.find('box1')) end
         end
         function resource_changed() log = log .. ' one' end
         function resource_changed_all(count) log = log .. ' changed ' .. count end
         function update()
             if Game.frame() == 1 then
                 Entity.destroy(Entity.find('hub'))
                 Entity.destroy(Entity.find('box0'))
             end
         end",
    );
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        while engine.frames() < 4 {
            engine.frame(logic).expect("a frame");
        }
        let log = json!({ "type": "script", "code": "log" });
        let answer = tool.ask(&log, engine, logic);
        assert_eq!(answer["value"], " spawned 8 false2 false1 false1", "{answer}");
        let heard = logic.events;
        assert_eq!(heard, 4, "the game's own logic gets each");

        game.write(
            "plain.shader",
            "@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(0.5); }",
        );
        game.write("box.mesh", "shape = \"sphere\"");
        tool.ask(&json!({ "type": "reload" }), engine, logic);
        engine.frame(logic).expect("a frame");
        let answer = tool.ask(&log, engine, logic);
        let changed = answer["value"].as_str().and_then(|log| log.split(" changed ").nth(1));
        assert!(changed.is_some_and(|count| count.parse::<u32>().is_ok()), "{answer}");
        assert!(!answer["value"].as_str().unwrap_or_default().contains("one"), "{answer}");
    });
}

#[test]
fn a_function_for_events_that_fails_names_the_entity() {
    let game = game(
        1,
        "function removed_all(ids, counts) local first = ids[1] nothing() end
         function update() if Game.frame() == 1 then Entity.destroy(Entity.find('hub')) end end",
    );
    after(&game, 3, |engine| assert_eq!(engine.script_failures().count, 1));
    let lines = said(&game, "(in the batch of `removed_all`, at index 1: Entity ");
    assert_eq!(lines.len(), 1, "{:?}", game.log.all());
}

#[test]
fn frames_of_batches_are_the_same_on_one_thread_and_on_many() {
    let game = game(
        30,
        "batches = {
             { call = 'wave', tag = 'box', columns = 'position rotation' },
             { call = 'grow', component = 'model', columns = 'scale' },
         }
         function wave(boxes, x, y, z, rx, ry, rz, rw, step)
             local time = Game.time()
             for i = 1, #boxes do
                 y[i] = math.sin(time + x[i]) + math.cos(z[i])
                 ry[i], rw[i] = math.sin(time * i), math.cos(time * i)
             end
             if Game.frame() % 3 == 0 then Entity.destroy(boxes[#boxes / 2 - #boxes / 2 % 1]) end
         end
         function grow(models, x, y, z, step)
             for i = 1, #models do x[i] = 1 + i / 1000 * Game.time() end
         end",
    );
    let data = game.data();
    let [one, two, three, six] = [1, 2, 3, 6].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            let mut texts = String::new();
            for _ in 0..12 {
                engine.want_text();
                engine.frame(&mut ()).expect("a frame");
                engine.finish().expect("it is drawn");
                texts.push_str(engine.text());
            }
            assert_eq!(engine.script_failures().count, 0, "{:?}", game.log.all());
            texts
        })
        .expect("it boots")
    });
    assert!(one.contains("meshes 8"), "there are many: {}", &one[..200]);
    assert!(one == two && one == three && one == six, "all are the same");
}

#[test]
fn batches_take_no_memory_after_the_first_frames() {
    let game = game(20, RISE);
    after(&game, 10, |engine| {
        let memory = engine.memory();
        let live = || {
            ["engine", "entities", "script"].map(|name| {
                let stats = memory.subsystem(name).expect("it is a subsystem").stats();
                (stats.live, stats.reserved)
            })
        };
        let before = live();
        (0..20).for_each(|_| engine.frame(&mut ()).expect("a frame"));
        let after = live();
        assert_eq!((before[0], before[1]), (after[0], after[1]), "of the engine and of entities");
        assert!(after[2].0 <= before[2].0 + 4096, "of scripts: {before:?} {after:?}");
        assert_eq!(engine.script_failures().count, 0, "{:?}", game.log.all());
    });
}

#[test]
fn a_batch_without_memory_is_not_called_and_the_game_goes_on() {
    let budget = |main: &str, budget: Option<usize>| {
        let game = game(30, main);
        let mut options = EngineOptions { threads: Some(1), ..game.options(Path::new("")) };
        let data = game.data();
        options.data = &data;
        let engine = SUBSYSTEMS.iter().position(|name| *name == "engine").expect("it is there");
        let memory = SubsystemMemory { allocator: SubsystemAllocator::Shared, budget };
        options.plan.set_subsystem(engine, memory);
        let peak = with_engine(&options, |engine| {
            (0..4).for_each(|_| engine.frame(&mut ()).expect("the game goes on"));
            let peak =
                engine.memory().subsystem("engine").expect("it is there").stats().peak_granted;
            (peak, engine.script_failures().count, position(engine, id32!("box3"))[0])
        });
        (peak.expect("it boots"), said(&game, "`many` in `batches` was not called"))
    };
    let many = "batches = {
            { call = 'many', tag = 'box', columns = 'position rotation scale world_position' },
            { call = 'few', tag = 'turns' },
        }
        function many(boxes, x) x[4] = -7 end
        function few() end";
    let ((most, _, _), _) = budget(&many.replace("tag = 'box'", "tag = 'turns'"), None);
    let ((_, failed, x), lines) = budget(many, Some(most + 1024));
    assert_eq!((failed, lines.len(), x), (4, 1, 6.0), "{lines:?}");
    assert!(lines[0].contains("memory") || lines[0].contains("refuse"), "{lines:?}");
    let ((_, failed, x), _) = budget(many, None);
    assert_eq!((failed, x), (0, -7.0), "with memory it is called");
}
