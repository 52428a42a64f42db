//! Random frees in batches, then as many allocations.

use crate::blocks::look_at;
use crate::clock;
use crate::contender::Pass;
use crate::random::Random;
use crate::work::churn::{Filled, LIVE, OneSize};

/// Blocks of a batch.
const BATCH: usize = 1000;

/// Different batches of a script; small enough that the script stays in the second-level cache.
const BATCHES: usize = 16;

/// An allocator with its live blocks, and which of them each batch frees.
pub(crate) struct Batches<A: OneSize> {
    filled: Filled<A>,
    script: Box<[[u16; BATCH]; BATCHES]>,
}

impl<A: OneSize> Batches<A> {
    pub(crate) fn new(allocator: A) -> Self {
        let mut script = Box::new([[0; BATCH]; BATCHES]);
        let mut random = Random::new(1000);
        let mut all: Vec<u16> = (0..LIVE as u16).collect();
        for batch in script.iter_mut() {
            random.shuffle(&mut all);
            batch.copy_from_slice(&all[..BATCH]);
        }
        Self { filled: Filled::new(allocator, LIVE), script }
    }

    /// Runs the script `times` over and returns the time; a pair is an operation.
    pub(crate) fn run(&mut self, times: u32) -> Pass {
        let ns = clock::time(|| self.run_untimed(times));
        Pass { ns, operations: u64::from(times) * (BATCH * BATCHES) as u64 }
    }

    /// The loop of [`run`](Self::run) alone, for counting its instructions.
    #[inline(never)]
    pub(crate) fn run_untimed(&mut self, times: u32) {
        let (allocator, live) = self.filled.parts();
        for word in 0..times {
            for batch in self.script.iter() {
                for slot in batch {
                    // SAFETY: the script's numbers are below `LIVE`, the length of the table.
                    let handle = unsafe { live.get_unchecked(usize::from(*slot)) };
                    // SAFETY: the block is live: a batch names each slot once and fills it again.
                    unsafe { allocator.give(*handle) };
                    look_at(allocator);
                }
                for slot in batch {
                    // SAFETY: as above.
                    let handle = unsafe { live.get_unchecked_mut(usize::from(*slot)) };
                    *handle = allocator.take(u64::from(word));
                    look_at(allocator);
                }
            }
        }
    }
}

/// Pairs in one run of the script.
pub(crate) const PAIRS: u32 = (BATCH * BATCHES) as u32;

const _: () = assert!(LIVE <= u16::MAX as u32, "the script names slots in 16 bits");
