//! Players of any of some clips.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::active_group::ActiveGroup;
use super::clip_table::ClipTable;
use super::players::write_pose;
use crate::clip::Cursor;
use crate::pose::BoneGroup;

/// The clip of a player that has played none.
const NO_CLIP: u16 = u16::MAX;

/// Players, each of which plays one clip after another, with room for the one with the most tracks.
///
/// # Memory
///
/// 256 bytes for eight bones of a channel that moves in the clip with most of them, and 28 for each.
pub(crate) struct PlayerPool<'a> {
    active: Array<'a, ActiveGroup>,
    cursors: Array<'a, Cursor>,
    /// The clip, and the frame at which it was sampled last.
    places: Array<'a, (u16, f32)>,
    groups: usize,
}

impl<'a> PlayerPool<'a> {
    /// Makes players that have played none.
    pub(crate) fn try_new(
        count: usize,
        groups: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        let mut pool = Self {
            active: Array::try_with_capacity(count.saturating_mul(groups), memory)?,
            cursors: Array::try_with_capacity(count, memory)?,
            places: Array::try_with_capacity(count, memory)?,
            groups,
        };
        pool.try_resize(count)?;
        Ok(pool)
    }

    /// Sets how many players there are. If there is no memory, nothing changes.
    pub(crate) fn try_resize(&mut self, count: usize) -> Result<(), GrowError> {
        let more = count.saturating_sub(self.places.len());
        self.active.try_reserve(more.saturating_mul(self.groups))?;
        self.cursors.try_reserve(more)?;
        self.places.try_reserve(more)?;
        self.active.try_resize(count * self.groups, ActiveGroup::EMPTY)?;
        self.cursors.try_resize(count, Cursor::default())?;
        self.places.try_resize(count, (NO_CLIP, 0.0))
    }

    /// Returns the clip that a player plays, and the frame at which it was sampled last.
    pub(crate) fn place(&self, player: usize) -> Option<(u16, f32)> {
        Some(self.places[player]).filter(|(clip, _)| *clip != NO_CLIP)
    }

    /// Copies a player over another one.
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        let groups = self.groups;
        self.active.copy_within(from * groups..(from + 1) * groups, to * groups);
        self.cursors[to] = self.cursors[from];
        self.places[to] = self.places[from];
    }

    /// Writes the pose of a clip at a frame. A player that has played another clip begins with this one.
    pub(crate) fn sample(
        &mut self,
        player: usize,
        (number, table): (u16, &ClipTable<'_, '_>),
        frame: f32,
        pose: &mut [BoneGroup],
    ) {
        let groups = table.group_count();
        assert!(groups <= self.groups, "{groups} groups in a player of {}", self.groups);
        let active = &mut self.active[player * self.groups..][..groups];
        if self.places[player].0 != number {
            active.fill(ActiveGroup::EMPTY);
            self.cursors[player] = Cursor::default();
        }
        self.places[player] = (number, frame);
        write_pose(table, active, &mut self.cursors[player], frame, pose);
    }
}
