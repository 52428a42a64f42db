//! Random free and allocate of blocks of many sizes.

use core::ptr::NonNull;
use std::rc::Rc;

use crate::blocks::{Blocks, look_at, words, write_first};
use crate::clock;
use crate::contender::Pass;
use crate::random::Random;

/// What is allocated: sizes drawn beforehand, so that drawing them costs no contender time.
#[derive(Clone)]
pub(crate) struct Sizes(Rc<[u32]>);

/// Sizes in a table; a power of two.
const DRAWN: usize = 1 << 14;

impl Sizes {
    /// Draws sizes between `least` and `most` bytes, all equally likely.
    pub(crate) fn uniform(least: u32, most: u32) -> Self {
        let mut random = Random::new(u64::from(most));
        let draw = |_| least + random.below(most - least + 1);
        Self((0..DRAWN).map(draw).collect())
    }

    /// Draws powers of two between `least` and `most` bytes, all equally likely.
    pub(crate) fn powers_of_two(least: u32, most: u32) -> Self {
        let mut random = Random::new(u64::from(most));
        let powers = most.ilog2() - least.ilog2() + 1;
        let draw = |_| least << random.below(powers);
        Self((0..DRAWN).map(draw).collect())
    }

    /// Returns the size at a place of the table, which is used over and over.
    #[inline(always)]
    pub(crate) fn at(&self, place: usize) -> u32 {
        self.0[place % DRAWN]
    }
}

/// A live block.
#[derive(Clone, Copy)]
struct Live {
    block: NonNull<u8>,
    bytes: u32,
}

/// An allocator with its live blocks.
pub(crate) struct Mixed<B: Blocks> {
    allocator: B,
    live: Box<[Live]>,
    sizes: Sizes,
    next: usize,
    random: Random,
}

impl<B: Blocks> Mixed<B> {
    /// Takes `count` blocks.
    pub(crate) fn new(mut allocator: B, count: u32, sizes: &Sizes) -> Self {
        let mut live: Box<[Live]> =
            (0..count as usize).map(|place| take(&mut allocator, sizes.at(place))).collect();
        let mut random = Random::new(4096);
        random.shuffle(&mut live);
        Self { allocator, live, sizes: sizes.clone(), next: count as usize, random }
    }

    /// Frees a random block and takes one of the next size, `pairs` times, and returns the time.
    pub(crate) fn churn(&mut self, pairs: u32) -> Pass {
        let ns = clock::time(|| self.churn_untimed(pairs));
        Pass { ns, operations: u64::from(pairs) }
    }

    #[inline(never)]
    fn churn_untimed(&mut self, pairs: u32) {
        for _ in 0..pairs {
            let slot = self.random.below(self.live.len() as u32) as usize;
            let live = &mut self.live[slot];
            // SAFETY: every block in the table is live and has the size that is stored with it.
            unsafe { self.allocator.free(live.block, words(live.bytes)) };
            look_at(&mut self.allocator);
            *live = take(&mut self.allocator, self.sizes.at(self.next));
            self.next = self.next.wrapping_add(1);
        }
    }
}

#[inline(always)]
fn take<B: Blocks>(allocator: &mut B, bytes: u32) -> Live {
    let block = allocator.allocate(words(bytes));
    look_at(allocator);
    // SAFETY: the block is fresh; no size of these workloads is under 8 bytes.
    unsafe { write_first(block, u64::from(bytes)) };
    Live { block, bytes }
}

impl<B: Blocks> Drop for Mixed<B> {
    fn drop(&mut self) {
        for live in &self.live {
            // SAFETY: as in `churn_untimed`; the table is not used again.
            unsafe { self.allocator.free(live.block, words(live.bytes)) };
        }
    }
}
