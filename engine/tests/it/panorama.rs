//! A sky of six pictures: the pass that draws it is in the frame, the pictures are in a texture.

use std::fs::File;

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use crate::support::Game;

const FRAME: &str = "
passes = [ {
    name = \"main\" color = [ \"window\" ] clear = { color = [ 0 0 0 1 ] }
    layers = [ { name = \"sky\" takes = \"picture\" material = \"panorama\" } ]
} ]";

/// The faces with their colors, and a camera that looks there: x, y, z, w of its rotation.
const FACES: [(&str, [u8; 3], [f32; 4]); 6] = [
    ("front", [255, 0, 0], [0.0, 0.0, 0.0, 1.0]),
    ("right", [0, 255, 0], [0.0, -0.707_106_77, 0.0, 0.707_106_77]),
    ("back", [0, 0, 255], [0.0, 1.0, 0.0, 0.0]),
    ("left", [255, 255, 0], [0.0, 0.707_106_77, 0.0, 0.707_106_77]),
    ("up", [0, 255, 255], [0.707_106_77, 0.0, 0.0, 0.707_106_77]),
    ("down", [255, 0, 255], [-0.707_106_77, 0.0, 0.0, 0.707_106_77]),
];

/// A square window, in which a camera of 90 degrees sees one face and nothing else.
const SIDE: usize = 32;

fn game(turn: f32) -> Game {
    let game = Game::new(1);
    game.write(
        "game.config",
        "title = \"Sky\" level = \"sky\" frame = \"sky\" script = \"main\" window = [ 32 32 ]",
    );
    game.write("sky.frame", FRAME);
    let shader = "shader = \"core/shaders/panorama\" texture = \"sky\"";
    game.write("panorama.material", &format!("{shader} custom = [ {turn} 0 0 0 ]"));
    let mut faces = String::new();
    for (name, [red, green, blue], _) in FACES {
        // The left upper quarter is darker, so that a face which is turned is found.
        let pixel = |at: usize| {
            let is_dark = at % 16 < 8 && at / 16 < 8;
            [red, green, blue].map(|part| if is_dark { part / 2 } else { part })
        };
        let pixels: Vec<u8> = (0..256).flat_map(pixel).collect();
        let file = File::create(game.sources().join(format!("{name}.png"))).expect("a file");
        let mut encoder = png::Encoder::new(file, 16, 16);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().expect("it is written");
        writer.write_image_data(&pixels).expect("it is written");
        faces.push_str(&format!("{name} = \"{name}.png\" "));
    }
    game.write("sky.texture", &format!("faces = {{ {faces} }}"));
    let eyes: String = FACES
        .iter()
        .map(|(name, _, [x, y, z, w])| {
            format!(
                "{name} = {{ components = {{ transform = {{ rotation = [ {x} {y} {z} {w} ] }} \
                 camera = {{ field_of_view = 90 }} }} }}\n"
            )
        })
        .collect();
    game.write("sky.level", &format!("entities = {{\n{eyes}}}"));
    let names = FACES.map(|(name, ..)| format!("'{name}'")).join(", ");
    let script =
        "function update() Camera.set_current(Entity.find(names[Game.frame() % 6 + 1])) end";
    game.write("main.lua", &format!("local names = {{ {names} }}\n{script}"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Draws what each camera sees; `None` without a driver.
fn pictures(game: &Game) -> Option<Vec<Vec<u8>>> {
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    let pictures = with_engine(&options, |engine| {
        let picture = |_| {
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
            engine.picture().to_vec()
        };
        (0..FACES.len()).map(picture).collect::<Vec<_>>()
    });
    let pictures = pictures.expect("it boots");
    pictures.iter().all(|picture| picture.len() == SIDE * SIDE * 4).then_some(pictures)
}

fn pixel(picture: &[u8], [x, y]: [usize; 2]) -> [u8; 3] {
    let at = (y * SIDE + x) * 4;
    [picture[at], picture[at + 1], picture[at + 2]]
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < 12)
}

#[test]
fn a_camera_sees_the_face_that_it_looks_at() {
    let Some(pictures) = pictures(&game(0.0)) else {
        return println!("skipped: there is no driver");
    };
    for ((name, color, _), picture) in FACES.iter().zip(&pictures) {
        for at in [[24, 8], [8, 24], [24, 24], [28, 4], [4, 28]] {
            let found = pixel(picture, at);
            assert!(is_near(found, *color), "{name} at {at:?}: {found:?}");
        }
        let (dark, found) = (color.map(|part| part / 2), pixel(picture, [8, 8]));
        assert!(is_near(found, dark), "the corner of {name}: {found:?}");
    }
}

#[test]
fn a_turned_sky_is_seen_elsewhere() {
    let quarter = core::f32::consts::FRAC_PI_2;
    let Some(pictures) = pictures(&game(quarter)) else {
        return println!("skipped: there is no driver");
    };
    let found = pixel(&pictures[0], [24, 24]);
    assert!(is_near(found, FACES[1].1), "what was to the right is ahead: {found:?}");
}
