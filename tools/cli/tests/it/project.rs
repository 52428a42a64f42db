//! Tests of `loligo check` of a project.

use std::fs;

use crate::support::Place;

const SHADER: &str = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }
";

const FRAME: &str = r#"passes = [ { name = "main" color = [ "window" ] layers = [ { name = "opaque" order = "by_state" } ] } ]"#;

/// A game of which nothing is to be said.
fn game() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("game/rocks")).expect("it may be made");
    for (path, text) in [
        ("plain.shader", SHADER),
        ("main.frame", FRAME),
        ("stone.material", "shader = \"plain\""),
        ("ball.mesh", "shape = \"sphere\""),
        (
            "rock.entity",
            "components = { transform = {} model = { mesh = \"ball\" material = \"stone\" } }",
        ),
        ("yard.level", "instances = [ { inherit = \"rock\" positions = [ [ 0 0 0 ] ] } ]"),
        ("cave.level", "instances = [ { inherit = \"rock\" positions = [ [ 1 0 0 ] ] } ]"),
        ("rocks/red.entity", "components = { transform = {} }"),
        ("main.lua", "function start() Level = 'cave' Rock = 'rocks/' .. 'red' end"),
        ("game.config", "title = \"Rocks\" frame = \"main\" level = \"yard\" script = \"main\""),
    ] {
        place.file(&format!("game/{path}"), text);
    }
    place
}

#[test]
fn a_project_without_fault_is_tried_and_nothing_is_said() {
    let place = game();
    let (code, stdout, stderr) = place.run(&["check", "game"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.contains("tried: 2 levels, 2 entities, 1 scripts\n"), "{stdout}");
    assert!(stdout.ends_with("nothing is to be said\n"), "{stdout}");
}

#[test]
fn what_is_unused_missing_double_or_large_is_listed_by_file() {
    let place = game();
    place.file("game/pebble.material", "shader = \"plain\"");
    place.file(
        "game/hill.level",
        "instances = [ { inherit = \"rock\" positions = [ [ 2 0 0 ] ] } ]",
    );
    place.file("game/all.package", "level = [ \"yard\" ]\nmaterial = [ \"pebbel\" ]");
    let (code, stdout, stderr) = place.run(&["check", "game", "--large", "100"]);
    assert_eq!(code, 1, "{stdout} {stderr}");
    let all = format!("{stdout}{stderr}");
    for line in [
        "hill.level: unused: ",
        "stone.material: double: the same 16 bytes as pebble.material",
        "plain.shader: large: ",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    assert!(all.contains("pebbel"), "{all}");
    assert!(!all.contains("cave.level: unused"), "a script has its name: {all}");
    let allowed = ["--allow", "unused", "--allow", "double"];
    let (_, stdout, _) = place.run(&[&["check", "game"][..], &allowed].concat());
    assert!(!stdout.contains("unused") && !stdout.contains("double"), "{stdout}");
}

#[test]
fn a_script_that_fails_is_named_with_its_line() {
    let place = game();
    place.file("game/main.lua", "local all = {}\nall.none.more = 1");
    let (code, stdout, stderr) = place.run(&["check", "game", "--allow", "unused"]);
    assert_eq!(code, 1, "{stdout} {stderr}");
    assert!(stdout.contains("failed: ") && stdout.contains("main.lua:2:"), "{stdout}");
}

#[test]
fn the_page_shows_bytes_and_names_and_needs_nothing_else() {
    let place = game();
    place.file("game/pebble.material", "shader = \"plain\" // <b>\n");
    let (code, stdout, stderr) = place.run(&["check", "game", "--page", "game.html"]);
    assert_eq!(code, 1, "{stdout} {stderr}");
    let page = fs::read_to_string(place.path("game.html")).expect("it is written");
    for part in ["class=\"treemap\"", "class=\"graph", "rock.entity", "pebble.material", "unused"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("src=") && !page.contains("<link"), "it needs nothing else");
    assert!(!page.contains("// <b>"), "what a file has in it is no markup");
}

#[test]
fn what_is_no_project_and_options_of_the_other_kind_are_refused() {
    let place = game();
    for (arguments, said) in [
        (&["check", "nothing", "--allow", "unused"][..], "no folder with a `game.config`"),
        (&["check", "game", "--json", "out.json"], "are for programs; leave them out"),
        (&["check", "game", "--page", "none/page.html"], "none"),
    ] {
        let (code, _, stderr) = place.run(arguments);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}
