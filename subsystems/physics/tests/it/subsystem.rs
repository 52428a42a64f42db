//! The subsystem without an engine: resources come, entities are spawned, steps are taken, a state is
//! saved and goes on byte for byte.

use glam::Vec3;
use loligo_interface::Subsystem;
use loligo_physics::{TouchBegan, TouchEnded};

use crate::play::{CRATE, FLOOR, LIFT, Play, play};

#[test]
fn entities_fall_follow_and_touch() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let (floor, thing, lift) = (play.spawn(FLOOR), play.spawn(CRATE), play.spawn(LIFT));
        play.update(120);
        let at = play.at(thing);
        assert!((at.y - 0.5).abs() < 0.02 && at.x > 0.4, "it fell and slid: {at}");
        let began: Vec<TouchBegan> =
            play.physics.events().expect("it has some").of::<TouchBegan>().collect();
        assert_eq!((began[0].entity, began[0].other), (floor.to_bits(), thing.to_bits()));
        // The game moves the lift against it.
        for step in 0..240 {
            play.transforms.set_position(lift, Vec3::new(9.0 - 0.04 * step as f32, 0.55, 0.0));
            play.update(1);
        }
        assert!(play.at(thing).x < 0.0, "it was pushed: {}", play.at(thing));
        play.physics.events().expect("it has some").clear();
        play.destroy(&[thing, lift]);
        play.update(1);
        let mut ended = play.physics.events().expect("it has some").of::<TouchEnded>();
        assert!(ended.any(|ended| ended.other == thing.to_bits()), "it is gone from the floor");
    });
}

#[test]
fn a_state_goes_on_byte_for_byte() {
    play(|memory, project| {
        for pause in [0, 1, 40] {
            let mut play = Play::new(memory, project);
            let made = [FLOOR, CRATE, CRATE, LIFT].map(|source| play.spawn(source));
            play.update(pause);
            let state = play.saved();
            let mut other = Play::new(memory, project);
            let same = [FLOOR, CRATE, CRATE, LIFT].map(|source| other.spawn(source));
            assert_eq!(made, same);
            for entity in made {
                let pose = play.transforms.pose(entity).expect("it is there");
                other.transforms.set_pose(entity, &pose);
            }
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written");
            for _ in 0..60 {
                play.update(1);
                other.update(1);
                assert!(play.saved() == other.saved(), "after a pause at {pause}");
                assert_eq!(play.physics.state_hash(), other.physics.state_hash());
            }
            assert_eq!(made.map(|of| play.at(of)), made.map(|of| other.at(of)));
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}
