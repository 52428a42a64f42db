//! The channels of all bones of a clip, by what they are.

use std::collections::BTreeMap;
use std::vec::Vec;

use glam::{Quat, Vec3};
use loligo_entities::Pose;

use super::raw_clip::{RawClip, RawJump};
use super::raw_skeleton::RawSkeleton;
use super::skin::RawSkin;
use super::track_source::{TrackKind, TrackPlace, TrackSource};
use crate::clip::{Channel, Track, place_of};
use crate::lanes::LANES;

/// The channels of all bones, by what they are.
pub(super) struct Tracks {
    pub(super) moving: Vec<TrackSource>,
    /// The lane of each.
    pub(super) lanes: Vec<usize>,
    pub(super) groups: usize,
    pub(super) constants: Vec<(u16, [f32; 4])>,
    pub(super) still: usize,
}

impl Tracks {
    pub(super) fn new(skeleton: &RawSkeleton, clip: &RawClip, skin: &RawSkin, bound: f32) -> Self {
        let bones = skeleton.len();
        let reaches = skin.reaches(skeleton);
        let mut jumps: BTreeMap<(usize, Channel), Vec<RawJump>> = BTreeMap::new();
        for jump in &clip.jumps {
            jumps.entry((jump.bone, jump.channel)).or_default().push(*jump);
        }
        jumps.values_mut().for_each(|jumps| jumps.sort_by_key(|jump| jump.frame));
        // What is left out is off for all bones below, so it may be a small part of the bound.
        let still = 0.02 * bound;
        let mut tracks = Self {
            moving: Vec::new(),
            lanes: Vec::new(),
            groups: 0,
            constants: Vec::new(),
            still: 0,
        };
        let mut last = None;
        for channel in Channel::ALL {
            for (bone, reach) in reaches.iter().copied().enumerate() {
                let jumps = jumps.get(&(bone, channel)).map_or(&[][..], |jumps| jumps);
                let place = TrackPlace { channel, bone, bones, reach, jumps };
                match place.kind(clip, &skeleton.bind[bone], still) {
                    TrackKind::Bind => tracks.still += 1,
                    TrackKind::Constant(value) => {
                        tracks.constants.push((Track::place(channel, bone), value));
                    }
                    TrackKind::Moving(source) => {
                        let group = (channel, bone / LANES);
                        tracks.groups += usize::from(last.replace(group) != Some(group));
                        tracks.lanes.push((tracks.groups - 1) * LANES + bone % LANES);
                        tracks.moving.push(source);
                    }
                }
            }
        }
        tracks
    }

    /// Returns the pose of each bone as far as it does not move.
    pub(super) fn still_poses(&self, skeleton: &RawSkeleton) -> Vec<Pose> {
        let mut poses = skeleton.bind.clone();
        for (place, [x, y, z, w]) in &self.constants {
            let Some((channel, bone)) = place_of(*place) else { continue };
            match channel {
                Channel::Rotation => poses[bone].rotation = Quat::from_xyzw(*x, *y, *z, *w),
                Channel::Position => poses[bone].position = Vec3::new(*x, *y, *z),
                Channel::Scale => poses[bone].scale = Vec3::new(*x, *y, *z),
            }
        }
        poses
    }
}
