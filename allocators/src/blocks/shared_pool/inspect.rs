//! Counting, walking and verifying a shared pool.

use core::ptr::NonNull;

use crate::contract::allocator::{Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::threads::sync::shared::Ordering;

use super::SharedPool;
use super::bits::{BITS, ones};
use super::chunk::Chunk;

impl<B: Allocator + Sync + ?Sized> SharedPool<'_, B> {
    pub(super) fn counted(&self) -> Stats {
        let bytes = self.size.bytes;
        let (live, carved) = self.live();
        // Relaxed: changed only through `&mut self`.
        let peak = self.peak_live.load(Ordering::Relaxed).max(carved) * bytes;
        let (allocations_total, requested_total) = self.places.totals(bytes);
        // Read after the chunks, whose bytes were counted before they were visible. Relaxed: the
        // Acquire in `count` makes them visible.
        let reserved = self.reserved.load(Ordering::Relaxed);
        Stats {
            live,
            requested: live * bytes,
            granted: live * bytes,
            reserved,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: self.peak_reserved.load(Ordering::Relaxed).max(reserved),
            allocations_total,
            requested_total,
            granted_total: allocations_total * bytes as u64,
            exact: false,
        }
    }

    /// Returns the number of live blocks, and how many were allocated at least once. While other
    /// threads work, the first is off by at most their concurrent calls, and never above the
    /// second.
    pub(super) fn live(&self) -> (usize, usize) {
        let chunks = (0..self.count()).map(|index| self.chunk(index));
        chunks.fold((0, 0), |(live, carved), chunk| {
            let free = chunk.free_blocks();
            // Read after the bits: a block with a set bit was allocated before.
            let given = chunk.carved();
            (live + given - free, carved + given)
        })
    }

    /// Returns how many blocks were allocated at least once.
    pub(super) fn carved(&self) -> usize {
        (0..self.count()).map(|index| self.chunk(index).carved()).sum()
    }

    /// Visits the blocks whose bits are clear.
    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            let carved = chunk.carved();
            for leaf in 0..carved.div_ceil(BITS) {
                let blocks = ones(carved - leaf * BITS);
                // Acquire pairs with the Release in `put`, and shows no block that this thread has
                // freed before.
                let mut live = blocks & !chunk.leaf(leaf).load(Ordering::Acquire);
                while live != 0 {
                    let index = leaf * BITS + live.trailing_zeros() as usize;
                    live &= live - 1;
                    let address = self.block_at(chunk, index);
                    visit(Block { address, bytes: self.size.bytes, site: None });
                }
            }
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            if !chunk.first.addr().get().is_multiple_of(self.align) {
                return damage("a chunk's first block is not aligned", chunk.first);
            }
            chunk.verify()?;
        }
        Ok(())
    }

    /// Checks all invariants, also those that hold only while no call is in progress.
    ///
    /// # Panics
    ///
    /// If one is broken.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        self.verify().expect("it holds at every moment");
        let mut free = 0;
        let mut capacity = 0;
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            chunk.validate();
            free += chunk.free_blocks();
            capacity += chunk.blocks;
        }
        assert_eq!(capacity, self.capacity(), "the capacity is that of the chunks");
        let (live, carved) = self.live();
        assert_eq!(live + free, carved, "the bits and the counters differ");
    }
}

fn damage(what: &'static str, address: NonNull<u8>) -> Result<(), Damage> {
    Err(Damage { what, address: address.as_ptr() })
}

impl Chunk {
    /// Whether every block is free. Exact if no other thread uses the pool.
    pub(super) fn is_all_free(&self) -> bool {
        self.free_blocks() == self.carved()
    }

    /// Returns the number of free blocks. Exact if no other thread uses the pool.
    pub(super) fn free_blocks(&self) -> usize {
        // Acquire pairs with the Release in `put`: a thread that sees a block freed sees that it
        // was allocated.
        let bits = |leaf| self.leaf(leaf).load(Ordering::Acquire).count_ones() as usize;
        (0..self.leaves()).map(bits).sum()
    }

    fn verify(&self) -> Result<(), Damage> {
        // Relaxed: bits beyond the ends are never set, whatever the order.
        if self.root.load(Ordering::Relaxed) & !ones(self.middles()) != 0 {
            return damage("the root of a chunk has bits beyond its words", self.first);
        }
        for index in 0..self.middles() {
            let beyond = !ones(self.leaves() - index * BITS);
            if self.middle(index).load(Ordering::Relaxed) & beyond != 0 {
                return damage("a middle word of a chunk has bits beyond its leaves", self.first);
            }
        }
        for index in 0..self.leaves() {
            // Acquire and in this order, as in `live`.
            let free = self.leaf(index).load(Ordering::Acquire);
            let beyond = !ones(self.carved().saturating_sub(index * BITS));
            if free & beyond != 0 {
                return damage("a block is free that was never given out", self.first);
            }
        }
        Ok(())
    }

    /// Asserts that each word with bits has its bit above.
    #[cfg(test)]
    fn validate(&self) {
        for leaf in 0..self.leaves() {
            let above = self.middle(leaf / BITS).load(Ordering::Relaxed) >> (leaf % BITS) & 1;
            let free = self.leaf(leaf).load(Ordering::Relaxed);
            assert!(free == 0 || above == 1, "leaf {leaf} has bits {free:#x} that no search finds");
        }
        for middle in 0..self.middles() {
            let above = self.root.load(Ordering::Relaxed) >> middle & 1;
            let word = self.middle(middle).load(Ordering::Relaxed);
            assert!(word == 0 || above == 1, "middle word {middle} has bits that no search finds");
        }
    }
}
