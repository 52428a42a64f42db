//! Cross-fades and sums of several poses.

use super::bone_mask::BoneMask;
use crate::lanes::Lanes;
use crate::pose::{BoneGroup, between, normalized_or};

/// Moves a pose toward another: not at all at a weight of 0, all the way at 1. Where there is a mask, the
/// weight of each bone is multiplied with its own.
///
/// Positions and scales go along a line, rotations the short way around at a speed that is nearly the
/// same (scaled sums of quaternions).
///
/// # Panics
///
/// If the other pose or the mask has fewer bones.
pub fn blend_into(
    pose: &mut [BoneGroup],
    other: &[BoneGroup],
    weight: f32,
    mask: Option<&BoneMask<'_>>,
) {
    blend_lanes(pose, other, weight, mask.map(BoneMask::lanes));
}

/// As [`blend_into`], with the weights of a mask.
pub(crate) fn blend_lanes(
    pose: &mut [BoneGroup],
    other: &[BoneGroup],
    weight: f32,
    mask: Option<&[Lanes]>,
) {
    let weight = Lanes::splat(weight);
    let other = &other[..pose.len()];
    match mask {
        None => pose.iter_mut().zip(other).for_each(|(pose, other)| toward(pose, other, weight)),
        Some(mask) => {
            let lanes = &mask[..pose.len()];
            for ((pose, other), lanes) in pose.iter_mut().zip(other).zip(lanes) {
                toward(pose, other, weight * *lanes);
            }
        }
    }
}

/// Writes the sum of poses, each by its weight. The weights are divided by their sum; if that is 0, the
/// first pose is written, and nothing where there is none.
///
/// # Panics
///
/// If one of the poses has fewer bones.
pub fn mix_poses(out: &mut [BoneGroup], poses: &[(&[BoneGroup], f32)]) {
    let Some((first, _)) = poses.first() else { return };
    let sum: f32 = poses.iter().map(|(_, weight)| weight).sum();
    if sum == 0.0 || sum.is_nan() {
        return out.copy_from_slice(&first[..out.len()]);
    }
    for (at, out) in out.iter_mut().enumerate() {
        let first = first[at];
        let mut mixed = BoneGroup {
            position: [Lanes::ZERO; 3],
            rotation: [Lanes::ZERO; 4],
            scale: [Lanes::ZERO; 3],
        };
        for (pose, weight) in poses {
            accumulate(&mut mixed, &pose[at], &first.rotation, Lanes::splat(weight / sum));
        }
        mixed.rotation = normalized_or(&mixed.rotation, &first.rotation);
        *out = mixed;
    }
}

#[inline(always)]
fn toward(pose: &mut BoneGroup, other: &BoneGroup, weight: Lanes) {
    for (row, other) in pose.position.iter_mut().zip(other.position) {
        *row = *row + (other - *row) * weight;
    }
    for (row, other) in pose.scale.iter_mut().zip(other.scale) {
        *row = *row + (other - *row) * weight;
    }
    pose.rotation = between(&pose.rotation, &other.rotation, weight);
}

/// Adds a part of a pose; rotations on the same side as those of `first`.
#[inline(always)]
fn accumulate(sum: &mut BoneGroup, pose: &BoneGroup, first: &[Lanes; 4], weight: Lanes) {
    for (row, other) in sum.position.iter_mut().zip(pose.position) {
        *row = *row + other * weight;
    }
    for (row, other) in sum.scale.iter_mut().zip(pose.scale) {
        *row = *row + other * weight;
    }
    let [x, y, z, w] = pose.rotation;
    let dot = first[0] * x + first[1] * y + first[2] * z + first[3] * w;
    let weight = dot.select_negative(-weight, weight);
    for (row, other) in sum.rotation.iter_mut().zip(pose.rotation) {
        *row = *row + other * weight;
    }
}
