//! Blends with known results, bone by bone.

use glam::{Quat, Vec3};
use loligo_animation::{
    BoneGroup, BoneMask, Skeleton, add_pose, blend_into, bone, groups_of, mix_poses, set_bone,
    subtract_pose,
};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::mocap::body;
use crate::test_drawn::{check, seeded};

const BONES: usize = 11;

/// A pose with the same place for all bones.
fn all(place: Pose) -> Vec<BoneGroup> {
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(BONES)];
    (0..BONES).for_each(|index| set_bone(&mut pose, index, &place));
    pose
}

fn turned(angle: f32) -> Pose {
    let rotation = Quat::from_rotation_y(angle);
    Pose { position: Vec3::new(angle, 2.0, 0.0), rotation, scale: Vec3::splat(1.0 + angle) }
}

fn assert_near(found: Pose, wanted: Pose) {
    let angle = found.rotation.angle_between(wanted.rotation);
    let is_near = found.position.distance(wanted.position) < 1.0e-5
        && found.scale.distance(wanted.scale) < 1.0e-5
        && angle < 1.0e-3;
    assert!(is_near, "{found:?} and not {wanted:?}, {angle} off");
}

#[test]
fn half_a_fade_is_in_the_middle() {
    let mut pose = all(turned(0.0));
    blend_into(&mut pose, &all(turned(1.0)), 0.5, None);
    (0..BONES).for_each(|index| assert_near(bone(&pose, index), turned(0.5)));
    let whole = all(turned(0.3));
    let mut pose = whole.clone();
    blend_into(&mut pose, &all(turned(1.0)), 0.0, None);
    (0..BONES).for_each(|index| assert_near(bone(&pose, index), turned(0.3)));
    blend_into(&mut pose, &all(turned(1.0)), 1.0, None);
    (0..BONES).for_each(|index| assert_near(bone(&pose, index), turned(1.0)));
}

#[test]
fn rotations_go_the_short_way_around() {
    let place = |rotation: Quat| Pose { rotation, ..Pose::IDENTITY };
    let mut pose = all(place(Quat::from_rotation_x(0.2)));
    // The same rotation on the other side.
    blend_into(&mut pose, &all(place(-Quat::from_rotation_x(0.6))), 0.5, None);
    assert_near(bone(&pose, 3), place(Quat::from_rotation_x(0.4)));
    // Half around there is no short way; it stays a rotation.
    let mut pose = all(place(Quat::IDENTITY));
    blend_into(&mut pose, &all(place(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0))), 0.5, None);
    assert!((bone(&pose, 3).rotation.length() - 1.0).abs() < 1.0e-5, "{:?}", bone(&pose, 3));
}

#[test]
fn a_mask_says_which_bones() {
    with_memory(|memory| {
        let mut mask = BoneMask::try_new(BONES, 0.0, memory).expect("memory");
        mask.set(9, 1.0);
        mask.set(10, 0.5);
        let mut pose = all(turned(0.0));
        blend_into(&mut pose, &all(turned(1.0)), 1.0, Some(&mask));
        assert_near(bone(&pose, 8), turned(0.0));
        assert_near(bone(&pose, 9), turned(1.0));
        assert_near(bone(&pose, 10), turned(0.5));
        assert_eq!((mask.get(8), mask.get(9), mask.get(10)), (0.0, 1.0, 0.5));
    });
}

#[test]
fn a_mask_can_be_all_below_a_bone() {
    with_memory(|memory| {
        let body = body(true);
        let bytes = body.build(Endian::NATIVE).expect("whole");
        let bytes = BlobBytes::try_copy(&bytes, memory).expect("memory");
        let skeleton = Skeleton::open(&bytes).expect("a skeleton");
        let mut mask = BoneMask::try_new(skeleton.len(), 0.0, memory).expect("memory");
        let arm = body.names.iter().position(|name| name == "left arm").expect("it has one");
        mask.set_below(&skeleton, arm, 1.0);
        let is_of_arm = |name: &str| {
            let parts = ["arm", "hand", "thumb", "index", "middle", "ring", "little"];
            name.starts_with("left") && parts.iter().any(|part| name.contains(part))
        };
        for (index, name) in body.names.iter().enumerate() {
            assert_eq!(mask.get(index) == 1.0, is_of_arm(name), "{name}");
        }
    });
}

#[test]
fn a_difference_brings_its_pose_back_and_can_be_added_to_others() {
    let reference = all(turned(0.25));
    let mut difference = all(turned(0.75));
    subtract_pose(&mut difference, &reference);
    let mut pose = reference.clone();
    add_pose(&mut pose, &difference, 1.0, None);
    assert_near(bone(&pose, 5), turned(0.75));
    let mut pose = reference.clone();
    add_pose(&mut pose, &difference, 0.0, None);
    assert_near(bone(&pose, 5), turned(0.25));
    let other = Pose { rotation: Quat::from_rotation_y(-0.5), ..Pose::at(Vec3::Z) };
    let mut pose = all(other);
    add_pose(&mut pose, &difference, 0.5, None);
    let scale = Vec3::splat(1.0 + 0.5 * (1.75 / 1.25 - 1.0));
    let rotation = Quat::from_rotation_y(-0.25);
    assert_near(bone(&pose, 5), Pose { position: Vec3::new(0.25, 0.0, 1.0), rotation, scale });
    with_memory(|memory| {
        let mask = BoneMask::try_new(BONES, 0.0, memory).expect("memory");
        let mut pose = all(other);
        add_pose(&mut pose, &difference, 1.0, Some(&mask));
        assert_near(bone(&pose, 5), other);
    });
}

#[test]
fn a_mix_is_by_parts_of_the_sum() {
    let poses = [all(turned(0.2)), all(turned(0.4)), all(turned(0.9))];
    let mut out = all(Pose::IDENTITY);
    mix_poses(&mut out, &[(&poses[0], 2.0), (&poses[1], 1.0), (&poses[2], 1.0)]);
    assert_near(bone(&out, 7), Pose { rotation: bone(&out, 7).rotation, ..turned(0.425) });
    let angle = bone(&out, 7).rotation.angle_between(Quat::from_rotation_y(0.425));
    assert!(angle < 0.005, "nearly at the same speed: {angle}");
    mix_poses(&mut out, &[(&poses[2], 0.0), (&poses[1], 0.0)]);
    assert_near(bone(&out, 7), turned(0.9));
    mix_poses(&mut out, &[]);
    assert_near(bone(&out, 7), turned(0.9));
}

#[test]
fn lanes_blend_as_bones_do() {
    let number = || -3.0_f32..3.0;
    let place = || (any::<[i8; 4]>(), [number(), number(), number()]);
    check(seeded(5, 64), &(place(), place(), 0.0_f32..1.0), |(a, b, weight)| {
        let pose = |(turn, position): ([i8; 4], [f32; 3])| Pose {
            position: Vec3::from_array(position),
            rotation: (Quat::from_array(turn.map(f32::from)) + Quat::IDENTITY * 0.5).normalize(),
            scale: Vec3::ONE,
        };
        let (a, b) = (pose(a), pose(b));
        let mut blended = all(a);
        blend_into(&mut blended, &all(b), weight, None);
        let found = bone(&blended, 6);
        let wanted = a.rotation.lerp(b.rotation, weight);
        // Nearly opposite rotations have no way that is shorter.
        if a.rotation.dot(b.rotation).abs() > 1.0e-3 {
            let off = found.rotation.dot(wanted).abs();
            prop_assert!(off > 0.9999, "{:?} and not {:?}", found.rotation, wanted);
        }
        prop_assert!((found.rotation.length() - 1.0).abs() < 1.0e-5);
        prop_assert!(found.position.distance(a.position.lerp(b.position, weight)) < 1.0e-5);
        Ok(())
    });
}
