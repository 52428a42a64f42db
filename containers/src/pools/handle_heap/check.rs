//! Walks the heap's invariants.

use loligo_allocators::Allocator;

use super::bins::{COUNT, NIL, class_of};
use super::resting::LENGTHS;
use super::space::{GRANULE, Header, Space};
use super::{HandleHeap, HandleHeapDamage};

impl<A: Allocator + ?Sized> HandleHeap<'_, A> {
    /// Checks the heap's own structure, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(blocks and holes).
    ///
    /// # Errors
    ///
    /// [`HandleHeapDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), HandleHeapDamage> {
        self.slots.validate()?;
        let mut seen = Seen::default();
        self.space.check_chain(&mut seen, |at, header| self.check_block(at, header))?;
        if seen.blocks != u64::from(self.slots.len()) {
            return damage("there are more ids than blocks, found", 0);
        }
        if seen.pinned != self.pinned {
            return damage("the pinned blocks are miscounted, found", 0);
        }
        if seen.bytes != self.live_bytes {
            return damage("the live bytes are miscounted, found", 0);
        }
        self.space.check_lists()?;
        self.space.check_resting()
    }

    fn check_block(&self, at: u32, header: Header) -> Result<(), HandleHeapDamage> {
        match self.slots.get_by_slot(header.slot()) {
            None => return damage("a block's slot has no entry", at),
            Some(place) if place != at => return damage("a block's entry leads elsewhere", at),
            Some(_) => {}
        }
        if header.granules() == 1 && header.has_unused() {
            return damage("a block has fewer bytes than none", at);
        }
        if !(at + 1).is_multiple_of(header.align()) {
            return damage("a block is not aligned as it should be", at);
        }
        Ok(())
    }
}

/// What a walk over the buffer has met.
#[derive(Default)]
struct Seen {
    blocks: u64,
    bytes: u64,
    pinned: u32,
    holes: u32,
    hole_granules: u64,
    resting: u32,
    resting_granules: u32,
    /// Whether the marks of compaction that are in a part are at a header.
    low: bool,
    passed: bool,
}

impl<A: Allocator + ?Sized> Space<'_, A> {
    fn check_chain(
        &self,
        seen: &mut Seen,
        mut check_block: impl FnMut(u32, Header) -> Result<(), HandleHeapDamage>,
    ) -> Result<(), HandleHeapDamage> {
        for (start, end) in self.parts() {
            self.check_part(start, end, seen, &mut check_block)?;
        }
        if (seen.holes, seen.hole_granules) != (self.holes(), self.hole_granules()) {
            return damage("holes are miscounted, found", 0);
        }
        let resting = (self.resting().blocks(), self.resting().granules());
        if (seen.resting, seen.resting_granules) != resting {
            return damage("blocks that rest are miscounted, found", 0);
        }
        for (mark, seen) in [(self.low, seen.low), (self.passed, seen.passed)] {
            if !seen && mark < self.end_of(mark) {
                return damage("compaction would go on within a block or hole, found", mark);
            }
        }
        Ok(())
    }

    fn check_part(
        &self,
        start: u32,
        end: u32,
        seen: &mut Seen,
        check_block: &mut impl FnMut(u32, Header) -> Result<(), HandleHeapDamage>,
    ) -> Result<(), HandleHeapDamage> {
        let (mut at, mut before, mut last, mut hole_before) = (start, 0, start, false);
        while at < end {
            let header = self.header(at);
            if header.granules() == 0 || header.granules() > end - at {
                return damage("a header leads beyond the buffer", at);
            }
            if header.before() != before {
                return damage("a header does not lead back", at);
            }
            if header.is_hole() {
                if hole_before {
                    return damage("two holes are neighbours", at);
                }
                seen.holes += 1;
                seen.hole_granules += u64::from(header.granules());
            } else if header.rests() {
                seen.resting += 1;
                seen.resting_granules += header.granules();
            } else {
                check_block(at, header)?;
                seen.blocks += 1;
                seen.bytes += u64::from(header.bytes());
                seen.pinned += u32::from(header.pins() > 0);
            }
            seen.low |= at == self.low;
            seen.passed |= at == self.passed;
            hole_before = header.is_hole();
            (last, before) = (at, header.granules());
            at += header.granules();
        }
        if start < end && last != self.last(start) {
            return damage("the last header is another than is noted", last);
        }
        Ok(())
    }

    fn check_lists(&self) -> Result<(), HandleHeapDamage> {
        let mut listed = 0;
        for class in 0..COUNT {
            let (mut hole, mut before) = (self.bins().first(class), NIL);
            if (hole != NIL) != (self.bins().next(class) == Some(class)) {
                return damage("a size class with holes has no bit, or one without has; found", 0);
            }
            while hole != NIL {
                if hole >= self.end_of(hole) || listed >= self.holes() {
                    return damage(
                        "a list of holes leads beyond the buffer, or does not end",
                        before,
                    );
                }
                let header = self.header(hole);
                if !header.is_hole() || class_of(header.granules()) != class {
                    return damage("what is listed as a hole is none of this size class", hole);
                }
                if self.hole_before(hole) != before {
                    return damage("a hole does not lead back in its list", hole);
                }
                listed += 1;
                before = hole;
                hole = self.next_hole(hole);
            }
        }
        if listed == self.holes() { Ok(()) } else { damage("a hole is not listed, found", 0) }
    }

    fn check_resting(&self) -> Result<(), HandleHeapDamage> {
        let mut listed = 0;
        for granules in 0..LENGTHS as u32 {
            let (mut at, mut before) = (self.resting().first(granules), NIL);
            // As many as are counted: a list that leads back into itself goes on after them.
            for _ in 0..self.resting().count(granules) {
                if at >= self.end_of(at) {
                    return damage("a list of what rests leads beyond the buffer", before);
                }
                let header = self.header(at);
                if !header.rests() || header.granules() != granules {
                    return damage("what is listed as resting does not, or has another length", at);
                }
                listed += 1;
                before = at;
                at = self.next_hole(at);
            }
            if at != NIL {
                return damage("more rests than is counted", at);
            }
        }
        let all = self.resting().blocks();
        if listed == all { Ok(()) } else { damage("blocks that rest are miscounted, found", 0) }
    }
}

fn damage<T>(what: &'static str, at: u32) -> Result<T, HandleHeapDamage> {
    Err(HandleHeapDamage { what, offset: u64::from(at) * GRANULE as u64 })
}
