//! Large textures under a budget: their levels come by how large objects are, and never more of
//! them than there may be.

use std::path::Path;

use glam::Vec3;
use loligo_engine::{BackEndChoice, Engine, EngineOptions, TextureMemory, with_engine};

use loligo_ids::id32;

use crate::support::Game;

/// The bytes of a texture of 256 by 256 pixels with all its levels, and with its small ones.
const WHOLE: u64 = levels_from(256);
const SMALL: u64 = levels_from(64);

/// Room for the placeholder, and for less than any level.
const MORE: u64 = 600;

const fn levels_from(side: u64) -> u64 {
    if side == 0 { 0 } else { side * side * 4 + levels_from(side / 2) }
}

/// A row of boards that are further and further away, each with a separate texture.
fn boards(count: u32) -> Game {
    let game = Game::new(1);
    let mut level = String::from(
        "entities = { eye = { components = { transform = {} camera = { far = 200 } } }\n",
    );
    game.write("game.config", "level = \"yard\" window = [ 320 320 ]");
    game.write("board.mesh", "shape = \"plane\" size = [ 1 1 ]");
    for number in 0..count {
        write_png(&game.sources().join(format!("t{number}.png")), number);
        let material = "shader = \"core/shaders/standard\" layer = \"opaque\"";
        game.write(&format!("m{number}.material"), &format!("{material} texture = \"t{number}\""));
        let (x, z) = (f64::from(number) * 0.6, f64::from(number + 1) * -1.7);
        level += &format!(
            "b{number} = {{ components = {{ transform = {{ position = [ {x:.2} 0 {z:.2} ] \
             rotation = [ 0.7071068 0 0 0.7071068 ] }} model = {{ mesh = \"board\" material = \"m{number}\" }} }} }}\n"
        );
    }
    game.write("yard.level", &(level + "}"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Writes a picture with lines of a pixel, which smaller levels cannot show.
fn write_png(path: &Path, number: u32) {
    let pixel = |place: usize| {
        let (x, y) = (place % 256, place / 256);
        let is_light = (x / (1 + number as usize) + y).is_multiple_of(2);
        [if is_light { 240 } else { 20 }, (x ^ y) as u8, (40 * number) as u8, 255]
    };
    let pixels: Vec<u8> = (0..256 * 256).flat_map(pixel).collect();
    let file = std::fs::File::create(path).expect("it may be made");
    let mut encoder = png::Encoder::new(file, 256, 256);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("it is written");
    writer.write_image_data(&pixels).expect("it is written");
}

/// Runs frames until nothing of the textures has changed for a while; `check` sees each.
fn settle(engine: &mut Engine<'_, '_>, mut check: impl FnMut(TextureMemory, &str)) {
    let mut last = (TextureMemory::default(), 0);
    for frame in 0..400 {
        engine.want_text();
        engine.frame(&mut ()).expect("a frame");
        engine.finish().expect("it is drawn");
        let memory = engine.texture_memory().expect("there is a budget");
        check(memory, engine.text());
        if memory != last.0 {
            last = (memory, frame);
        } else if frame > last.1 + 20 {
            return;
        }
    }
    panic!("it never comes to rest");
}

/// The numbers of the line of a frame that says what is held: bytes, and the most ever.
fn sent(text: &str) -> [u64; 2] {
    let line = text.lines().find(|line| line.starts_with("textures ")).expect("a line");
    let number = |after: &str| {
        let rest = line.split_once(after).expect("it says so").1;
        rest.split(|letter: char| !letter.is_ascii_digit()).next().expect("a number").parse()
    };
    [number(": "), number("at most ")].map(|number| number.expect("a number"))
}

#[test]
fn a_budget_is_never_exceeded_and_the_nearest_are_whole() {
    let game = boards(6);
    let data = game.data();
    for (threads, budget) in [
        (1, WHOLE * 2),
        (1, WHOLE * 3),
        (2, WHOLE * 4),
        (1, SMALL * 6 + WHOLE / 3),
        (2, SMALL * 6 + MORE),
    ] {
        let options = EngineOptions {
            texture_budget: Some(budget),
            threads: Some(threads),
            background_loading: Some(threads == 2),
            ..game.options(&data)
        };
        let sides = with_engine(&options, |engine| {
            let mut text = String::new();
            settle(engine, |memory, frame| {
                assert!(memory.bytes <= budget, "{memory:?}");
                let [bytes, most] = sent(frame);
                assert!(bytes <= most && most <= budget, "{most} of {budget}");
                text = frame.to_owned();
            });
            text
        });
        let text = sides.expect("it boots");
        let small = text.lines().filter(|line| line.contains(": 64 x 64 of")).count();
        println!(
            "{budget}: {small} small\n{}",
            text.lines().take(9).collect::<Vec<_>>().join("\n")
        );
        if budget >= WHOLE * 2 {
            // The first texture that was loaded is the nearest board's; the far ones are small.
            assert!(!text.contains("of 256 x 256\n  texture 1:"), "{text}");
            assert!(text.contains("not whole"), "{text}");
        }
    }
}

#[test]
fn a_texture_comes_when_its_object_is_near_and_goes_for_another() {
    let game = boards(4);
    let data = game.data();
    let budget = WHOLE + WHOLE / 4 + SMALL * 4 + 1000;
    let options =
        EngineOptions { texture_budget: Some(budget), threads: Some(1), ..game.options(&data) };
    with_engine(&options, |engine| {
        settle(engine, |memory, _| assert!(memory.bytes <= budget, "{memory:?}"));
        let before = engine.text().to_owned();
        // The camera goes past the first board, to the last.
        let world = engine.world_mut();
        let eye = world.find(id32!("eye")).expect("it is there");
        assert!(world.transforms_mut().set_position(eye, Vec3::new(1.8, 0.0, -6.0)), "it is moved");
        settle(engine, |memory, text| {
            assert!(memory.bytes <= budget, "{memory:?}");
            assert!(sent(text)[1] <= budget, "{text}");
        });
        assert_ne!(lines(&before), lines(engine.text()), "others are large now");
    })
    .expect("it boots");
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("  texture ")).collect()
}

#[test]
fn a_budget_that_is_enough_changes_no_pixel() {
    let game = boards(5);
    let data = game.data();
    let picture = |texture_budget| {
        let options = EngineOptions {
            back_end: BackEndChoice::Auto,
            texture_budget,
            threads: Some(1),
            ..game.options(&data)
        };
        with_engine(&options, |engine| {
            for _ in 0..40 {
                engine.frame(&mut ()).expect("a frame");
            }
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
            engine.picture().to_vec()
        })
        .expect("it boots")
    };
    let whole = picture(None);
    if whole.is_empty() {
        return println!("skipped: the driver that computes is not there");
    }
    assert!(whole == picture(Some(WHOLE * 7)), "there is room for all");
    assert!(whole != picture(Some(SMALL * 5 + MORE)), "small levels look otherwise");
}

#[test]
fn a_frame_like_the_one_before_allocates_nothing() {
    let game = boards(4);
    let data = game.data();
    for budget in [WHOLE * 5, WHOLE * 2] {
        let options =
            EngineOptions { texture_budget: Some(budget), threads: Some(1), ..game.options(&data) };
        with_engine(&options, |engine| {
            settle(engine, |_, _| ());
            let count = |engine: &Engine<'_, '_>| {
                let mut sum = 0;
                engine.memory().visit(&mut |allocator| sum += allocator.stats().allocations_total);
                sum
            };
            for _ in 0..8 {
                engine.frame(&mut ()).expect("a frame");
            }
            let before = count(engine);
            for _ in 0..16 {
                engine.frame(&mut ()).expect("a frame");
            }
            engine.finish().expect("it is drawn");
            assert_eq!(count(engine), before, "blocks in frames that are alike");
        })
        .expect("it boots");
    }
}
