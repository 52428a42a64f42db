//! How far a compressed clip moves the skin off.
//!
//! Each bone has three virtual vertices, at a distance from it along its axes. Where they are in the
//! space of the skeleton depends on all bones above, so an error of the hip is seen at the hands. The
//! measure is that of ACL, the Animation Compression Library of Nicholas Frechette.

use std::vec::Vec;

use glam::{Affine3A, Quat, Vec3A};
use loligo_compiler::with_heap;

use super::error::CompressError;
use super::raw_clip::RawClip;
use super::raw_skeleton::RawSkeleton;
use crate::clip::Clip;
use crate::playing::{ClipTable, Players, TableError};
use crate::pose::{BoneGroup, groups_of};
use crate::skeleton::Skeleton;

/// How far the skin of each bone and frame is off, in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinErrors {
    bones: usize,
    errors: Vec<f32>,
}

impl SkinErrors {
    /// Returns the largest error.
    #[must_use]
    pub fn max(&self) -> f32 {
        self.errors.iter().copied().fold(0.0, f32::max)
    }

    /// Returns what a part of all errors, from 0 to 1, are at the most.
    #[must_use]
    pub fn percentile(&self, part: f32) -> f32 {
        let mut sorted = self.errors.clone();
        sorted.sort_by(f32::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (part * last as f32).ceil() as usize;
        sorted.get(at.min(last)).copied().unwrap_or(0.0)
    }

    /// Returns the largest error of each bone.
    #[must_use]
    pub fn by_bone(&self) -> Vec<f32> {
        let mut worst = std::vec![0.0; self.bones];
        for frame in self.errors.chunks_exact(self.bones) {
            for (worst, error) in worst.iter_mut().zip(frame) {
                *worst = f32::max(*worst, *error);
            }
        }
        worst
    }

    /// Returns the largest error of each frame.
    #[must_use]
    pub fn by_frame(&self) -> Vec<f32> {
        let frames = self.errors.chunks_exact(self.bones);
        frames.map(|frame| frame.iter().copied().fold(0.0, f32::max)).collect()
    }
}

/// Measures a clip against its samples, at a distance from each bone.
///
/// # Errors
///
/// [`CompressError`] if the clip is for other bones, or there is no memory.
pub fn skin_errors(
    skeleton: &Skeleton<'_>,
    raw: &RawClip,
    clip: &Clip<'_>,
    distance: f32,
) -> Result<SkinErrors, CompressError> {
    RawSkin::new(skeleton.parents(), raw, distance).errors(skeleton, clip)
}

/// Where bones and their virtual vertices are in each frame of the samples.
pub(super) struct RawSkin {
    bones: usize,
    distance: f32,
    spaces: Vec<Affine3A>,
    /// How each bone is turned in the space of the skeleton, if none is scaled.
    rotations: Vec<Quat>,
}

impl RawSkin {
    pub(super) fn new(parents: &[u16], raw: &RawClip, distance: f32) -> Self {
        let bones = parents.len();
        let mut spaces: Vec<Affine3A> = Vec::with_capacity(raw.samples.len());
        let mut rotations: Vec<Quat> = Vec::with_capacity(raw.samples.len());
        for (at, pose) in raw.samples.iter().enumerate() {
            let (bone, local) = (at % bones, pose.matrix());
            let parent = usize::from(parents[bone]);
            let space = if parent < bone { spaces[at - bone + parent] * local } else { local };
            spaces.push(space);
            let turned = if parent < bone { rotations[at - bone + parent] } else { Quat::IDENTITY };
            rotations.push((turned * pose.rotation).normalize());
        }
        Self { bones, distance, spaces, rotations }
    }

    /// Returns how far the skin is measured from each bone.
    pub(super) const fn distance(&self) -> f32 {
        self.distance
    }

    /// Returns where a bone is in a frame, in the space of the skeleton.
    pub(super) fn place(&self, frame: usize, bone: usize) -> Vec3A {
        self.spaces[frame * self.bones + bone].translation
    }

    /// Returns how a bone is turned in a frame, in the space of the skeleton, if no bone is scaled.
    pub(super) fn rotation(&self, frame: usize, bone: usize) -> Quat {
        self.rotations[frame * self.bones + bone]
    }

    /// Returns how far two bones are apart at the most.
    pub(super) fn distance_between(&self, a: usize, b: usize) -> f32 {
        let frames = self.spaces.chunks_exact(self.bones);
        let apart = |frame: &[Affine3A]| (frame[a].translation - frame[b].translation).length();
        frames.map(apart).fold(0.0, f32::max)
    }

    /// Returns how far the vertices of a bone are off in a space.
    pub(super) fn error_of(&self, frame: usize, bone: usize, space: &Affine3A) -> f32 {
        self.error(&self.spaces[frame * self.bones + bone], space)
    }

    /// Returns for each bone how far its own skin and that of the bones below it are from it at the most.
    pub(super) fn reaches(&self, skeleton: &RawSkeleton) -> Vec<f32> {
        let mut reaches = std::vec![self.distance; self.bones];
        for frame in self.spaces.chunks_exact(self.bones) {
            for bone in 0..self.bones {
                let place = frame[bone].translation;
                let mut above = skeleton.parent(bone);
                while let Some(at) = above {
                    let far = (frame[at].translation - place).length() + self.distance;
                    reaches[at] = f32::max(reaches[at], far);
                    above = skeleton.parent(at);
                }
            }
        }
        reaches
    }

    /// Plays a clip and compares.
    pub(super) fn errors(
        &self,
        skeleton: &Skeleton<'_>,
        clip: &Clip<'_>,
    ) -> Result<SkinErrors, CompressError> {
        with_heap(|heap| {
            let memory = |error| match error {
                TableError::Memory(error) => CompressError::Memory(error),
                TableError::Bones { clip, .. } => CompressError::Bones(clip),
            };
            let table = ClipTable::try_new(*clip, skeleton, heap).map_err(memory)?;
            let mut players = Players::try_new(1, &table, heap)?;
            let mut pose = std::vec![BoneGroup::IDENTITY; groups_of(self.bones)];
            let mut spaces = std::vec![Affine3A::IDENTITY; self.bones];
            let mut errors = Vec::with_capacity(self.spaces.len());
            for (frame, raw) in self.spaces.chunks_exact(self.bones).enumerate() {
                players.sample(&table, 0, frame as f32, &mut pose);
                skeleton.write_matrices(&pose, &mut spaces);
                errors.extend(raw.iter().zip(&spaces).map(|(raw, space)| self.error(raw, space)));
            }
            Ok::<_, CompressError>(SkinErrors { bones: self.bones, errors })
        })
    }

    /// Returns how far the vertices of a bone are apart in two spaces.
    fn error(&self, a: &Affine3A, b: &Affine3A) -> f32 {
        let axes = [Vec3A::X, Vec3A::Y, Vec3A::Z].map(|axis| axis * self.distance);
        let off = |axis| (a.transform_point3a(axis) - b.transform_point3a(axis)).length();
        axes.map(off).into_iter().fold(0.0, f32::max)
    }
}
