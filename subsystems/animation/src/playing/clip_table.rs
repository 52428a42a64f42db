//! What all players of a clip share.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::restart_points::RestartPoints;
use crate::clip::{Channel, Clip, KeyBits, Track, lanes_of, number_of, place_of};
use crate::lanes::{LANES, Lanes};
use crate::pose::{BoneGroup, groups_of};
use crate::skeleton::Skeleton;

/// A clip made ready to be played on a skeleton: bases and ranges in lanes, and the pose of all that
/// does not move.
///
/// # Complexity
///
/// Making it is O(tracks + bones). One is enough for all characters that play the clip.
///
/// # Memory
///
/// 320 bytes for eight bones, and 256 for eight bones of a channel that moves; restart points, if there are
/// any.
pub struct ClipTable<'b, 'a> {
    clip: Clip<'b>,
    pub(super) lanes: ClipLanes<'a>,
}

/// What a table has of a clip that borrows nothing of it.
pub(crate) struct ClipLanes<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// The pose of all that does not move.
    pub(super) still: Array<'a, BoneGroup, A>,
    pub(super) groups: Array<'a, TrackGroup, A>,
    pub(super) restarts: RestartPoints<'a, A>,
}

/// Eight tracks of one channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackGroup {
    pub(super) ranges: [Lanes; 3],
    /// How far the bases go from the first to the last frame.
    pub(super) drift: [Lanes; 3],
    pub(super) channel: Channel,
    /// The group of bones.
    pub(super) bones: u16,
    /// The bits of the keys of each lane; none where no track is.
    pub(super) bits: [KeyBits; LANES],
    /// The lanes that have a track.
    present: u8,
}

impl TrackGroup {
    /// Returns the lanes that have a track.
    #[inline]
    pub(super) fn lanes(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        lanes_of(self.present)
    }
}

/// A clip cannot be played on a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The clip is for a skeleton with another number of bones.
    Bones {
        /// The bones that the clip is for.
        clip: usize,
        /// The bones of the skeleton.
        skeleton: usize,
    },
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bones { clip, skeleton } => write!(
                f,
                "the clip is for {clip} bones, and the skeleton has {skeleton}; compile it for this skeleton"
            ),
            Self::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for TableError {}

impl From<GrowError> for TableError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl<'b, 'a> ClipTable<'b, 'a> {
    /// Makes a clip ready to be played on a skeleton.
    ///
    /// # Errors
    ///
    /// [`TableError`] if the skeleton has another number of bones, or there is no memory.
    pub fn try_new(
        clip: Clip<'b>,
        skeleton: &Skeleton<'_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, TableError> {
        Ok(Self { clip, lanes: ClipLanes::try_new_in(&clip, skeleton, memory)? })
    }

    /// Returns the clip.
    #[must_use]
    pub const fn clip(&self) -> &Clip<'b> {
        &self.clip
    }

    /// Returns how many groups of eight tracks are played.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.lanes.groups.len()
    }

    /// Returns the bytes of the table.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lanes = &self.lanes;
        size_of_val(&*lanes.still) + size_of_val(&*lanes.groups) + lanes.restarts.bytes()
    }
}

impl<'a, A: Allocator + ?Sized> ClipLanes<'a, A> {
    /// Makes them for a skeleton.
    pub(crate) fn try_new_in(
        clip: &Clip<'_>,
        skeleton: &Skeleton<'_>,
        memory: &'a A,
    ) -> Result<Self, TableError> {
        let bones = skeleton.len();
        if clip.bones() != bones {
            return Err(TableError::Bones { clip: clip.bones(), skeleton: bones });
        }
        let mut still = Array::try_with_capacity_in(groups_of(bones), memory)?;
        still.try_resize(groups_of(bones), BoneGroup::IDENTITY)?;
        skeleton.write_bind(&mut still);
        for (place, value) in clip.constant_places.iter().zip(clip.constants) {
            if let Some((channel, bone)) = place_of(*place) {
                set_channel(&mut still, channel, bone, *value);
            }
        }
        let count = Track::group_count(clip.tracks);
        let mut groups: Array<'a, TrackGroup, A> = Array::try_with_capacity_in(count, memory)?;
        for track in clip.tracks.iter().filter_map(Track::unpack) {
            set_channel(&mut still, track.channel, track.bone, track.base);
            let bones = (track.bone / LANES) as u16;
            let is_there =
                |group: &TrackGroup| group.channel == track.channel && group.bones == bones;
            if !groups.last().is_some_and(is_there) {
                groups.try_push(TrackGroup {
                    ranges: [Lanes::ZERO; 3],
                    drift: [Lanes::ZERO; 3],
                    channel: track.channel,
                    bones,
                    bits: [KeyBits::NONE; LANES],
                    present: 0,
                })?;
            }
            if let Some(group) = groups.last_mut() {
                let lane = track.bone % LANES;
                group.bits[lane] = track.bits;
                group.present |= 1 << lane;
                for (row, range) in group.ranges.iter_mut().zip(track.ranges) {
                    row.set(lane, range);
                }
            }
        }
        for [place, drift @ ..] in clip.drifts {
            let Some((channel, bone)) = place_of(*place) else { continue };
            let is_its = |group: &&mut TrackGroup| {
                group.channel == channel && usize::from(group.bones) == bone / LANES
            };
            if let Some(group) = groups.iter_mut().find(is_its) {
                for (row, word) in group.drift.iter_mut().zip(drift) {
                    row.set(bone % LANES, number_of(*word));
                }
            }
        }
        Ok(Self { still, groups, restarts: RestartPoints::new_in(memory) })
    }

    /// Returns how many groups of eight tracks are played.
    #[cfg(feature = "subsystem")]
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }
}

impl fmt::Debug for ClipTable<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClipTable")
            .field("clip", &self.clip)
            .field("groups", &self.lanes.groups.len())
            .finish_non_exhaustive()
    }
}

/// Sets one channel of a bone.
fn set_channel(pose: &mut [BoneGroup], channel: Channel, bone: usize, value: [f32; 4]) {
    let (group, lane) = (&mut pose[bone / LANES], bone % LANES);
    let rows = match channel {
        Channel::Rotation => &mut group.rotation[..],
        Channel::Position => &mut group.position[..],
        Channel::Scale => &mut group.scale[..],
    };
    for (row, value) in rows.iter_mut().zip(value) {
        row.set(lane, value);
    }
}
