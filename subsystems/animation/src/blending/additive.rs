//! Poses as differences from a reference: a lean, a breath, a recoil over any other motion.

use super::bone_mask::BoneMask;
use crate::lanes::Lanes;
use crate::pose::{BoneGroup, between, multiply};

/// Not turned.
const STILL: [Lanes; 4] = BoneGroup::IDENTITY.rotation;

/// Makes a pose the difference from a reference, which [`add_pose`] adds to any other.
///
/// # Panics
///
/// If the reference has fewer bones.
pub fn subtract_pose(pose: &mut [BoneGroup], reference: &[BoneGroup]) {
    let reference = &reference[..pose.len()];
    for (pose, reference) in pose.iter_mut().zip(reference) {
        for (row, reference) in pose.position.iter_mut().zip(reference.position) {
            *row = *row - reference;
        }
        for (row, reference) in pose.scale.iter_mut().zip(reference.scale) {
            // What has no size cannot be made larger.
            let size = (reference * reference - Lanes::splat(1.0e-12))
                .select_negative(Lanes::ONE, reference);
            *row = *row / size;
        }
        let [x, y, z, w] = reference.rotation;
        pose.rotation = multiply(&[-x, -y, -z, w], &pose.rotation);
    }
}

/// Adds a difference to a pose: not at all at a weight of 0, all of it at 1. Where there is a mask, the
/// weight of each bone is multiplied with its own.
///
/// # Panics
///
/// If the difference or the mask has fewer bones.
pub fn add_pose(
    pose: &mut [BoneGroup],
    difference: &[BoneGroup],
    weight: f32,
    mask: Option<&BoneMask<'_>>,
) {
    add_lanes(pose, difference, weight, mask.map(BoneMask::lanes));
}

/// As [`add_pose`], with the weights of a mask.
pub(crate) fn add_lanes(
    pose: &mut [BoneGroup],
    difference: &[BoneGroup],
    weight: f32,
    mask: Option<&[Lanes]>,
) {
    let weight = Lanes::splat(weight);
    let difference = &difference[..pose.len()];
    match mask {
        None => pose.iter_mut().zip(difference).for_each(|(pose, other)| add(pose, other, weight)),
        Some(mask) => {
            let lanes = &mask[..pose.len()];
            for ((pose, other), lanes) in pose.iter_mut().zip(difference).zip(lanes) {
                add(pose, other, weight * *lanes);
            }
        }
    }
}

#[inline(always)]
fn add(pose: &mut BoneGroup, difference: &BoneGroup, weight: Lanes) {
    for (row, other) in pose.position.iter_mut().zip(difference.position) {
        *row = *row + other * weight;
    }
    for (row, other) in pose.scale.iter_mut().zip(difference.scale) {
        *row = *row * (Lanes::ONE + (other - Lanes::ONE) * weight);
    }
    let turn = between(&STILL, &difference.rotation, weight);
    pose.rotation = multiply(&pose.rotation, &turn);
}
