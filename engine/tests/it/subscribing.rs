//! What tools can subscribe to, of a game that runs.

use std::collections::BTreeMap;

use loligo_engine::{
    BackEndChoice, DisabledSubsystems, Engine, EngineOptions, OptionalSubsystem, with_engine,
};
use serde_json::{Value, json};

use crate::frames::Turning;
use crate::pictures::flat;
use crate::scripts::scripted;
use crate::support::Game;
use crate::tools::Tool;

/// A script that makes garbage and says something.
const MAIN: &str = "
function update(step)
    waste = {}
    for number = 1, 50 do waste[number] = { number } end
    if Game.frame() % 10 == 0 then print('frame ' .. Game.frame()) end
end";

/// Sends a request, and returns its answer; messages that come before it are dropped.
fn ask(tool: &mut Tool, request: &Value, engine: &mut Engine<'_, '_>) -> Value {
    let logic = &mut Turning::default();
    let mut answer = tool.ask(request, engine, logic);
    while answer["type"] != "result" && answer["type"] != "error" {
        answer = tool.next(engine, logic);
    }
    answer
}

/// Runs frames until `count` messages of each topic have come; returns them by topic.
fn heard(
    tool: &mut Tool,
    engine: &mut Engine<'_, '_>,
    (topics, count): (&[&str], usize),
) -> BTreeMap<String, Vec<Value>> {
    let mut heard: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    while topics.iter().any(|topic| heard.get(*topic).map_or(0, Vec::len) < count) {
        let mut message = tool.next(engine, &mut Turning::default());
        assert_eq!(message["left_out"], 0, "all is read: {message}");
        let topic = message["type"].as_str().expect("a type").to_owned();
        heard.entry(topic).or_default().push(message["value"].take());
    }
    heard
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn frames_are_right(messages: &[Value]) {
    let frames: Vec<_> = messages.iter().flat_map(|message| list(&message["frames"])).collect();
    assert!(frames.len() > 10, "{} frames", frames.len());
    let (count, mut last, mut with_tools) = (frames.len(), 0, 0);
    for frame in frames {
        let (start, ns) = (number(&frame[0]), number(&frame[1]));
        assert!(start >= last, "one after another: {frame}");
        last = start + ns;
        let parts = frame[2].as_object().expect("parts");
        assert!(parts.contains_key("logic"), "{frame}");
        with_tools += usize::from(parts.contains_key("tools"));
        let sum: u64 = parts.values().map(number).sum();
        assert!(sum <= ns, "parts are within: {frame}");
    }
    // Not in those before the tool was connected, and in those of which there was too much to keep.
    assert!(with_tools * 10 > count * 9, "what tools cost is stated: {with_tools} of {count}");
}

fn scopes_are_right(message: &Value) {
    let names: Vec<_> = list(&message["names"]).iter().map(|name| name.as_str()).collect();
    let threads = list(&message["threads"]);
    let thread = |name: &str| {
        let found = threads.iter().find(|thread| thread["name"] == name);
        list(&found.unwrap_or_else(|| panic!("no {name}: {threads:?}"))["spans"])
    };
    let name = |span: &Value| names[number(&span[0]) as usize].expect("a name");
    let main = thread("main");
    assert!(main.iter().any(|span| name(span) == "frame" && number(&span[3]) == 0), "{main:?}");
    assert!(main.iter().any(|span| name(span) == "scripts" && number(&span[3]) == 2), "{main:?}");
    assert!(thread("render").iter().any(|span| name(span) == "draw"), "on another thread");
    let ends: Vec<_> = main.iter().map(|span| number(&span[1]) + number(&span[2])).collect();
    assert!(ends.is_sorted(), "in the order of their ends: {ends:?}");
    // A game of boxes runs thousands of frames a second, of which not all scopes are sent.
    assert!(main.len() as u64 + number(&message["skipped"]) > 100, "{message}");
}

fn memory_is_right(message: &Value) {
    let allocators = list(&message["allocators"]);
    let place = |name: &str| {
        let found = allocators.iter().position(|of| of["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {allocators:?}"))
    };
    let entities = &allocators[place("entities")];
    let heap = &allocators[number(&entities["parent"]) as usize];
    assert!(number(&heap["reserved"]) >= number(&entities["granted"]), "{heap} over {entities}");
    for of in allocators {
        let [requested, granted, reserved, peak] =
            ["requested", "granted", "reserved", "peak"].map(|key| number(&of[key]));
        assert!(requested <= granted && granted <= reserved && granted <= peak, "{of}");
        let fragmentation = of["fragmentation"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&fragmentation), "{of}");
    }
    assert!(number(&entities["blocks"]) > 0 && number(&entities["requested"]) > 0, "{entities}");
    assert!(list(&message["libraries"]).iter().any(|of| of["name"] == "tungstenite"), "{message}");
    assert_eq!(message["is_complete"], true, "{message}");
}

#[test]
fn a_tool_hears_of_all_that_is_measured() {
    const TOPICS: [&str; 6] = ["frames", "scopes", "log", "memory", "objects", "garbage"];
    let game = scripted();
    game.write("main.lua", MAIN);
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let tool = &mut Tool::connect(engine);
        let monitor = engine.memory().subsystem("monitor").expect("it is there");
        let before = monitor.stats().requested;
        let answer = ask(tool, &json!({ "type": "subscribe", "topics": TOPICS }), engine);
        assert_eq!(answer["value"]["topics"].as_array().map(Vec::len), Some(6), "{answer}");
        let heard = heard(tool, engine, (&TOPICS, 2));
        frames_are_right(&heard["frames"]);
        scopes_are_right(&heard["scopes"][1]);
        memory_is_right(&heard["memory"][1]);
        assert_eq!(heard["objects"][1]["entities"], 8, "{:?}", heard["objects"]);
        let garbage = &heard["garbage"][1];
        let calls = &garbage["places"][0]["calls"];
        let is_ours = list(calls).iter().any(|call| call[0] == "main.lua" && call[1] == 4);
        assert!(is_ours && number(&garbage["bytes"]) > 1000, "the line of the loop: {garbage}");

        let lines: Vec<_> = heard["log"].iter().flat_map(|log| list(&log["lines"])).collect();
        let numbers: Vec<_> = lines.iter().map(|line| number(&line["number"])).collect();
        let all: Vec<_> = (numbers[0]..).take(numbers.len()).collect();
        assert_eq!(numbers, all, "no line is missing");
        assert!(lines[0]["text"].as_str().is_some_and(|text| text.contains("frame ")), "{lines:?}");
        assert_eq!(lines[0]["level"], "info", "{lines:?}");

        let memory = monitor.stats().requested;
        assert!(memory > before + (1 << 20), "scopes are kept: {memory} bytes");
        ask(tool, &json!({ "type": "unsubscribe" }), engine);
        assert_eq!(monitor.stats().requested, before, "and are kept no longer");
        let again = ask(tool, &json!({ "type": "log" }), engine);
        let last = lines[lines.len() - 1];
        let kept = list(&again["value"]["lines"]);
        assert!(kept.contains(last), "the last lines are there for those who come later: {kept:?}");
    })
    .expect("it boots");
}

#[test]
fn a_tool_learns_what_scripts_can_call_and_what_they_hold() {
    let game = scripted();
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let tool = &mut Tool::connect(engine);
        let answer = ask(tool, &json!({ "type": "functions" }), engine);
        let functions = list(&answer["value"]);
        for name in ["Entity.find", "Draw.line"] {
            let found = functions.iter().find(|function| function["name"] == name);
            let function = found.unwrap_or_else(|| panic!("no {name}: {functions:?}"));
            assert!(function["help"].as_str().is_some_and(|help| !help.is_empty()), "{function}");
        }
        let find = functions.iter().find(|function| function["name"] == "Entity.find");
        assert_eq!(find.expect("as above")["arguments"], json!(["string"]), "{find:?}");
        let answer = ask(tool, &json!({ "type": "script_objects" }), engine);
        let counts = list(&answer["value"]);
        assert!(counts.iter().any(|of| of[0] == "function" && number(&of[1]) > 50), "{counts:?}");
    })
    .expect("it boots");
}

#[test]
fn a_tool_sees_what_sounds_and_how_loud_buses_are() {
    let game = crate::sound::game("");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let tool = &mut Tool::connect(engine);
        let mut ears = crate::sound::Ears { is_asked: true, ..Default::default() };
        engine.frame(&mut ears).expect("a frame");
        let request = json!({ "type": "subscribe", "topics": ["subsystems"] });
        let answer = ask(tool, &request, engine);
        assert_eq!(answer["value"]["topics"][0]["name"], "subsystems", "{answer}");
        let heard = heard(tool, engine, (&["subsystems"], 2));
        let sound = &heard["subsystems"][1]["sound"];
        let [motor] = list(&sound["voices"]) else { panic!("one sounds: {sound}") };
        assert_eq!([&motor["name"], &motor["wave"], &motor["bus"]], ["motor", "hum", "master"]);
        assert_eq!((&motor["has_voice"], &motor["is_paused"]), (&json!(true), &json!(false)));
        let place: Vec<_> = list(&motor["place"]).iter().filter_map(Value::as_f64).collect();
        assert_eq!(place, [4.0, 0.0, 0.0], "that of its entity");
        let sound_number = motor["sound"].as_f64().expect("a number");
        assert!(number(&motor["entity"]) > 0 && sound_number > 0.0, "{motor}");
        let buses = list(&sound["buses"]);
        let names: Vec<_> = buses.iter().map(|bus| bus["name"].as_str().expect("a name")).collect();
        assert_eq!(names.len(), 3, "{buses:?}");
        assert!(["master", "music", "hall"].iter().all(|name| names.contains(name)), "{names:?}");
        for (bus, is_heard) in buses.iter().zip(names.iter().map(|name| *name == "master")) {
            for key in ["peak", "loudness"] {
                let level = bus[key].as_f64().expect("a number");
                assert_eq!((-80.0..0.0).contains(&level), is_heard, "{key}: {bus}");
            }
        }
        assert_eq!(sound["totals"][0]["voices"], 1.0, "{sound}");
        assert_eq!(sound["totals"][0]["device"], Value::Null, "{sound}");
    })
    .expect("it boots");
}

#[test]
fn topics_that_a_run_does_not_have_are_refused_by_name() {
    let game = Game::new(1);
    let data = game.data();
    let mut without = DisabledSubsystems::default();
    without.add(OptionalSubsystem::Monitor.name()).expect("it is known");
    without.add(OptionalSubsystem::Render.name()).expect("it is known");
    let options = EngineOptions { without, ..game.options(&data) };
    with_engine(&options, |engine| {
        let tool = &mut Tool::connect(engine);
        for (topic, said) in [
            ("frames", "run without `--without monitor`"),
            ("scopes", "run without `--without monitor`"),
            ("garbage", "name one as `script` in game.config"),
            ("screen", "run without `--without render`"),
            ("weather", "there is no topic `weather`; one of frames, scopes, log, memory"),
        ] {
            let request = json!({ "type": "subscribe", "topics": ["log", topic] });
            let answer = ask(tool, &request, engine);
            assert_eq!(answer["type"], "error", "{topic}: {answer}");
            let message = answer["message"].as_str().expect("a text");
            assert!(message.contains(topic) && message.contains(said), "{topic}: {message}");
        }
    })
    .expect("it boots");
}

#[test]
fn a_tool_sees_the_screen() {
    let game = flat();
    let data = game.data();
    for back_end in [BackEndChoice::Text, BackEndChoice::Auto] {
        let options = EngineOptions { back_end, ..game.options(&data) };
        with_engine(&options, |engine| {
            let tool = &mut Tool::connect(engine);
            ask(tool, &json!({ "type": "subscribe", "topics": ["screen"] }), engine);
            let pictures = &heard(tool, engine, (&["screen"], 1))["screen"];
            let size = ["width", "height"].map(|key| number(&pictures[0][key]));
            if size == [0, 0] {
                // Text, and where there is no driver.
                return assert_eq!(pictures[0]["png"], "", "{pictures:?}");
            }
            assert!(back_end == BackEndChoice::Auto, "text draws none");
            assert_eq!(size, [64, 48], "it is small");
            assert_eq!(number(&pictures[0]["of_width"]), 64, "{pictures:?}");
            let png = pictures[0]["png"].as_str().expect("a text");
            assert!(png.starts_with("iVBORw0KGgo"), "{png}");
        })
        .expect("it boots");
    }
}
