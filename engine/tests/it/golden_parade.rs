//! The parade of the sample with fewer people, two seconds after they began to walk, compared with the picture
//! that is kept; and faults, which the comparison finds.

use std::fs;
use std::path::PathBuf;

use loligo_engine::{BackEndChoice, EngineOptions, TimeStep, with_engine};

use crate::golden_page::{Fault, Page, write};
use crate::support::{Game, frames, sample};

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

/// Returns the sources of the sample that are text, for a small picture: three people in a row and three
/// rows in a block, who begin to walk at once.
fn sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(sample("30-parade").join(&folder)).expect("the sample is there") {
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
        fs::copy(sample("30-parade").join(&picture), game.sources().join(picture))
            .expect("it is there");
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

/// The pictures of a film strip, in two rows, and the sides of each.
const STRIP: usize = 8;
const SIDES: [usize; 2] = [240, 270];

/// Draws people who walk from near, each fifth of a second.
fn film() -> Option<Vec<Vec<u8>>> {
    let game = project();
    let level = fs::read_to_string(game.sources().join("parade.level")).expect("it was written");
    let eye = ("[ -6.5 3.6 19.5 ]", "[ -2.3 1.9 9.6 ]");
    assert!(level.contains(eye.0), "where the camera is");
    game.write("parade.level", &level.replace(eye.0, eye.1));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions {
        back_end: BackEndChoice::Auto,
        size: Some(SIDES.map(|side| side as u32)),
        time_step: Some(TimeStep::EachFrame { step: 100_000_000 }),
        ..game.options(&data)
    };
    let pictures = with_engine(&options, |engine| {
        frames(engine, 4);
        let each = (0..STRIP).map(|_| {
            frames(engine, 1);
            engine.want_picture();
            frames(engine, 1);
            engine.finish().expect("it is drawn");
            engine.picture().to_vec()
        });
        each.collect::<Vec<_>>()
    });
    let pictures = pictures.expect("it boots");
    let is_drawn = |picture: &Vec<u8>| picture.len() == SIDES[0] * SIDES[1] * 4;
    pictures.iter().all(is_drawn).then_some(pictures)
}

/// `LOLIGO_PICTURES=DIR` keeps it, to be looked at.
#[test]
fn people_move_in_a_film_strip() {
    let Some(pictures) = film() else { return println!("skipped: no driver draws it") };
    let [wide, high] = SIDES;
    if let Some(folder) = std::env::var_os("LOLIGO_PICTURES") {
        let columns = STRIP / 2;
        let mut strip = vec![0; STRIP * wide * high * 4];
        for (at, picture) in pictures.iter().enumerate() {
            for (y, row) in picture.chunks_exact(4 * wide).enumerate() {
                let to = ((at / columns * high + y) * columns + at % columns) * 4 * wide;
                strip[to..to + 4 * wide].copy_from_slice(row);
            }
        }
        let size = [columns * wide, 2 * high].map(|side| side as u32);
        write(&PathBuf::from(folder).join("30-parade-film.png"), size, &strip);
    }
    for two in pictures.windows(2) {
        let pixels = two[0].chunks_exact(4).zip(two[1].chunks_exact(4));
        let far = |(one, other): (&[u8], &[u8])| {
            one.iter().zip(other).any(|(one, other)| one.abs_diff(*other) > 40)
        };
        let moved = pixels.filter(|pair| far(*pair)).count();
        assert!(moved > wide * high / 200, "{moved} pixels of {} have moved", wide * high);
    }
}
