//! Tests of `loligo new`, and of a game that is changed while it runs.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::support::Place;

#[test]
fn a_new_game_runs() {
    let place = Place::new();
    let (code, stdout, stderr) = place.run(&["new", "My game-2"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("loligo run My game-2 --window --watch"), "{stdout}");
    let config = std::fs::read_to_string(place.path("My game-2/game.config")).expect("written");
    assert!(config.contains("title = \"My game-2\""), "{config}");
    let run = ["run", "My game-2", "--frames", "5", "--backend", "text"];
    let (code, stdout, stderr) = place.run(&run);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stderr.contains("warning") && !stderr.contains("error"), "{stderr}");
    assert!(stdout.starts_with("5 frames of 16 entities\n"), "the script made twelve: {stdout}");
}

#[test]
fn what_comes_with_the_program_is_listed_printed_and_changed_in_a_game() {
    let place = Place::new();
    let (code, list, stderr) = place.run(&["core"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{list}");
    for path in list.lines() {
        let (code, text, stderr) = place.run(&["core", path]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{path}");
        assert!(!text.is_empty(), "{path}");
    }
    assert!(list.contains("core/shaders/sky.shader\n"), "{list}");
    let (code, _, stderr) = place.run(&["core", "core/none"]);
    assert_eq!(code, 2);
    assert_eq!(
        stderr,
        "loligo: nothing that comes with the program is `core/none`; `loligo core` lists it\n"
    );
    // A copy in the game is the game's: what is wrong with it is said of it.
    assert_eq!(place.run(&["new", "game"]).0, 0);
    let (_, text, _) = place.run(&["core", "core/shaders/sky.shader"]);
    std::fs::create_dir_all(place.path("game/core/shaders")).expect("it may be made");
    place.file("game/core/shaders/sky.shader", &text);
    let (code, _, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "it is as it was");
    place.file("game/core/shaders/sky.shader", text.replace("fs_main", "fs_mine"));
    let (code, _, stderr) = place.run(&["compile", "game"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("core/shaders/sky.shader: there is no entry point `fs_main`"),
        "{stderr}"
    );
}

#[test]
fn a_folder_with_something_in_it_is_left_as_it_is() {
    let place = Place::new();
    std::fs::create_dir(place.path("game")).expect("it may be made");
    place.file("game/mine.txt", "mine");
    let (code, _, stderr) = place.run(&["new", "game"]);
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(stderr, "loligo: game: the folder is not empty; name a new one\n");
    assert_eq!(std::fs::read_dir(place.path("game")).expect("a folder").count(), 1);
    let (code, _, stderr) = place.run(&["new", "a\"b"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("it cannot be a title; name a folder of letters"), "{stderr}");
    let (code, _, stderr) = place.run(&["new", "game/mine.txt"]);
    assert_eq!(code, 2, "{stderr}");
}

#[test]
fn what_is_saved_while_a_game_runs_is_there_at_once() {
    let place = Place::new();
    let (code, _, stderr) = place.run(&["new", "game"]);
    assert_eq!(code, 0, "{stderr}");
    let run = ["run", "game", "--frames", "1000000000", "--backend", "text", "--watch", "--trial"];
    let mut child = place.loligo(&run).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut wait_for = |text: &str| {
        // It ends with the program's output where that never comes.
        let found = lines.by_ref().map_while(Result::ok).any(|line| line.contains(text));
        assert!(found, "`{text}` is said");
    };
    wait_for("tools are served at");
    place.file("game/scripts/main.lua", "print('saved once')\nfunction update() end");
    wait_for("saved once");
    place.file("game/scripts/main.lua", "function update(");
    wait_for("scripts/main.lua:1:");
    place.file("game/scripts/main.lua", "print('saved again')\nfunction update() end");
    wait_for("saved again");
    // The process that compiles stays for the next save; one that dies is replaced.
    place.file("game/bad.trial", "abort");
    wait_for("bad.trial: compiling it ended the compiler's process");
    place.file("game/scripts/main.lua", "print('saved meanwhile')\nfunction update() end");
    wait_for("bad.trial: compiling it ended the compiler's process");
    place.file("game/bad.trial", "right");
    place.file("game/scripts/main.lua", "print('saved with it')\nfunction update() end");
    wait_for("saved with it");
    place.file("game/scripts/main.lua", "print('saved last')\nfunction update() end");
    wait_for("saved last");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}
