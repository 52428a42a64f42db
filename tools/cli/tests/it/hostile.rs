//! Malicious projects and folders: each path that a command writes, with something else in its
//! place.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use loligo_replay::trace::{Event, Op, write_trace};

use crate::support::{Place, recording};

/// What is put in the place of a file or a folder.
const PLANTED: [&str; 5] =
    ["link to a file", "link to a folder", "link to nothing", "pipe", "folder"];

/// A folder to run in, and in it one that is nobody's business.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("outside")).expect("it may be made");
    place.file("outside/kept", "kept");
    place.file("outside/0", "kept");
    place
}

fn outside_is_as_it_was(place: &Place, what: &str) {
    let entries = fs::read_dir(place.path("outside")).expect("it is there");
    assert_eq!(entries.count(), 2, "{what}");
    for name in ["kept", "0"] {
        let text = fs::read_to_string(place.path("outside").join(name)).expect("it is there");
        assert_eq!(text, "kept", "{what}");
    }
}

fn plant(place: &Place, what: &str, name: &str) {
    let at = place.path(name);
    fs::create_dir_all(at.parent().expect("it is in a folder")).expect("it may be made");
    let outside = place.path("outside");
    match what {
        "link to a file" => symlink(outside.join("kept"), at).expect("it may be made"),
        "link to a folder" => symlink(outside, at).expect("it may be made"),
        "link to nothing" => symlink(outside.join("new"), at).expect("it may be made"),
        "pipe" => {
            assert!(Command::new("mkfifo").arg(&at).status().expect("it runs").success(), "a pipe");
        }
        _ => fs::create_dir(at).expect("it may be made"),
    }
}

/// Runs a command with each thing in the place of each of the paths that the command writes. The
/// command refuses, with the path and a remedy, or the path is a new file then.
fn check(arguments: &[&str], paths: &[&str], prepare: &dyn Fn(&Place)) {
    for path in paths {
        for what in PLANTED {
            let place = place();
            prepare(&place);
            plant(&place, what, path);
            let shown = format!("{arguments:?}, {what} at {path}");
            let (code, stdout, stderr) = place.run(arguments);
            outside_is_as_it_was(&place, &shown);
            let found = fs::symlink_metadata(place.path(path)).expect("something is there");
            let name = path.rsplit('/').next().unwrap_or(path);
            let is_refused = code == 2 && stderr.contains(name) && stderr.contains("; ");
            // An empty folder where a folder belongs is as good as none.
            let is_own = code == 0 && (found.is_file() || what == "folder" && found.is_dir());
            assert!(is_refused || is_own, "{shown}: {code}\n{stdout}{stderr}");
        }
    }
}

fn game(place: &Place) {
    fs::create_dir(place.path("game")).expect("it may be made");
    place.file("game/door.config", "width = 0.9\n");
}

/// Returns a recording that is long enough to be cut in two.
fn long_recording() -> Vec<u8> {
    let event = |op, slot, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
    let mut events = Vec::new();
    for turn in 0..1200 {
        events.push(event(Op::Allocate, 0, 16 + turn % 200));
        events.push(event(Op::Free, 0, 0));
    }
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    file
}

#[test]
fn compile_writes_nothing_outside_the_project() {
    let names = ["index", "resources", "names", "look", "blobs", "partial"];
    let below: Vec<String> =
        names.iter().map(|name| format!("game/.loligo/linux/{name}")).collect();
    let paths: Vec<&str> = below.iter().map(String::as_str).collect();
    check(&["compile", "game"], &paths, &|place| {
        game(place);
        fs::create_dir_all(place.path("game/.loligo/linux")).expect("it may be made");
        place.file("game/.loligo/linux/lock", "loligo data folder 1\n");
    });
    let paths = ["game/.loligo", "game/.loligo/linux", "game/.loligo/linux/lock"];
    check(&["compile", "game"], &paths, &game);
    check(&["compile", "game", "--out", "data"], &["data", "data/lock"], &game);
}

/// The reproducer of the issue: it removed every file in `outside`, with status 0.
#[test]
fn a_project_that_brings_a_lock_and_a_link_removes_nothing() {
    for name in ["partial", "blobs"] {
        let place = place();
        game(&place);
        fs::create_dir_all(place.path("game/.loligo/linux")).expect("it may be made");
        place.file("game/.loligo/linux/lock", "");
        symlink("../../../outside", place.path("game/.loligo/linux").join(name)).expect("a link");
        let (code, _, stderr) = place.run(&["compile", "game"]);
        outside_is_as_it_was(&place, name);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("game/.loligo/linux"), "{stderr}");
    }
    // And a folder that has nothing of a data folder but a file `lock`.
    let place = place();
    game(&place);
    fs::create_dir_all(place.path("home/partial")).expect("it may be made");
    place.file("home/lock", "4711\n");
    place.file("home/partial/thesis", "kept");
    let (code, _, stderr) = place.run(&["compile", "game", "--out", "home"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("home: ") && stderr.contains("`lock`"), "{stderr}");
    assert!(place.path("home/partial/thesis").is_file(), "it is there still");
}

#[test]
fn replay_and_advise_write_nothing_through_links() {
    let replay = ["replay", "a.altrace", "--rounds", "1", "--strategies", "none", "--peers=none"];
    check(&replay, &["loligo-report", "loligo-report/index.html"], &|place| {
        place.recording("a.altrace");
    });
    let advise = ["advise", "a.altrace", "--candidates", "1", "--finalists", "1", "--rounds", "1"];
    let names = ["strategies.json", "speed.rs", "memory.rs", "latency.rs"];
    let files: Vec<String> = names.iter().map(|name| format!("loligo-advice/a/{name}")).collect();
    let mut paths: Vec<&str> = files.iter().map(String::as_str).collect();
    paths.extend(["loligo-advice", "loligo-advice/a", "loligo-report/advice.html"]);
    check(&advise, &paths, &|place| {
        place.file("a.altrace", long_recording());
    });
}

#[test]
fn record_writes_nothing_through_links() {
    let program = env!("CARGO_BIN_EXE_loligo-cli-recorded");
    let name = Path::new(program).file_name().expect("it has one").to_string_lossy();
    check(&["record", "--", program, "marks"], &[&format!("{name}.altrace.zst")], &|_| {});
}

/// What the user names is written where the user says, links included.
#[test]
fn a_file_that_the_user_names_is_written_through_links() {
    let place = place();
    game(&place);
    place.file("a.sjson", "a=1");
    symlink("a.sjson", place.path("b.sjson")).expect("a link");
    let (code, _, stderr) = place.run(&["sjson", "format", "--write", "b.sjson"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(fs::symlink_metadata(place.path("b.sjson")).is_ok_and(|found| found.is_symlink()));
    assert_eq!(fs::read_to_string(place.path("a.sjson")).expect("it is there"), "a = 1\n");
    place.file("a.altrace", recording());
    let replay = ["replay", "a.altrace", "--rounds", "1", "--strategies", "none", "--peers=none"];
    let (code, stdout, stderr) = place.run(&[&replay[..], &["--json", "/dev/stdout"]].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("\"traces\""), "{stdout}");
}

#[test]
fn the_memory_plan_of_a_game_is_in_the_project() {
    let place = place();
    game(&place);
    symlink("../outside/kept", place.path("game/link.sjson")).expect("a link");
    plant(&place, "pipe", "game/pipe.sjson");
    for (name, said) in [
        ("../outside/kept", "is not in the project"),
        ("../../../../../../../etc/passwd", "is not in the project"),
        ("/etc/passwd", "is not in the project"),
        ("/dev/zero", "is not in the project"),
        ("link.sjson", "is not in the project"),
        ("pipe.sjson", "is not a regular file"),
        (".loligo", "is not in the project"),
        ("none.sjson", "there is no such file"),
    ] {
        place.file("game/game.config", format!("level = \"a\" frame = \"a\" memory = \"{name}\""));
        let (code, _, stderr) = place.run(&["run", "game", "--frames", "1"]);
        assert_eq!(code, 2, "{name}: {stderr}");
        let line = stderr.lines().last().unwrap_or_default();
        assert!(line.contains(said) && line.contains("; "), "{name}: {stderr}");
    }
}

#[test]
fn recordings_that_become_more_than_they_are_are_refused() {
    let place = place();
    let packed = zstd::encode_all(&long_recording()[..], 19).expect("compressing in memory");
    place.file("bomb.altrace.zst", packed);
    let text = format!("v 10400 3\na 64 0\n{}", "+ 0\n".repeat(10_000));
    let packed = zstd::encode_all(text.as_bytes(), 19).expect("compressing in memory");
    place.file("heaptrack.zst", packed);
    for arguments in [
        &["replay", "bomb.altrace.zst", "--unpacked-max", "1000"][..],
        &["advise", "bomb.altrace.zst", "--unpacked-max", "1000"],
        &["convert", "heaptrack.zst", "out.altrace", "--unpacked-max", "1000"],
    ] {
        let stderr = place.refused(arguments);
        assert!(stderr.contains("more than 1000 bytes; give --unpacked-max BYTES"), "{stderr}");
    }
}

/// What a command is given by name is read no further than such a file is long.
#[test]
fn plans_and_strategies_that_have_no_end_are_refused() {
    let place = Place::new();
    let recording = recording();
    place.file("a.altrace", recording);
    place.file("long.json", vec![b' '; (16 << 20) + 1]);
    game(&place);
    for (file, said) in
        [("/dev/zero", "it is no file"), ("long.json", "it has more than 16777216 bytes")]
    {
        let (code, _, stderr) = place.run(&["replay", "a.altrace", "--strategies", file]);
        assert!(code == 2 && stderr.contains(said), "{file}: {code} {stderr}");
        let (code, _, stderr) = place.run(&["run", "game", "--memory", file]);
        assert!(code == 2 && stderr.contains(said), "{file}: {code} {stderr}");
    }
}

/// Sources that nest or chain as deep as they are long, of every type whose compiler recurses.
fn deep_sources() -> Vec<(&'static str, Vec<u8>)> {
    let many = 60_000;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(many), close.repeat(many));
    let shader = |expression: String| {
        format!(
            "@fragment fn fs_main() -> @location(0) vec4<f32> {{ let x = 1.0; return vec4({expression}); }}"
        )
    };
    let gltf = |nodes: &str| {
        format!(
            "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"scene\": 0, \"scenes\": [ {{ \"nodes\": [ 0 ] }} ], \"nodes\": [ {nodes} ] }}"
        )
    };
    let chain: Vec<String> =
        (1..=many).map(|next| format!("{{ \"children\": [ {next} ] }}")).collect();
    let mut texts: Vec<(&'static str, String)> = vec![
        ("arrays.config", format!("a = {}", nested("[ ", "] "))),
        ("objects.config", format!("a = {}", nested("{ a = ", "} "))),
        ("open.material", "{ a = ".repeat(many)),
        ("arrays.level", format!("entities = {}", nested("{ a = { children = ", "} }"))),
        ("arrays.frame", format!("passes = {}", nested("[ ", "] "))),
        ("sum.shader", shader("x + ".repeat(many) + "x")),
        ("minus.shader", shader("- ".repeat(many) + "x")),
        ("parentheses.shader", shader(nested("(", ")"))),
        ("members.shader", shader(format!("vec4(x){}", ".xyzw".repeat(many)))),
        ("blocks.shader", format!("fn f() {{ {} }}", nested("{ ", "} "))),
        ("parentheses.lua", format!("return {}", nested("(", ")"))),
        ("tables.lua", format!("return {}", nested("{ ", "} "))),
        ("functions.lua", nested("return function() ", "end ")),
        ("nodes.gltf", gltf(&(chain.join(", ") + ", {}"))),
        ("circle.gltf", gltf("{ \"children\": [ 0 ] }")),
        ("json.gltf", format!("{{ \"asset\": {} }}", nested("[", "]"))),
        (
            "extras.gltf",
            format!(
                "{{ \"asset\": {{ \"version\": \"2.0\", \"extras\": {} }} }}",
                nested("[", "]")
            ),
        ),
        (
            "long.gltf",
            format!(
                "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"buffers\": [ {{ \"byteLength\": {} }} ] }}",
                u64::MAX / 2
            ),
        ),
    ];
    // A source that includes a glTF file by name is a mesh.
    for (name, file) in [
        ("nodes.mesh", "nodes"),
        ("circle.mesh", "circle"),
        ("json.mesh", "json"),
        ("extras.mesh", "extras"),
        ("long.mesh", "long"),
    ] {
        texts.push((name, format!("file = \"{file}.gltf\"")));
    }
    texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
}

/// A picture whose header claims many pixels on a side, and that has none of them.
fn huge_picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 30_000, 30_000);
    encoder.set_color(png::ColorType::Rgba);
    drop(encoder.write_header().expect("it is only a header"));
    bytes
}

/// Each is an error of its file alone, or is compiled: none ends the command, with one thread or
/// several.
#[test]
fn sources_that_are_deep_or_huge_are_errors_of_their_own_file() {
    let place = Place::new();
    fs::create_dir(place.path("game")).expect("it may be made");
    for (name, bytes) in deep_sources() {
        place.file(&format!("game/{name}"), bytes);
    }
    place.file("game/huge.png", huge_picture());
    place.file("game/right.config", "a = 1");
    for jobs in ["1", "2"] {
        let (code, stdout, stderr) = place.run(&["compile", "game", "--jobs", jobs, "--out", jobs]);
        assert_eq!(code, 1, "{jobs}: {stdout}{stderr}");
        for name in ["arrays.config", "open.material", "sum.shader", "parentheses.lua", "huge.png"]
        {
            assert!(stderr.contains(&format!("{name}:")), "{name} with {jobs}: {stderr}");
        }
        assert!(!stderr.contains("right.config"), "{stderr}");
    }
}
