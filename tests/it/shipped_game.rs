//! What a game is built from: the engine without its feature `compile` links no compiler and no
//! importer.

use std::process::Command;

/// What compiles content, or reads what others' tools write.
const OFFLINE: [&str; 5] = ["loligo-compiler", "loligo-formats", "gltf", "gltf-json", "png"];

/// Returns the names of all packages that the engine with such features is built from.
fn packages(features: &str) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--package", "loligo-engine", "--prefix", "none"]);
    cargo.args(["--edges", "no-dev,no-build", "--features", features]);
    let output = cargo.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn a_game_links_no_compiler() {
    let game = packages("gpu,recording,script,tool-server");
    assert!(game.iter().any(|name| name == "loligo-script"), "it is a whole game: {game:?}");
    for name in OFFLINE {
        assert!(!game.iter().any(|other| other == name), "a game links {name}");
    }
    let tool = packages("compile");
    for name in OFFLINE {
        assert!(tool.iter().any(|other| other == name), "a tool links no {name}: is it called so?");
    }
}
