//! Allocating and returning the chunks of a shared pool.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use crate::contract::allocator::{AllocError, Allocator};
use crate::threads::sync::shared::Ordering;

use super::SharedPool;
use super::chunk::{BLOCKS_MAX, Chunk, Plan};
use super::place::{CHUNKS_MAX, Place};

#[cfg(all(test, not(loom)))]
mod tests;

/// The approximate size of the first chunk.
const FIRST_BYTES: usize = 4 << 10;
/// The size of a chunk up to which each has as many blocks as all before it.
const LARGE_BYTES: usize = 1 << 20;
/// The minimum number of blocks of a growing chunk.
const BLOCKS_MIN: usize = 4;

impl<B: Allocator + Sync + ?Sized> SharedPool<'_, B> {
    /// Takes a block from anywhere, growing if there is none.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn take_or_grow(&self, place: &Place) -> Result<NonNull<u8>, AllocError> {
        loop {
            let count = self.count();
            if let Some(block) = self.take_far(place) {
                return Ok(block);
            }
            self.grow(count)?;
        }
    }

    /// Allocates a chunk from the backing, unless another thread has done so since there were
    /// `count`.
    #[track_caller]
    fn grow(&self, count: usize) -> Result<(), AllocError> {
        let backing = self.backing.ok_or(AllocError)?;
        let _turn = self.growing.take();
        if self.count() != count {
            return Ok(());
        }
        let mut blocks = self.blocks_wanted(count);
        loop {
            let plan = self.plan(blocks).ok_or(AllocError)?;
            if let Ok(memory) = backing.allocate(plan.layout) {
                // SAFETY: the memory was just taken for this plan.
                let chunk = unsafe { plan.lay_out(memory.cast()) };
                // Before the chunk is visible, so that granted bytes are within the reserved ones.
                self.add_reserved(plan.layout.size());
                self.publish(chunk);
                return Ok(());
            }
            if self.blocks_per_chunk != 0 || blocks <= BLOCKS_MIN {
                return Err(AllocError);
            }
            blocks = (blocks / 2).max(BLOCKS_MIN);
        }
    }

    /// Makes a chunk visible to all threads.
    fn publish(&self, chunk: NonNull<Chunk>) {
        // SAFETY: the callers have just written it.
        let blocks = unsafe { chunk.as_ref() }.blocks;
        // Relaxed: a number for display.
        self.capacity.fetch_add(blocks, Ordering::Relaxed);
        let index = self.count();
        // Relaxed: published by the count.
        self.chunks[index].store(chunk.as_ptr(), Ordering::Relaxed);
        // Release pairs with the Acquire in `count`.
        self.count.store(index + 1, Ordering::Release);
    }

    /// Counts allocated bytes.
    pub(super) fn add_reserved(&self, bytes: usize) {
        // Relaxed: published with the chunk; only the thread with the growth lock adds.
        let reserved = self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_reserved.fetch_max(reserved, Ordering::Relaxed);
    }

    fn plan(&self, blocks: usize) -> Option<Plan> {
        let left = self.blocks_max.saturating_sub(self.capacity());
        if self.count() == CHUNKS_MAX {
            return None;
        }
        Plan::new(self.size.bytes, self.align, blocks.min(left))
    }

    /// Returns the number of blocks for the chunk after `count` others.
    fn blocks_wanted(&self, count: usize) -> usize {
        if self.blocks_per_chunk != 0 {
            return self.blocks_per_chunk.min(BLOCKS_MAX);
        }
        let large = (LARGE_BYTES / self.size.bytes).max(BLOCKS_MIN);
        // The second half of the table doubles again, so that few chunks do not mean few blocks.
        let large = large.saturating_mul(1 << count.saturating_sub(CHUNKS_MAX / 2));
        let first = (FIRST_BYTES / self.size.bytes).max(BLOCKS_MIN);
        self.capacity().max(first).min(large).min(BLOCKS_MAX)
    }

    /// Returns the layout of the next chunk.
    pub(super) fn chunk_layout(&self) -> Option<Layout> {
        self.plan(self.blocks_wanted(self.count())).map(|plan| plan.layout)
    }

    /// Returns the chunks without live blocks to the backing, and the number of their bytes.
    ///
    /// A pool in a region keeps its chunks.
    ///
    /// # Complexity
    ///
    /// O(blocks / 64).
    pub fn shrink(&mut self) -> usize {
        if self.backing.is_none() {
            return 0;
        }
        // Relaxed: no other thread uses the pool.
        let before = self.reserved.load(Ordering::Relaxed);
        self.release(Chunk::is_all_free);
        before - self.reserved.load(Ordering::Relaxed)
    }

    /// Returns the chunks that `goes` selects to the backing.
    pub(super) fn release(&mut self, goes: impl Fn(&Chunk) -> bool) {
        let Some(backing) = self.backing else { return };
        self.peak_live.fetch_max(self.carved(), Ordering::Relaxed);
        self.places.forget();
        // Every access here can be Relaxed, as no other thread uses the pool.
        let mut kept = 0;
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            if !goes(chunk) {
                let chunk = self.chunks[index].load(Ordering::Relaxed);
                self.chunks[kept].store(chunk, Ordering::Relaxed);
                kept += 1;
                continue;
            }
            let (memory, layout) = (chunk.first, chunk.layout);
            chunk.open();
            self.capacity.fetch_sub(chunk.blocks, Ordering::Relaxed);
            self.reserved.fetch_sub(layout.size(), Ordering::Relaxed);
            // SAFETY: the chunk was taken from this backing with this layout, and leaves the table.
            unsafe { backing.deallocate_sized(memory, layout) };
        }
        for entry in &self.chunks[kept..] {
            entry.store(ptr::null_mut(), Ordering::Relaxed);
        }
        self.count.store(kept, Ordering::Release);
    }

    /// Creates as many chunks in `region` as are needed to fill it.
    pub(super) fn settle_in(&self, region: &mut [MaybeUninit<u8>]) {
        self.add_reserved(region.len());
        let mut rest = NonNull::from(&mut *region).cast::<u8>();
        let mut left = region.len();
        while self.count() < CHUNKS_MAX {
            let Some(plan) = self.largest_plan(rest, left) else { return };
            let skipped = rest.align_offset(plan.layout.align());
            // SAFETY: `largest_plan` ensures that this many bytes and the layout's fit into the
            // rest.
            let memory = unsafe { rest.add(skipped) };
            // SAFETY: the memory is aligned, valid, and the pool's alone, like the whole region.
            let chunk = unsafe { plan.lay_out(memory) };
            self.publish(chunk);
            // SAFETY: as above.
            rest = unsafe { memory.add(plan.layout.size()) };
            left -= skipped + plan.layout.size();
        }
    }

    /// Plans the chunk of the most blocks that fits into `left` bytes at `memory`.
    fn largest_plan(&self, memory: NonNull<u8>, left: usize) -> Option<Plan> {
        let fits = |blocks| {
            let plan = self.plan(blocks)?;
            let skipped = memory.align_offset(plan.layout.align());
            (plan.layout.size().checked_add(skipped)? <= left).then_some(plan)
        };
        // The layout grows with the blocks, so bisection finds the most.
        let most_allowed = BLOCKS_MAX.min(self.blocks_max.saturating_sub(self.capacity()));
        let (mut most, mut beyond) = (0, most_allowed + 1);
        while beyond - most > 1 {
            let middle = most.midpoint(beyond);
            if fits(middle).is_some() {
                most = middle;
            } else {
                beyond = middle;
            }
        }
        fits(most)
    }
}
