//! Games that are scripted: what scripts see and change, how they fail, and how they are changed
//! while they run.

use loligo_engine::{
    DisabledSubsystems, Engine, EngineOptions, OptionalSubsystem, ScriptLimits, ScriptOptions,
    bindings, with_engine,
};
use loligo_ids::id32;
use serde_json::json;

use crate::frames::Turning;
use crate::support::Game;
use crate::tools::{Tool, with_tool_of};

const MAIN: &str = "
local lib = require('lib')
started = 0
function start() started = started + 1 end
function spawned(count) seen = count end
function update(step)
    local hub = Entity.find('hub')
    Transform.set_xyz(hub, Game.time(), lib.height(), 0)
end
";

pub(crate) fn scripted() -> Game {
    let game = Game::new(2);
    game.write("lib.lua", "local lib = {}\nfunction lib.height() return 5 end\nreturn lib");
    game.start_with(MAIN);
    game
}

/// Where the hub is.
fn hub(engine: &Engine<'_, '_>) -> [f32; 3] {
    let hub = engine.world().find(id32!("hub")).expect("the level has one");
    engine.world().transforms().world(hub).expect("it has a transform").translation.to_array()
}

#[test]
fn a_script_moves_what_is_in_the_world() {
    let game = scripted();
    let data = game.data();
    let frames = |without: DisabledSubsystems| {
        let options = EngineOptions { without, ..game.options(&data) };
        with_engine(&options, |engine| {
            for _ in 0..31 {
                engine.frame(&mut ()).expect("a frame");
            }
            hub(engine)
        })
    };
    let [x, y, _] = frames(DisabledSubsystems::default()).expect("it boots");
    assert!(
        (x - 0.5).abs() < 1e-3 && y == 5.0,
        "half a second, as high as the library says: {x} {y}"
    );
    let mut without = DisabledSubsystems::default();
    without.add(OptionalSubsystem::Script.name()).expect("it may be left out");
    assert_eq!(frames(without).expect("it boots"), [0.0, 2.0, 0.0], "as the level says");
}

#[test]
fn a_script_is_changed_while_the_game_runs_and_the_change_is_seen() {
    let game = scripted();
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        let ask = |code: &str| json!({ "type": "script", "code": code });
        let answer = tool.ask(&ask("started"), engine, logic);
        assert_eq!(answer["value"], "1", "{answer}");
        let answer = tool.ask(&ask("seen"), engine, logic);
        assert_eq!(answer["value"], "8", "eight entities were spawned: {answer}");
        assert_eq!(hub(engine)[1], 5.0, "before");

        game.write("lib.lua", "local lib = {}\nfunction lib.height() return 7 end\nreturn lib");
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        assert_eq!(answer["value"]["reloaded"], 1, "{answer}");
        engine.frame(logic).expect("a frame");
        assert_eq!(hub(engine)[1], 7.0, "after");
        let answer = tool.ask(&ask("started"), engine, logic);
        assert_eq!(answer["value"], "1", "the game went on: {answer}");

        game.write("lib.lua", "local lib = {\nfunction");
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        let error = answer["value"]["errors"][0].as_str().expect("one error");
        assert!(error.starts_with("lib.lua:2:"), "{error}");
        engine.frame(logic).expect("a frame");
        assert_eq!(hub(engine)[1], 7.0, "the last good one runs");
    });
}

#[test]
fn a_script_that_fails_stops_its_call_and_not_the_game() {
    let game = scripted();
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        game.write(
            "lib.lua",
            "local lib = {}\nfunction lib.height()\nreturn nothing.at_all\nend\nreturn lib",
        );
        tool.ask(&json!({ "type": "reload" }), engine, logic);
        for _ in 0..5 {
            engine.frame(logic).expect("the game goes on");
        }
        let errors: Vec<String> =
            game.log.all().into_iter().filter(|line| line.contains("nothing")).collect();
        assert_eq!(errors.len(), 1, "it is said once: {errors:?}");
        assert!(errors[0].contains("lib:3:") || errors[0].contains("lib.lua:3:"), "{errors:?}");
        assert!(errors[0].contains("stack traceback"), "with the stack: {errors:?}");

        for (code, said) in [
            ("Transform.position(5)", "Transform.position"),
            ("Camera.set_field_of_view(Camera.current(), 200)", "200 is no angle"),
            ("Camera.set_current(Entity.find('hub'))", "the entity has no camera"),
            (
                "local gone = Entity.find('arm') Entity.destroy(gone) Transform.scale(gone)",
                "is gone",
            ),
            ("return 1 +", "near"),
        ] {
            let request = json!({ "type": "script", "code": code });
            let answer = tool.ask(&request, engine, logic);
            assert_eq!(answer["type"], "error", "{code}: {answer}");
            assert!(answer["message"].as_str().is_some_and(|text| text.contains(said)), "{answer}");
        }
    });
}

#[test]
fn failures_are_logged_once_for_each_place_and_counted() {
    let game = scripted();
    // The reasons differ from frame to frame, and the places take turns.
    game.write(
        "main.lua",
        "frame = 0
         function update()
             frame = frame + 1
             if frame % 2 == 0 then
                 error('even, in frame ' .. frame)
             end
             error('odd, in frame ' .. frame)
         end",
    );
    assert_eq!(game.compile(), [""; 0], "it is Lua");
    let data = game.data();
    let counts = with_engine(&game.options(&data), |engine| {
        for _ in 0..20 {
            engine.frame(&mut ()).expect("the game goes on");
        }
        engine.script_failures()
    });
    let counts = counts.expect("it boots");
    assert_eq!((counts.count, counts.named), (20, 2), "{counts:?}");
    let lines = game.log.all();
    let said: Vec<_> = lines.iter().filter(|line| line.contains("in frame")).collect();
    assert_eq!(said.len(), 2, "once for each place: {said:?}");
    assert!(
        said[0].contains("odd, in frame 1") && said[1].contains("even, in frame 2"),
        "{said:?}"
    );
}

#[test]
fn a_function_that_looks_like_one_of_the_engines_is_warned_of() {
    let game = scripted();
    game.write(
        "main.lua",
        "function Update() end function onStart() end function spawned() end Spawned = spawned",
    );
    assert_eq!(game.compile(), [""; 0], "it is Lua");
    let data = game.data();
    with_engine(&game.options(&data), |engine| engine.frame(&mut ()).expect("a frame"))
        .expect("it boots");
    let lines = game.log.all();
    let said: Vec<_> = lines.iter().filter(|line| line.contains("nobody calls")).collect();
    assert_eq!(said.len(), 2, "{lines:?}");
    assert!(
        said[0].contains("`Update`") && said[0].contains("the engine calls `update`"),
        "{said:?}"
    );
    assert!(said[1].contains("`onStart`") && said[1].contains("`start`"), "{said:?}");
}

/// Looks at the scripts' watch from another thread while `act` runs, by a clock on which a second
/// passes between two looks.
fn watched<R>(engine: &mut Engine<'_, '_>, act: impl FnOnce(&mut Engine<'_, '_>) -> R) -> R {
    use core::sync::atomic::{AtomicBool, Ordering};

    let watch = engine.script_watch().expect("there are scripts");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut now = 0;
            // Relaxed: it says that the work is over, and orders nothing.
            while !is_over.load(Ordering::Relaxed) {
                now += 1_000_000_000;
                watch.look(now);
                std::thread::yield_now();
            }
        });
        let result = act(engine);
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn a_script_that_does_not_end_is_stopped_and_the_game_goes_on() {
    let game = scripted();
    let limits = ScriptLimits { has_thread: false, ..ScriptLimits::default() };
    let scripts = ScriptOptions { limits: Some(limits), ..ScriptOptions::default() };
    let (data, recompile) = (game.data(), |_: &mut dyn FnMut(&dyn core::fmt::Display)| {
        game.compile();
        true
    });
    let options = EngineOptions { scripts, recompile: Some(&recompile), ..game.options(&data) };
    with_engine(&options, |engine| {
        let (mut tool, logic) = (Tool::connect(engine), &mut Turning::default());
        let endless = json!({ "type": "script", "code": "while true do end" });
        let answer = watched(engine, |engine| tool.ask(&endless, engine, logic));
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(message.contains("ran longer than the 2 s that it may take"), "{answer}");

        let lib = "local lib = {}\nfunction lib.height()\nwhile go do end return 4 end\nreturn lib";
        game.write("lib.lua", lib);
        let reload = json!({ "type": "reload" });
        tool.ask(&reload, engine, logic);
        // By that clock a line that would end may be stopped as well; then it is sent again.
        let said = |part: &str| game.log.all().iter().filter(|line| line.contains(part)).count();
        let mut send = |code: &str, engine: &mut Engine<'_, '_>| {
            let request = json!({ "type": "script", "code": code });
            watched(engine, |engine| tool.ask(&request, engine, &mut Turning::default()))
        };
        while said("lib.lua:3: the script ran longer") == 0 {
            send("go = true", engine);
        }
        for _ in 0..3 {
            watched(engine, |engine| engine.frame(logic).expect("the game goes on"));
        }
        assert!(engine.script_failures().count >= 4, "each is one that failed");
        assert_eq!(said("lib.lua:3: the script ran longer"), 1, "{:?}", game.log.all());
        while send("go = nil return 'ended'", engine)["value"] != "ended" {}

        game.write("lib.lua", "while true do end");
        // The same holds of what loads the script: what failed is loaded again by the next reload.
        loop {
            let answer = watched(engine, |engine| tool.ask(&reload, engine, logic));
            let errors = answer["value"]["errors"].to_string();
            if errors.contains("lib.lua:1: the script ran longer") {
                break;
            }
            assert!(errors.contains("the script ran longer"), "{answer}");
        }

        game.write("lib.lua", "local lib = {}\nfunction lib.height() return 3 end\nreturn lib");
        tool.ask(&reload, engine, logic);
        engine.frame(logic).expect("a frame");
        assert_eq!(hub(engine)[1], 3.0, "corrected");
    })
    .expect("it boots");
}

#[test]
fn ids_and_vectors_are_checked_unless_a_game_is_shipped() {
    let game = scripted();
    let data = game.data();
    game.write(
        "main.lua",
        "function start()
             kept = Vector3(1, 2, 3)
             is_checked = not pcall(Transform.set_position, Camera.current(), 7)
         end
         function update()
             local was_kept = pcall(Vector3.x, kept)
             print(is_checked, Game.frame() > 2 and was_kept)
         end",
    );
    assert_eq!(game.compile(), [""; 0], "it is Lua");
    for checks in [true, false] {
        let scripts = ScriptOptions { checks, ..ScriptOptions::default() };
        let options = EngineOptions { scripts, ..game.options(&data) };
        with_engine(&options, |engine| {
            for _ in 0..5 {
                engine.frame(&mut ()).expect("a frame");
            }
        })
        .expect("it boots");
        let last = game.log.all().into_iter().rfind(|line| line.contains('\t')).expect("printed");
        let expected = if checks { "true\tfalse" } else { "false\ttrue" };
        assert_eq!(last, expected, "checks {checks}");
    }
}

#[test]
fn what_a_script_fails_with_is_in_the_answer_of_a_reload() {
    let game = scripted();
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        let reload = json!({ "type": "reload" });
        // By names that the compiler does not see.
        let lib = "local lib = {}\nfunction lib.height() return ask('far').height end\nreturn lib";
        game.write("lib.lua", &format!("ask = require ask('tall')\n{lib}"));
        let answer = tool.ask(&reload, engine, logic);
        let error = answer["value"]["errors"][0].as_str().unwrap_or_default();
        assert_eq!(answer["value"]["reloaded"], 1, "{answer}");
        assert!(error.contains("lib.lua:1:") && error.contains("no module `tall`"), "{answer}");

        // It comes: the script that asked for it is loaded again, though it has not changed itself.
        game.write("tall.lua", "return 1");
        game.write("far.lua", "return { height = 9 }");
        let answer = tool.ask(&reload, engine, logic);
        assert_eq!(answer["value"]["errors"], json!([]), "{answer}");
        engine.frame(logic).expect("a frame");
        assert_eq!(hub(engine)[1], 9.0, "the new text, and the file that was added");
        let answer = tool.ask(&reload, engine, logic);
        assert_eq!(answer["value"], json!({ "reloaded": 0, "errors": [] }), "nothing is left");

        let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
        game.write("yard.level", &level.replacen("box0 =", "boxes = { } box0 =", 1));
        game.write("main.lua", "function start() nothing.at_all() end");
        let answer = tool.ask(&reload, engine, logic);
        let errors = answer["value"]["errors"].to_string();
        assert!(errors.contains("scripts failed 1 times meanwhile"), "`start` did: {answer}");
    });
}

/// Asks for each line and compares what is answered: a value, or what an error says.
fn asked(game: &Game, lines: &[(&str, Result<&str, &str>)]) {
    with_tool_of(game, |engine, tool| {
        let logic = &mut Turning::default();
        for (code, expected) in lines {
            let request = json!({ "type": "console", "line": code });
            let answer = tool.ask(&request, engine, logic);
            match expected {
                Ok(value) => assert_eq!(answer["value"], *value, "{code}: {answer}"),
                Err(said) => {
                    let message = answer["message"].as_str().unwrap_or_default();
                    assert!(message.contains(said), "{code}: {answer}");
                }
            }
        }
    });
}

#[test]
fn data_of_entities_are_read_and_written_key_by_key() {
    let game = scripted();
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    let data = "hub = { components = { data = { name = \"Hub\" stats = { health = 20 open = true } path = [ 1 2 3 ] odd = [ 1 2 ] }";
    game.write(
        "yard.level",
        &level.replacen("hub = { components = {", data, 1).replacen(
            "hub = {\n                components = {",
            data,
            1,
        ),
    );
    assert_eq!(game.compile(), [""; 0], "it is right");
    asked(
        &game,
        &[
            ("hub = Entity.find('hub') arm = Entity.find('arm')", Ok("")),
            ("Data.number(hub, 'stats.health')", Ok("20")),
            ("Data.bool(hub, 'stats.open')", Ok("true")),
            ("Data.text(hub, 'name')", Ok("Hub")),
            ("Vector3.z(Data.vector3(hub, 'path'))", Ok("3")),
            ("Data.has(hub, 'stats')", Ok("false")),
            ("Data.has(arm, 'name')", Ok("false")),
            (
                "Data.set_number(hub, 'stats.health', 12.5) return Data.number(hub, 'stats.health')",
                Ok("12.5"),
            ),
            (
                "Data.set_bool(arm, 'stats.open', false) return Data.bool(arm, 'stats.open')",
                Ok("false"),
            ),
            ("Data.set_text(arm, 'name', 'Arm') return Data.text(arm, 'name')", Ok("Arm")),
            (
                "Data.set_vector3(arm, 'to', Vector3(4, 5, 6)) return Vector3.y(Data.vector3(arm, 'to'))",
                Ok("5"),
            ),
            (
                "Data.set_text(hub, 'stats.health', 'well') return Data.text(hub, 'stats.health')",
                Ok("well"),
            ),
            ("Data.remove(hub, 'name')", Ok("true")),
            ("Data.remove(hub, 'name')", Ok("false")),
            (
                "Data.text(hub, 'name')",
                Err(
                    "Data.text: the entity has no text under `name`, but nothing; ask Data.has before",
                ),
            ),
            (
                "Data.number(hub, 'path')",
                Err("no number under `path`, but three numbers; ask for them by Data.vector3"),
            ),
            (
                "Data.vector3(hub, 'odd')",
                Err("no array of three numbers under `odd`, but an array, which scripts read"),
            ),
            ("Data.number(hub, 'stats.open')", Err("but a truth value; ask for it by Data.bool")),
            ("Data.number(hub, 'stats.health')", Err("but a text; ask for it by Data.text")),
            (
                "Entity.destroy(arm) Data.set_number(arm, 'x', 1)",
                Err("is gone; ask Entity.is_alive before"),
            ),
        ],
    );
}

#[test]
fn a_model_is_given_another_material() {
    let game = scripted();
    game.write("gold.material", "shader = \"plain\" layer = \"sky\"");
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nmaterials = [ \"gold\" ]"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    asked(
        &game,
        &[
            ("hub = Entity.find('hub') eye = Entity.find('eye')", Ok("")),
            ("Model.material(hub, 1)", Ok("stone")),
            ("Model.set_material(hub, 1, 'gold')", Ok("")),
            ("Model.material(hub, 1)", Ok("gold")),
            (
                "Model.set_material(hub, 1, 'golt')",
                Err("Model.set_material: `golt`: the material is not loaded; name it in a package"),
            ),
            (
                "Model.set_material(hub, 2, 'stone')",
                Err("a model has no slot 2; its one material is in slot 1"),
            ),
            ("Model.set_material(eye, 1, 'stone')", Err("the entity has no model; give it one")),
            ("Model.material(eye, 1)", Err("the entity has no model; give it one")),
            ("Model.material(hub, 1)", Ok("gold")),
        ],
    );
    let data = game.data();
    let drawn = |code: &'static str| {
        game.write("main.lua", &format!("function start() {code} end"));
        assert_eq!(game.compile(), [""; 0], "it is right");
        let ran = with_engine(&game.options(&data), |engine| {
            for _ in 0..2 {
                engine.want_text();
                engine.frame(&mut ()).expect("a frame");
            }
            engine.finish().expect("it is drawn");
            engine.text().to_owned()
        });
        ran.expect("it boots")
    };
    let (stone, gold) = (drawn(""), drawn("Model.set_material(Entity.find('hub'), 1, 'gold')"));
    assert_ne!(stone, gold, "it is drawn with another state, in another layer");
    let back = drawn(
        "local hub = Entity.find('hub') Model.set_material(hub, 1, 'gold') Model.set_material(hub, 1, 'stone')",
    );
    assert_eq!(stone, back, "and as before");
}

#[test]
fn lights_are_changed_by_scripts() {
    let game = scripted();
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    let lamp = "lamp = { components = { transform = { position = [ 0 2 0 ] } light = {} } } box0 =";
    game.write("yard.level", &level.replacen("box0 =", lamp, 1));
    assert_eq!(game.compile(), [""; 0], "it is right");
    asked(
        &game,
        &[
            ("lamp = Entity.find('lamp') hub = Entity.find('hub') return Light.count()", Ok("1")),
            ("Light.intensity(lamp)", Ok("10")),
            ("Light.range(lamp)", Ok("8")),
            (
                "Light.set_color(lamp, Vector3(0, 0.5, 1)) return Vector3.y(Light.color(lamp))",
                Ok("0.5"),
            ),
            ("Light.set_intensity(lamp, 3) return Light.intensity(lamp)", Ok("3")),
            ("Light.set_range(lamp, 5.5) return Light.range(lamp)", Ok("5.5")),
            (
                "Light.set_range(lamp, 0)",
                Err("Light.set_range: 0 is no range; give metres, more than 0"),
            ),
            ("Light.set_intensity(lamp, -2)", Err("-2 is no brightness; give a number from 0 on")),
            ("Light.set_color(hub, Vector3(1, 1, 1))", Err("the entity has no light; give it one")),
            (
                "Light.range(5)",
                Err("Light.range: argument 1 must be a Entity, and is a plain number"),
            ),
        ],
    );
}

#[test]
fn every_function_can_be_called_and_says_what_it_does() {
    let game = scripted();
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        for (code, value) in [
            ("Entity.count()", "8"),
            ("Tag.count('turns')", "1"),
            ("Tag.entity('turns', 2)", "nil"),
            ("Tag.has(Entity.find('hub'), 'turns')", "true"),
            ("Entity.is_alive(Entity.find('arm'))", "true"),
            ("Vector3.x(Transform.position(Entity.find('arm')))", "2"),
            ("Vector3.y(Transform.scale(Entity.find('arm')))", "1"),
            ("local arm = Entity.find('arm') Tag.add(arm, 'new') return Tag.count('new')", "1"),
            ("local arm = Entity.find('arm') Tag.remove(arm, 'new') return Tag.count('new')", "0"),
            (
                "local eye = Camera.current() Camera.set_field_of_view(eye, 30) return math.floor(Camera.field_of_view(eye) + 0.5)",
                "30",
            ),
            (
                "Sun.set_intensity(2) Sun.set_color(Vector3(1, 0, 0)) return Sun.entity() ~= nil",
                "true",
            ),
            ("Model.set_visible(Entity.find('arm'), false)", ""),
            ("Game.frame() > 0 and Game.time() > 0 and Game.step() > 0", "true"),
            (
                "local arm = Entity.find('arm') Transform.set_scale(arm, Vector3(2, 3, 4)) return Vector3.y(Transform.scale(arm))",
                "3",
            ),
            (
                "local arm = Entity.find('arm') Transform.set_rotation(arm, Transform.rotation(arm))",
                "",
            ),
            (
                "local arm = Entity.find('arm') Transform.set_position(arm, Transform.world_position(arm))",
                "",
            ),
            ("Camera.set_current(Camera.current())", ""),
            ("Light.count()", "0"),
            ("Entity.destroy(Entity.find('hub'))", "2"),
            ("Entity.find('arm')", "nil"),
        ] {
            let request = json!({ "type": "console", "line": code });
            let answer = tool.ask(&request, engine, logic);
            assert_eq!(answer["value"], value, "{code}: {answer}");
        }
        assert!(!engine.is_over(), "not yet");
        tool.ask(&json!({ "type": "script", "code": "Game.quit()" }), engine, logic);
        assert!(engine.is_over(), "the script says so");
    });
    for binding in bindings() {
        assert!(!binding.help.is_empty() && binding.name.contains('.'), "{binding}");
    }
}

#[test]
fn scripts_hang_entities_on_others() {
    let game = scripted();
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        for (code, value) in [
            ("Transform.parent(Entity.find('arm')) == Entity.find('hub')", "true"),
            ("Transform.parent(Entity.find('hub'))", "nil"),
            ("(pcall(Transform.link, Entity.find('hub'), Entity.find('arm')))", "false"),
            ("Transform.unlink(Entity.find('arm'))", ""),
            ("Transform.parent(Entity.find('arm'))", "nil"),
            ("Transform.link(Entity.find('hub'), Entity.find('arm'))", ""),
            ("Transform.parent(Entity.find('hub')) == Entity.find('arm')", "true"),
            ("Entity.destroy(Entity.find('arm'))", "2"),
        ] {
            let request = json!({ "type": "console", "line": code });
            let answer = tool.ask(&request, engine, logic);
            assert_eq!(answer["value"], value, "{code}: {answer}");
        }
    });
}
