//! Closing holes, a little at a time.

use loligo_allocators::Allocator;

use super::bins::NIL;
use super::space::{GRANULE, PARTS_JOINED};
use super::{HandleHeap, HandleHeapError};

/// What looking at a block or hole counts for in the budget, in bytes: its header.
const LOOK: u64 = GRANULE as u64;

/// What a call of [`HandleHeap::compact`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Compaction {
    /// How many blocks were moved.
    pub moved_blocks: u32,
    /// How many bytes these were, heads included.
    pub moved_bytes: u64,
    /// Holes passed over because the block after them is pinned or, by its alignment, cannot move.
    pub held: u32,
    /// Holes passed over because the block after them is longer than the whole budget.
    pub too_large: u32,
    /// Whether the end was reached: nothing more can be moved with this budget until something
    /// changes.
    pub done: bool,
}

impl<A: Allocator + ?Sized> HandleHeap<'_, A> {
    /// Closes holes by moving the blocks after them down, at most `budget_bytes` of them, heads
    /// included.
    ///
    /// It begins where the last call ended, or at the lowest hole that came since. A block that is
    /// looked at and not moved counts for 16 bytes, so a call takes no longer than its budget says.
    /// Blocks keep their order. A block that is pinned stays, and so does the hole in front of it,
    /// which can still be allocated from; a block longer than the whole budget is passed over and
    /// tried again when the end was reached.
    ///
    /// # Complexity
    ///
    /// O(`budget_bytes`). Allocates nothing. Moves blocks; no id is invalidated.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::HandleHeap;
    ///
    /// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
    /// let mut heap: HandleHeap = HandleHeap::try_with_capacity(24_000, &MEMORY)?;
    /// let ids: Vec<_> = (0..100).map(|_| heap.allocate(200, 16)).collect();
    /// for id in ids.iter().step_by(2) {
    ///     heap.free(*id)?;
    /// }
    /// // Once a frame, until it is done.
    /// let mut frames = 1;
    /// while !heap.compact(2_000).done {
    ///     frames += 1;
    /// }
    /// assert_eq!((frames, heap.stats().holes), (7, 1));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn compact(&mut self, budget_bytes: usize) -> Compaction {
        let budget = budget_bytes as u64;
        let mut pass =
            Pass { budget, left: budget, at: self.space.low, result: Compaction::default() };
        while self.step(&mut pass) {}
        self.space.low = pass.at;
        pass.result
    }

    /// Gives back the parts of the buffer without a block, what follows the last block of each
    /// other part, and what the table of ids does not need. After a compaction that is all that
    /// blocks do not need. A part in which a block is pinned stays as it is.
    ///
    /// # Complexity
    ///
    /// O(buffer). Takes each shorter part before the longer one is given back. Moves blocks; no id
    /// is invalidated.
    ///
    /// # Errors
    ///
    /// [`HandleHeapError`] if there is no memory for a shorter part or table. The parts before it
    /// are shorter already.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), HandleHeapError> {
        let stats = self.stats();
        let held = self.pinned_parts();
        let refused = |cause| HandleHeapError::Memory {
            bytes: stats.buffer_bytes - stats.tail_hole_bytes,
            hole_bytes: stats.hole_bytes,
            largest_hole_bytes: stats.largest_hole_bytes,
            cause,
        };
        self.space.shrink(held).map_err(refused)?;
        if self.join_parts(held) {
            self.space.shrink(held).map_err(refused)?;
        }
        self.slots.try_shrink_to_fit().map_err(HandleHeapError::Ids)
    }

    /// Returns a bit for each part in which a block is pinned.
    fn pinned_parts(&self) -> u32 {
        if self.pinned == 0 {
            return 0;
        }
        let pinned = self.slots.places().filter(|at| self.space.header(*at).pins() > 0);
        pinned.fold(0, |held, at| held | self.space.part_bit(at))
    }

    /// Moves the blocks of all parts in which none is pinned into one part, if there are many: after
    /// a shrink, growth adds one, and their number is limited. Returns whether it did; where there
    /// is no memory for it, all stays.
    fn join_parts(&mut self, held: u32) -> bool {
        if self.space.parts().count() < PARTS_JOINED {
            return false;
        }
        let Some(target) = self.space.lengthen(held) else { return false };
        let mut next = self.space.place_at(self.space.end_of(target));
        while let Some(start) = next {
            if held & self.space.part_bit(start) == 0 {
                self.empty_part(start, target);
            }
            next = self.space.place_at(self.space.end_of(start));
        }
        true
    }

    /// Moves the blocks of the part that begins at `start` into the hole that the part of `target`
    /// ends with, which is long enough: no block moves further from the beginning of its line.
    fn empty_part(&mut self, start: u32, target: u32) {
        let mut at = start;
        while at < self.space.end_of(start) {
            let header = self.space.header(at);
            if header.is_hole() {
                at += header.granules();
                continue;
            }
            let (hole, align) = (self.space.last(target), header.align());
            let is_room = self.space.header(hole).is_hole();
            if !is_room || !self.space.fits(hole, header.granules(), align) {
                unreachable!("the lengthened part has no room for what is at granule {at}");
            }
            let to = self.space.move_into(hole, at, align);
            self.slots.set(header.slot(), to);
            // What it left is one hole with what is before it.
            at = start;
        }
    }

    /// Looks at one block or hole and moves the block after a hole; returns whether to continue.
    fn step(&mut self, pass: &mut Pass) -> bool {
        let Some(at) = self.space.place_at(pass.at) else { return self.end(pass) };
        pass.at = at;
        let here = self.space.header(at);
        let after = if here.is_hole() { self.next_to_move(at) } else { None };
        if here.is_hole() && after.is_none() {
            return self.end(pass);
        }
        if pass.left < LOOK {
            return false;
        }
        match after {
            Some(rested) if self.space.header(rested).rests() => {
                let hole = self.space.end_rest(rested);
                pass.go_over(hole.min(at))
            }
            Some(block) => self.close(pass, block),
            None if here.rests() => {
                let hole = self.space.end_rest(at);
                pass.go_over(hole)
            }
            None => pass.go_over(at + here.granules()),
        }
    }

    /// Notes that the end was reached; the next call begins with what was passed over.
    fn end(&mut self, pass: &mut Pass) -> bool {
        pass.result.done = true;
        if self.space.passed != NIL {
            pass.at = core::mem::replace(&mut self.space.passed, NIL);
        }
        false
    }

    /// Returns the block that follows a hole, or what rests there: in a later part where the hole
    /// ends its own, and after the hole that such a part may begin with.
    fn next_to_move(&self, hole: u32) -> Option<u32> {
        let mut next = hole;
        while self.space.header(next).is_hole() {
            next = self.space.place_at(next + self.space.header(next).granules())?;
        }
        Some(next)
    }

    /// Moves a block into the hole before it, if it may be moved and the budget allows it; returns
    /// whether to continue.
    fn close(&mut self, pass: &mut Pass, block: u32) -> bool {
        let hole = pass.at;
        let header = self.space.header(block);
        let (granules, align, is_pinned) = (header.granules(), header.align(), header.pins() > 0);
        let cost = u64::from(granules) * GRANULE as u64;
        // A block of a later part must fit, as the hole cannot slide up past it.
        let end = hole + self.space.header(hole).granules();
        let is_next = block == end;
        let (fits, beyond) = if is_next {
            (self.space.can_slide(hole, align), block + granules)
        } else {
            // The next part may begin with a hole that it fits.
            (self.space.fits(hole, granules, align), end)
        };
        if is_pinned || !fits {
            pass.result.held += u32::from(is_next || is_pinned);
            return pass.go_over(beyond);
        }
        if cost > pass.budget {
            pass.result.too_large += 1;
            self.space.passed = self.space.passed.min(hole);
            return pass.go_over(beyond);
        }
        if cost > pass.left {
            return false;
        }
        let to = if is_next {
            self.space.slide(hole, align)
        } else {
            self.space.move_into(hole, block, align)
        };
        self.slots.set(header.slot(), to);
        pass.at = to + granules;
        pass.left -= cost;
        pass.result.moved_blocks += 1;
        pass.result.moved_bytes += cost;
        true
    }
}

/// A call on its way through the heap.
struct Pass {
    budget: u64,
    left: u64,
    /// The block or hole to look at next.
    at: u32,
    result: Compaction,
}

impl Pass {
    fn go_over(&mut self, next: u32) -> bool {
        self.at = next;
        self.left -= LOOK;
        true
    }
}
