//! The buffer: blocks and holes, one after the other, and the lists of holes by size.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::Allocator;

use super::bins::{Bins, NIL, class_from, class_of};
use crate::arrays::array::Array;
use crate::error::GrowError;

#[cfg(test)]
mod tests;

/// Bytes of a header, and what lengths are multiples of.
pub(super) const GRANULE: usize = size_of::<Header>();

/// Bytes that the buffer is a multiple of, and aligned to.
pub(super) const LINE: usize = size_of::<Line>();

/// Granules of a line.
const PER_LINE: usize = LINE / GRANULE;

/// As many lines as granules can be counted of, the upper bit of the count being taken.
const LINES_MAX: usize = (HOLE as usize / PER_LINE) - 1;

/// The bit of `Header::granules` that distinguishes a hole from a block.
const HOLE: u32 = 1 << 31;

/// How many holes are tried that may or may not fit, before a larger class is taken or the buffer
/// grows.
const TRIES: u32 = 4;

/// What the buffer consists of.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

// SAFETY: an array of bytes as long as the alignment, so there is no padding, and zeros are a
// value.
unsafe impl Zeroable for Line {}
// SAFETY: as above, and all bits are values.
unsafe impl Pod for Line {}

/// What is before each block and in each hole.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Header {
    /// Length, this header included, and the bit `HOLE`.
    granules: u32,
    /// Length of what is before; 0 for the first.
    before: u32,
    /// Of a block the bits of its id, lower half first; of a hole the next one in its list and the
    /// one before.
    links: [u32; 2],
}

// SAFETY: integers of 16 bytes, which is the alignment, so there is no padding, and zeros are a
// value.
unsafe impl Zeroable for Header {}
// SAFETY: as above, and all bits are values.
unsafe impl Pod for Header {}

impl Header {
    /// Returns the length.
    #[inline]
    pub(super) const fn granules(self) -> u32 {
        self.granules & !HOLE
    }

    /// Returns the length of what is before.
    #[inline]
    pub(super) const fn before(self) -> u32 {
        self.before
    }

    #[inline]
    pub(super) const fn is_hole(self) -> bool {
        self.granules & HOLE != 0
    }

    /// Returns the id's bits in a block's header.
    #[inline]
    pub(super) const fn owner(self) -> u64 {
        self.links[0] as u64 | (self.links[1] as u64) << 32
    }
}

/// Blocks and holes in one buffer.
///
/// # Invariants
///
/// 1. From granule 0 on headers lead from one to the next by their lengths, and to the buffer's
///    end; each has the length of the one before, and `last` is the last one.
/// 2. No two holes are neighbours.
/// 3. Each hole is in the list of its class and nowhere else; `holes` and `hole_granules` count
///    them.
/// 4. `low` and `passed` are the start of a block or hole, or at or beyond the end. Holes below
///    both are those that compaction could not close.
pub(super) struct Space<'a, A: Allocator + ?Sized> {
    lines: Array<'a, Line, A>,
    bins: Bins,
    last: u32,
    holes: u32,
    hole_granules: u32,
    /// Where compaction continues.
    pub(super) low: u32,
    /// The first hole that it passed over for want of budget.
    pub(super) passed: u32,
}

impl<'a, A: Allocator + ?Sized> Space<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self {
            lines: Array::new_in(memory),
            bins: Bins::new(),
            last: 0,
            holes: 0,
            hole_granules: 0,
            low: 0,
            passed: NIL,
        }
    }

    pub(super) const fn memory(&self) -> &'a A {
        self.lines.memory()
    }

    /// Returns the buffer's length in granules.
    #[inline]
    pub(super) fn end(&self) -> u32 {
        (self.lines.len() * PER_LINE) as u32
    }

    pub(super) const fn holes(&self) -> u32 {
        self.holes
    }

    pub(super) const fn hole_granules(&self) -> u32 {
        self.hole_granules
    }

    pub(super) const fn bins(&self) -> &Bins {
        &self.bins
    }

    pub(super) const fn last(&self) -> u32 {
        self.last
    }

    #[inline]
    pub(super) fn header(&self, at: u32) -> Header {
        self.headers()[at as usize]
    }

    #[inline]
    pub(super) fn set_owner(&mut self, at: u32, id: u64) {
        self.headers_mut()[at as usize].links = [id as u32, (id >> 32) as u32];
    }

    #[inline]
    pub(super) fn bytes(&self, at: u32, bytes: u32) -> &[u8] {
        let start = (at as usize + 1) * GRANULE;
        &bytemuck::cast_slice(&self.lines)[start..start + bytes as usize]
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self, at: u32, bytes: u32) -> &mut [u8] {
        let start = (at as usize + 1) * GRANULE;
        &mut bytemuck::cast_slice_mut(&mut self.lines)[start..start + bytes as usize]
    }

    /// Returns the next hole in the list of a hole.
    #[inline]
    pub(super) fn next_hole(&self, hole: u32) -> u32 {
        self.header(hole).links[0]
    }

    /// Returns the hole before a hole in its list.
    pub(super) fn hole_before(&self, hole: u32) -> u32 {
        self.header(hole).links[1]
    }

    /// Returns the length of the hole that the buffer ends in, or 0.
    pub(super) fn tail_hole(&self) -> u32 {
        if self.end() == 0 {
            return 0;
        }
        let tail = self.header(self.last);
        if tail.is_hole() { tail.granules() } else { 0 }
    }

    /// Returns the length of the largest hole, or 0.
    pub(super) fn largest_hole(&self) -> u32 {
        let Some(class) = self.bins.largest() else { return 0 };
        let listed = |hole: u32| (hole != NIL).then_some(hole);
        let first = listed(self.bins.first(class));
        let holes = core::iter::successors(first, |hole| listed(self.next_hole(*hole)));
        holes.map(|hole| self.header(hole).granules()).max().unwrap_or(0)
    }

    /// Lets compaction look at the hole before a block again, if there is one.
    pub(super) fn hole_before_may_close(&mut self, at: u32) {
        let before = self.header(at).before;
        if before > 0 && self.header(at - before).is_hole() {
            self.low = self.low.min(at - before);
        }
    }

    /// Copies bytes from one block to another.
    pub(super) fn copy(&mut self, from: u32, to: u32, bytes: u32) {
        let start = |at: u32| (at as usize + 1) * GRANULE;
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.lines);
        all.copy_within(start(from)..start(from) + bytes as usize, start(to));
    }

    /// Takes a block of the given number of granules, what follows its header aligned to `align`
    /// granules: from a hole of the least class in which all are large enough, or from one of the
    /// first few of its own class.
    #[inline]
    pub(super) fn take(&mut self, granules: u32, align: u32) -> Option<u32> {
        let most = granules + (align - 1);
        let own = class_of(granules);
        let sure = class_from(most);
        if own < sure
            && let Some(hole) = self.find_in(own, granules, align, TRIES)
        {
            return Some(self.take_from(hole, granules, align));
        }
        let class = self.bins.next(sure)?;
        Some(self.take_from(self.bins.first(class), granules, align))
    }

    /// Takes a block as [`take`](Self::take) does, having looked at every hole that may be large
    /// enough.
    pub(super) fn take_thoroughly(&mut self, granules: u32, align: u32) -> Option<u32> {
        let mut class = class_of(granules);
        loop {
            class = self.bins.next(class)?;
            if let Some(hole) = self.find_in(class, granules, align, u32::MAX) {
                return Some(self.take_from(hole, granules, align));
            }
            class += 1;
        }
    }

    /// Looks for a hole that is large enough among the first `tries` of a class.
    #[inline]
    fn find_in(&self, class: usize, granules: u32, align: u32, tries: u32) -> Option<u32> {
        let mut hole = self.bins.first(class);
        for _ in 0..tries {
            if hole == NIL {
                return None;
            }
            let front = place_in(hole, align) - hole;
            if self.header(hole).granules() >= front + granules {
                return Some(hole);
            }
            hole = self.next_hole(hole);
        }
        None
    }

    /// Takes a block out of a hole that is large enough; what is left before and after it stays a
    /// hole.
    #[inline]
    fn take_from(&mut self, hole: u32, granules: u32, align: u32) -> u32 {
        let header = self.header(hole);
        let at = place_in(hole, align);
        let front = at - hole;
        let back = header.granules() - front - granules;
        self.unlist(hole, header);
        let mut before = header.before;
        if front > 0 {
            self.put_hole(hole, front, before);
            before = front;
        }
        self.put(at, granules, before);
        if back > 0 {
            self.put_hole(at + granules, back, granules);
        }
        at
    }

    /// Makes a hole of a block, one with the holes on both sides.
    #[inline]
    pub(super) fn give(&mut self, at: u32) {
        let Header { granules, before, .. } = self.header(at);
        self.give_run(at, granules, before);
    }

    /// Makes a hole of granules that were a block or its end.
    #[inline]
    pub(super) fn give_run(&mut self, at: u32, granules: u32, before: u32) {
        let (mut start, mut length, mut start_before) = (at, granules, before);
        let next = at + granules;
        if next < self.end() {
            let header = self.header(next);
            if header.is_hole() {
                self.unlist(next, header);
                length += header.granules();
            }
        }
        if before > 0 {
            let header = self.header(at - before);
            if header.is_hole() {
                self.unlist(at - before, header);
                start = at - before;
                length += before;
                start_before = header.before;
            }
        }
        self.put_hole(start, length, start_before);
    }

    /// Cuts a block off after `granules` granules; the rest becomes a hole.
    pub(super) fn cut(&mut self, at: u32, granules: u32) {
        let header = self.header(at);
        let rest = header.granules() - granules;
        if rest > 0 {
            self.headers_mut()[at as usize].granules = granules;
            self.give_run(at + granules, rest, granules);
        }
    }

    /// Lengthens a block into the hole after it, if there is one that is long enough.
    pub(super) fn stretch(&mut self, at: u32, granules: u32) -> bool {
        let header = self.header(at);
        let next = at + header.granules();
        if next >= self.end() {
            return false;
        }
        let behind = self.header(next);
        let both = header.granules() + behind.granules();
        if !behind.is_hole() || both < granules {
            return false;
        }
        self.unlist(next, behind);
        self.put(at, granules, header.before);
        self.set_owner(at, header.owner());
        if both > granules {
            self.put_hole(at + granules, both - granules, granules);
        }
        true
    }

    /// Returns `true` if the block after a hole can move down with its alignment.
    pub(super) fn can_slide(&self, hole: u32, align: u32) -> bool {
        place_in(hole, align) < hole + self.header(hole).granules()
    }

    /// Moves the block after a hole, which [can move down](Self::can_slide), into the hole, and
    /// returns its new place.
    pub(super) fn slide(&mut self, hole: u32, align: u32) -> u32 {
        let header = self.header(hole);
        let from = hole + header.granules();
        let block = self.header(from);
        let to = place_in(hole, align);
        let (front, granules) = (to - hole, block.granules());
        self.unlist(hole, header);
        self.headers_mut().copy_within(from as usize..(from + granules) as usize, to as usize);
        let mut before = header.before;
        if front > 0 {
            self.put_hole(hole, front, before);
            before = front;
        }
        self.put(to, granules, before);
        self.set_owner(to, block.owner());
        // What is left of the hole follows the block, where another may begin.
        self.give_run(to + granules, from - to, granules);
        to
    }

    /// Makes the buffer longer by `more` granules at least, and as long as the allocator grants.
    /// They are one hole with that at the end, if there is one.
    pub(super) fn grow(&mut self, more: usize) -> Result<(), GrowError> {
        let lines = more.div_ceil(PER_LINE);
        let wanted = self.lines.len().saturating_add(lines);
        if wanted > LINES_MAX {
            let bytes = |lines: usize| (lines as u64).saturating_mul(LINE as u64);
            return Err(GrowError::Length { wanted: bytes(wanted), limit: bytes(LINES_MAX) });
        }
        self.lines.try_reserve(lines)?;
        let old = self.end();
        self.lines.try_resize(self.lines.capacity().min(LINES_MAX), Line::zeroed())?;
        let added = self.end() - old;
        if added > 0 {
            let before = if old == 0 { 0 } else { old - self.last };
            self.give_run(old, added, before);
        }
        Ok(())
    }

    /// Replaces the buffer with one that ends after the last block.
    pub(super) fn shrink(&mut self) -> Result<(), GrowError> {
        let start = self.end() - self.tail_hole();
        let lines = (start as usize).div_ceil(PER_LINE);
        if lines == self.lines.len() {
            return Ok(());
        }
        let mut shorter = Array::try_with_capacity_in(lines, self.memory())?;
        let tail = self.header(self.last);
        // Before the copy: holes that stay may be linked with this one, which does not.
        self.unlist(self.last, tail);
        shorter.try_extend_from_slice(&self.lines[..lines])?;
        self.lines = shorter;
        self.last = start - tail.before;
        let rest = self.end() - start;
        if rest > 0 {
            self.put_hole(start, rest, tail.before);
        }
        Ok(())
    }

    /// Writes the header of a block, without its owner.
    #[inline]
    fn put(&mut self, at: u32, granules: u32, before: u32) {
        self.put_header(at, Header { granules, before, links: [0; 2] });
    }

    /// Writes the header of a hole and puts it first in the list of its class.
    #[inline]
    fn put_hole(&mut self, at: u32, granules: u32, before: u32) {
        let class = class_of(granules);
        let next = self.bins.first(class);
        self.bins.set_first(class, at);
        if next != NIL {
            self.headers_mut()[next as usize].links[1] = at;
        }
        self.holes += 1;
        self.hole_granules += granules;
        self.low = self.low.min(at);
        self.put_header(at, Header { granules: granules | HOLE, before, links: [next, NIL] });
    }

    /// Removes a hole from the list of its class. Its header remains until another is written.
    #[inline]
    fn unlist(&mut self, at: u32, header: Header) {
        let [next, before] = header.links;
        if before == NIL {
            self.bins.set_first(class_of(header.granules()), next);
        } else {
            self.headers_mut()[before as usize].links[0] = next;
        }
        if next != NIL {
            self.headers_mut()[next as usize].links[1] = before;
        }
        debug_assert!(self.header(at).is_hole(), "granule {at} is no hole's");
        self.holes -= 1;
        self.hole_granules -= header.granules();
    }

    /// Writes a header, says what follows of its length, and keeps the marks of compaction on
    /// headers.
    #[inline]
    fn put_header(&mut self, at: u32, header: Header) {
        let length = header.granules();
        let next = at + length;
        let end = self.end();
        let headers = self.headers_mut();
        headers[at as usize] = header;
        if next < end {
            headers[next as usize].before = length;
        } else {
            self.last = at;
        }
        for mark in [&mut self.low, &mut self.passed] {
            if *mark > at && *mark < next {
                *mark = at;
            }
        }
    }

    #[inline]
    fn headers(&self) -> &[Header] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline]
    fn headers_mut(&mut self) -> &mut [Header] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }
}

/// Returns where in a hole a block's header goes, so that what follows it is aligned.
#[inline]
const fn place_in(hole: u32, align: u32) -> u32 {
    (hole + 1).next_multiple_of(align) - 1
}
