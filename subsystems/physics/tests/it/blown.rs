//! Fields of forces of entities, and what they do to actors.

use glam::Vec3;
use loligo_entities::Entity;
use loligo_interface::Subsystem;

use crate::play::{CRATE, FLOOR, Play, play_with};

const FIELDS: [(&str, &[u8]); 3] = [
    ("breeze.field", br#"strength = [ 3 0 0 ]"#),
    (
        "blast.field",
        br#"region = { sphere = 6 } seconds = 0.2 strength = [ "15 * x" "15 * y" "15 * z" ]"#,
    ),
    ("grounds.field", br#"settings = "game" groups = [ "ground" ] strength = [ 9 0 0 ]"#),
];

fn field(name: &str, at: Vec3) -> String {
    format!(
        "components = {{ transform = {{ position = [ {} {} {} ] }} field = {{ field = \"{name}\" }} }}",
        at.x, at.y, at.z
    )
}

/// Steps a crate that floats through a second of a field.
fn drifted(name: &str, at: Vec3, workers: u32) -> Vec3 {
    let mut drifted = Vec3::ZERO;
    play_with(&FIELDS, |memory, project| {
        let mut play = Play::new(memory, project);
        play.workers = workers;
        play.spawn(&field(name, at));
        let thing = play.spawn(&CRATE.replace("velocity = [ 1 0 0 ]", ""));
        play.update(61);
        drifted = play.at(thing) - Vec3::new(0.0, 3.0, 0.0);
    });
    drifted
}

/// An acceleration of 3 for a second is 1.5 metres, right to a step: the field acts in every step but
/// the first, as the crate is asked for in it as well.
#[test]
fn a_field_accelerates_what_falls() {
    let by = drifted("breeze", Vec3::ZERO, 0);
    let known = 3.0 / 2.0 * (61.0_f32 / 60.0).powi(2);
    assert!((by.x - known).abs() < 3.0 / 60.0, "{by}");
    assert!((by.y + 9.81 / 2.0 * (61.0_f32 / 60.0).powi(2)).abs() < 0.1, "and gravity does: {by}");
    let none = drifted("grounds", Vec3::ZERO, 0);
    assert!(none.x.abs() < 1e-3, "it is of another group: {none}");
    assert_eq!(by, drifted("breeze", Vec3::ZERO, 3), "threads change nothing");
}

#[test]
fn a_blast_wakes_what_it_reaches_alone_and_is_over() {
    play_with(&FIELDS, |memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let still = CRATE.replace("velocity = [ 1 0 0 ]", "").replace("0 3 0", "0 0.5 0");
        let near = play.spawn(&still);
        let far = play.spawn(&still.replace("0 0.5 0", "14 0.5 0"));
        play.update(240);
        let before = [near, far].map(|one| play.at(one));
        let blast = play.spawn(&field("blast", Vec3::new(-1.0, 0.0, 0.0)));
        play.update(30);
        let after = [near, far].map(|one| play.at(one));
        assert!(after[0].x > before[0].x + 0.3, "{after:?}");
        assert_eq!(after[1], before[1], "it sleeps");
        // It is over: a field that is over is dropped, and its entity may go.
        play.update(240);
        let rests = play.at(near);
        play.destroy(&[blast]);
        play.update(30);
        assert_eq!(play.at(near), rests);
    });
}

#[test]
fn fields_are_saved_with_what_they_have_done() {
    play_with(&FIELDS, |memory, project| {
        for pause in [0, 1, 5, 40] {
            let mut play = Play::new(memory, project);
            let mut other = Play::new(memory, project);
            let sources =
                [&*field("breeze", Vec3::ZERO), &field("blast", Vec3::new(0.5, 2.0, 0.0)), CRATE];
            let all: Vec<Entity> = sources.iter().map(|source| play.spawn(source)).collect();
            let again: Vec<Entity> = sources.iter().map(|source| other.spawn(source)).collect();
            assert_eq!(all, again);
            // The other one has a life before.
            other.update(7);
            play.update(pause);
            let state = play.saved();
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written");
            for entity in &all {
                let pose = play.transforms.pose(*entity).expect("it is there");
                other.transforms.set_pose(*entity, &pose);
            }
            for step in 0..40 {
                play.update(1);
                other.update(1);
                assert!(play.saved() == other.saved(), "step {step} after {pause}");
            }
            assert_eq!(play.at(all[2]), other.at(all[2]));
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}
