//! Point lights: spawned, moved, changed by scripts, chosen, printed in the text of a frame.

use loligo_engine::{EngineOptions, FrameMemory, Logic, PointLight, World, with_engine};
use loligo_ids::id32;

use crate::support::Game;

/// A lamp somewhere, as a level has it.
fn lamp(name: &str, x: f32, light: &str) -> String {
    format!(
        "{name} = {{ components = {{ transform = {{ position = [ {x:?} 2 0 ] }} light = {{ {light} }} }} }}\n"
    )
}

fn lit(lamps: &str) -> Game {
    let game = Game::new(1);
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    game.write("yard.level", &level.replacen("box0 =", &format!("{lamps}box0 ="), 1));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Runs frames and returns what the text of the last says of lights.
fn lines(
    options: &EngineOptions<'_>,
    frames: u32,
    logic: &mut dyn for<'m> Logic<'m>,
) -> Vec<String> {
    let ran = with_engine(options, |engine| {
        for _ in 0..frames {
            engine.want_text();
            engine.frame(logic)?;
        }
        engine.finish()?;
        let lines = engine.text().lines().filter(|line| line.contains("light"));
        Ok::<_, loligo_engine::EngineError>(lines.map(str::to_owned).collect())
    });
    ran.expect("it boots").expect("frames are drawn")
}

#[test]
fn lights_are_in_the_text_and_of_equally_near_ones_the_first_comes_first() {
    let lamps = lamp("near", 1.0, "color = [ 1 0.5 0 ] intensity = 2 range = 4")
        + &lamp("bright", -1.0, "intensity = 80");
    let game = lit(&lamps);
    let data = game.data();
    let [one, five] = [1, 5].map(|threads| {
        lines(&EngineOptions { threads: Some(threads), ..game.options(&data) }, 2, &mut ())
    });
    assert_eq!(
        one,
        [
            "lights 2: seen 2, left out for want of room 0",
            "  light at 1.000 2.000 0.000, range 4, color 1 0.5 0, intensity 2",
            "  light at -1.000 2.000 0.000, range 8, color 1 0.82 0.6, intensity 80",
        ]
    );
    assert_eq!(one, five, "with five threads");
}

#[test]
fn what_is_left_out_is_counted() {
    let lamps: String = (0..1064_u16)
        .map(|number| lamp(&format!("lamp{number}"), f32::from(number) * 0.001, ""))
        .collect();
    let game = lit(&lamps);
    let data = game.data();
    let options = game.options(&data);
    let told = lines(&options, 2, &mut ());
    assert_eq!(told[0], "lights 1064: seen 1064, left out for want of room 40");
    assert_eq!(told.len(), 1 + 32 + 1, "the nearest, and one line for all others");
    assert!(told[33].starts_with("  and 992 lights, hash "), "{}", told[33]);
    let drawn = with_engine(&options, |engine| {
        engine.frame(&mut ()).and_then(|()| engine.finish()).expect("it is drawn");
        engine.drawn()
    });
    let drawn = drawn.expect("it boots");
    assert_eq!((drawn.lights, drawn.lights_left_out), (1024, 40));
}

/// Moves a lamp, dims another, and removes a third.
struct Dimming;

impl<'m> Logic<'m> for Dimming {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        let [a, b, c] = [id32!("a"), id32!("b"), id32!("c")].map(|name| world.find(name));
        if world.frame() == 1 {
            let (a, b, c) = (a.expect("a"), b.expect("b"), c.expect("c"));
            assert!(
                world.transforms_mut().set_position(a, glam::Vec3::new(0.0, 3.0, 0.0)),
                "it has a place"
            );
            let is_changed = world.change_light(b, |light| light.intensity = 0.5).expect("memory");
            assert!(is_changed && world.light(b).map(|light| light.intensity) == Some(0.5), "b");
            world.destroy(c).expect("memory");
            assert!(!world.change_light(c, |_| ()).expect("memory"), "it is gone");
            let hub = world.find(id32!("hub")).expect("the level has one");
            assert!(world.light(hub).is_none(), "the hub has no light");
        }
    }
}

#[test]
fn a_light_moves_changes_and_goes_with_its_entity() {
    let game = lit(&(lamp("a", 1.0, "") + &lamp("b", 0.0, "") + &lamp("c", -1.0, "")));
    let data = game.data();
    let told = lines(&game.options(&data), 3, &mut Dimming);
    assert_eq!(
        told,
        [
            "lights 2: seen 2, left out for want of room 0",
            "  light at 0.000 3.000 0.000, range 8, color 1 0.82 0.6, intensity 10",
            "  light at 0.000 2.000 0.000, range 8, color 1 0.82 0.6, intensity 0.5",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_light_is_an_error_with_its_place() {
    for (light, said) in [
        ("range = 0", "expected metres, from 0.01 to 10000"),
        ("intensity = -1", "expected a brightness, from 0 to 100000"),
        ("color = [ 1 2 ]", "expected a color"),
        ("colour = [ 1 1 1 ]", "colour"),
    ] {
        let game = Game::new(1);
        let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
        game.write(
            "yard.level",
            &level.replacen("box0 =", &(lamp("lamp", 0.0, light) + "box0 ="), 1),
        );
        let errors = game.compile();
        assert!(errors.len() == 1 && errors[0].contains(said), "{light}: {errors:?}");
        assert!(errors[0].starts_with("yard.level:"), "{errors:?}");
    }
    assert_eq!(PointLight::default().range, 8.0);
}
