//! Characters and vehicles of entities: their components, and what they do in a game.

use glam::Vec3;
use loligo_interface::{Subsystem, SubsystemError};

use crate::play::{CRATE, FLOOR, LIFT, Play, play};

const WALKER: &str = r#"components = {
    transform = { position = [ 0 2 0 ] } actor = { collision = "crate" template = "lift" } mover = { snap = 0.1 }
}"#;

const CAR: &str = r#"components = {
    transform = { position = [ 0 1.5 0 ] } actor = { collision = "crate" template = "box" }
    vehicle = { wheels = [
        { at = [ 0.6 -0.3 0.6 ] steers = true brakes = false } { at = [ -0.6 -0.3 0.6 ] steers = true }
        { at = [ 0.6 -0.3 -0.6 ] drives = true } { at = [ -0.6 -0.3 -0.6 ] drives = true }
    ] }
}"#;

fn refusal(play: &mut Play<'_>) -> &'static str {
    play.try_update(1);
    match play.errors.first() {
        Some(SubsystemError::Wrong { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_character_falls_to_the_ground_and_stays() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let walker = play.spawn(WALKER);
        play.update(20);
        let at = play.at(walker);
        assert!(at.y < 1.9 && at.y > 0.6, "it falls by itself: {at}");
        play.update(100);
        let at = play.at(walker);
        assert!((at.y - 0.52).abs() < 0.02, "its gap above the ground: {at}");
    });
}

#[test]
fn a_car_stands_on_its_wheels() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let (car, thing) = (play.spawn(CAR), play.spawn(&CRATE.replace("0 3 0", "9 3 0")));
        play.update(240);
        let (car, thing) = (play.at(car), play.at(thing));
        assert!((thing.y - 0.5).abs() < 0.02, "a crate has no wheels: {thing}");
        assert!(car.y > 0.7 && car.y < 1.1, "the car is above the ground: {car}");
    });
}

#[test]
fn what_cannot_walk_or_drive_is_named() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(&WALKER.replace("\"lift\"", "\"box\""));
        assert!(refusal(&mut play).contains("its actor is not kinematic"));
        play.spawn(&WALKER.replace("actor = { collision = \"crate\" template = \"lift\" }", ""));
        assert!(refusal(&mut play).contains("a mover and no actor"));
        play.spawn(&WALKER.replace("snap = 0.1", "climb = 200"));
        assert!(refusal(&mut play).contains("a slope"));
        play.spawn(&CAR.replace("\"box\"", "\"lift\""));
        assert!(refusal(&mut play).contains("its actor is not dynamic"));
        play.spawn(&CAR.replace("actor = { collision = \"crate\" template = \"box\" }", ""));
        assert!(refusal(&mut play).contains("a vehicle and no actor"));
        play.update(1);
    });
}

#[test]
fn characters_and_cars_are_saved_byte_for_byte() {
    play(|memory, project| {
        for pause in [0, 1, 30] {
            let mut play = Play::new(memory, project);
            let mut other = Play::new(memory, project);
            let sources = [FLOOR, WALKER, CAR, LIFT];
            let all = sources.map(|source| play.spawn(source));
            assert_eq!(all, sources.map(|source| other.spawn(source)));
            play.update(pause);
            for entity in all {
                let pose = play.transforms.pose(entity).expect("it is there");
                other.transforms.set_pose(entity, &pose);
            }
            let state = play.saved();
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written");
            for step in 0..60 {
                // The lift goes by below the walker and pushes the car.
                let at = Vec3::new(9.0 - 0.1 * step as f32, 1.0, 0.0);
                for play in [&mut play, &mut other] {
                    play.transforms.set_position(all[3], at);
                    play.update(1);
                }
                assert!(play.saved() == other.saved(), "step {step} after {pause}");
            }
            assert_eq!(all.map(|of| play.at(of)), all.map(|of| other.at(of)));
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}
