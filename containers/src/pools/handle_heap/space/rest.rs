//! Freed blocks go to rest, and are woken or become holes.

use loligo_allocators::Allocator;

use super::Space;
use super::part::RESTS;
use crate::pools::handle_heap::bins::NIL;
use crate::pools::handle_heap::resting::LENGTHS;

impl<A: Allocator + ?Sized> Space<'_, A> {
    /// Takes a block that rests, if the first of its length is aligned to `align` granules.
    #[inline]
    pub(super) fn wake(&mut self, granules: u32, align: u32) -> Option<u32> {
        let at = self.resting.first(granules);
        if at == NIL || (at + 1) & (align - 1) != 0 {
            return None;
        }
        let header = self.header_mut(at);
        header.granules = granules;
        let next = header.links[0];
        self.resting.forget(granules);
        self.resting.set_first(granules, next);
        Some(at)
    }

    /// Lets a freed block rest, or makes a hole of it where enough of its length do.
    #[inline]
    pub(in super::super) fn rest(&mut self, at: u32) {
        let granules = self.header(at).granules;
        if !self.resting.has_room(granules) {
            self.give(at);
            return;
        }
        let next = self.resting.first(granules);
        self.resting.note(at, granules);
        self.low = self.low.min(at);
        let header = self.header_mut(at);
        header.granules = granules | RESTS;
        header.links = [next, NIL];
    }

    /// Makes a hole of what rests, one with the holes on both sides, and returns where it begins.
    ///
    /// The list of its length is short, and is searched for the one before it: a link back would
    /// have each block that goes to rest, and each that is woken, write the header of another.
    pub(in super::super) fn end_rest(&mut self, at: u32) -> u32 {
        let header = self.header(at);
        debug_assert!(header.rests(), "nothing rests at granule {at}");
        let granules = header.granules();
        let next = header.links[0];
        self.header_mut(at).granules = granules;
        self.resting.forget(granules);
        let mut before = self.resting.first(granules);
        if before == at {
            self.resting.set_first(granules, next);
        } else {
            while self.next_hole(before) != at {
                before = self.next_hole(before);
            }
            self.header_mut(before).links[0] = next;
        }
        self.give(at)
    }

    /// Makes holes of all that rests.
    #[cold]
    pub(in super::super) fn end_all_rest(&mut self) {
        for granules in 0..LENGTHS as u32 {
            while self.resting.first(granules) != NIL {
                self.end_rest(self.resting.first(granules));
            }
        }
    }
}
