//! Tools at the port of a running engine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use loligo_engine::{Engine, EngineOptions, with_engine};
use serde_json::{Value, json};

use crate::frames::Turning;
use crate::support::Game;

/// A tool.
pub(crate) struct Tool {
    stream: BufReader<TcpStream>,
    /// The token, until the first message has it.
    token: Option<String>,
}

impl Tool {
    pub(crate) fn connect(engine: &Engine<'_, '_>) -> Self {
        let address = engine.tool_address().expect("tools are served");
        assert!(address.ip().is_loopback(), "{address}");
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nonblocking(true).expect("a socket");
        let token = engine.tool_token().expect("it is needed").to_string();
        Self { stream: BufReader::new(stream), token: Some(token) }
    }

    /// Sends a request and runs frames until the answer is there.
    pub(crate) fn ask(
        &mut self,
        request: &Value,
        engine: &mut Engine<'_, '_>,
        logic: &mut Turning,
    ) -> Value {
        let mut request = request.clone();
        if let Some(token) = self.token.take() {
            request["token"] = token.into();
        }
        let line = format!("{request}\n");
        self.stream.get_mut().write_all(line.as_bytes()).expect("it is taken");
        self.next(engine, logic)
    }

    /// Runs frames until the next message is there.
    pub(crate) fn next(&mut self, engine: &mut Engine<'_, '_>, logic: &mut Turning) -> Value {
        let mut answer = String::new();
        while !answer.ends_with('\n') {
            engine.frame(logic).expect("a frame");
            match self.stream.read_line(&mut answer) {
                Ok(0) => panic!("the engine has closed the connection"),
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
                }
            }
        }
        serde_json::from_str(&answer).expect("JSON")
    }
}

/// Boots a game that is compiled again when a tool asks for it.
fn with_tool(act: impl FnOnce(&Game, &mut Engine<'_, '_>, &mut Tool, &mut Turning)) {
    let game = Game::new(2);
    with_tool_of(&game, |engine, tool| act(&game, engine, tool, &mut Turning::default()));
}

/// As `with_tool`, of a game of one's own.
pub(crate) fn with_tool_of(game: &Game, act: impl FnOnce(&mut Engine<'_, '_>, &mut Tool)) {
    let data = game.data();
    let recompile = |told: &mut dyn FnMut(&dyn core::fmt::Display)| {
        game.compile().iter().for_each(|error| told(error));
        true
    };
    let options = EngineOptions { recompile: Some(&recompile), ..game.options(&data) };
    with_engine(&options, |engine| {
        let mut tool = Tool::connect(engine);
        act(engine, &mut tool);
    })
    .expect("it boots");
}

#[test]
fn a_material_that_is_changed_while_the_game_runs_is_seen() {
    with_tool(|game, engine, tool, logic| {
        let material = "shader = \"plain\" layer = \"sky\"";
        engine.want_text();
        engine.frame(logic).expect("a frame");
        engine.finish().expect("it is drawn");
        assert!(engine.text().contains("layer 1 opaque, by_state"), "{}", engine.text());

        game.write("stone.material", material);
        let answer = tool.ask(&json!({ "id": 1, "type": "reload" }), engine, logic);
        assert_eq!(answer["value"], json!({ "reloaded": 1, "errors": [] }), "{answer}");
        engine.want_text();
        engine.frame(logic).expect("a frame");
        engine.finish().expect("it is drawn");
        assert!(!engine.text().contains("layer 1 opaque"), "all are in the sky: {}", engine.text());
        assert!(game.log.all().iter().any(|line| line == "reloaded stone"), "{:?}", game.log.all());
    });
}

#[test]
fn a_resource_that_is_wrong_keeps_its_last_good_version() {
    with_tool(|game, engine, tool, logic| {
        game.write("stone.material", "shader = \"plain\"\nroughnes = 1");
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        let errors = answer["value"]["errors"].as_array().expect("a list");
        assert_eq!((answer["value"]["reloaded"].as_u64(), errors.len()), (Some(0), 1), "{answer}");
        let error = errors[0].as_str().expect("a text");
        assert!(error.starts_with("stone.material:2:1: "), "{error}");
        assert!(error.contains("roughness"), "{error}");
        assert!(error.contains("When compiling: stone.material"), "{error}");
        assert!(error.contains("the last good one stays"), "{error}");
        engine.want_text();
        engine.frame(logic).expect("the game goes on");
        engine.finish().expect("it is drawn");
        assert!(engine.text().contains("layer 1 opaque"), "as it was: {}", engine.text());
    });
}

#[test]
fn a_level_that_is_changed_is_spawned_again() {
    with_tool(|game, engine, tool, logic| {
        engine.frame(logic).expect("a frame");
        let before = engine.world().entities().len();
        let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
        game.write("yard.level", &level.replacen("box0 =", "boxes = { } box0 =", 1));
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        assert_eq!(answer["value"]["reloaded"], 1, "{answer}");
        assert_eq!(engine.world().entities().len(), before + 1, "one more");
        assert_eq!(logic.started, 2, "the logic was told");
        engine.want_text();
        engine.frame(logic).expect("a frame");
        engine.finish().expect("it is drawn");
        assert!(engine.text().contains("meshes 6"), "no mesh was left: {}", engine.text());
    });
}

#[test]
fn settings_that_are_changed_are_taken_in_or_refused_by_name() {
    with_tool(|game, engine, tool, logic| {
        let reload = json!({ "type": "reload" });
        let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
        game.write("game.config", &config.replace("Yard", "Garden"));
        let answer = tool.ask(&reload, engine, logic);
        let error = answer["value"]["errors"][0].as_str().unwrap_or_default();
        assert!(error.starts_with("game.config: `title` is read when the game starts"), "{answer}");

        let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
        game.write("court.level", &level.replacen("box0 =", "boxes = { } box0 =", 1));
        let entities = engine.world().entities().len();
        game.write("game.config", &config.replace("level = \"yard\"", "level = \"court\""));
        let answer = tool.ask(&reload, engine, logic);
        assert_eq!(answer["value"], json!({ "reloaded": 1, "errors": [] }), "{answer}");
        assert_eq!(engine.world().entities().len(), entities + 1, "the other level");
        assert_eq!(logic.started, 2, "the logic was told");

        game.write("gold.material", "shader = \"plain\" layer = \"sky\"");
        game.write("game.config", &format!("{config} materials = [ \"gold\" ]"));
        let answer = tool.ask(&reload, engine, logic);
        assert_eq!(answer["value"]["errors"], json!([]), "{answer}");
        assert_eq!(engine.world().entities().len(), entities, "the first level again");
    });
}

#[test]
fn a_frame_that_is_changed_is_drawn_otherwise() {
    with_tool(|game, engine, tool, logic| {
        let frame = std::fs::read_to_string(game.sources().join("yard.frame")).expect("written");
        game.write("yard.frame", &frame.replace("[ 0 0 0 1 ]", "[ 1 0 0 1 ]"));
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        assert_eq!(answer["value"]["reloaded"], 1, "{answer}");
        engine.want_text();
        engine.frame(logic).expect("a frame");
        engine.finish().expect("it is drawn");
        assert!(engine.text().contains("clear color 1 0 0 1"), "{}", engine.text());

        game.write("yard.frame", "passes = [ { nam = 1 } ]");
        let answer = tool.ask(&json!({ "type": "reload" }), engine, logic);
        assert_eq!(answer["type"], "result", "{answer}");
        engine.want_text();
        engine.frame(logic).expect("a frame");
        engine.finish().expect("it is drawn");
        assert!(engine.text().contains("clear color 1 0 0 1"), "as it was: {}", engine.text());
    });
}

#[test]
fn a_tool_is_told_what_the_engine_does() {
    with_tool(|_, engine, tool, logic| {
        let line = "graph make times";
        let answer = tool.ask(&json!({ "type": "console", "line": line }), engine, logic);
        assert_eq!(answer["type"], "result", "{answer}");
        for _ in 0..20 {
            engine.frame(logic).expect("a frame");
        }
        let answer = tool.ask(&json!({ "id": 5, "type": "monitor" }), engine, logic);
        let value = &answer["value"];
        assert!(value["frames"].as_u64().is_some_and(|frames| frames > 20), "{answer}");
        assert_eq!(value["entities"], 8, "{answer}");
        let subsystems = value["memory"].as_array().expect("a list");
        assert_eq!(subsystems.len(), loligo_engine::SUBSYSTEMS.len(), "{answer}");
        let bytes = |name: &str| {
            let subsystem = subsystems
                .iter()
                .find(|subsystem| subsystem["subsystem"] == name)
                .expect("it is listed");
            subsystem["bytes"].as_u64().expect("a number")
        };
        assert!(bytes("entities") > 0 && bytes("render") > 0, "{answer}");
        assert_eq!(value["graphs"][0]["name"], "times", "{answer}");
        for (request, said) in [
            (
                json!({ "type": "script", "code": "return 1" }),
                "the engine runs without scripts; name one",
            ),
            (json!({ "type": "console", "line": "graph mak" }), "column 7"),
            (json!({ "type": "script" }), "expected a string as the member `code`"),
            (json!({ "type": "dance" }), "there is no request `dance`; one of script, console"),
        ] {
            let answer = tool.ask(&request, engine, logic);
            assert_eq!(answer["type"], "error", "{answer}");
            assert!(answer["message"].as_str().is_some_and(|text| text.contains(said)), "{answer}");
        }
        assert!(!engine.is_over(), "nobody has asked for the end");
        tool.ask(&json!({ "type": "quit" }), engine, logic);
        assert!(engine.is_over(), "somebody has");
    });
}

#[cfg(unix)]
#[test]
fn the_address_with_the_token_is_kept_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let game = Game::new(1);
    let data = game.data();
    let path = data.join("tools");
    // Somebody else's link, or what an engine that was killed left, is replaced and not written
    // through.
    let outside = game.sources().join("outside");
    std::fs::write(&outside, "as it was").expect("the folder may be written");
    std::os::unix::fs::symlink(&outside, &path).expect("a link");
    with_engine(&game.options(&data), |engine| {
        let address = engine.tool_address().expect("tools are served");
        let token = engine.tool_token().expect("it is needed");
        let kept = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(kept, format!("{address}/{token}\n"), "what is kept");
        let metadata = std::fs::symlink_metadata(&path).expect("it is there");
        assert!(metadata.is_file(), "no link");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "for its owner alone");
        assert!(!format!("{:?}", engine.tool_token()).contains(&token.to_string()), "not in logs");
    })
    .expect("it boots");
    assert!(!path.exists(), "nobody serves there any more");
    assert_eq!(std::fs::read_to_string(&outside).expect("it is there"), "as it was", "outside");
}
