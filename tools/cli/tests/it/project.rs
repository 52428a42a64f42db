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
fn texts_that_are_missing_in_a_language_are_listed_with_their_places() {
    let place = game();
    place.file(
        "game/menu.strings",
        "texts = {\n    start = \"Start, {name}\"\n    stop = \"Stop\"\n    by = { on = \"On\" }\n}",
    );
    place.file(
        "game/menu.fr.strings",
        "texts = {\n    start = \"Va, {nom}\"\n    sotp = \"Fin\"\n}",
    );
    place.file(
        "game/menu.de.strings",
        "texts = { start = \"Los\" stop = \"Halt\" by = { on = \"An\" } }",
    );
    place.file(
        "game/main.lua",
        "Level = 'cave' Rock = 'rocks/' .. 'red'\nText.get('menu.stop') Text.get(\"menu.strat\") Text.get('shop.buy')\nText.get('menu.' .. 'made')",
    );
    let lines = [
        "main.lua:2:32: there is no text `menu.strat`; is `menu.start` meant?",
        "main.lua:2:55: there is no text `shop.buy`; add it to a source of texts",
        "menu.fr.strings:2:13: `start` shows `{nom}`, which it does not in menu.strings; is `{name}` meant?",
        "menu.fr.strings:3:12: `sotp` is not in menu.strings; is `stop` meant?",
        "menu.strings:3:12: `stop` is not in menu.fr.strings; translate it",
        "menu.strings:4:17: `by.on` is not in menu.fr.strings; translate it",
    ];
    let (code, stdout, stderr) = place.run(&["check", "game"]);
    assert_eq!(code, 1, "{stdout} {stderr}");
    for line in lines {
        let (at, said) = line.split_at(line.find(": ").expect("a place"));
        assert!(stdout.contains(&format!("{at}: text{said}")), "{line}: {stdout}");
    }
    assert!(
        stdout.contains("game.config: text: the game asks for the text `menu.made`, which"),
        "{stdout}"
    );
    assert!(stdout.contains("7 text"), "{stdout}");
    let (code, stdout, stderr) =
        place.run(&["check", "game", "--allow", "text", "--allow", "unused"]);
    assert_eq!(code, 0, "{stdout} {stderr}");

    let (code, stdout, stderr) = place.run(&["text", "game"]);
    assert_eq!((code, &*stderr), (1, ""), "{stdout}");
    let listed: Vec<&str> = stdout.lines().skip_while(|line| !line.starts_with("main")).collect();
    assert_eq!(listed, lines, "{stdout}");
    for row in [["menu.strings", "en", "3", "0"], ["menu.fr.strings", "fr", "2", "2"]] {
        let has = |line: &str| line.split_whitespace().eq(row);
        assert!(stdout.lines().any(has), "{row:?}: {stdout}");
    }
    let (code, stdout, _) = place.run(&["text", "game", "--language", "de"]);
    assert_eq!((code, stdout.lines().count()), (0, 2), "{stdout}");
    let (code, stdout, _) = place.run(&["text", "game", "--language", "fr"]);
    assert_eq!((code, stdout.lines().count()), (1, 4), "{stdout}");
    let (code, _, stderr) = place.run(&["text", "game", "--language", "pl"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("no source has texts in `pl`; the languages are: de, en, fr"),
        "{stderr}"
    );
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
