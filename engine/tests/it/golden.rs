//! A picture with one thing of each kind that the built-in shaders draw, compared with the one that
//! is kept; and a fault for each kind, which the comparison finds. `LOLIGO_WRITE=1` writes it.

use std::fs;

use crate::golden_page::{Fault, Page, folder, write};
use crate::support::Game;

const STANDARD: &str = include_str!("../../../subsystems/render/core/shaders/standard.shader");

const SIZE: [usize; 2] = [240, 136];

const SHADER: &str = "core/shaders/standard.shader";

const FAULTS: [Fault; 27] = [
    ("shadows of the sun", SHADER, "return sum / 16.0;", "return 1.0;"),
    ("the near shadow map", SHADER, "map = 0u; map < frame", "map = 1u; map < frame"),
    ("the far shadow map", SHADER, "frame.sun_parts[map]", "frame.sun_parts[0]"),
    ("lamps", SHADER, "tile.y * 32u + tile.x]", "tile.y * 31u + tile.x]"),
    ("bins of lamps", SHADER, "let last = bin >> 16u;", "let last = (bin >> 16u) / 2u;"),
    ("normals of textures", SHADER, "- v * (side * texel.y)", "+ v * (side * texel.y)"),
    ("which way textures go", SHADER, "dot(one, across)", "-dot(one, across)"),
    ("surfaces of textures", SHADER, "material.surface.y * surface.z", "material.surface.y"),
    ("what shines", SHADER, "light += emission;", ""),
    ("cutouts", SHADER, "if color.a < material.surface.w", "if false"),
    ("shadows of cutouts", SHADER, "if opacity < material.surface.w", "if false"),
    ("backs", "materials/leaf.material", "two_sided = true", ""),
    ("light on backs", SHADER, "select(-1.0, 1.0, is_front)", "1.0"),
    ("haze", SHADER, "mix(light, fog, haze)", "light"),
    ("glass", SHADER, "color.a * texel.a);", "1.0);"),
    (
        "the order of layers",
        "golden.frame",
        "order = \"back_to_front\" }\n        ]",
        "order = \"by_state\" }\n        ]",
    ),
    (
        "glow",
        "golden.frame",
        "material = \"materials/glow\"",
        "material = \"core/materials/spread\"",
    ),
    (
        "the sky",
        "golden.frame",
        "{ name = \"sky\" takes = \"picture\" material = \"core/materials/sky\" }",
        "",
    ),
    (
        "a second view",
        "golden.frame",
        "rectangle = [ 0.7 0.05 0.25 0.25 ]",
        "rectangle = [ 0.7 0.1 0.25 0.25 ]",
    ),
    ("levels of detail", "boulder.mesh", "share = 0.6", "share = 0.1"),
    ("colors of objects", SHADER, "place = parameter_numbers[instance];", "place = 0u;"),
    ("tinted", "golden.level", "color = [ 0.7 0.1 0.6 1 ]", ""),
    (
        "occluders",
        "boulder.mesh",
        "size = [ 0.5 0.5 0.5 ]",
        "size = [ 9 9 0.5 ] offset = [ 0 0 1.2 ]",
    ),
    ("targets", "golden.level", "tall = 0.6", "tall = 0"),
    ("names of targets", "totem.gltf", "\"tall\", \"wide\"", "\"wide\", \"tall\""),
    ("weights of the mesh", "totem.gltf", "\"weights\": [ 0, 0.4 ]", "\"weights\": [ 0, 0 ]"),
    ("lines", "main.lua", "Draw.box", "-- Draw.box"),
];

/// The sources of the project that are text: path, text.
fn sources() -> Vec<(String, String)> {
    let folder = folder().join("golden");
    let mut files = vec![(SHADER.to_owned(), STANDARD.to_owned())];
    for inner in ["", "materials"] {
        for entry in fs::read_dir(folder.join(inner)).expect("it can be read") {
            let path = entry.expect("an entry").path();
            if path.is_file() && path.extension().is_none_or(|extension| extension != "png") {
                let name = path.strip_prefix(&folder).expect("it is in it").display().to_string();
                let text = fs::read_to_string(&path).expect("a text");
                files.push((name, text.replace("// LAMPS", &lamps())));
            }
        }
    }
    files
}

/// Writes the project.
fn project() -> Game {
    let game = Game::new(1);
    for (name, text) in sources() {
        let path = game.sources().join(&name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it may be made");
        game.write(&name, &text);
    }
    let checks =
        |x: usize, y: usize| if (x / 8 + y / 8).is_multiple_of(2) { [230; 4] } else { [90; 4] };
    let bumps = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|at| (at % 8) as f32 - 3.5);
        [(255.0 * (1.0 - (x * x + y * y) / 25.0).max(0.0)) as u8; 4]
    };
    let bars = |x: usize, y: usize| {
        let opacity = if x % 8 < 3 || y % 16 < 3 { 255 } else { 0 };
        [255, 255, 255, opacity]
    };
    write_png(&game, "checks", &|x, y| opaque(checks(x, y)));
    write_png(&game, "bumps", &|x, y| opaque(bumps(x, y)));
    write_png(&game, "bars", &bars);
    game
}

/// Lamps in rows over the ground, in three colors.
fn lamps() -> String {
    let lamp = |number: u32| {
        let (row, column) = (number / 12, number % 12);
        let color = ["1 0.3 0.1", "0.2 1 0.3", "0.2 0.4 1"][((row + column) % 3) as usize];
        let (x, z) = (f64::from(column) * 1.6 - 8.8, f64::from(row) * -2.0 - 1.0);
        format!(
            "lamp{number} = {{ components = {{ transform = {{ position = [ {x:.1} 0.35 {z:.1} ] }} \
             light = {{ color = [ {color} ] intensity = 2 range = 1.4 }} }} }}\n"
        )
    };
    (0..72).map(lamp).collect()
}

const fn opaque([red, green, blue, _]: [u8; 4]) -> [u8; 4] {
    [red, green, blue, 255]
}

/// Writes a texture of 32 by 32 pixels.
fn write_png(game: &Game, name: &str, pixel: &dyn Fn(usize, usize) -> [u8; 4]) {
    let pixels: Vec<u8> = (0..32 * 32).flat_map(|place| pixel(place % 32, place / 32)).collect();
    let path = game.sources().join(format!("{name}.png"));
    write(&path, [32, 32], &pixels);
}

const PAGE: Page =
    Page { kept: "golden/picture.png", size: SIZE, frames: 2, faults: &FAULTS, project, sources };

#[test]
fn the_picture_is_the_one_that_is_kept() {
    PAGE.check();
}

#[test]
fn each_fault_is_found() {
    PAGE.check_faults();
}
