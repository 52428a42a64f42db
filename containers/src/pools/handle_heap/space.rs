//! The buffer: blocks and holes, one after the other, and the lists of holes by size.

use loligo_allocators::Allocator;

use super::bins::{Bins, NIL, class_from, class_of};
use super::resting::Resting;
use crate::arrays::array::Array;

mod moves;
mod part;
mod rest;
#[cfg(test)]
mod tests;

pub(super) use part::{GRANULE, Header, LINE, PARTS_JOINED};

use part::{HOLE, Part, granule_of, note, part_of, start_of};

/// How many holes are tried that may or may not fit, before a larger class is taken or the buffer
/// grows.
const TRIES: u32 = 4;

/// Blocks and holes in a buffer of several parts. A part never moves while something in it is
/// pinned, as the buffer gets longer by a part and not by a copy.
///
/// A place is the number of a part in the upper bits and of a granule in the lower ones, so that
/// places of a part that follow one another are numbers that do.
///
/// # Invariants
///
/// 1. From the first granule of a part on headers lead from one to the next by their lengths, and
///    to the part's end; each has the length of the one before, and `last` is the last one.
/// 2. No two holes are neighbours.
/// 3. Each hole is in the list of its class and nowhere else; `holes` and `hole_granules` count
///    them.
/// 4. What rests is in the list of its length and nowhere else.
/// 5. `low` and `passed` are the start of a block or hole, or at or beyond the end of a part. Holes
///    below both are those that compaction could not close.
pub(super) struct Space<'a, A: Allocator + ?Sized> {
    parts: Array<'a, Part<'a, A>, A>,
    bins: Bins,
    resting: Resting,
    holes: u32,
    hole_granules: u64,
    /// Where compaction continues.
    pub(super) low: u32,
    /// The first hole that it passed over for want of budget.
    pub(super) passed: u32,
}

impl<'a, A: Allocator + ?Sized> Space<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self {
            parts: Array::new_in(memory),
            bins: Bins::new(),
            resting: Resting::new(),
            holes: 0,
            hole_granules: 0,
            low: 0,
            passed: NIL,
        }
    }

    pub(super) const fn memory(&self) -> &'a A {
        self.parts.memory()
    }

    /// Returns the buffer's length in granules.
    pub(super) fn granules(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.len())).sum()
    }

    /// Returns the places where each part begins and ends.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&*self.parts).map(|(part, it)| (start_of(part), start_of(part) + it.len()))
    }

    /// Returns the place at which a part ends, or its start if there is none: `at` is in it.
    #[inline]
    pub(super) fn end_of(&self, at: u32) -> u32 {
        let part = part_of(at);
        start_of(part) + self.parts.get(part).map_or(0, Part::len)
    }

    /// Returns the bit of the part of a place, of 32.
    pub(super) const fn part_bit(&self, at: u32) -> u32 {
        1 << part_of(at)
    }

    /// Returns a place, or the start of the next part if it is the end of one; `None` if none
    /// follows.
    pub(super) fn place_at(&self, at: u32) -> Option<u32> {
        if at < self.end_of(at) {
            return Some(at);
        }
        self.parts()
            .map(|(start, _)| start)
            .find(|start| *start > at && self.end_of(*start) > *start)
    }

    pub(super) const fn holes(&self) -> u32 {
        self.holes
    }

    pub(super) const fn hole_granules(&self) -> u64 {
        self.hole_granules
    }

    pub(super) const fn resting(&self) -> &Resting {
        &self.resting
    }

    pub(super) const fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Returns the last header of the part that a place is in.
    pub(super) fn last(&self, at: u32) -> u32 {
        self.parts[part_of(at)].last
    }

    #[inline]
    pub(super) fn header(&self, at: u32) -> Header {
        self.parts[part_of(at)].headers()[granule_of(at)]
    }

    #[inline]
    fn header_mut(&mut self, at: u32) -> &mut Header {
        &mut self.parts[part_of(at)].headers_mut()[granule_of(at)]
    }

    /// Writes into a block's header whose it is, and how many bytes it has, aligned to `align`
    /// granules.
    #[inline]
    pub(super) fn set_owner(&mut self, at: u32, slot: u32, bytes: u32, align: u32) {
        self.header_mut(at).links = [slot, note(bytes, align, 0)];
    }

    /// Changes the number of bytes of a block, for which its granules do.
    pub(super) fn set_bytes(&mut self, at: u32, bytes: u32) {
        let header = self.header_mut(at);
        header.links[1] = note(bytes, header.align(), header.pins());
    }

    pub(super) fn set_pins(&mut self, at: u32, pins: u16) {
        let header = self.header_mut(at);
        header.links[1] = note(header.bytes(), header.align(), pins);
    }

    #[inline]
    pub(super) fn bytes(&self, at: u32) -> &[u8] {
        let (start, bytes) = ((granule_of(at) + 1) * GRANULE, self.header(at).bytes());
        &self.parts[part_of(at)].bytes()[start..start + bytes as usize]
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self, at: u32) -> &mut [u8] {
        let (start, bytes) = ((granule_of(at) + 1) * GRANULE, self.header(at).bytes());
        &mut self.parts[part_of(at)].bytes_mut()[start..start + bytes as usize]
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

    /// Returns the length of the holes that parts end in, together.
    pub(super) fn tail_holes(&self) -> u64 {
        let parts = self.parts.iter().filter(|part| part.len() > 0);
        let tails = parts.map(|part| self.header(part.last));
        let holes = tails.filter(|tail| tail.is_hole() || tail.rests());
        holes.map(|tail| u64::from(tail.granules())).sum()
    }

    /// Returns the length of the largest hole, or 0.
    pub(super) fn largest_hole(&self) -> u32 {
        let rests = self.resting.longest();
        let Some(class) = self.bins.largest() else { return rests };
        let listed = |hole: u32| (hole != NIL).then_some(hole);
        let first = listed(self.bins.first(class));
        let holes = core::iter::successors(first, |hole| listed(self.next_hole(*hole)));
        holes.map(|hole| self.header(hole).granules()).fold(rests, u32::max)
    }

    /// Lets compaction look at the hole before a block again, if there is one; before the first
    /// block of a part that is the one in which a part before it ends.
    pub(super) fn hole_before_may_close(&mut self, at: u32) {
        let before = self.header(at).before;
        let hole = if before > 0 {
            at - before
        } else {
            let earlier = self.parts[..part_of(at)].iter().rev().find(|part| part.len() > 0);
            let Some(part) = earlier else { return };
            part.last
        };
        let header = self.header(hole);
        if header.is_hole() || header.rests() {
            self.low = self.low.min(hole);
        }
    }

    /// Takes a block of the given number of granules, what follows its header aligned to `align`
    /// granules: one that rests, else from a hole of the least class in which all are large enough,
    /// or from one of the first few of its own class.
    #[inline]
    pub(super) fn take(&mut self, granules: u32, align: u32) -> Option<u32> {
        if let Some(rested) = self.wake(granules, align) {
            return Some(rested);
        }
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
        // Whose it is follows.
        self.put(at, granules, before, [0; 2]);
        if back > 0 {
            self.put_hole(at + granules, back, granules);
        }
        at
    }

    /// Makes a hole of a block, one with the holes on both sides, and returns where it begins.
    #[inline]
    pub(super) fn give(&mut self, at: u32) -> u32 {
        let Header { granules, before, .. } = self.header(at);
        self.give_run(at, granules, before)
    }

    /// Makes a hole of granules that were a block or its end, and returns where it begins.
    #[inline]
    pub(super) fn give_run(&mut self, at: u32, granules: u32, before: u32) -> u32 {
        let (mut start, mut length, mut start_before) = (at, granules, before);
        let next = at + granules;
        if next < self.end_of(at) {
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
        start
    }

    /// Cuts a block off after `granules` granules; the rest becomes a hole.
    pub(super) fn cut(&mut self, at: u32, granules: u32) {
        let header = self.header(at);
        let rest = header.granules() - granules;
        if rest > 0 {
            self.header_mut(at).granules = granules;
            self.give_run(at + granules, rest, granules);
        }
    }

    /// Lengthens a block into the hole after it, if there is one that is long enough.
    pub(super) fn stretch(&mut self, at: u32, granules: u32) -> bool {
        let header = self.header(at);
        let next = at + header.granules();
        if next >= self.end_of(at) {
            return false;
        }
        if self.header(next).rests() {
            self.end_rest(next);
        }
        let behind = self.header(next);
        let both = header.granules() + behind.granules();
        if !behind.is_hole() || both < granules {
            return false;
        }
        self.unlist(next, behind);
        self.put(at, granules, header.before, header.links);
        if both > granules {
            self.put_hole(at + granules, both - granules, granules);
        }
        true
    }

    /// Writes the header of a block.
    #[inline]
    fn put(&mut self, at: u32, granules: u32, before: u32, links: [u32; 2]) {
        self.put_header(at, Header { granules, before, links });
    }

    /// Writes the header of a hole and puts it first in the list of its class.
    #[inline]
    fn put_hole(&mut self, at: u32, granules: u32, before: u32) {
        let class = class_of(granules);
        let next = self.bins.first(class);
        self.bins.set_first(class, at);
        if next != NIL {
            self.header_mut(next).links[1] = at;
        }
        self.holes += 1;
        self.hole_granules += u64::from(granules);
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
            self.header_mut(before).links[0] = next;
        }
        if next != NIL {
            self.header_mut(next).links[1] = before;
        }
        debug_assert!(self.header(at).is_hole(), "granule {at} is no hole's");
        self.holes -= 1;
        self.hole_granules -= u64::from(header.granules());
    }

    /// Writes a header, says what follows of its length, and keeps the marks of compaction on
    /// headers.
    #[inline]
    fn put_header(&mut self, at: u32, header: Header) {
        let length = header.granules();
        let next = at + length;
        let part = &mut self.parts[part_of(at)];
        let headers = part.headers_mut();
        let first = granule_of(at);
        headers[first] = header;
        match headers.get_mut(first + length as usize) {
            Some(next) => next.before = length,
            None => part.last = at,
        }
        for mark in [&mut self.low, &mut self.passed] {
            if *mark > at && *mark < next {
                *mark = at;
            }
        }
    }
}

/// Returns where in a hole a block's header goes, so that what follows it is aligned.
#[inline]
const fn place_in(hole: u32, align: u32) -> u32 {
    (hole + 1).next_multiple_of(align) - 1
}
