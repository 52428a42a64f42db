//! What a clip's tracks move, for fitting them together.

use std::vec::Vec;

use glam::Vec3;
use loligo_entities::Pose;

use super::raw_clip::RawClip;
use super::raw_skeleton::RawSkeleton;
use super::skin::RawSkin;
use super::track_source::TrackSource;
use super::tracks::Tracks;
use crate::clip::{Channel, Track};

/// The bones of a clip, and the tracks that are fitted together.
pub(super) struct DenseBody<'f> {
    pub(super) skeleton: &'f RawSkeleton,
    pub(super) clip: &'f RawClip,
    pub(super) skin: &'f RawSkin,
    pub(super) tracks: &'f [TrackSource],
    pub(super) bases: Vec<Track>,
    pub(super) bones: Vec<FittedBone>,
    /// Whether bones have no scale: then a bone makes good what those above it are off.
    pub(super) is_rigid: bool,
}

/// A bone, and the tracks that move it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FittedBone {
    /// What of it does not move.
    pub(super) still: Pose,
    pub(super) tracks: [Option<usize>; 3],
    /// The bone that its rotation aims at.
    pub(super) aim: Option<usize>,
    /// The nearest bone whose rotation moves, it or one above.
    pub(super) turned_by: Option<usize>,
    /// How far a turn around each axis moves what hangs on it, in metres.
    pub(super) reaches: [f32; 3],
}

impl<'f> DenseBody<'f> {
    /// Returns nothing if a track jumps, which differences do not. A bone aims at the farthest one below it
    /// where all `others` that hang on it are no farther than that part of the way.
    pub(super) fn new(
        skeleton: &'f RawSkeleton,
        clip: &'f RawClip,
        skin: &'f RawSkin,
        tracks: &'f Tracks,
        others: f32,
    ) -> Option<Self> {
        let all = &tracks.moving[..];
        if all.is_empty() || all.iter().any(|source| !source.jumps.is_empty()) {
            return None;
        }
        let bases = all.iter().map(TrackSource::unpacked).collect::<Option<Vec<_>>>()?;
        let scales = clip.samples.iter().chain(&skeleton.bind).map(|pose| pose.scale);
        let is_rigid =
            scales.into_iter().all(|scale| (scale - Vec3::ONE).abs().max_element() < 1.0e-4);
        let mut fit =
            Self { skeleton, clip, skin, tracks: all, bases, bones: Vec::new(), is_rigid };
        fit.bones = tracks.still_poses(skeleton).into_iter().map(FittedBone::new).collect();
        for (at, source) in all.iter().enumerate() {
            fit.bones[source.bone].tracks[source.channel as usize] = Some(at);
        }
        fit.find_reaches(others);
        Some(fit)
    }

    /// Finds what each bone turns and what it aims at.
    fn find_reaches(&mut self, others: f32) {
        let distance = self.skin.distance();
        for bone in 0..self.bones.len() {
            let parent = self.skeleton.parent(bone);
            let above = parent.and_then(|parent| self.bones[parent].turned_by);
            let is_turned = self.bones[bone].has(Channel::Rotation);
            self.bones[bone].turned_by = if is_turned { Some(bone) } else { above };
            self.bones[bone].reaches = [distance; 3];
            let Some(above) = above else { continue };
            let skin = if is_turned { 0.0 } else { distance };
            let far = self.skin.distance_between(above, bone) + skin;
            let [x, y, z] = match parent == Some(above) && !self.bones[bone].has(Channel::Position)
            {
                true => {
                    // Around each axis it is as far as it is from that axis.
                    let place = self.bones[bone].still.position;
                    self.choose_aim(above, bone, place);
                    let square = place.length_squared();
                    place.to_array().map(|along| (square - along * along).max(0.0).sqrt() + skin)
                }
                false => [far; 3],
            };
            for (reach, far) in self.bones[above].reaches.iter_mut().zip([x, y, z]) {
                *reach = reach.max(far);
            }
        }
        // What hangs on a bone elsewhere is moved away by as much as the one that it aims at is moved near.
        for bone in 0..self.bones.len() {
            let Some(aim) = self.bones[bone].aim else { continue };
            let far = others * self.bones[aim].still.position.length();
            let hangs = |other: usize| {
                let above =
                    self.skeleton.parent(other).and_then(|above| self.bones[above].turned_by);
                other != aim && above == Some(bone) && self.skin.distance_between(bone, other) > far
            };
            if (0..self.bones.len()).any(hangs) {
                self.bones[bone].aim = None;
            }
        }
    }

    /// Lets a bone aim at one below it that is farther than those it aims at so far.
    fn choose_aim(&mut self, bone: usize, below: usize, place: Vec3) {
        let far = |other: usize| self.bones[other].still.position.length();
        let is_farther = self.bones[bone].aim.is_none_or(|aim| far(aim) < place.length());
        if self.is_rigid && place.length() > 2.0 * self.skin.distance() && is_farther {
            self.bones[bone].aim = Some(below);
        }
    }
}

impl FittedBone {
    const fn new(still: Pose) -> Self {
        Self { still, tracks: [None; 3], aim: None, turned_by: None, reaches: [0.0; 3] }
    }

    const fn has(&self, channel: Channel) -> bool {
        self.tracks[channel as usize].is_some()
    }
}
