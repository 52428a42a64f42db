//! Active keys of a clip at every few frames, from which any frame is near.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::active_group::ActiveGroup;
use super::key_rows::KeyRows;
use crate::clip::Cursor;

/// What taking the keys of a restart point costs, in frames.
const COST: u32 = 1;

/// The active keys of a clip, as a player has them, at every few frames.
///
/// # Memory
///
/// For each point, 256 bytes for eight bones of a channel that moves, and 20; or all keys of a dense clip.
pub(crate) struct RestartPoints<'a, A: Allocator + ?Sized> {
    /// The frames from one to the next; 0 where there are none.
    every: u32,
    cursors: Array<'a, Cursor, A>,
    active: Array<'a, ActiveGroup, A>,
    /// All keys in place of points, of a dense clip.
    pub(super) rows: Option<KeyRows<'a, A>>,
}

impl<'a, A: Allocator + ?Sized> RestartPoints<'a, A> {
    /// None.
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { every: 0, cursors: Array::new_in(memory), active: Array::new_in(memory), rows: None }
    }

    /// Makes room for points at every few frames of a clip.
    pub(super) fn try_new(
        every: u32,
        last_frame: u32,
        groups: usize,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let count = (last_frame / every + 1) as usize;
        Ok(Self {
            every,
            cursors: Array::try_with_capacity_in(count, memory)?,
            active: Array::try_with_capacity_in(count.saturating_mul(groups), memory)?,
            rows: None,
        })
    }

    /// Adds the next point.
    pub(super) fn try_push(
        &mut self,
        active: &[ActiveGroup],
        cursor: Cursor,
    ) -> Result<(), GrowError> {
        self.active.try_extend_from_slice(active)?;
        self.cursors.try_push(cursor)
    }

    /// Gives a player the keys of the point that is nearest to a frame, if that is nearer than the player
    /// is. `ahead` is how many frames the cursor of a player is past its frame.
    #[inline]
    pub(super) fn leap(
        &self,
        active: &mut [ActiveGroup],
        cursor: &mut Cursor,
        frame: f32,
        ahead: u32,
    ) {
        if self.every == 0 {
            return;
        }
        let wanted = frame as u32;
        let own = cursor.frame.abs_diff(wanted + ahead);
        if own <= COST {
            return;
        }
        let point = ((wanted + self.every / 2) / self.every) as usize;
        let point = point.min(self.cursors.len() - 1);
        let found = self.cursors[point];
        if found.frame.abs_diff(wanted + ahead) + COST < own {
            *cursor = found;
            let groups = active.len();
            active.copy_from_slice(&self.active[point * groups..(point + 1) * groups]);
        }
    }

    /// Returns the bytes of all.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.rows.as_ref().map_or(0, KeyRows::bytes);
        size_of_val(&*self.cursors) + size_of_val(&*self.active) + rows
    }
}
