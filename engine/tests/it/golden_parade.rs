//! The parade of the sample with fewer people, two seconds after they began to walk, compared with the picture
//! that is kept; and faults, which the comparison finds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::golden_page::{Fault, Page};
use crate::support::Game;

const PAGE: Page = Page {
    kept: "golden_parade/picture.png",
    size: [480, 272],
    frames: 24,
    faults: &FAULTS,
    project,
    sources,
};

const FAULTS: [Fault; 4] = [
    ("the clip of a state", "characters/walker.machine", "\"clips/walk\"", "\"clips/idle\""),
    ("the way of the root", "characters/walker.machine", "root = \"root\"", ""),
    ("a condition", "characters/walker.machine", "if = \"walking > 0\"", "if = \"walking > 1\""),
    ("the color of some", "characters/gold.entity", "materials/gold", "materials/blue"),
];

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/30-parade")
}

/// Returns the sources of the sample that are text, for a small picture: three people in a row and three
/// rows in a block, who begin to walk at once.
fn sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(sample().join(&folder)).expect("the sample is there") {
            let file = file.expect("it may be read");
            let path = folder.join(file.file_name());
            if file.path().is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(file.path()) {
                let name = path.to_str().expect("its name is plain").replace('\\', "/");
                sources.push((name, small(text)));
            }
        }
    }
    sources
}

fn small(text: String) -> String {
    let of_sample = [
        (
            "window = [ 1280 720 ]",
            "window = [ 480 272 ] time_step = { policy = \"each_frame\" step = 0.1 }",
        ),
        ("SIDE, GAP = 10, 1.15", "SIDE, GAP = 3, 1.15"),
        ("time = number * 1.37 % 9, state = \"look\"", "time = number * 0.04, state = \"turn\""),
    ];
    of_sample.iter().fold(text, |text, (old, new)| text.replacen(old, new, 1))
}

fn project() -> Game {
    let game = Game::new(1);
    for folder in ["characters", "clips", "materials", "models", "scripts", "textures"] {
        fs::create_dir_all(game.sources().join(folder)).expect("the folder may be written");
    }
    for (name, text) in sources() {
        game.write(&name, &text);
    }
    for color in ["blue", "gold", "red", "white"] {
        let picture = format!("models/{color}.png");
        fs::copy(sample().join(&picture), game.sources().join(picture)).expect("it is there");
    }
    game
}

#[test]
fn the_parade_is_the_one_that_is_kept() {
    PAGE.check();
}

#[test]
fn faults_of_the_parade_are_found() {
    PAGE.check_faults();
}
