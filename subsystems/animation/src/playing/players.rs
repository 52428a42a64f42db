//! Many players of one clip.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::active_group::ActiveGroup;
use super::clip_table::{ClipLanes, ClipTable, TrackGroup};
use super::dense_walk;
use super::key_rows::KeyRows;
use super::restart_points::RestartPoints;
use crate::clip::{
    BLOCK, Channel, Clip, Codes, Cursor, code_bytes, groups_of_round, is_same_frame, lanes_of,
    round_bytes, step_at,
};
use crate::lanes::Lanes;
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
/// 256 bytes for eight bones of a channel that moves, and 20 for the place in the stream.
///
/// # Examples
///
/// See the crate's page.
///
/// # Invariants
///
/// 1. The cursor of each player is at a round of the clip, and at that round's mask, step and value.
/// 2. Each track that a round before the cursor names was advanced by it.
pub struct Players<'a> {
    active: Array<'a, ActiveGroup>,
    cursors: Array<'a, Cursor>,
    groups: usize,
    dense: Option<DenseSize>,
    /// How many poses were those of an earlier frame.
    held: u64,
}

/// What of a dense clip a place in its stream is counted with.
#[derive(Clone, Copy, Debug)]
struct DenseSize {
    /// The numbers of a frame, and the codes of a block.
    axes: usize,
    code_bytes: usize,
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
        Self::try_new_of(count, table.clip(), table.group_count(), memory)
    }

    /// Makes players of a clip with `groups` groups of eight tracks.
    pub(super) fn try_new_of(
        count: usize,
        clip: &Clip<'_>,
        groups: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        let len = count.saturating_mul(groups);
        let mut active = Array::try_with_capacity(len, memory)?;
        active.try_resize(len, ActiveGroup::EMPTY)?;
        let mut cursors = Array::try_with_capacity(count, memory)?;
        cursors.try_resize(count, Cursor::default())?;
        let tracks = clip.tracks.len();
        let size = DenseSize { axes: 3 * tracks, code_bytes: code_bytes(tracks, clip.last_frame) };
        Ok(Self { active, cursors, groups, dense: clip.is_dense().then_some(size), held: 0 })
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

    /// Returns how often the pose of an earlier frame was written, since the clip was not loaded as far as that.
    #[must_use]
    pub const fn held_count(&self) -> u64 {
        self.held
    }

    /// Returns how many bytes of the stream a player is past.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[must_use]
    pub fn stream_position(&self, index: usize) -> usize {
        let Cursor { round, mask, step, value, .. } = self.cursors[index];
        if let Some(DenseSize { axes, code_bytes }) = self.dense {
            let blocks = (self.cursors[index].frame.saturating_sub(1) / BLOCK + 1) as usize;
            return value.div_ceil(8) as usize + (blocks * axes).div_ceil(2).min(code_bytes);
        }
        let rounds = round as usize * round_bytes(self.groups);
        rounds + mask as usize + step.div_ceil(2) as usize + value as usize
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
        self.sample_of(table.clip(), &table.lanes, (index, frame), pose);
    }

    /// As [`sample`](Self::sample), of a clip that may be loaded in part.
    pub(super) fn sample_of(
        &mut self,
        clip: &Clip<'_>,
        lanes: &ClipLanes<'_>,
        (index, frame): (usize, f32),
        pose: &mut [BoneGroup],
    ) {
        assert_eq!(self.groups, lanes.groups.len(), "the players were made for another clip");
        let active = &mut self.active[index * self.groups..(index + 1) * self.groups];
        let is_held = frame > clip.last_ready() as f32 && clip.last_ready() < clip.last_frame;
        self.held += u64::from(is_held);
        sample_clip(clip, lanes, (active, &mut self.cursors[index]), frame, None, pose);
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

impl ClipTable<'_, '_> {
    /// Keeps what a player has at every few frames, so that one that leaps reads half as many at the most,
    /// forwards or backwards.
    ///
    /// Poses are the same. It is worth it where a clip is played at another time again and again: entered in
    /// the middle by a state machine, or looked at in an editor.
    ///
    /// # Complexity
    ///
    /// O(keys of the clip).
    ///
    /// # Memory
    ///
    /// For each point, 256 bytes for eight bones of a channel that moves. A dense clip with points at every 5
    /// frames or fewer keeps the keys of all frames instead, which are 48 each.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; then nothing is kept.
    ///
    /// # Panics
    ///
    /// If `every` is 0.
    pub fn try_add_restart_points(&mut self, every: u32) -> Result<(), GrowError> {
        let clip = *self.clip();
        self.lanes.try_add_restart_points(&clip, every)
    }
}

/// With points at every five frames or fewer, all keys of a dense clip take no more memory.
const ROWS_UP_TO: u32 = 5;

impl<'a, A: Allocator + ?Sized> ClipLanes<'a, A> {
    /// Keeps what a player has at every few frames.
    fn try_add_restart_points(&mut self, clip: &Clip<'_>, every: u32) -> Result<(), GrowError> {
        assert!(every > 0, "a restart point at every 0 frames");
        let (memory, groups) = (self.still.memory(), self.groups.len());
        self.restarts = RestartPoints::new_in(memory);
        if clip.is_dense() && every <= ROWS_UP_TO {
            self.restarts.rows = Some(self.try_key_rows(clip)?);
            return Ok(());
        }
        let mut made = RestartPoints::try_new(every, clip.last_frame(), groups, memory)?;
        let mut active = Array::try_with_capacity_in(groups, memory)?;
        active.try_resize(groups, ActiveGroup::EMPTY)?;
        let mut cursor = Cursor::default();
        for frame in (0..=clip.last_frame()).step_by(every as usize) {
            seek(clip, self, (&mut active, &mut cursor), frame as f32);
            made.try_push(&active, cursor)?;
        }
        self.restarts = made;
        Ok(())
    }

    /// Returns all keys of a dense clip.
    fn try_key_rows(&self, clip: &Clip<'_>) -> Result<KeyRows<'a, A>, GrowError> {
        let (memory, groups) = (self.still.memory(), self.groups.len());
        let mut rows = KeyRows::try_new(clip.last_frame(), groups, memory)?;
        let mut active = Array::try_with_capacity_in(groups, memory)?;
        active.try_resize(groups, ActiveGroup::EMPTY)?;
        let mut cursor = Cursor::default();
        for frame in 0..clip.last_frame() {
            seek(clip, self, (&mut active, &mut cursor), frame as f32);
            rows.try_push(&active, 1, cursor.mask)?;
        }
        rows.try_push(&active, 2, cursor.step)?;
        Ok(rows)
    }
}

/// Brings active keys to a frame of a clip and writes the pose there; but for groups of eight bones
/// of which none takes part, where there is a mask: those are as where nothing moves.
pub(crate) fn sample_clip<A: Allocator + ?Sized>(
    clip: &Clip<'_>,
    lanes: &ClipLanes<'_, A>,
    (active, cursor): (&mut [ActiveGroup], &mut Cursor),
    frame: f32,
    mask: Option<&[Lanes]>,
    pose: &mut [BoneGroup],
) {
    let frame = clamped(frame, clip);
    pose[..lanes.still.len()].copy_from_slice(&lanes.still);
    let part = Lanes::splat(frame / clip.last_frame.max(1) as f32);
    let all = lanes.groups.iter();
    let takes_part =
        |group: &TrackGroup| mask.is_none_or(|mask| mask[usize::from(group.bones)] != Lanes::ZERO);
    seek(clip, lanes, (active, cursor), frame);
    if clip.is_dense() {
        let weights = dense_walk::weights(clip, frame).map(Lanes::splat);
        for (group, active) in all.zip(&*active).filter(|(group, _)| takes_part(group)) {
            let numbers = active.weigh(weights, &group.ranges);
            write_group(group, numbers, part, &mut pose[usize::from(group.bones)]);
        }
        return;
    }
    for (group, active) in all.zip(&*active).filter(|(group, _)| takes_part(group)) {
        let numbers = active.evaluate(frame, &group.ranges);
        write_group(group, numbers, part, &mut pose[usize::from(group.bones)]);
    }
}

/// A clip, and its groups of eight tracks.
type Tracks<'t, 'b> = (&'t Clip<'b>, &'t [TrackGroup]);

/// Moves a player to a frame and writes the pose there.
pub(super) fn write_pose(
    table: &ClipTable<'_, '_>,
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    frame: f32,
    pose: &mut [BoneGroup],
) {
    sample_clip(table.clip(), &table.lanes, (active, cursor), frame, None, pose);
}

/// Returns a frame of the clip that is there: the first one for what is no number.
fn clamped(frame: f32, clip: &Clip<'_>) -> f32 {
    frame.max(0.0).min(clip.last_ready() as f32)
}

/// Brings the active keys to those of a frame.
fn seek<A: Allocator + ?Sized>(
    clip: &Clip<'_>,
    lanes: &ClipLanes<'_, A>,
    (active, cursor): (&mut [ActiveGroup], &mut Cursor),
    frame: f32,
) {
    if let Some(rows) = &lanes.restarts.rows {
        rows.seek(active, cursor, dense_walk::interval_of(clip, frame), dense_walk::AHEAD);
    } else if clip.is_dense() {
        lanes.restarts.leap(active, cursor, frame, dense_walk::AHEAD);
        dense_walk::seek(clip, &lanes.groups, active, cursor, frame);
    } else {
        lanes.restarts.leap(active, cursor, frame, 1);
        seek_rounds((clip, &lanes.groups), active, cursor, frame);
    }
}

/// Brings the active keys of curves to those of a frame.
fn seek_rounds(
    tracks: Tracks<'_, '_>,
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    frame: f32,
) {
    let (clip, groups) = tracks;
    if !clip.jumps.is_empty() {
        leap(tracks, active, cursor, frame);
    }
    let size = round_bytes(groups.len());
    while let Some(round) = round_at(clip, size, cursor.round) {
        let begun = cursor.frame + u32::from(!is_same_frame(round));
        if begun as f32 - 1.0 > frame {
            break;
        }
        advance(tracks, active, cursor, round);
        cursor.frame = begun;
        cursor.round += 1;
    }
    while cursor.frame as f32 - 1.0 > frame {
        let before = cursor.round.wrapping_sub(1);
        let Some(round) = round_at(clip, size, before) else { break };
        retreat(tracks, active, cursor, round);
        cursor.frame -= u32::from(!is_same_frame(round));
        cursor.round = before;
    }
}

/// Returns a round, if there is one of that number.
#[inline]
fn round_at<'b>(clip: &Clip<'b>, size: usize, number: u32) -> Option<&'b [u8]> {
    let start = (number as usize).checked_mul(size)?;
    clip.rounds.get(start..start.checked_add(size)?)
}

/// Gives the tracks of a round their keys.
fn advance(
    (clip, groups): Tracks<'_, '_>,
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    round: &[u8],
) {
    for group in groups_of_round(round) {
        let mask = clip.masks[cursor.mask as usize];
        cursor.mask += 1;
        for lane in lanes_of(mask) {
            let mixed = step_at(clip.steps, cursor.step as usize);
            let values = clip.values.get(cursor.value as usize..).unwrap_or_default();
            let bits = groups[group].bits[lane];
            cursor.value += active[group].advance(lane, mixed, bits, values) as u32;
            cursor.step += 1;
        }
    }
}

/// Takes the keys of a round from its tracks again, the last one first.
fn retreat(
    (clip, groups): Tracks<'_, '_>,
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    round: &[u8],
) {
    for group in groups_of_round(round).rev() {
        cursor.mask -= 1;
        let mask = clip.masks[cursor.mask as usize];
        for lane in lanes_of(mask).rev() {
            let bits = groups[group].bits[lane];
            cursor.step -= 1;
            cursor.value -= active[group].newest_bytes(lane, bits) as u32;
            let mixed = step_at(clip.steps, cursor.step as usize);
            let values = clip.values.get(cursor.value as usize..).unwrap_or_default();
            active[group].retreat(lane, mixed, bits, values);
        }
    }
}

/// Goes to the beginning or to a jump frame, where fewer keys are between it and a frame than between the
/// cursor and the frame.
fn leap(
    (clip, groups): Tracks<'_, '_>,
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    frame: f32,
) {
    // What taking a state costs, in keys.
    let cost = 2 * clip.tracks.len() as u32;
    let after = clip.jumps.partition_point(|[begun, ..]| *begun as f32 - 1.0 <= frame);
    let later = clip.jumps.get(after);
    let earlier = after.checked_sub(1).and_then(|before| clip.jumps.get(before));
    // Where the frame is in the keys, as far as the places around it say.
    let [first, _, _, low, _] = earlier.copied().unwrap_or_default();
    let (last, high) = later.map_or((clip.last_frame + 1, 2 * clip.steps.len() as u32), |jump| {
        let [frame, _, _, step, _] = *jump;
        (frame, step)
    });
    let part = (frame + 1.0 - first as f32) / (last.saturating_sub(first)).max(1) as f32;
    let wanted = low + (part.clamp(0.0, 1.0) * high.saturating_sub(low) as f32) as u32;
    let own = cursor.step.abs_diff(wanted);
    let from = |jump: &[u32; 5]| jump[3].abs_diff(wanted) + cost;
    let to_beginning = wanted + cost / 8;
    let nearest = earlier.into_iter().chain(later).min_by_key(|jump| from(jump));
    let Some(jump) = nearest.filter(|jump| from(jump) < own.min(to_beginning)) else {
        if to_beginning < own {
            *cursor = Cursor::default();
            active.fill(ActiveGroup::EMPTY);
        }
        return;
    };
    *cursor = Cursor::of_jump(*jump);
    let bytes = clip.jump_states.len() / clip.jumps.len();
    let at = clip.jumps.partition_point(|other| other[1] < jump[1]);
    take_state(groups, active, &clip.jump_states[at * bytes..(at + 1) * bytes]);
}

/// Takes the keys of a jump frame.
fn take_state(groups: &[TrackGroup], active: &mut [ActiveGroup], mut state: &[u8]) {
    for (group, active) in groups.iter().zip(active) {
        for (lane, bits) in group.bits.iter().enumerate().filter(|(_, bits)| bits.bytes() > 0) {
            let Some(([a, b, c, d], rest)) = state.split_first_chunk::<4>() else { return };
            let (start, codes) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
            let mut keys = [[0; 3]; 4];
            state = rest;
            for key in &mut keys {
                *key = bits.unpack(state);
                state = state.get(bits.bytes()..).unwrap_or_default();
            }
            active.set_track(lane, start, Codes(codes), keys);
        }
    }
}

/// Writes one channel of eight bones, whose numbers are those of a part of the clip. Lanes without a
/// track have ranges of 0, so they stay as they are.
#[inline]
fn write_group(group: &TrackGroup, numbers: [Lanes; 3], part: Lanes, bones: &mut BoneGroup) {
    let [x, y, z] = numbers;
    match group.channel {
        Channel::Rotation => {
            let square = x * x + y * y + z * z;
            let inverse = Lanes::ONE / (Lanes::ONE + square);
            let twice = inverse + inverse;
            let turn = [x * twice, y * twice, z * twice, (Lanes::ONE - square) * inverse];
            bones.rotation = multiply(&bones.rotation, &turn);
        }
        Channel::Position => {
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
