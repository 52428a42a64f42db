//! Limbs and chains with known solutions.

use core::f32::consts::{FRAC_PI_2, PI};

use glam::{Quat, Vec3, Vec4};
use loligo_animation::compile::RawSkeleton;
use loligo_animation::{
    BoneGroup, Chain, ChainError, LookAt, Skeleton, TwoBones, bone, groups_of, look_at, set_bone,
    solve_chain, solve_two_bones, space_of,
};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::test_drawn::{check, seeded};

/// Runs a test with a chain of bones of these lengths on a hip that is turned, and its bind pose. The
/// first bone of the chain is bone 1.
fn with_chain(lengths: &[f32], test: impl FnOnce(&Skeleton<'_>, &mut [BoneGroup])) {
    let mut raw = RawSkeleton::default();
    let hip = Pose { rotation: Quat::from_rotation_z(0.7), ..Pose::at(Vec3::new(0.5, 1.0, 0.0)) };
    let mut last = raw.add("hip", None, hip);
    last = raw.add("first", Some(last), Pose::at(Vec3::ZERO));
    for (number, length) in lengths.iter().enumerate() {
        last = raw.add(&format!("{number}"), Some(last), Pose::at(Vec3::new(0.0, *length, 0.0)));
    }
    with_memory(|memory| {
        let bytes = raw.build(Endian::NATIVE).expect("whole");
        let bytes = BlobBytes::try_copy(&bytes, memory).expect("memory");
        let skeleton = Skeleton::open(&bytes).expect("a skeleton");
        let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
        skeleton.write_bind(&mut pose);
        test(&skeleton, &mut pose);
    });
}

const ROOT: Vec3 = Vec3::new(0.5, 1.0, 0.0);

fn reach(target: Vec3, pole: Option<Vec3>) -> TwoBones {
    TwoBones { bones: [1, 2, 3], target, pole, weight: 1.0 }
}

#[test]
fn two_bones_of_a_right_triangle() {
    with_chain(&[3.0, 4.0], |skeleton, pose| {
        let target = ROOT + Vec3::new(5.0, 0.0, 0.0);
        let off = solve_two_bones(skeleton, pose, &reach(target, Some(ROOT + Vec3::Z)));
        assert!(off < 1.0e-5, "within reach: {off}");
        let place = |index| space_of(skeleton, pose, index).position;
        assert!(place(3).distance(target) < 1.0e-4, "the end is at {}", place(3));
        // Of 3, 4 and 5 the foot of the height is at 9 / 5, and the height is 12 / 5.
        let knee = ROOT + Vec3::new(1.8, 0.0, 2.4);
        assert!(place(2).distance(knee) < 1.0e-4, "the knee is at {}", place(2));
        let angle = (place(1) - place(2)).angle_between(place(3) - place(2));
        assert!((angle - FRAC_PI_2).abs() < 1.0e-4, "it is a right angle: {angle}");
    });
}

#[test]
fn what_is_too_far_or_too_near_is_pointed_at() {
    with_chain(&[1.0, 0.4], |skeleton, pose| {
        let target = ROOT + Vec3::new(0.0, 0.0, 3.0);
        let off = solve_two_bones(skeleton, pose, &reach(target, None));
        assert!((off - 1.6).abs() < 1.0e-5, "{off}");
        let end = space_of(skeleton, pose, 3).position;
        assert!(end.distance(ROOT + Vec3::new(0.0, 0.0, 1.4)) < 1.0e-4, "straight: {end}");
        let off = solve_two_bones(skeleton, pose, &reach(ROOT + Vec3::new(0.1, 0.0, 0.0), None));
        assert!((off - 0.5).abs() < 1.0e-5, "folded it is 0.6 long: {off}");
        let end = space_of(skeleton, pose, 3).position;
        assert!(end.distance(ROOT + Vec3::new(0.6, 0.0, 0.0)) < 1.0e-3, "folded: {end}");
        let off = solve_two_bones(skeleton, pose, &reach(ROOT, None));
        assert!((off - 0.6).abs() < 1.0e-4, "at its own root: {off}");
    });
}

#[test]
fn a_leg_bends_as_it_did_without_a_pole_and_by_its_weight() {
    with_chain(&[1.0, 1.0], |skeleton, pose| {
        set_bone(pose, 2, &Pose { rotation: Quat::from_rotation_x(0.5), ..bone(pose, 2) });
        let place = |pose: &[BoneGroup], index| space_of(skeleton, pose, index).position;
        let before = place(pose, 2) - place(pose, 1).midpoint(place(pose, 3));
        let target = place(pose, 3) * 0.6 + ROOT * 0.4;
        let whole = pose.to_vec();
        solve_two_bones(skeleton, pose, &TwoBones { weight: 0.0, ..reach(target, None) });
        assert!(
            place(pose, 3).distance(place(&whole, 3)) < 1.0e-5,
            "a weight of 0 changes nothing"
        );
        solve_two_bones(skeleton, pose, &reach(target, None));
        assert!(place(pose, 3).distance(target) < 1.0e-4, "{}", place(pose, 3));
        let after = place(pose, 2) - place(pose, 1).midpoint(place(pose, 3));
        assert!(before.angle_between(after) < 1.0e-3, "{before} was the side, now it is {after}");
    });
}

#[test]
fn any_place_within_reach_is_reached() {
    let number = || -2.0_f32..2.0;
    let drawn = (
        0.2_f32..2.0,
        0.2_f32..2.0,
        [number(), number(), number()],
        [number(), number(), number()],
    );
    check(seeded(31, 200), &drawn, |(first, second, target, pole)| {
        let target = ROOT + Vec3::from_array(target);
        let mut outcome = Ok(());
        with_chain(&[first, second], |skeleton, pose| {
            let to = reach(target, Some(ROOT + Vec3::from_array(pole)));
            let off = solve_two_bones(skeleton, pose, &to);
            let far = target.distance(ROOT);
            let wanted = (far - first - second).max((first - second).abs() - far).max(0.0);
            let end = space_of(skeleton, pose, 3).position.distance(target);
            outcome = (|| {
                prop_assert!((off - wanted).abs() < 1.0e-4, "{} and not {}", off, wanted);
                prop_assert!((end - wanted).abs() < 2.0e-3, "{} and not {}", end, wanted);
                Ok(())
            })();
        });
        outcome
    });
}

#[test]
fn a_head_looks_at_its_target_as_far_as_it_can() {
    with_chain(&[0.2], |skeleton, pose| {
        let place = space_of(skeleton, pose, 1);
        let target = place.position + Vec3::new(-1.0, 2.0, 5.0);
        let to = LookAt { bone: 1, forward: Vec3::Z, target, angle_max: PI, weight: 1.0 };
        let bind = pose.to_vec();
        assert_eq!(look_at(skeleton, pose, &to), 0.0, "nothing is left");
        let looks = space_of(skeleton, pose, 1).rotation * Vec3::Z;
        assert!(looks.angle_between(target - place.position) < 1.0e-3, "{looks}");

        pose.copy_from_slice(&bind);
        let left = look_at(skeleton, pose, &LookAt { angle_max: 0.1, ..to });
        let before = place.rotation * Vec3::Z;
        let all = before.angle_between(target - place.position);
        assert!((left - (all - 0.1)).abs() < 1.0e-4, "{left} of {all} is left");
        let looks = space_of(skeleton, pose, 1).rotation * Vec3::Z;
        assert!((looks.angle_between(before) - 0.1).abs() < 1.0e-3, "turned by a tenth");
        assert!((looks.angle_between(target - place.position) - left).abs() < 1.0e-3, "toward it");

        pose.copy_from_slice(&bind);
        let at_itself = LookAt { target: place.position, ..to };
        assert_eq!(look_at(skeleton, pose, &at_itself), 0.0, "no direction leads there");
        assert!(*pose == *bind, "and nothing is turned");
        // What is right at its back has no shorter side; it turns half around all the same.
        let back = LookAt { target: place.position - before, ..to };
        assert!(look_at(skeleton, pose, &back) < 1.0e-3, "nothing is left");
        let looks = space_of(skeleton, pose, 1).rotation * Vec3::Z;
        assert!(looks.angle_between(-before) < 1.0e-2, "{looks}");
    });
}

const TAIL: [usize; 6] = [1, 2, 3, 4, 5, 6];

fn tail(target: Vec3) -> Chain<'static> {
    Chain { bones: &TAIL, target, bend_max: PI, tolerance: 1.0e-4, rounds: 60 }
}

#[test]
fn a_tail_reaches_what_it_can() {
    let number = || -0.7_f32..0.7;
    check(seeded(42, 60), &[number(), number(), number()], |target| {
        let mut outcome = Ok(());
        with_chain(&[0.3, 0.3, 0.2, 0.2, 0.2], |skeleton, pose| {
            let target = ROOT + Vec3::from_array(target);
            let mut places = [Vec4::ZERO; 6];
            let off = solve_chain(skeleton, pose, &tail(target), &mut places).expect("a chain");
            let end = space_of(skeleton, pose, 6).position.distance(target);
            outcome = (|| {
                prop_assert!(
                    (off - end).abs() < 1.0e-3,
                    "it is said to be {} off, and is {}",
                    off,
                    end
                );
                let far = target.distance(ROOT);
                let wanted = (far - 1.2).max(0.0);
                prop_assert!((off - wanted).abs() < 2.0e-3, "{} off at a distance of {}", off, far);
                Ok(())
            })();
        });
        outcome
    });
}

#[test]
fn a_tail_that_is_too_short_is_straight() {
    with_chain(&[0.3, 0.3, 0.2, 0.2, 0.2], |skeleton, pose| {
        let target = ROOT + Vec3::new(3.0, 4.0, 0.0);
        let mut places = [Vec4::ZERO; 6];
        let off = solve_chain(skeleton, pose, &tail(target), &mut places).expect("a chain");
        assert!((off - 3.8).abs() < 1.0e-4, "{off}");
        for (index, far) in (1..=6).zip([0.0, 0.3, 0.6, 0.8, 1.0, 1.2]) {
            let wanted = ROOT + Vec3::new(0.6, 0.8, 0.0) * far;
            let found = space_of(skeleton, pose, index).position;
            assert!(found.distance(wanted) < 1.0e-4, "bone {index} is at {found}, not {wanted}");
        }
    });
}

#[test]
fn a_straight_tail_bends_to_a_target_on_it_and_no_further_than_it_may() {
    with_chain(&[0.3, 0.3, 0.2, 0.2, 0.2], |skeleton, pose| {
        let bind = pose.to_vec();
        let way = space_of(skeleton, pose, 6).position - ROOT;
        let target = ROOT + way * 0.7;
        let mut places = [Vec4::ZERO; 6];
        let off = solve_chain(skeleton, pose, &tail(target), &mut places).expect("a chain");
        assert!(off < 1.0e-3, "{off}");

        pose.copy_from_slice(&bind);
        let stiff = Chain { bend_max: 0.3, ..tail(ROOT + Vec3::new(0.0, -0.5, 0.0)) };
        let off = solve_chain(skeleton, pose, &stiff, &mut places).expect("a chain");
        assert!(off > 0.1, "it cannot get there: {off}");
        let place = |index: usize| space_of(skeleton, pose, index).position;
        for index in 1..=4 {
            let (a, b) = (place(index + 1) - place(index), place(index + 2) - place(index + 1));
            assert!(a.angle_between(b) < 0.301, "bone {index}: {}", a.angle_between(b));
        }
    });
}

#[test]
fn a_chain_with_a_gap_is_refused() {
    with_chain(&[0.3, 0.3, 0.2, 0.2, 0.2], |skeleton, pose| {
        let bind = pose.to_vec();
        let gap = Chain { bones: &[1, 2, 4], ..tail(Vec3::ZERO) };
        let error = solve_chain(skeleton, pose, &gap, &mut [Vec4::ZERO; 3]).expect_err("a gap");
        assert_eq!(error, ChainError::Broken { bone: 4 });
        let error = solve_chain(skeleton, pose, &tail(Vec3::ZERO), &mut []).expect_err("no room");
        assert_eq!(error, ChainError::Places { places: 0, bones: 6 });
        assert!(*pose == *bind, "nothing was changed");
        let one = Chain { bones: &[3], ..tail(Vec3::ZERO) };
        assert_eq!(
            solve_chain(skeleton, pose, &one, &mut [Vec4::ZERO]),
            Ok(0.0),
            "nothing to turn"
        );
    });
}
