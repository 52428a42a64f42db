//! Joints of entities: made when both actors are there, refused by what is missing, gone with either, and
//! saved.

use glam::Vec3;
use loligo_interface::{Subsystem, SubsystemError};

use crate::play::{CRATE, FLOOR, Play, play};

/// A door at a post, which turns around the vertical, and its motor.
fn door(more: &str) -> String {
    format!(
        r#"components = {{
            transform = {{ position = [ 0 3 0 ] }} actor = {{ collision = "floor" template = "floor" }}
        }}
        children = {{ door = {{ components = {{
            transform = {{ position = [ 0 2 0 ] }} actor = {{ collision = "crate" template = "box" }}
            joint = {{ {more} }}
        }} }} }}"#
    )
}

fn refusals(play: &mut Play<'_>) -> Vec<&'static str> {
    play.try_update(1);
    let what = |error: &SubsystemError| match error {
        SubsystemError::Wrong { what, .. } => *what,
        other => panic!("{other}"),
    };
    play.errors.iter().map(what).collect()
}

#[test]
fn a_crate_hangs_on_its_parent_and_swings() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        // The joint is two metres above the crate, and the crate is pushed aside.
        let hung =
            door(r#"kind = "hinge" position = [ 0 -2 0 ] rotation = [ 0 0.7071068 0 0.7071068 ]"#);
        let all = play.spawn_all(
            &hung.replace("template = \"box\"", "template = \"box\" velocity = [ 2 0 0 ]"),
        );
        let mut widest = 0.0_f32;
        for _ in 0..90 {
            play.update(1);
            // In the world the crate is 3 metres above its place in its parent.
            let at = play.at(all[1]);
            assert!((at.distance(Vec3::ZERO) - 2.0).abs() < 0.02, "as far from the joint: {at}");
            widest = widest.max(at.x.abs());
        }
        assert!(widest > 0.4, "it swung: {widest}");
    });
}

#[test]
fn a_motor_turns_to_its_target() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let joint = r#"kind = "hinge" rotation = [ 0 0 0.7071068 0.7071068 ]
            motor = { target = 90 stiffness = 9000 damping = 2000 }"#;
        let all = play.spawn_all(&door(joint));
        play.update(240);
        let turned = play.transforms.pose(all[1]).expect("it is there").rotation;
        let (axis, angle) = turned.to_axis_angle();
        assert!(axis.y.abs() > 0.99, "around y: {axis}");
        assert!((angle - 90_f32.to_radians()).abs() < 0.05, "a quarter: {angle}");
    });
}

#[test]
fn what_is_missing_is_named() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let alone = CRATE.replace("actor =", "joint = { kind = \"ball\" } actor =");
        play.spawn(&alone);
        assert!(refusals(&mut play)[0].contains("no parent"), "{:?}", play.errors);
        play.spawn(&alone.replace("\"ball\"", "\"ball\" other = \"nobody\""));
        assert!(refusals(&mut play)[0].contains("that its source does not have"));
        play.spawn(
            &door("kind = \"ball\"")
                .replace("actor = { collision = \"floor\" template = \"floor\" }", ""),
        );
        assert!(refusals(&mut play)[0].contains("an entity without an actor"));
        play.spawn(
            &door("kind = \"ball\"")
                .replace("actor = { collision = \"crate\" template = \"box\" }", ""),
        );
        assert!(refusals(&mut play)[0].contains("a joint and no actor"));
        play.spawn(&door("kind = \"ball\"").replace("template = \"box\"", "template = \"floor\""));
        assert!(refusals(&mut play)[0].contains("do not move by themselves"));
        play.update(1);
    });
}

#[test]
fn the_nearest_of_a_name_is_joined() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let pair = |x: f32| {
            format!(
                r#"components = {{ transform = {{ position = [ {x} 9 0 ] }} }}
                children = {{
                    post = {{ components = {{ transform = {{}} actor = {{ collision = "crate" template = "lift" }} }} }}
                    bob = {{ components = {{
                        transform = {{ position = [ 0 -2 0 ] }} actor = {{ collision = "crate" template = "box" }}
                        joint = {{ kind = "fixed" other = "post" }}
                    }} }}
                }}"#
            )
        };
        let two = format!("entities = {{ a = {{ {} }} b = {{ {} }} }}", pair(0.0), pair(20.0));
        let all = play.spawn_all(&two);
        play.update(60);
        // If both hung on the first, moving it would move the second bob.
        let posts: Vec<_> =
            all.iter().filter(|one| play.at(**one) == Vec3::ZERO).copied().collect();
        play.transforms.set_position(posts[0], Vec3::new(0.0, 1.0, 0.0));
        play.update(60);
        let bobs = all.iter().map(|one| play.at(*one).y);
        let bobs: Vec<f32> = bobs.filter(|y| *y < -0.5 && *y > -5.0).collect();
        assert!((bobs[0] + 1.0).abs() < 0.05, "the first is with its post: {bobs:?}");
        assert!((bobs[1] + 2.0).abs() < 0.05, "the second stays: {bobs:?}");
    });
}

#[test]
fn a_joint_is_gone_with_either_and_is_saved() {
    play(|memory, project| {
        let source = door(r#"kind = "ball" position = [ 0 -2 0 ]"#);
        for (pause, gone) in [(0, 0), (1, 0), (30, 1)] {
            let mut play = Play::new(memory, project);
            let mut other = Play::new(memory, project);
            play.spawn(FLOOR);
            other.spawn(FLOOR);
            let all = play.spawn_all(&source);
            assert_eq!(all, other.spawn_all(&source));
            play.update(pause);
            for entity in all.iter().copied() {
                let pose = play.transforms.pose(entity).expect("it is there");
                other.transforms.set_pose(entity, &pose);
            }
            let state = play.saved();
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written, after {pause}");
            for step in 0..40 {
                play.update(1);
                other.update(1);
                assert!(play.saved() == other.saved(), "step {step} after {pause}");
            }
            if gone == 1 {
                // Without its door the post has nothing, and nothing is refused.
                play.destroy(&all[1..]);
                play.update(2);
                assert!(play.transforms.pose(all[0]).is_some(), "the post is there");
            }
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}
