//! Closing holes, a little at a time.

use loligo_allocators::Allocator;

use super::bins::NIL;
use super::space::GRANULE;
use super::{BlockId, HandleHeap, HandleHeapError};

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
    /// let mut heap: HandleHeap = HandleHeap::new(&MEMORY);
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
    /// # Ok::<(), loligo_containers::BlockError>(())
    /// ```
    pub fn compact(&mut self, budget_bytes: usize) -> Compaction {
        let budget = budget_bytes as u64;
        let mut pass =
            Pass { budget, left: budget, at: self.space.low, result: Compaction::default() };
        while self.step(&mut pass) {}
        self.space.low = pass.at;
        pass.result
    }

    /// Gives back what follows the last block, by moving the blocks into a buffer that ends there.
    /// After a compaction that is all that blocks do not need.
    ///
    /// # Complexity
    ///
    /// O(buffer). Takes the shorter buffer before the longer one is given back. Moves every block;
    /// no id is invalidated.
    ///
    /// # Errors
    ///
    /// [`HandleHeapError`] if a block is pinned, or there is no memory for the shorter buffer.
    /// Nothing has changed.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), HandleHeapError> {
        let stats = self.stats();
        let bytes = stats.buffer_bytes - stats.tail_hole_bytes;
        if let Some((pinned, _)) = self.first_pinned() {
            return Err(HandleHeapError::Pinned { bytes, pinned, pinned_blocks: self.pinned });
        }
        self.space.shrink().map_err(|cause| HandleHeapError::Memory {
            bytes,
            hole_bytes: stats.hole_bytes,
            largest_hole_bytes: stats.largest_hole_bytes,
            cause,
        })
    }

    /// Looks at one block or hole and moves the block after a hole; returns whether to continue.
    fn step(&mut self, pass: &mut Pass) -> bool {
        let (at, end) = (pass.at, self.space.end());
        let here = if at < end { Some(self.space.header(at)) } else { None };
        let behind = here.filter(|here| here.is_hole()).map(|hole| at + hole.granules());
        if here.is_none() || behind == Some(end) {
            pass.result.done = true;
            if self.space.passed != NIL {
                pass.at = core::mem::replace(&mut self.space.passed, NIL);
            }
            return false;
        }
        if pass.left < LOOK {
            return false;
        }
        match (here, behind) {
            (Some(_), Some(next)) => self.close(pass, next),
            (Some(block), None) => pass.go_over(at + block.granules()),
            (None, _) => false,
        }
    }

    /// Moves the block at `next` into the hole before it, if it may be moved and the budget allows
    /// it; returns whether to continue.
    fn close(&mut self, pass: &mut Pass, next: u32) -> bool {
        let block = self.space.header(next);
        let id = BlockId::from_bits(block.owner());
        let Some(entry) = id.and_then(|id| self.blocks.get_mut(id)) else {
            unreachable!("the block at granule {next} has no entry, but the id {id:?}");
        };
        let cost = u64::from(block.granules()) * GRANULE as u64;
        let stays = entry.pins > 0 || !self.space.can_slide(pass.at, u32::from(entry.align));
        if stays {
            pass.result.held += 1;
            return pass.go_over(next + block.granules());
        }
        if cost > pass.budget {
            pass.result.too_large += 1;
            self.space.passed = self.space.passed.min(pass.at);
            return pass.go_over(next + block.granules());
        }
        if cost > pass.left {
            return false;
        }
        entry.at = self.space.slide(pass.at, u32::from(entry.align));
        pass.at = entry.at + block.granules();
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
