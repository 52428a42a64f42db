//! Tests of `loligo run --texture-budget`.

use std::fs::{self, File};

use crate::support::Place;

/// The bytes of a texture of 256 by 256 pixels with all its levels, and of the levels up to 64.
const WHOLE: u64 = levels_from(256);
const SMALL: u64 = levels_from(64);

const fn levels_from(side: u64) -> u64 {
    if side == 0 { 0 } else { side * side * 4 + levels_from(side / 2) }
}

/// A game that shows two large textures.
fn game() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("game")).expect("it may be made");
    place.file("game/game.config", "level = \"yard\" window = [ 320 320 ]");
    place.file("game/board.mesh", "shape = \"plane\"");
    let mut level =
        String::from("entities = { eye = { components = { transform = {} camera = {} } }\n");
    for (name, x) in [("a", -0.6), ("b", 0.6)] {
        let file = File::create(place.path(&format!("game/{name}.png"))).expect("it may be made");
        let mut encoder = png::Encoder::new(file, 256, 256);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().expect("it is written");
        let pixels: Vec<u8> = (0..256 * 256).map(|at| ((at / 256) ^ at) as u8).collect();
        writer.write_image_data(&pixels).expect("it is written");
        let material = format!("shader = \"core/shaders/standard\" texture = \"{name}\"");
        place.file(&format!("game/{name}.material"), material);
        level += &format!(
            "{name} = {{ components = {{ transform = {{ position = [ {x} 0 -1.7 ] \
             rotation = [ 0.7071068 0 0 0.7071068 ] }} model = {{ mesh = \"board\" material = \"{name}\" }} }} }}\n"
        );
    }
    place.file("game/yard.level", level + "}");
    place
}

/// Returns the bytes of textures of the last frame, and the most that there ever were.
fn bytes(place: &Place, budget: u64) -> [u64; 2] {
    let budget = budget.to_string();
    let (code, _, stderr) = place.run(&[
        "run",
        "game",
        "--backend",
        "text",
        "--out",
        "data",
        "--frames",
        "120",
        "--text",
        "last.txt",
        "--texture-budget",
        &budget,
    ]);
    assert_eq!(code, 0, "{stderr}");
    let text = fs::read_to_string(place.path("last.txt")).expect("it was written");
    let line = text.lines().find(|line| line.starts_with("textures ")).expect("a line");
    [": ", "at most "].map(|after| {
        let rest = line.split_once(after).expect("it says so").1;
        let number = rest.split(|letter: char| !letter.is_ascii_digit()).next();
        number.and_then(|number| number.parse().ok()).expect("a number")
    })
}

#[test]
fn textures_keep_to_the_budget_of_the_command() {
    let place = game();
    let tight = WHOLE + WHOLE / 4 + SMALL;
    let [held, most] = bytes(&place, tight);
    assert!(held <= most && most <= tight, "{held}, {most} of {tight}");
    assert!(held < 2 * WHOLE, "not both are whole");
    let [held, _] = bytes(&place, 8 * WHOLE);
    assert!(held >= 2 * WHOLE, "{held}: both are whole");
}

#[test]
fn a_budget_of_nothing_is_refused() {
    let place = game();
    for wrong in ["0", "-1", "much"] {
        let refused = place.refused(&["run", "game", &format!("--texture-budget={wrong}")]);
        assert!(refused.contains("--texture-budget"), "{refused}");
    }
}
