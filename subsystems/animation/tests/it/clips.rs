//! Compressed clips stay within their bound.

use core::f32::consts::TAU;

use glam::{Quat, Vec3};
use loligo_animation::compile::{
    ClipAnatomy, ClipKeys, CompressError, CompressOptions, RawClip, RawJump, RawSkeleton, compress,
    skin_errors,
};
use loligo_animation::{Channel, bone};
use loligo_entities::Pose;
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::mocap::{MocapTerms, Random, body, clip};
use crate::rig::{Rig, with_player};
use crate::test_drawn::{check, seeded};

/// A chain of bones, one above the other.
pub(crate) fn chain(bones: usize) -> RawSkeleton {
    let mut chain = RawSkeleton::default();
    for at in 0..bones {
        let above = at.checked_sub(1);
        chain.add(&format!("bone {at}"), above, Pose::at(Vec3::new(0.0, 0.2, 0.0)));
    }
    chain
}

/// Fast tests fit fewer times.
pub(crate) const QUICK: fn() -> CompressOptions =
    || CompressOptions { rounds: 4, ..CompressOptions::default() };

#[test]
fn random_clips_stay_within_the_bound() {
    let keys = prop::sample::select(vec![ClipKeys::Curves, ClipKeys::Dense, ClipKeys::Smallest]);
    let drawn = (any::<u64>(), 2_usize..80, 1.0e-5_f32..1.0e-2, 0.0_f32..0.5, 0.0_f32..1.5, keys);
    check(seeded(27, 18), &drawn, |(seed, frames, bound, noise, speed, keys)| {
        let body = body(false);
        let raw = clip(&body, MocapTerms { seed, frames, rate: 30.0, noise, speed });
        let options = CompressOptions { bound, keys, ..QUICK() };
        with_memory(|memory| {
            let rig = Rig::new(&body, &raw, &options, memory);
            let errors = skin_errors(&rig.skeleton(), &raw, &rig.clip(), 0.03).expect("memory");
            let most = errors.max();
            prop_assert!(most <= bound, "{} cm is more than {} cm", most * 100.0, bound * 100.0);
            prop_assert_eq!(most, rig.statistics.error_max);
            Ok(())
        })
    });
}

#[test]
fn a_gait_is_a_twentieth_of_its_samples_at_a_hundredth_of_a_centimetre() {
    let body = body(true);
    let terms = MocapTerms { seed: 1, frames: 120, rate: 30.0, noise: 0.0, speed: 1.0 };
    let found = compress(&body, &clip(&body, terms), &QUICK()).expect("within the bound");
    let statistics = &found.statistics;
    assert_eq!(body.len(), 62, "the body with fingers");
    assert!(statistics.ratio() > 20.0, "{statistics}");
    assert!(statistics.error_max <= 1.0e-4, "{statistics}");
    let curves = CompressOptions { keys: ClipKeys::Curves, ..QUICK() };
    let found = compress(&body, &clip(&body, terms), &curves).expect("within the bound");
    let tracks = &found.statistics.tracks;
    let of = |bytes| tracks.iter().filter(|track| track.key_bytes == bytes).count();
    assert!(of(1) + of(2) + of(3) > of(5) + of(6), "keys as they need: {}", found.statistics);
}

#[test]
fn what_does_not_move_costs_nothing() {
    let body = body(false);
    let mut raw = RawClip { rate: 30.0, ..RawClip::default() };
    for _ in 0..100 {
        raw.samples.extend_from_slice(&body.bind);
    }
    let still = compress(&body, &raw, &QUICK()).expect("within the bound").statistics;
    assert_eq!((still.still, still.constants, still.tracks.len()), (66, 0, 0), "{still}");
    assert!(still.bytes <= 168, "{still}");

    let turned = Quat::from_rotation_x(0.5);
    raw.samples.iter_mut().skip(5).step_by(body.len()).for_each(|pose| pose.rotation = turned);
    let constant = compress(&body, &raw, &QUICK()).expect("within the bound").statistics;
    assert_eq!((constant.constants, constant.tracks.len()), (1, 0), "{constant}");
    assert!(constant.bytes - still.bytes <= 20, "{constant}");
    with_player(&body, &raw, &QUICK(), |_, at| {
        assert!(bone(&at(50.0), 5).rotation.angle_between(turned) < 1.0e-6, "where it was set");
    });
}

#[test]
fn a_jump_is_two_points_at_one_time() {
    let body = chain(1);
    let place = |y: f32| Pose::at(Vec3::new(0.0, y, 0.0));
    // It climbs slowly, is somewhere else from frame 16 on, and climbs on.
    let height = |frame: usize| 0.01 * frame as f32 + if frame < 16 { 0.0 } else { 1.0 };
    let raw = RawClip {
        rate: 30.0,
        samples: (0..33).map(|frame| place(height(frame))).collect(),
        jumps: vec![RawJump {
            bone: 0,
            channel: Channel::Position,
            frame: 16,
            before: place(0.16),
        }],
        ..RawClip::default()
    };
    with_player(&body, &raw, &QUICK(), |rig, at| {
        let mut y = |frame: f32| bone(&at(frame), 0).position.y;
        for (frame, wanted) in
            [(15.0, 0.15), (15.9, 0.159), (16.0, 1.16), (16.5, 1.165), (15.5, 0.155)]
        {
            assert!(
                (y(frame) - wanted).abs() < 1.0e-4,
                "frame {frame}: {} and not {wanted}",
                y(frame)
            );
        }
        let keys = rig.statistics.tracks[0].keys;
        assert_eq!(keys, 4, "two lines are four keys");
    });
    let smooth = RawClip { jumps: Vec::new(), ..raw };
    let keys =
        compress(&body, &smooth, &QUICK()).expect("within the bound").statistics.tracks[0].keys;
    assert!(keys > 4, "a curve that may not jump needs more keys than {keys}");
}

#[test]
fn a_bone_may_turn_around_many_times() {
    let body = chain(2);
    let mut raw = RawClip { rate: 30.0, ..RawClip::default() };
    for frame in 0..150 {
        let angle = frame as f32 / 30.0 * TAU;
        let turned = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle);
        raw.samples.push(Pose { rotation: turned, ..body.bind[0] });
        raw.samples.push(Pose { rotation: turned, ..body.bind[1] });
    }
    with_player(&body, &raw, &QUICK(), |rig, at| {
        assert!(rig.statistics.error_max <= 1.0e-4, "{}", rig.statistics);
        for frame in 0..149 {
            let (now, next) = (bone(&at(frame as f32), 0), bone(&at(frame as f32 + 0.5), 0));
            let angle = now.rotation.angle_between(next.rotation);
            assert!((angle - TAU / 60.0).abs() < 0.02, "frame {frame}: {angle}");
        }
    });
}

#[test]
fn scales_and_long_gaps_are_played() {
    let body = chain(3);
    let mut raw = RawClip { rate: 30.0, ..RawClip::default() };
    // Longer than the interval of a key can be.
    for frame in 0..1000 {
        let part = frame as f32 / 999.0;
        let scale = Vec3::new(1.0 + part, 1.0 - 0.5 * part, 1.0);
        raw.samples.extend(body.bind.iter().map(|pose| Pose { scale, ..*pose }));
    }
    with_player(&body, &raw, &QUICK(), |rig, at| {
        assert!(rig.statistics.error_max <= 1.0e-4, "{}", rig.statistics);
        let scale = bone(&at(499.5), 0).scale;
        assert!(scale.distance(Vec3::new(1.5, 0.75, 1.0)) < 1.0e-3, "{scale}");
    });
}

#[test]
fn noise_alone_is_within_the_bound_as_well() {
    let body = chain(4);
    let mut random = Random(5);
    let mut raw = RawClip { rate: 30.0, ..RawClip::default() };
    for _ in 0..40 {
        for bind in &body.bind {
            let axis = Vec3::new(random.signed(), random.signed(), random.signed());
            raw.samples.push(Pose { rotation: Quat::from_scaled_axis(axis), ..*bind });
        }
    }
    let found = compress(&body, &raw, &QUICK()).expect("within the bound").statistics;
    assert!(found.error_max <= 1.0e-4, "{found}");
}

#[test]
fn what_cannot_be_kept_is_refused_by_name() {
    let body = chain(2);
    let mut raw = RawClip { rate: 30.0, ..RawClip::default() };
    for frame in 0..100 {
        let far = 100.0 * libm::sinf(frame as f32 * 1.7);
        raw.samples.push(Pose::at(Vec3::new(far, 0.0, 0.0)));
        raw.samples.push(body.bind[1]);
    }
    let refused = compress(&body, &raw, &QUICK()).expect_err("200 m in 16 bits").to_string();
    assert!(refused.contains("take the way out of `bone 0`"), "{refused}");

    let wrong = |change: &dyn Fn(&mut RawSkeleton, &mut RawClip)| {
        let (mut body, mut raw) = (chain(2), RawClip { rate: 30.0, ..RawClip::default() });
        raw.samples = vec![Pose::IDENTITY; 20];
        change(&mut body, &mut raw);
        compress(&body, &raw, &QUICK()).expect_err("it is wrong")
    };
    let frames = wrong(&|_, raw| raw.samples.clear());
    assert_eq!(frames, CompressError::Frames(0));
    let rate = wrong(&|_, raw| raw.rate = f32::NAN).to_string();
    assert!(rate.contains("NaN frames a second"), "{rate}");
    let samples = wrong(&|_, raw| raw.samples.truncate(19));
    assert_eq!(samples, CompressError::Samples { found: 19, expected: 18 });
    let number = wrong(&|_, raw| raw.samples[7].position.x = f32::NAN).to_string();
    assert!(number.contains("`bone 1` is not at a finite place in frame 3"), "{number}");
    let parent = wrong(&|body, _| body.parents[1] = 1).to_string();
    assert!(parent.contains("parent of bone `bone 1` does not come before it"), "{parent}");
    let twice = wrong(&|body, _| body.names[1] = "bone 0".into()).to_string();
    assert!(twice.contains("two bones are called `bone 0`"), "{twice}");
    let lists = wrong(&|body, _| body.bind.truncate(1)).to_string();
    assert!(lists.contains("`bind` has 1 elements"), "{lists}");
    let bones = wrong(&|body, _| *body = RawSkeleton::default());
    assert_eq!(bones, CompressError::Bones(0));
    let jump = RawJump { bone: 9, channel: Channel::Scale, frame: 1, before: Pose::IDENTITY };
    let jump = wrong(&|_, raw| raw.jumps.push(jump));
    assert_eq!(jump, CompressError::Jump { bone: 9, frame: 1 });
}

#[test]
fn the_anatomy_of_a_clip_is_what_was_compressed() {
    let body = chain(9);
    let terms = MocapTerms { seed: 8, frames: 40, rate: 30.0, noise: 0.0, speed: 0.1 };
    for keys in [ClipKeys::Curves, ClipKeys::Dense] {
        let options = CompressOptions { bound: 2.0e-3, keys, ..QUICK() };
        has_its_anatomy(&body, &clip(&body, terms), &options);
    }
}

fn has_its_anatomy(body: &RawSkeleton, raw: &RawClip, options: &CompressOptions) {
    with_memory(|memory| {
        let rig = Rig::new(body, raw, options, memory);
        assert_eq!(rig.statistics.is_dense, options.keys == ClipKeys::Dense, "as asked");
        let anatomy = ClipAnatomy::of(&rig.clip());
        assert_eq!(anatomy.tracks.len(), rig.statistics.tracks.len(), "tracks");
        for (found, wanted) in anatomy.tracks.iter().zip(&rig.statistics.tracks) {
            assert_eq!(body.names[found.bone], wanted.bone, "in this order");
            let (its, key) = (wanted.channel, wanted.key_bytes);
            assert_eq!((found.channel, found.key_bytes), (its, key), "{}", wanted.bone);
            assert_eq!(found.keys.len(), wanted.keys, "{}", wanted.bone);
            assert!(found.keys.is_sorted() && found.keys[0] == 0, "{:?}", found.keys);
            assert_eq!(found.keys.last(), Some(&39), "the last frame");
        }
        assert!(anatomy.stream.is_sorted_by_key(|key| key.needed), "in the order of need");
        assert!(anatomy.stream.iter().all(|key| key.frame >= key.needed), "before it is needed");
    });
}
