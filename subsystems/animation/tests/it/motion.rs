//! Events exactly once, cycles in step, and ways that add up.

use core::f32::consts::{FRAC_PI_2, PI};

use glam::{Quat, Vec3};
use loligo_animation::compile::{RawClip, RawEvent, compress};
use loligo_animation::{
    BlendPlace, BoneGroup, Clip, Cycle, GroundPath, Playhead, blend_place, bone, ground_pose,
    set_bone, take_ground,
};
use loligo_containers::BlobBytes;
use loligo_entities::Pose;
use loligo_ids::IdString32;
use proptest::prelude::*;

use crate::clips::{QUICK, chain};
use crate::memory::with_memory;
use crate::test_drawn::{check, seeded};

const LAST: f32 = 16.0;

/// The frames of events, and what they are called.
const EVENTS: [(f32, &str); 6] = [
    (0.0, "start"),
    (2.5, "left"),
    (2.5, "left too"),
    (9.0, "right"),
    (15.75, "late"),
    (16.0, "end"),
];

/// Runs a test with a clip of 16 frames that has the events.
fn with_events(test: impl FnOnce(&Clip<'_>)) {
    let body = chain(2);
    let event = |(frame, name): (f32, &str)| RawEvent { frame, name: name.into(), bone: Some(1) };
    let raw = RawClip {
        rate: 30.0,
        samples: (0..17).flat_map(|_| body.bind.clone()).collect(),
        // In any order; those at the same frame stay in theirs.
        events: EVENTS[3..].iter().chain(&EVENTS[..3]).copied().map(event).collect(),
        ..RawClip::default()
    };
    let bytes = compress(&body, &raw, &QUICK()).expect("it is whole").bytes;
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&bytes, memory).expect("memory");
        test(&Clip::open(&bytes).expect("a clip"));
    });
}

/// Returns the names of the events that a step passes, with the frames since.
fn passed(playhead: &mut Playhead, clip: &Clip<'_>, frames: f32) -> Vec<(&'static str, f32)> {
    let mut found = Vec::new();
    playhead.step(frames).each_event(clip, |event| {
        assert_eq!(event.bone, Some(1), "whose it is");
        let name = EVENTS.iter().find(|(_, name)| IdString32::new(name) == event.name);
        found.push((name.expect("a name").1, event.frames_since));
    });
    found
}

#[test]
fn a_step_passes_what_is_on_its_way() {
    with_events(|clip| {
        let mut playhead = Playhead::new(LAST, true);
        let mut names = |frames: f32| -> Vec<&str> {
            passed(&mut playhead, clip, frames).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(0.0), [""; 0], "standing still passes nothing");
        assert_eq!(names(1.0), ["start"]);
        assert_eq!(names(1.5)[0], "left", "reached exactly");
        assert_eq!(names(-0.5), [""; 0], "it was reached, and is not passed by turning around");
        assert_eq!(names(0.5).len(), 2, "and is reached again");
        assert_eq!(names(13.5), ["right", "late", "end", "start"], "the last frame is the first");
        assert_eq!(names(-0.25), ["end", "late"], "backwards");
        assert_eq!(names(32.0).len(), 12, "two laps");
        assert_eq!(names(f32::NAN), [""; 0], "no step");
    });
}

#[test]
fn each_event_is_passed_once_by_any_steps() {
    let steps = prop::collection::vec((-200_i32..200, any::<bool>()), 1..60);
    with_events(|clip| {
        check(seeded(77, 300), &steps, |steps| {
            let mut playhead = Playhead::new(LAST, true);
            // Where it would be on a line; all numbers are exact. The last frame is right before the
            // next lap's first one.
            let mut place = 0.0_f32;
            let mut is_fresh = true;
            for (quarters, is_small) in steps {
                let frames = quarters as f32 * if is_small { 0.25 } else { 2.0 } / 4.0;
                let to = place + frames;
                let laps = (place.min(to) / LAST).floor() as i32 - 1
                    ..=(place.max(to) / LAST).ceil() as i32 + 1;
                let mut wanted: Vec<(f32, &'static str)> = Vec::new();
                for lap in laps {
                    for (frame, name) in EVENTS {
                        let at =
                            lap as f32 * LAST + if frame == LAST { frame - 1.0e-3 } else { frame };
                        let is_start = is_fresh && at == place && frames != 0.0;
                        let is_forward = at > place && at <= to;
                        if is_start || is_forward || at < place && at >= to {
                            wanted.push((at, name));
                        }
                    }
                }
                let found = passed(&mut playhead, clip, frames);
                let sorted = |mut names: Vec<&'static str>| {
                    names.sort_unstable();
                    names
                };
                prop_assert_eq!(
                    sorted(found.iter().map(|(name, _)| *name).collect()),
                    sorted(wanted.iter().map(|(_, name)| *name).collect()),
                    "from {} by {}",
                    place,
                    frames
                );
                let is_ordered = found.is_sorted_by(|a, b| a.1 >= b.1 - 0.01);
                prop_assert!(is_ordered, "the oldest first: {:?}", found);
                for (name, since) in &found {
                    let is_its = |(at, other): &&(f32, &str)| {
                        other == name && ((at - to).abs() - since).abs() < 0.01
                    };
                    prop_assert!(wanted.iter().any(|wanted| is_its(&wanted)), "{} {}", name, since);
                }
                is_fresh &= frames == 0.0;
                place = to;
                let lap = place - (place / LAST).floor() * LAST;
                prop_assert_eq!(playhead.frame() % LAST, lap);
            }
            Ok(())
        });
    });
}

#[test]
fn a_clip_that_does_not_loop_ends() {
    with_events(|clip| {
        let mut playhead = Playhead::new(LAST, false);
        let names = |playhead: &mut Playhead, frames| -> Vec<&str> {
            passed(playhead, clip, frames).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&mut playhead, 99.0).len(), 6, "all of them");
        assert!(playhead.is_at_end(), "{playhead:?}");
        assert_eq!(names(&mut playhead, 99.0), [""; 0], "none is passed twice");
        assert_eq!(names(&mut playhead, -99.0), ["late", "right", "left too", "left", "start"]);
        assert_eq!(playhead.frame(), 0.0);
        let mut later = Playhead::new(LAST, false).at(9.0);
        assert_eq!(names(&mut later, 1.0), ["right"], "where it begins is ahead");
        let mut still = Playhead::new(0.0, true);
        assert_eq!((still.step(5.0).laps(), still.frame(), still.phase()), (0, 0.0, 0.0));
    });
}

#[test]
fn wrong_events_are_refused() {
    let body = chain(1);
    let refused = |frame: f32, bone| {
        let events = vec![RawEvent { frame, name: "step".into(), bone }];
        let raw =
            RawClip { rate: 30.0, samples: vec![body.bind[0]; 9], events, ..RawClip::default() };
        compress(&body, &raw, &QUICK()).expect_err("it is wrong").to_string()
    };
    for frame in [-1.0, 8.5, f32::NAN] {
        let error = refused(frame, None);
        assert!(error.contains("the event `step`") && error.contains("frames 0 to 8"), "{error}");
    }
    assert!(refused(1.0, Some(1)).contains("the event `step`"), "of a bone that is not there");
}

#[test]
fn a_value_is_between_its_neighbours() {
    let points = [0.0, 1.0, 3.0];
    let at = |lower, upper, weight| Some(BlendPlace { lower, upper, weight });
    for (value, wanted) in [
        (-5.0, at(0, 0, 0.0)),
        (f32::NAN, at(0, 0, 0.0)),
        (0.0, at(0, 1, 0.0)),
        (0.25, at(0, 1, 0.25)),
        (1.0, at(1, 2, 0.0)),
        (2.5, at(1, 2, 0.75)),
        (3.0, at(2, 2, 0.0)),
        (99.0, at(2, 2, 0.0)),
    ] {
        assert_eq!(blend_place(&points, value), wanted, "{value}");
    }
    assert_eq!(blend_place(&[], 1.0), None);
    assert_eq!(blend_place(&[7.0], 1.0), at(0, 0, 0.0));
}

#[test]
fn cycles_are_in_step_at_their_marks() {
    let walk = Cycle { marks: &[2.0, 17.0], last_frame: 30.0 };
    let run = Cycle { marks: &[0.0, 8.0], last_frame: 20.0 };
    for (frame, other) in [(2.0, 0.0), (9.5, 4.0), (17.0, 8.0), (24.5, 14.0), (0.0, 18.4)] {
        let phase = walk.phase_of(frame);
        let found = run.frame_of(phase);
        assert!(
            (found - other).abs() < 1.0e-3,
            "{frame} is the phase {phase}: {found} and not {other}"
        );
    }
    assert_eq!((walk.frames_at(0.5), walk.frames_at(1.5)), (15.0, 15.0));
    assert_eq!((run.frames_at(0.5), run.frames_at(1.5), run.frames_at(-0.5)), (8.0, 12.0, 12.0));
    let plain = Cycle { marks: &[], last_frame: 10.0 };
    assert_eq!((plain.phase_of(2.5), plain.frame_of(7.25)), (0.25, 2.5));
    let drawn = (0.0_f32..30.0, -50_i32..50);
    check(seeded(7, 300), &drawn, |(frame, laps)| {
        let phase = walk.phase_of(frame);
        prop_assert!((0.0..2.0).contains(&phase), "{}", phase);
        let found = walk.frame_of(phase + 2.0 * laps as f32);
        let off = (found - frame).abs();
        prop_assert!(off.min(30.0 - off) < 1.0e-2, "{} and not {}", found, frame);
        Ok(())
    });
}

/// The hips of a clip that goes around a corner in each lap, bent forward and up and down.
fn hips(frame: f32) -> Pose {
    let part = frame / LAST;
    Pose {
        position: Vec3::new(part, 1.0 + 0.1 * part, 2.0 * part * part),
        rotation: Quat::from_rotation_y(FRAC_PI_2 * part) * Quat::from_rotation_x(0.3),
        scale: Vec3::ONE,
    }
}

#[test]
fn what_is_on_the_ground_is_taken_and_the_rest_stays() {
    let mut pose = [BoneGroup::IDENTITY];
    let whole = hips(9.0);
    set_bone(&mut pose, 0, &whole);
    let ground = take_ground(&mut pose, 0);
    assert_eq!((ground.position.y, ground.scale), (0.0, Vec3::ONE));
    let rest = bone(&pose, 0);
    assert!(rest.position.distance(Vec3::new(0.0, whole.position.y, 0.0)) < 1.0e-6, "{rest:?}");
    let bent = Quat::from_rotation_x(0.3);
    assert!(rest.rotation.angle_between(bent) < 1.0e-3, "{rest:?}");
    let back = ground.place(&rest);
    assert!(back.position.distance(whole.position) < 1.0e-5, "{back:?}");
    let flipped = Pose { rotation: Quat::from_rotation_x(PI), ..Pose::IDENTITY };
    assert_eq!(ground_pose(&flipped).rotation, Quat::IDENTITY, "half around there is no turn");
}

#[test]
fn steps_add_up_to_the_way_over_any_laps() {
    let path = GroundPath { first: ground_pose(&hips(0.0)), last: ground_pose(&hips(LAST)) };
    let drawn = prop::collection::vec(-70_i32..70, 1..40);
    check(seeded(99, 200), &drawn, |steps| {
        let mut playhead = Playhead::new(LAST, true);
        let mut found = Pose::IDENTITY;
        let mut sum = 0.0;
        for quarters in steps {
            let before = ground_pose(&hips(playhead.frame()));
            let passage = playhead.step(quarters as f32 / 4.0);
            let after = ground_pose(&hips(playhead.frame()));
            found = found.place(&path.step(&before, &after, &passage));
            found.rotation = found.rotation.normalize();
            sum += quarters as f32 / 4.0;
        }
        // Four laps are once around: a lap is a turn to the side after (1, 0, 2).
        let laps = (sum / LAST).floor();
        let mut wanted = Pose::IDENTITY;
        for _ in 0..(laps as i32).rem_euclid(4) {
            wanted = wanted.place(&path.last);
        }
        wanted = wanted.place(&ground_pose(&hips(sum - laps * LAST)));
        let off = found.position.distance(wanted.position);
        prop_assert!(off < 1.0e-2, "{} frames: {:?} and not {:?}", sum, found, wanted);
        prop_assert!(found.rotation.angle_between(wanted.rotation) < 1.0e-2);
        Ok(())
    });
}
