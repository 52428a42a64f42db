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
        if next != NIL {
            self.header_mut(next).links[1] = NIL;
        }
        self.resting.forget(granules, Some(next));
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
        if next != NIL {
            self.header_mut(next).links[1] = at;
        }
        let header = self.header_mut(at);
        header.granules = granules | RESTS;
        header.links = [next, NIL];
    }

    /// Makes a hole of what rests, one with the holes on both sides, and returns where it begins.
    pub(in super::super) fn end_rest(&mut self, at: u32) -> u32 {
        let header = self.header(at);
        debug_assert!(header.rests(), "nothing rests at granule {at}");
        let granules = header.granules();
        let [next, before] = header.links;
        self.header_mut(at).granules = granules;
        if next != NIL {
            self.header_mut(next).links[1] = before;
        }
        if before != NIL {
            self.header_mut(before).links[0] = next;
        }
        self.resting.forget(granules, (before == NIL).then_some(next));
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
