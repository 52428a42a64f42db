//! What a heap holds.

use loligo_allocators::Allocator;

use super::HandleHeap;
use super::space::GRANULE;

/// What a [`HandleHeap`] holds at present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HandleHeapStats {
    /// Blocks.
    pub live_blocks: u32,
    /// Their bytes as asked for.
    pub live_bytes: u64,
    /// Blocks that are pinned.
    pub pinned_blocks: u32,
    /// Holes, those at the ends of the buffer's parts included.
    pub holes: u32,
    /// The bytes of all holes.
    pub hole_bytes: u64,
    /// Those of the largest one.
    pub largest_hole_bytes: u64,
    /// Those of the holes at the ends of the buffer's parts, which compaction makes longer.
    pub tail_hole_bytes: u64,
    /// Those of the buffer: blocks with their heads, and holes.
    pub buffer_bytes: u64,
}

impl<A: Allocator + ?Sized> HandleHeap<'_, A> {
    /// Returns what the heap holds.
    ///
    /// # Complexity
    ///
    /// O(1) but for the largest hole: O(holes of the greatest size class that has any).
    #[must_use]
    pub fn stats(&self) -> HandleHeapStats {
        let bytes = |granules: u64| granules * GRANULE as u64;
        let resting = u64::from(self.space.resting().granules());
        HandleHeapStats {
            live_blocks: self.slots.len(),
            live_bytes: self.live_bytes,
            pinned_blocks: self.pinned,
            holes: self.space.holes() + self.space.resting().blocks(),
            hole_bytes: bytes(self.space.hole_granules() + resting),
            largest_hole_bytes: bytes(self.space.largest_hole().into()),
            tail_hole_bytes: bytes(self.space.tail_holes()),
            buffer_bytes: bytes(self.space.granules()),
        }
    }
}
