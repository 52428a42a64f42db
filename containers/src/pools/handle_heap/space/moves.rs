//! Blocks that move, and a buffer that gets longer or shorter.

use bytemuck::Zeroable;
use loligo_allocators::Allocator;

use super::part::{GRANULE, LINE, LINES_MAX, Line, PARTS_MAX, PER_LINE, Part};
use super::part::{granule_of, part_of, start_of};
use super::{Space, place_in};
use crate::arrays::array::Array;
use crate::error::GrowError;

/// The least that a part is long that comes by growth, in lines.
const LINES_MIN: usize = 64;

impl<A: Allocator + ?Sized> Space<'_, A> {
    /// Copies bytes from one block to another.
    pub(in super::super) fn copy(&mut self, from: u32, to: u32, bytes: u32) {
        let range = |at: u32| {
            let start = (granule_of(at) + 1) * GRANULE;
            start..start + bytes as usize
        };
        let (source, target) = (part_of(from), part_of(to));
        if source == target {
            self.parts[source].bytes_mut().copy_within(range(from), range(to).start);
        } else if let Ok([source, target]) = self.parts.get_disjoint_mut([source, target]) {
            target.bytes_mut()[range(to)].copy_from_slice(&source.bytes()[range(from)]);
        }
    }

    /// Returns `true` if the block after a hole can move down with its alignment.
    pub(in super::super) fn can_slide(&self, hole: u32, align: u32) -> bool {
        place_in(hole, align) < hole + self.header(hole).granules()
    }

    /// Returns `true` if a block fits a hole.
    pub(in super::super) fn fits(&self, hole: u32, granules: u32, align: u32) -> bool {
        place_in(hole, align) - hole + granules <= self.header(hole).granules()
    }

    /// Moves the block after a hole, which [can move down](Self::can_slide), into the hole, and
    /// returns its new place.
    pub(in super::super) fn slide(&mut self, hole: u32, align: u32) -> u32 {
        let header = self.header(hole);
        let from = hole + header.granules();
        let block = self.header(from);
        let to = place_in(hole, align);
        let (front, granules) = (to - hole, block.granules());
        self.unlist(hole, header);
        let moved = granule_of(from)..granule_of(from) + granules as usize;
        self.parts[part_of(hole)].headers_mut().copy_within(moved, granule_of(to));
        let mut before = header.before;
        if front > 0 {
            self.put_hole(hole, front, before);
            before = front;
        }
        self.put(to, granules, before, block.links);
        // What is left of the hole follows the block, where another may begin.
        self.give_run(to + granules, from - to, granules);
        to
    }

    /// Moves a block into a hole of another part, which it [fits](Self::fits), and returns its new
    /// place.
    pub(in super::super) fn move_into(&mut self, hole: u32, block: u32, align: u32) -> u32 {
        let header = self.header(block);
        let to = self.take_from(hole, header.granules(), align);
        self.copy(block, to, (header.granules() - 1) * GRANULE as u32);
        self.header_mut(to).links = header.links;
        self.give(block);
        to
    }

    /// Adds a part with a hole for `granules` granules, and as long as all others where there is
    /// memory for that. Nothing moves.
    pub(in super::super) fn grow(&mut self, granules: usize) -> Result<(), GrowError> {
        let as_all = self.granules() as usize / PER_LINE;
        self.add_part(granules.div_ceil(PER_LINE), as_all.max(LINES_MIN))
    }

    /// Adds a part that is one hole, of no more lines than these granules need.
    pub(in super::super) fn reserve(&mut self, granules: usize) -> Result<(), GrowError> {
        let lines = granules.div_ceil(PER_LINE);
        if lines == 0 { Ok(()) } else { self.add_part(lines, lines) }
    }

    fn add_part(&mut self, needed: usize, wished: usize) -> Result<(), GrowError> {
        let part = self.parts.iter().position(|part| part.len() == 0).unwrap_or(self.parts.len());
        if needed > LINES_MAX || part >= PARTS_MAX {
            let wanted = (needed as u64).saturating_mul(LINE as u64);
            let all_parts = self.granules() * GRANULE as u64;
            let limit = if part >= PARTS_MAX { all_parts } else { LINES_MAX as u64 * LINE as u64 };
            return Err(GrowError::Length { wanted, limit });
        }
        if part == self.parts.len() {
            self.parts.try_reserve(1)?;
        }
        let memory = self.memory();
        let lines = Array::try_with_capacity_in(wished.clamp(needed, LINES_MAX), memory);
        let mut lines = lines.or_else(|_| Array::try_with_capacity_in(needed, memory))?;
        lines.try_resize(lines.capacity().min(LINES_MAX), Line::zeroed())?;
        let start = start_of(part);
        let added = Part { lines, last: start };
        let len = added.len();
        match self.parts.get_mut(part) {
            Some(empty) => *empty = added,
            None => self.parts.try_push(added)?,
        }
        self.put_hole(start, len, 0);
        Ok(())
    }

    /// Lengthens the first part in which no block is pinned by the lines of all such parts after it,
    /// and returns its start; nothing where there are none, no memory, or more lines than a part
    /// may have.
    pub(in super::super) fn lengthen(&mut self, held: u32) -> Option<u32> {
        let is_loose = |part: &usize| held & 1 << part == 0 && self.parts[*part].len() > 0;
        let mut loose = (0..self.parts.len()).filter(is_loose);
        let part = loose.next()?;
        let more: usize = loose.map(|part| self.parts[part].lines.len()).sum();
        let old = &self.parts[part].lines;
        if more == 0 || old.len() + more > LINES_MAX {
            return None;
        }
        let mut longer = Array::try_with_capacity_in(old.len() + more, self.memory()).ok()?;
        // There is room for them.
        longer.try_extend_from_slice(old).ok()?;
        longer.try_resize(old.len() + more, Line::zeroed()).ok()?;
        let (start, len, last) = (start_of(part), self.parts[part].len(), self.parts[part].last);
        self.parts[part].lines = longer;
        let before = self.header(last).granules();
        self.give_run(start + len, (more * PER_LINE) as u32, before);
        Some(start)
    }

    /// Gives back the parts without a block, and replaces others with ones that end after their
    /// last block, but for those whose bits are set in `held`, in which a block is pinned.
    pub(in super::super) fn shrink(&mut self, held: u32) -> Result<(), GrowError> {
        self.end_all_rest();
        for part in 0..self.parts.len() {
            if held & 1 << part == 0 {
                self.shrink_part(part)?;
            }
        }
        while self.parts.last().is_some_and(|part| part.len() == 0) {
            self.parts.pop();
        }
        if self.parts.is_empty() {
            self.parts.try_shrink_to_fit()?;
        }
        Ok(())
    }

    fn shrink_part(&mut self, part: usize) -> Result<(), GrowError> {
        let Part { lines, last } = &self.parts[part];
        let (old, last) = (lines.len(), *last);
        let end = start_of(part) + self.parts[part].len();
        if old == 0 || !self.header(last).is_hole() {
            return Ok(());
        }
        let tail = self.header(last);
        let lines = granule_of(last).div_ceil(PER_LINE);
        if lines == old {
            return Ok(());
        }
        let mut shorter = Array::new_in(self.memory());
        if lines > 0 {
            shorter = Array::try_with_capacity_in(lines, self.memory())?;
        }
        // Before the copy: holes that stay may be linked with this one, which does not.
        self.unlist(last, tail);
        // It has room for them.
        shorter.try_extend_from_slice(&self.parts[part].lines[..lines])?;
        let rest = (lines * PER_LINE) as u32 - granule_of(last) as u32;
        let last_block = if tail.before == 0 { last } else { last - tail.before };
        self.parts[part] = Part { lines: shorter, last: last_block };
        if rest > 0 {
            self.put_hole(last, rest, tail.before);
        }
        debug_assert!(end > last, "a hole has a length");
        Ok(())
    }
}
