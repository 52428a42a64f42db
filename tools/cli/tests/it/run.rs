//! Tests of `loligo run`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::support::{Place, text};

const LEVEL: &str = "
entities = {
    eye = { components = { transform = { position = [ 0 2 8 ] } camera = {} } }
    sun = { components = { transform = {} sun = {} } }
    box = { components = { transform = {} model = { mesh = \"box\" material = \"stone\" } } }
}
";

const FRAME: &str = "passes = [ {
    name = \"main\" color = [ \"window\" ] clear = { color = [ 0 0 0 1 ] }
    layers = [ { name = \"opaque\" order = \"by_state\" } ]
} ]";

const SHADER: &str = "
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }
";

fn game() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("game")).expect("it may be made");
    place.file("game/game.config", "level = \"yard\" frame = \"yard\" window = [ 320 200 ]");
    place.file("game/yard.level", LEVEL);
    place.file("game/yard.frame", FRAME);
    place.file("game/box.mesh", "shape = \"box\"");
    place.file("game/plain.shader", SHADER);
    place.file("game/stone.material", "shader = \"plain\"");
    place
}

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "game", "--frames", "20", "--backend", "text"];
    arguments.extend_from_slice(more);
    arguments
}

#[test]
fn what_is_heard_is_written_as_a_wav_the_same_with_any_number_of_threads() {
    let place = game();
    place.file("game/tone.wav", crate::sound::tone(1, 48_000, 440.0, 48_000));
    place.file("game/tone.wave", "file = \"tone.wav\"");
    place.file("game/tone.sound", "wave = \"tone\"");
    let level = LEVEL
        .replace("eye = { components = {", "eye = { components = { sound = { play = \"tone\" }");
    place.file("game/yard.level", &level);
    let (code, _, stderr) = place.run(&run(&["--sound", "one.wav", "--threads", "1"]));
    assert_eq!(code, 0, "{stderr}");
    let (code, _, stderr) = place.run(&run(&["--sound", "three.wav", "--threads", "3"]));
    assert_eq!(code, 0, "{stderr}");
    let (spec, one) = crate::sound::samples(&place, "one.wav");
    assert_eq!((spec.channels, spec.sample_rate), (2, 48_000), "in stereo");
    assert!((18 * 1600..=20 * 1600).contains(&one.len()), "20 frames of 800: {}", one.len());
    assert!(one.iter().any(|sample| *sample > 1000), "the tone is heard");
    let (_, three) = crate::sound::samples(&place, "three.wav");
    assert!(one == three, "threads change nothing");
    let (code, _, stderr) = place.run(&run(&["--sound", "none/out.wav"]));
    assert_eq!(code, 2, "there is no such folder");
    assert!(stderr.contains("none/out.wav: cannot write"), "{stderr}");
}

#[test]
fn a_game_is_compiled_and_run_and_what_it_took_is_told() {
    let place = game();
    // Steps that no clock decides: what the shaders see of the time is in the text, too.
    let config = "level = \"yard\" frame = \"yard\" window = [ 320 200 ]";
    let config = format!("{config} time_step = {{ policy = \"each_frame\" step = 0.02 }}");
    place.file("game/game.config", &config);
    let (code, stdout, stderr) = place.run(&run(&["--text", "frame.txt"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("6 resources compiled, 0 as they were"), "{stderr}");
    assert!(stderr.contains("drawn by nobody: a frame is text"), "said plainly: {stderr}");
    assert!(stderr.contains("tools are served at 127.0.0.1:"), "{stderr}");
    assert!(stdout.starts_with("20 frames of 3 entities\n"), "{stdout}");
    for part in ["p99", "1 draws", "entities", "boot/pages", "tungstenite"] {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
    let frame = std::fs::read_to_string(place.path("frame.txt")).expect("it was written");
    assert!(frame.starts_with("frame 19: 320 x 200, eye 0.000 2.000 8.000, meshes 1\n"), "{frame}");
    let (code, _, stderr) = place.run(&run(&["--text", "again.txt", "--threads", "1"]));
    assert_eq!(code, 0, "{stderr}");
    let again = std::fs::read_to_string(place.path("again.txt")).expect("it was written");
    assert_eq!(again, frame, "one thread gives the same frame");
}

#[test]
fn a_resource_that_is_wrong_is_told_and_its_last_good_version_runs() {
    let place = game();
    place.run(&run(&[]));
    place.file("game/stone.material", "shader = \"plain\"\nroughnes = 0.5");
    let (code, stdout, stderr) = place.run(&run(&[]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("stone.material:2:1: "), "{stderr}");
    assert!(stderr.contains("When compiling: stone.material"), "{stderr}");
    assert!(stdout.contains("1 draws"), "{stdout}");
}

#[test]
fn the_memory_of_each_subsystem_is_chosen_by_a_file() {
    let place = game();
    place.file("plan.sjson", "subsystems = { render = { allocator = \"guard\" } }");
    let (code, stdout, stderr) = place.run(&run(&["--memory", "plan.sjson"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("own guard pages"), "{stdout}");
    place.file("game/small.sjson", "subsystems = { render = { allocator = \"heap\" } }");
    let config = "level = \"yard\" frame = \"yard\" memory = \"small.sjson\"";
    place.file("game/game.config", config);
    let (code, stdout, stderr) = place.run(&run(&[]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("own heap"), "the game names one: {stdout}");
    place.file("plan.sjson", "subsystems = { rendr = {} }");
    let (code, _, stderr) = place.run(&run(&["--memory", "plan.sjson"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("plan.sjson:1:16: expected the name of a subsystem"), "{stderr}");
}

#[test]
fn subsystems_are_left_out() {
    let place = game();
    let (code, stdout, stderr) = place.run(&run(&["--without", "render", "--without", "tools"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("0 draws") && !stderr.contains("drawn by"), "{stdout}{stderr}");
    assert!(!stderr.contains("tools are served"), "{stderr}");
}

#[test]
fn what_cannot_be_run_is_refused() {
    let place = game();
    for (arguments, said) in [
        (&["run", "nothing"][..], "nothing"),
        (&["run", "game", "--without", "entities"], "one of input, monitor, render, script, tools"),
        (&["run", "game", "--threads", "0"], "0 is not in 1..=64"),
        (&["run", "game", "--memory", "none.sjson"], "none.sjson: cannot read"),
        (&["run"], "<PROJECT>"),
    ] {
        let (code, _, stderr) = place.run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
    let (code, _, stderr) = place.run(&run(&["--screenshot", "yard.png"]));
    assert_eq!(code, 2, "text is no picture: {stderr}");
    assert!(stderr.contains("yard.png: there is no picture, since nobody draws"), "{stderr}");
    assert!(!place.path("yard.png").exists(), "nothing is written");
    place.file("game/game.config", "frame = \"yard\"");
    let (code, _, stderr) = place.run(&run(&[]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("game.config: `level` is missing or wrong"), "{stderr}");
}

#[test]
fn a_window_that_cannot_be_had_is_refused_with_what_to_do() {
    let place = game();
    for (more, said) in [
        (&["--backend", "text"][..], "the back end is text; choose another one"),
        (&["--without", "render"], "the subsystem `render` is left out; take it in"),
    ] {
        let mut arguments = vec!["run", "game", "--window"];
        arguments.extend_from_slice(more);
        let (code, _, stderr) = place.run(&arguments);
        assert_eq!(code, 2, "{more:?}: {stderr}");
        assert!(stderr.contains(said), "{more:?}: {stderr}");
        assert!(stderr.trim_end().ends_with("run without --window"), "{more:?}: {stderr}");
    }
}

/// Other systems always have a display.
#[cfg(target_os = "linux")]
#[test]
fn without_a_display_a_window_is_refused_and_the_game_runs_without() {
    let place = game();
    let displays = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    // No display, and one that does not answer.
    for display in [None, Some(":4242")] {
        let mut command = place.loligo(&["run", "game", "--window", "--frames", "20"]);
        displays.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(display.map(|display| ("DISPLAY", display)));
        let output = command.output().expect("the command runs");
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{display:?}: {stderr}");
        let message = stderr.lines().last().unwrap_or_default();
        let begins = "loligo: no window can be opened, since there is no display (";
        assert!(message.starts_with(begins), "{display:?}: {stderr}");
        assert!(message.ends_with("or run without --window"), "{display:?}: {stderr}");
    }
    let (code, _, stderr) = place.run(&run(&[]));
    assert_eq!(code, 0, "{stderr}");
}

/// A compiler that ends its process, never ends, or takes all memory: an error of that one source,
/// and the game goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_compiler_that_dies_is_an_error_of_its_source() {
    let place = game();
    let limits = ["--trial", "--compile-seconds", "1", "--compile-mib", "300"];
    for (kind, said) in [
        ("abort", "ended the compiler's process (signal: 6 (SIGABRT)"),
        ("loop", "compiling it took longer than 1 s"),
        ("hoard", "for want of memory (--compile-mib)"),
    ] {
        place.file("game/bad.trial", kind);
        place.file("game/good.trial", kind.repeat(2));
        let (code, stdout, stderr) = place.run(&run(&limits));
        assert_eq!(code, 1, "{kind}: {stderr}");
        assert!(stdout.starts_with("20 frames of 3 entities"), "{kind}: the game runs: {stdout}");
        let errors: Vec<_> =
            stderr.lines().filter(|line| line.starts_with("loligo: bad.trial: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains(said), "{kind}: {stderr}");
        assert!(!stderr.contains("good.trial"), "{kind}: others are compiled: {stderr}");
        assert!(errors[0].contains("correct the source, or take it out"), "{kind}: {stderr}");
    }
    place.file("game/bad.trial", "right");
    let (code, _, stderr) = place.run(&run(&limits));
    assert_eq!(code, 0, "corrected: {stderr}");
}

/// A command that is ended where the test fails before it ends by itself.
struct Ended(Option<Child>);

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // It may have ended.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// A game runs until a tool ends it; meanwhile a source is edited, and the game shows it.
#[test]
fn a_tool_reloads_what_was_edited_and_ends_the_game() {
    let place = game();
    let mut command =
        place.loligo(&["run", "game", "--frames", "1000000000", "--backend", "text", "--trial"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut child = Ended(Some(child));
    let stderr = child.0.as_mut().and_then(|child| child.stderr.take());
    let mut lines = BufReader::new(stderr.expect("it is piped")).lines();
    let address = loop {
        let line = lines.next().expect("it prints its port").expect("text");
        if let Some((_, address)) = line.split_once("tools are served at ") {
            break address.to_owned();
        }
    };
    let (address, token) = address.split_once('/').expect("a port, and the token for it");
    let mut tool = BufReader::new(TcpStream::connect(address).expect("it listens"));
    let mut ask = |request: &str| {
        tool.get_mut().write_all(format!("{request}\n").as_bytes()).expect("it is taken");
        let mut answer = String::new();
        tool.read_line(&mut answer).expect("it answers");
        answer
    };
    place.file("game/stone.material", "shader = \"plain\" roughness = 0.1");
    let answer = ask(&format!("{{ \"type\": \"reload\", \"token\": \"{token}\" }}"));
    assert!(answer.contains("\"reloaded\":1") && answer.contains("\"errors\":[]"), "{answer}");
    place.file("game/stone.material", "shader = \"plain\" roughness = 2");
    let answer = ask("{ \"type\": \"reload\" }");
    assert!(answer.contains("stone.material:1:"), "{answer}");
    // Meanwhile a compiler dies, while the game runs: it goes on, and loads what was right.
    place.file("game/stone.material", "shader = \"plain\" roughness = 0.3");
    place.file("game/bad.trial", "abort");
    let answer = ask("{ \"type\": \"reload\" }");
    assert!(
        answer.contains("bad.trial: compiling it ended") && answer.contains("\"reloaded\":1"),
        "{answer}"
    );
    assert!(ask("{ \"type\": \"monitor\" }").contains("\"loligo-compiler\":"), "it is counted");
    ask("{ \"type\": \"quit\" }");
    let child = child.0.take().expect("it was not taken");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn scripts_that_fail_are_counted_and_end_the_run_with_1() {
    let place = game();
    let config = "level = \"yard\" frame = \"yard\" script = \"main\"";
    place.file("game/game.config", config);
    place.file("game/main.lua", "function update() nothing.at_all() end");
    let (code, stdout, stderr) = place.run(&run(&[]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.starts_with("20 frames of 3 entities"), "it ran: {stdout}");
    assert_eq!(stderr.matches("attempt to index global").count(), 1, "said once: {stderr}");
    assert!(
        stderr.contains("scripts failed 20 times; the log above has the first at each of 1"),
        "{stderr}"
    );
    place.file("game/main.lua", "function Update() end");
    let (code, _, stderr) = place.run(&run(&[]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("`Update`, which nobody calls; the engine calls `update`"), "{stderr}");
    assert!(stderr.ends_with("loligo: in the log above: warnings 1, errors 0\n"), "{stderr}");
    place.file("game/game.config", config.replace("main", "mian"));
    let (code, _, stderr) = place.run(&run(&[]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("there is no resource `mian` of type `lua`"), "{stderr}");
}

#[test]
fn a_script_that_does_not_end_is_stopped() {
    let place = game();
    place.file("game/game.config", "level = \"yard\" frame = \"yard\" script = \"main\"");
    place.file(
        "game/main.lua",
        "function update()\nif Game.frame() == 3 then while true do end end end",
    );
    let (code, stdout, stderr) = place.run(&run(&["--script-seconds", "0.05"]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.starts_with("20 frames of 3 entities"), "the game went on: {stdout}");
    assert!(stderr.contains("main.lua:2: the script ran longer than the 0.05 s"), "{stderr}");
    let (code, _, stderr) = place.run(&run(&["--script-seconds", "0"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("give seconds, from 0.001"), "{stderr}");
    place.file("game/main.lua", "function update() end");
    let (code, _, stderr) = place.run(&run(&["--no-watchdog", "--unchecked"]));
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_game_in_which_nothing_can_be_seen_ends_with_1() {
    let place = game();
    place.file("game/stone.material", "shader = \"plain\" layer = \"opaqe\"");
    let (code, stdout, stderr) = place.run(&run(&[]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.contains("0 draws of 1 meshes"), "{stdout}");
    assert!(
        stderr.contains("stone is never drawn: no pass of the frame has its layer #"),
        "{stderr}"
    );
    assert!(
        stderr.contains("(opaqe); the layers are #") && stderr.contains("(opaque)"),
        "{stderr}"
    );
    assert!(stderr.contains("nothing could be seen: of 1 meshes none was drawn"), "{stderr}");
    // Without a camera it is seen from somewhere, and said.
    let place = game();
    place.file("game/yard.level", LEVEL.replace(" camera = {}", ""));
    let (code, _, stderr) = place.run(&run(&[]));
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("the level has no camera, so the world is seen from 0 10 20"),
        "{stderr}"
    );
}

/// What stops the engine is reported in a file in the data folder, with the last lines of the log.
#[cfg(unix)]
#[test]
fn a_crash_leaves_a_report() {
    use std::os::unix::process::ExitStatusExt as _;

    let place = game();
    let output =
        place.loligo(&run(&["--out", "data", "--crash-at", "5"])).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.signal().is_some(), "it was aborted: {:?} {stderr}", output.status);
    let names: Vec<_> = std::fs::read_dir(place.path("data"))
        .expect("the data folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("loligo-crash-"))
        .collect();
    assert_eq!(names.len(), 1, "{names:?} {stderr}");
    let report = std::fs::read_to_string(place.path("data").join(&names[0])).expect("text");
    for part in ["stopped as --crash-at says", "drawn by nobody", "Call stack"] {
        assert!(report.contains(part), "`{part}` in: {report}");
    }
    let (code, _, stderr) = place.run(&run(&["--out", "data"]));
    assert_eq!(code, 0, "a report in it keeps nobody from using the folder: {stderr}");
}

#[test]
fn the_sample_runs() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/10-courtyard");
    let place = Place::new();
    let data = place.path("data");
    let (code, stdout, stderr) = place.run(&[
        "run",
        text(&sample),
        "--out",
        text(&data),
        "--frames",
        "20",
        "--backend",
        "text",
    ]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.starts_with("20 frames of 10000 entities\n"), "{stdout}");
}
