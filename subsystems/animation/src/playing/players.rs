//! Many players of one clip.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::active_group::ActiveGroup;
use super::clip_table::{ClipTable, TrackGroup};
use crate::clip::{Channel, Clip, Header, Key};
use crate::lanes::{LANES, Lanes};
use crate::pose::{BoneGroup, Poses, multiply};

/// Players of a clip, one for each character: the active keys of each, and its place in the stream.
///
/// A player's state depends on its frame alone, however it came there.
///
/// # Complexity
///
/// Sampling is O(tracks + bones) and O(keys between the two frames), forwards and backwards. A leap is
/// bounded by the keys between two jump frames. Nothing is allocated after the constructor.
///
/// # Memory
///
/// 256 bytes for eight bones of a channel that moves, and 8 for the place in the stream.
///
/// # Examples
///
/// See the crate's page.
///
/// # Invariants
///
/// 1. The cursor of each player is at a header of the clip and at that header's value.
/// 2. Each track that a header before the cursor names was advanced by it.
pub struct Players<'a> {
    active: Array<'a, ActiveGroup>,
    cursors: Array<'a, Cursor>,
    groups: usize,
}

/// A place in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    header: u32,
    value: u32,
}

impl<'a> Players<'a> {
    /// Makes players at the beginning of a clip.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(
        count: usize,
        table: &ClipTable<'_, '_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        let groups = table.group_count();
        let len = count.saturating_mul(groups);
        let mut active = Array::try_with_capacity(len, memory)?;
        active.try_resize(len, ActiveGroup::EMPTY)?;
        let mut cursors = Array::try_with_capacity(count, memory)?;
        cursors.try_resize(count, Cursor::default())?;
        Ok(Self { active, cursors, groups })
    }

    /// Returns the number of players.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cursors.len()
    }

    /// Returns `true` if there is no player.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cursors.is_empty()
    }

    /// Returns how many bytes of the stream a player is past.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[must_use]
    pub fn stream_position(&self, index: usize) -> usize {
        let Cursor { header, value } = self.cursors[index];
        2 * (header as usize + value as usize)
    }

    /// Moves a player to a frame and writes the pose there. Frames before the first and after the last
    /// one are these; between two frames it is on the curves.
    ///
    /// # Panics
    ///
    /// If there is no such player, if the players were made for another clip, or if the pose has fewer
    /// bones than the clip.
    pub fn sample(
        &mut self,
        table: &ClipTable<'_, '_>,
        index: usize,
        frame: f32,
        pose: &mut [BoneGroup],
    ) {
        assert_eq!(self.groups, table.group_count(), "the players were made for another clip");
        let active = &mut self.active[index * self.groups..(index + 1) * self.groups];
        let frame = clamped(frame, table.clip());
        seek(table, active, &mut self.cursors[index], frame);
        pose[..table.still.len()].copy_from_slice(&table.still);
        let part = frame / table.clip().last_frame.max(1) as f32;
        for (group, active) in table.groups.iter().zip(&*active) {
            write_group(group, active, (frame, part), &mut pose[usize::from(group.bones)]);
        }
    }

    /// Moves each player to its frame and writes its pose.
    ///
    /// # Panics
    ///
    /// If there are fewer frames or poses than players, or for the reasons of
    /// [`sample`](Self::sample).
    pub fn sample_all(&mut self, table: &ClipTable<'_, '_>, frames: &[f32], poses: &mut Poses<'_>) {
        assert!(frames.len() >= self.len(), "{} frames for {} players", frames.len(), self.len());
        for (index, frame) in frames.iter().enumerate().take(self.len()) {
            self.sample(table, index, *frame, poses.pose_mut(index));
        }
    }
}

impl fmt::Debug for Players<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (players, groups) = (self.len(), self.groups);
        f.debug_struct("Players").field("players", &players).field("groups", &groups).finish()
    }
}

/// Returns a frame of the clip: the first one for what is no number.
fn clamped(frame: f32, clip: &Clip<'_>) -> f32 {
    frame.max(0.0).min(clip.last_frame as f32)
}

/// Brings the active keys to those of a frame.
fn seek(table: &ClipTable<'_, '_>, active: &mut [ActiveGroup], cursor: &mut Cursor, frame: f32) {
    let clip = table.clip();
    if !clip.jumps.is_empty() {
        leap(table, active, cursor, frame);
    }
    while let Some(word) = clip.headers.get(cursor.header as usize) {
        let header = Header::unpack(*word, clip.bits);
        let (at, lane) = (header.lane / LANES, header.lane % LANES);
        if active[at].end(lane) > frame {
            break;
        }
        let group = &table.groups[at];
        active[at].advance(
            lane,
            header.interval,
            key_at(clip, group, &header, cursor.value as usize),
        );
        cursor.header += 1;
        cursor.value += words_of(group, &header) as u32;
    }
    while let Some(before) = cursor.header.checked_sub(1) {
        let header = Header::unpack(clip.headers[before as usize], clip.bits);
        let (at, lane) = (header.lane / LANES, header.lane % LANES);
        if active[at].start(lane) <= frame {
            break;
        }
        let group = &table.groups[at];
        let value = cursor.value - words_of(group, &header) as u32;
        active[at].retreat(lane, header.interval, key_at(clip, group, &header, value as usize));
        *cursor = Cursor { header: before, value };
    }
}

/// Takes the state of a jump frame, if many keys are between it and the cursor, on the way to a frame.
fn leap(table: &ClipTable<'_, '_>, active: &mut [ActiveGroup], cursor: &mut Cursor, frame: f32) {
    let clip = table.clip();
    // What taking a state costs, in keys.
    let cost = 2 * clip.tracks.len() as u32;
    let after = clip.jumps.partition_point(|[at, ..]| *at as f32 <= frame);
    let earlier = after.checked_sub(1).filter(|at| clip.jumps[*at][1] > cursor.header + cost);
    let later = Some(after).filter(|at| {
        clip.jumps.get(*at).is_some_and(|[_, header, _]| header + cost < cursor.header)
    });
    let Some(jump) = earlier.or(later) else { return };
    let [_, header, value] = clip.jumps[jump];
    *cursor = Cursor { header, value };
    let words = clip.jump_words.len() / clip.jumps.len();
    let mut state = &clip.jump_words[jump * words..(jump + 1) * words];
    for (group, active) in table.groups.iter().zip(active) {
        for (lane, bits) in group.bits.iter().enumerate().filter(|(_, bits)| bits.words() > 0) {
            let Some(([start, low, high], rest)) = state.split_first_chunk::<3>() else { return };
            let ([a, b], [c, d]) = (low.to_le_bytes(), high.to_le_bytes());
            let mut keys = [[0; 3]; 4];
            state = rest;
            for key in &mut keys {
                *key = bits.unpack(state);
                state = state.get(bits.words()..).unwrap_or_default();
            }
            active.set_track(lane, *start, [a, b, c, d], keys);
        }
    }
}

/// Returns how many words the value of a key has.
#[inline]
const fn words_of(group: &TrackGroup, header: &Header) -> usize {
    if header.is_end { 0 } else { group.bits[header.lane % LANES].words() }
}

/// Returns the value of a key at a place.
#[inline]
fn key_at(clip: &Clip<'_>, group: &TrackGroup, header: &Header, value: usize) -> Key {
    let words = clip.values.get(value..).unwrap_or_default();
    if header.is_end { [0; 3] } else { group.bits[header.lane % LANES].unpack(words) }
}

/// Writes one channel of eight bones at a frame, which is that part of the clip.
#[inline]
fn write_group(
    group: &TrackGroup,
    active: &ActiveGroup,
    (frame, part): (f32, f32),
    bones: &mut BoneGroup,
) {
    // Lanes without a track have ranges of 0, so they stay as they are.
    let [x, y, z] = active.evaluate(frame, &group.ranges);
    match group.channel {
        Channel::Rotation => {
            let square = x * x + y * y + z * z;
            let inverse = Lanes::ONE / (Lanes::ONE + square);
            let twice = inverse + inverse;
            let turn = [x * twice, y * twice, z * twice, (Lanes::ONE - square) * inverse];
            bones.rotation = multiply(&bones.rotation, &turn);
        }
        Channel::Position => {
            let part = Lanes::splat(part);
            for ((row, value), drift) in bones.position.iter_mut().zip([x, y, z]).zip(group.drift) {
                *row = *row + drift * part + value;
            }
        }
        Channel::Scale => {
            for (row, value) in bones.scale.iter_mut().zip([x, y, z]) {
                *row = *row + value;
            }
        }
    }
}
