//! A picture with one thing of each kind that the built-in shaders draw, compared with the one that
//! is kept; and a fault for each kind, which the comparison finds. `LOLIGO_WRITE=1` writes it.
//!
//! The measure: the picture is cut into tiles of 8 by 8 pixels, and of each the mean difference of
//! all numbers from 0 to 255 is taken. The worst tile counts. Two versions of the driver differ at
//! edges, by a pixel here and there; a fault changes an area.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use crate::support::Game;

const STANDARD: &str = include_str!("../../../subsystems/render/core/shaders/standard.shader");

const SIZE: [usize; 2] = [240, 136];

/// The side of a tile, in pixels.
const TILE: usize = 8;

/// The most that the worst tile may differ by, and the least that a fault makes of it.
const LIMIT: f64 = 4.0;
const FAULT: f64 = 8.0;

const SHADER: &str = "core/shaders/standard.shader";

/// What each fault is of, in which file, and what becomes of which text.
const FAULTS: [(&str, &str, &str, &str); 24] = [
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
    ("lines", "main.lua", "Draw.box", "-- Draw.box"),
];

/// The sources of the project that are text: path, text.
fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
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

fn write(path: &Path, size: [u32; 2], pixels: &[u8]) {
    let file = File::create(path).expect("it may be made");
    let mut encoder = png::Encoder::new(file, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("it is written");
    writer.write_image_data(pixels).expect("it is written");
}

/// Draws the project; `None` where there is no driver that computes, whose picture is kept.
fn picture(game: &Game) -> Option<Vec<u8>> {
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    let picture = with_engine(&options, |engine| {
        for _ in 0..2 {
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
        }
        engine.finish().expect("it is drawn");
        engine.picture().to_vec()
    });
    let picture = picture.expect("it boots");
    let is_kept = game.log.all().iter().any(|line| line.contains("a driver that computes"));
    (is_kept && picture.len() == SIZE[0] * SIZE[1] * 4).then_some(picture)
}

/// Returns the mean difference of the worst tile.
fn difference(one: &[u8], other: &[u8]) -> f64 {
    let tile = |number: usize| {
        let (column, row) = (number % (SIZE[0] / TILE), number / (SIZE[0] / TILE));
        let rows = (row * TILE..(row + 1) * TILE).map(|row| (row * SIZE[0] + column * TILE) * 4);
        let sum = rows.map(|start| {
            let pair = one[start..][..TILE * 4].iter().zip(&other[start..][..TILE * 4]);
            pair.map(|(one, other)| f64::from(one.abs_diff(*other))).sum::<f64>()
        });
        // Opacity is always the same.
        sum.sum::<f64>() / (TILE * TILE * 3) as f64
    };
    (0..SIZE[0] / TILE * (SIZE[1] / TILE)).map(tile).fold(0.0, f64::max)
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/picture.png")
}

fn read(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(File::open(path).expect("it is kept"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is one");
    let mut pixels = vec![0; SIZE[0] * SIZE[1] * 4];
    reader.next_frame(&mut pixels).expect("it is whole");
    pixels
}

#[test]
fn the_picture_is_the_one_that_is_kept() {
    let Some(drawn) = picture(&project()) else {
        return println!("skipped: the driver that computes is not there");
    };
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        write(&kept(), SIZE.map(|side| side as u32), &drawn);
    }
    let far = difference(&drawn, &read(&kept()));
    if far > LIMIT {
        let path = std::env::temp_dir().join("loligo-golden.png");
        write(&path, SIZE.map(|side| side as u32), &drawn);
        panic!("the worst tile differs by {far:.1}, and {LIMIT} are allowed: {}", path.display());
    }
    println!("the worst tile differs by {far:.2}");
}

#[test]
fn each_fault_is_found() {
    let (wanted, game, sources) = (read(&kept()), project(), sources());
    let mut missed = Vec::new();
    for fault in &FAULTS {
        let (what, file, old, new) = fault;
        let found = sources.iter().find(|(name, _)| name == file);
        let (_, text) = found.expect("there is such a source");
        assert!(text.contains(old), "{what}: {old}");
        game.write(file, &text.replace(old, new));
        let Some(drawn) = picture(&game) else {
            return println!("skipped: the driver that computes is not there");
        };
        game.write(file, text);
        let far = difference(&drawn, &wanted);
        println!("{}: {far:.1}", fault.0);
        if far < FAULT {
            missed.push(format!("{}: {far:.1}", fault.0));
        }
    }
    assert_eq!(missed, [""; 0], "faults that the measure does not find");
}
