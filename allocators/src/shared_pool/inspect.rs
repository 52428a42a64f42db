//! What a shared pool tells about itself.

use core::ptr::NonNull;

use crate::allocator::{Allocator, Block, Damage};
use crate::stats::Stats;
use crate::sync::shared::Ordering;

use super::SharedPool;
use super::bits::{BITS, ones};
use super::chunk::Chunk;

impl<B: Allocator + Sync + ?Sized> SharedPool<'_, B> {
    pub(super) fn counted(&self) -> Stats {
        let bytes = self.size.bytes;
        let live = self.counters.live();
        let peak = self.counters.peak(live) * bytes;
        let requested_total = self.counters.requested(bytes);
        let allocations_total = self.counters.allocations();
        // Read after the live blocks: whoever counted them saw their chunk, whose bytes were counted
        // before. Relaxed: the Acquire of the counters makes them visible.
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

    /// Shows the blocks whose bits are clear.
    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            for leaf in 0..chunk.leaves() {
                let blocks = ones(chunk.blocks - leaf * BITS);
                // Acquire pairs with the Release in `put`, and shows no block that this thread frees
                // before.
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
        let frees = self.counters.frees();
        if frees > self.counters.allocations() {
            return damage("more blocks were freed than given out", NonNull::from(self).cast());
        }
        for index in 0..self.count() {
            let chunk = self.chunk(index);
            if !chunk.first.addr().get().is_multiple_of(self.align) {
                return damage("a chunk's first block is not aligned", chunk.first);
            }
            chunk.verify()?;
        }
        Ok(())
    }

    /// Checks all invariants, also those that hold only while no thread is in the midst of a call.
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
        assert_eq!(capacity - free, self.counters.live(), "the bits and the counters differ");
    }
}

fn damage(what: &'static str, address: NonNull<u8>) -> Result<(), Damage> {
    Err(Damage { what, address: address.as_ptr() })
}

impl Chunk {
    /// Whether every block is free. Exact if nobody else uses the pool.
    pub(super) fn is_all_free(&self) -> bool {
        self.free_blocks() == self.blocks
    }

    /// Returns the number of free blocks. Exact if nobody else uses the pool.
    pub(super) fn free_blocks(&self) -> usize {
        // Relaxed: a number that is only meant for one thread, or for the tests.
        let bits = |leaf| self.leaf(leaf).load(Ordering::Relaxed).count_ones() as usize;
        (0..self.leaves()).map(bits).sum()
    }

    fn verify(&self) -> Result<(), Damage> {
        // Relaxed everywhere: bits beyond the ends are never set, whatever the order.
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
            let beyond = !ones(self.blocks - index * BITS);
            if self.leaf(index).load(Ordering::Relaxed) & beyond != 0 {
                return damage("a leaf of a chunk has bits beyond its blocks", self.first);
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
            assert!(free == 0 || above == 1, "leaf {leaf} has bits {free:#x} that nobody finds");
        }
        for middle in 0..self.middles() {
            let above = self.root.load(Ordering::Relaxed) >> middle & 1;
            let word = self.middle(middle).load(Ordering::Relaxed);
            assert!(word == 0 || above == 1, "middle word {middle} has bits that nobody finds");
        }
    }
}
