//! Games that are scripted: what scripts see and change, how they fail, and how they are changed while they run.

use loligo_engine::{Engine, EngineOptions, Optional, Without, bindings, with_engine};
use loligo_ids::id32;
use serde_json::json;

use crate::frames::Turning;
use crate::support::Game;
use crate::tools::with_tool_of;

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

fn scripted() -> Game {
    let game = Game::new(2);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nscript = \"main\""));
    game.write("main.lua", MAIN);
    game.write("lib.lua", "local lib = {}\nfunction lib.height() return 5 end\nreturn lib");
    assert_eq!(game.compile(), [""; 0], "it is right");
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
    let frames = |without: Without| {
        let options = EngineOptions { without, ..game.options(&data) };
        with_engine(&options, |engine| {
            for _ in 0..31 {
                engine.frame(&mut ()).expect("a frame");
            }
            hub(engine)
        })
    };
    let [x, y, _] = frames(Without::default()).expect("it boots");
    assert!(
        (x - 0.5).abs() < 1e-3 && y == 5.0,
        "half a second, as high as the library says: {x} {y}"
    );
    let mut without = Without::default();
    without.add(Optional::Script.name()).expect("it may be left out");
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
                "local gone = Entity.find('arm') Entity.unspawn(gone) Transform.scale(gone)",
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
            ("Entity.unspawn(Entity.find('hub'))", "2"),
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
