//! Pictures, where there is a driver that draws them.

use loligo_engine::{BackEndChoice, DisabledSubsystems, Engine, EngineOptions, with_engine};
use serde_json::json;

use crate::frames::Turning;
use crate::support::Game;
use crate::tools::Tool;

/// A material's color over the whole picture.
pub(crate) const SHADER: &str = "
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }
@group(1) @binding(0) var<uniform> material: Material;
@vertex fn vs_main(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u)) * 2.0 - 1.0;
    return vec4(corner, 1.0, 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(material.base_color.rgb, 1.0); }
";

const FRAME: &str = "
targets = { depth = { format = \"depth32f\" } }
passes = [ {
    name = \"main\" color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 }
    layers = [ { name = \"sky\" takes = \"picture\" material = \"sky\" } ]
} ]
";

fn material(color: &str) -> String {
    format!("shader = \"flat\" layer = \"sky\" casts_shadow = false color = [ {color} 1 ]")
}

/// Draws a frame and returns the color in its middle.
fn middle(engine: &mut Engine<'_, '_>) -> Option<[u8; 3]> {
    engine.want_picture();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    let [width, height] = engine.size().map(|side| side as usize);
    let picture = engine.picture();
    let at = (height / 2 * width + width / 2) * 4;
    (picture.len() == width * height * 4).then(|| [picture[at], picture[at + 1], picture[at + 2]])
}

/// A game whose picture of 64 by 48 pixels is all of one color.
pub(crate) fn flat() -> Game {
    let game = Game::new(1);
    game.write("flat.shader", SHADER);
    game.write("yard.frame", FRAME);
    game.write("sky.material", &material("1 0 0"));
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &config.replace("[ 640 360 ]", "[ 64 48 ]"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

#[test]
fn a_material_that_is_changed_while_the_game_runs_is_seen_in_the_picture() {
    let game = flat();
    let data = game.data();
    let recompile = |told: &mut dyn FnMut(&dyn core::fmt::Display)| {
        game.compile().iter().for_each(|error| told(error));
        true
    };
    let options = EngineOptions {
        back_end: BackEndChoice::Auto,
        recompile: Some(&recompile),
        ..game.options(&data)
    };
    with_engine(&options, |engine| {
        let Some(color) = middle(engine) else {
            // Said plainly, and no more can be looked at here.
            assert!(game.log.all().iter().any(|line| line.contains("drawn by nobody")), "it says");
            return println!("there is no driver: {:?}", game.log.all());
        };
        assert_eq!(color, [255, 0, 0], "{:?}", game.log.all());
        let mut tool = Tool::connect(engine);
        for (edit, expected) in [
            (material("0 1 0"), [0, 255, 0]),
            (material("0 0 7"), [0, 255, 0]), // Refused: the last good one stays.
            (material("0 0 1"), [0, 0, 255]),
        ] {
            game.write("sky.material", &edit);
            tool.ask(&json!({ "type": "reload" }), engine, &mut Turning::default());
            assert_eq!(middle(engine), Some(expected), "{edit}: {:?}", game.log.all());
        }
        game.write("flat.shader", &SHADER.replace("material.base_color.rgb", "vec3(1.0)"));
        tool.ask(&json!({ "type": "reload" }), engine, &mut Turning::default());
        assert_eq!(middle(engine), Some([255; 3]), "a shader: {:?}", game.log.all());
        // Another material, and a shader that was not loaded before.
        game.write("flat2.shader", SHADER);
        game.write("night.material", &material("0 0.5 1").replace("flat", "flat2"));
        game.write("yard.frame", &FRAME.replace("material = \"sky\"", "material = \"night\""));
        tool.ask(&json!({ "type": "reload" }), engine, &mut Turning::default());
        let night = middle(engine).expect("there is a driver");
        assert_eq!([night[0], night[2]], [0, 255], "a frame: {:?}", game.log.all());
    })
    .expect("it boots");
}

/// A lamp of one pixel in ten, on black; to its side only what a blur brings there.
const LAMP: &str = "
@vertex fn vs_main(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u)) * 2.0 - 1.0;
    return vec4(corner, 1.0, 1.0);
}
@fragment fn fs_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let is_lamp = abs(at.x - 32.0) < 4.0 && abs(at.y - 24.0) < 4.0;
    return vec4(select(vec3(0.0), vec3(40.0, 20.0, 4.0), is_lamp), 1.0);
}
";

/// Draws a frame of the lamp by a frame that comes with the program, and returns a row of it.
fn row_through_the_lamp(frame: &str) -> Option<Vec<[u8; 3]>> {
    let game = Game::new(1);
    let core = game.sources().join("core/shaders");
    std::fs::create_dir_all(core).expect("it may be made");
    game.write("core/shaders/sky.shader", LAMP);
    game.write(
        "yard.level",
        "entities = { eye = { components = { transform = {} camera = {} } } }",
    );
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    let config = config.replace("[ 640 360 ]", "[ 64 48 ]");
    game.write("game.config", &config.replace("frame = \"yard\"", frame));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    with_engine(&options, |engine| {
        middle(engine)?;
        let rows: Vec<_> = engine.picture().chunks_exact(64 * 4).collect();
        Some(rows[24].chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
    })
    .expect("it boots")
}

#[test]
fn what_is_bright_glows_where_the_frame_says_so() {
    let (Some(plain), Some(glowing)) = (
        row_through_the_lamp("frame = \"core/standard\""),
        row_through_the_lamp("frame = \"core/bloom\""),
    ) else {
        return println!("there is no driver");
    };
    // Of four pixels, among which the grain of the tone mapping is even.
    let brightness = |row: &[[u8; 3]], from: usize| -> u32 {
        row[from..from + 4].iter().flatten().map(|part| u32::from(*part)).sum()
    };
    for from in [16, 20, 40, 44] {
        assert!(brightness(&plain, from) < 60, "black without: {plain:?}");
    }
    // It falls off to both sides, and is as wide on both.
    let glow = [38, 42, 48, 56].map(|from| brightness(&glowing, from));
    assert!(glow.is_sorted_by(|near, far| near > far) && glow[1] > 120, "{glow:?} of {glowing:?}");
    let other = [22, 18, 12, 4].map(|from| brightness(&glowing, from));
    assert!(glow.iter().zip(&other).all(|(a, b)| a.abs_diff(*b) <= 60), "{glow:?} and {other:?}");
    assert!(glowing[44][0] > glowing[44][2], "in the lamp's color: {glowing:?}");
}

/// None of these looks for a display: what cannot be shown is refused before.
#[test]
fn a_window_needs_somebody_who_draws() {
    let game = Game::new(1);
    let data = game.data();
    let mut without = DisabledSubsystems::default();
    without.add("render").expect("it is a subsystem");
    for (without, back_end, expected) in [
        (
            DisabledSubsystems::default(),
            BackEndChoice::Text,
            "the back end is text; choose another one",
        ),
        (without, BackEndChoice::Auto, "the subsystem `render` is left out; take it in"),
    ] {
        let options = EngineOptions { back_end, without, has_window: true, ..game.options(&data) };
        let refused = with_engine(&options, |_| panic!("it must not boot")).expect_err("refused");
        assert!(refused.to_string().contains(expected), "{refused}");
    }
}
