//! Random free and allocate of blocks of one size.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::blocks::{Blocks, look_at, write_first};
use crate::clock;
use crate::contender::Pass;
use crate::random::Random;

/// The blocks: 64 bytes.
pub(crate) const BLOCK: Layout = Layout::new::<[u64; 8]>();

/// How many of them are alive in the pool's rows.
pub(crate) const LIVE: u32 = 10_000;

/// An allocator of blocks of one size as the workloads of one size drive it.
pub(crate) trait OneSize {
    /// What names a live block: its address, or a key.
    type Handle: Copy;

    /// Takes a block and writes its first word.
    fn take(&mut self, word: u64) -> Self::Handle;

    /// Gives a live block back.
    ///
    /// # Safety
    ///
    /// `handle` is that of a live block of this allocator.
    unsafe fn give(&mut self, handle: Self::Handle);
}

impl<B: Blocks> OneSize for B {
    type Handle = NonNull<u8>;

    #[inline(always)]
    fn take(&mut self, word: u64) -> NonNull<u8> {
        let block = self.allocate(BLOCK);
        // SAFETY: the block is fresh and 64 bytes long.
        unsafe { write_first(block, word) };
        block
    }

    #[inline(always)]
    unsafe fn give(&mut self, block: NonNull<u8>) {
        // SAFETY: the block is live, and all blocks of these workloads have this layout.
        unsafe { self.free(block, BLOCK) }
    }
}

/// An allocator with its live blocks.
pub(crate) struct Filled<A: OneSize> {
    allocator: A,
    live: Box<[A::Handle]>,
    random: Random,
}

impl<A: OneSize> Filled<A> {
    /// Takes `count` blocks, at least one.
    pub(crate) fn new(mut allocator: A, count: u32) -> Self {
        assert!(count > 0, "the churn frees a block first");
        let take = |word| allocator.take(u64::from(word));
        let mut live: Box<[A::Handle]> = (0..count).map(take).collect();
        let mut random = Random::new(64);
        // Neighbours in memory are not neighbours in the table, as after a while of use.
        random.shuffle(&mut live);
        Self { allocator, live, random }
    }

    /// Returns the allocator and the live blocks.
    pub(crate) fn parts(&mut self) -> (&mut A, &mut [A::Handle]) {
        (&mut self.allocator, &mut self.live)
    }

    /// Frees a random block and takes one, `pairs` times, and returns the time.
    pub(crate) fn churn(&mut self, pairs: u32) -> Pass {
        let ns = clock::time(|| self.churn_untimed(pairs));
        Pass { ns, operations: u64::from(pairs) }
    }

    /// The loop of [`churn`](Self::churn) alone, for counting its instructions.
    #[inline(never)]
    pub(crate) fn churn_untimed(&mut self, pairs: u32) {
        let count = self.live.len() as u32;
        for word in 0..pairs {
            let slot = self.random.below(count) as usize;
            // SAFETY: the numbers are below the length.
            let handle = unsafe { self.live.get_unchecked_mut(slot) };
            // SAFETY: every handle in the table is that of a live block.
            unsafe { self.allocator.give(*handle) };
            look_at(&mut self.allocator);
            *handle = self.allocator.take(u64::from(word));
            look_at(&mut self.allocator);
        }
    }
}

impl<A: OneSize> Drop for Filled<A> {
    fn drop(&mut self) {
        for handle in &self.live {
            // SAFETY: every handle in the table is that of a live block; they are not used again.
            unsafe { self.allocator.give(*handle) };
        }
    }
}

#[cfg(test)]
mod tests;
