//! All keys of a dense clip, from which any frame is as near as the next one.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::active_group::{ActiveGroup, KeyRow};
use crate::clip::Cursor;

/// The keys of all frames of a dense clip, and where the differences of each frame end.
///
/// # Memory
///
/// For each frame, 48 bytes for eight bones of a channel that moves, and 4.
pub(super) struct KeyRows<'a, A: Allocator + ?Sized> {
    rows: Array<'a, KeyRow, A>,
    ends: Array<'a, u32, A>,
}

impl<'a, A: Allocator + ?Sized> KeyRows<'a, A> {
    /// Makes room for a clip.
    pub(super) fn try_new(
        last_frame: u32,
        groups: usize,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let frames = last_frame as usize + 1;
        Ok(Self {
            rows: Array::try_with_capacity_in(frames.saturating_mul(groups), memory)?,
            ends: Array::try_with_capacity_in(frames, memory)?,
        })
    }

    /// Adds the next frame: one of the keys that a player has, and where its differences end.
    pub(super) fn try_push(
        &mut self,
        active: &[ActiveGroup],
        key: usize,
        end: u32,
    ) -> Result<(), GrowError> {
        for group in active {
            self.rows.try_push(group.row(key))?;
        }
        self.ends.try_push(end)
    }

    /// Brings a player to an interval. `ahead` is how many frames its cursor is past it.
    #[inline]
    pub(super) fn seek(
        &self,
        active: &mut [ActiveGroup],
        cursor: &mut Cursor,
        interval: u32,
        ahead: u32,
    ) {
        let frame = interval + ahead;
        if cursor.frame == frame {
            return;
        }
        let last = self.ends.len() - 1;
        let interval = interval as usize;
        // At the ends a key is there twice.
        let frames = [interval.saturating_sub(1), interval, interval + 1, interval + 2];
        let frames = frames.map(|frame| frame.min(last));
        let groups = active.len();
        for (at, group) in active.iter_mut().enumerate() {
            group.set_rows(frames.map(|frame| self.rows[frame * groups + at]));
        }
        let [_, mask, step, value] = frames.map(|frame| self.ends[frame]);
        *cursor = Cursor { frame, round: 0, mask, step, value };
    }

    /// Returns the bytes of all.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.ends)
    }
}
