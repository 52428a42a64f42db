//! `larson`: blocks that outlive the thread which allocated them.
//!
//! From P. Larson and M. Krishnan, "Memory Allocation for Long-Running Server Applications", 1998:
//! a server whose threads replace random blocks and are themselves replaced. The rules are those of
//! the program in mimalloc-bench, called as `larson 5 8 1000 5000 100 4141 N`: each of N threads
//! has a table of 5 000 blocks of 8 to 999 bytes, replaces 100 times as many random ones, and
//! passes the table to a new thread. The successor frees each block of its predecessor that it
//! draws, which is nearly all of them: one free in a hundred.
//!
//! Changes: a run has a number of generations instead of five seconds, random numbers come from a
//! cheaper generator, and the blocks that are live at the end are freed.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use std::thread::{self, Scope};
use std::time::Instant;

use crate::random::Random;
use crate::suites::Timing;
use crate::suites::shared_heap::SharedHeap;
use crate::suites::shared_heap::words;

/// How a run is parameterised.
#[derive(Clone, Copy, Debug)]
pub struct Larson {
    /// Tables, each with one thread at a time.
    pub threads: u32,
    /// Live blocks of a table.
    pub blocks: u32,
    /// How often a thread replaces as many blocks as the table has.
    pub rounds: u32,
    /// Threads that follow each other on a table.
    pub generations: u32,
    /// Bytes of the smallest block.
    pub bytes_min: u32,
    /// The first size that is too large.
    pub bytes_end: u32,
    /// What random numbers are derived from.
    pub seed: u64,
}

impl Larson {
    /// Returns the parameters of mimalloc-bench.
    #[must_use]
    pub const fn new(threads: u32, generations: u32) -> Self {
        let (bytes_min, bytes_end) = (8, 1000);
        Self { threads, blocks: 5000, rounds: 100, generations, bytes_min, bytes_end, seed: 4141 }
    }

    /// Returns how many blocks a run replaces while the time is taken.
    #[must_use]
    pub fn replacements(self) -> u64 {
        let tables = u64::from(self.threads) * u64::from(self.generations);
        tables * u64::from(self.rounds) * u64::from(self.blocks)
    }

    /// Runs it; an operation is a block replaced, a free and an allocation.
    ///
    /// # Panics
    ///
    /// If the heap refuses a request or a thread cannot be started.
    pub fn run<A: GlobalAlloc + Sync>(self, heap: &A) -> Timing {
        let heap = SharedHeap(heap);
        let mut random = Random::new(self.seed);
        let mut live = self.warm_up(heap, &mut random);
        let begin = Instant::now();
        thread::scope(|scope| {
            for slots in live.chunks_exact_mut(self.blocks as usize) {
                let table = Table {
                    heap,
                    slots,
                    random: Random::new(u64::from(random.below(u32::MAX))),
                    rules: self,
                };
                scope.spawn(move || table.live_on(scope, self.generations));
            }
        });
        let elapsed = begin.elapsed();
        for block in live {
            // SAFETY: the blocks of the tables are live, and the tables end here.
            unsafe { block.free(heap) };
        }
        Timing { operations: self.replacements(), elapsed, own_kib: 0 }
    }

    /// Fills all tables, mixes their blocks and replaces four times as many.
    fn warm_up<A: GlobalAlloc>(self, heap: SharedHeap<'_, A>, random: &mut Random) -> Vec<Block> {
        let count = self.threads * self.blocks;
        let mut live: Vec<_> = (0..count).map(|_| self.allocate(heap, random)).collect();
        random.shuffle(&mut live);
        self.replace(heap, &mut live, random, 4 * count);
        live
    }

    /// Replaces `times` random blocks of a table.
    #[inline(never)]
    fn replace<A: GlobalAlloc>(
        self,
        heap: SharedHeap<'_, A>,
        slots: &mut [Block],
        random: &mut Random,
        times: u32,
    ) {
        let count = slots.len() as u32;
        for _ in 0..times {
            let slot = &mut slots[random.below(count) as usize];
            // SAFETY: each block of a table is live; this one is replaced below.
            unsafe { slot.free(heap) };
            *slot = self.allocate(heap, random);
            slot.write();
        }
    }

    #[inline(always)]
    fn allocate<A: GlobalAlloc>(self, heap: SharedHeap<'_, A>, random: &mut Random) -> Block {
        let bytes = self.bytes_min + random.below(self.bytes_end - self.bytes_min);
        Block { start: heap.allocate(words(bytes)), bytes }
    }
}

/// A table of blocks with what its thread needs.
struct Table<'e, A> {
    heap: SharedHeap<'e, A>,
    slots: &'e mut [Block],
    random: Random,
    rules: Larson,
}

impl<'e, A: GlobalAlloc + Sync> Table<'e, A> {
    /// The life of a thread, which starts its successor.
    fn live_on<'s>(mut self, scope: &'s Scope<'s, 'e>, generations: u32)
    where
        'e: 's,
    {
        let times = self.rules.rounds * self.rules.blocks;
        self.rules.replace(self.heap, self.slots, &mut self.random, times);
        if generations > 1 {
            scope.spawn(move || self.live_on(scope, generations - 1));
        }
    }
}

/// A live block.
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    bytes: u32,
}

// SAFETY: a block is owned by the thread that has this value, and any thread may free it.
unsafe impl Send for Block {}

impl Block {
    fn layout(&self) -> Layout {
        words(self.bytes)
    }

    /// Writes the first two bytes, as the program does.
    #[inline(always)]
    fn write(&self) {
        // SAFETY: a block has 8 bytes at least. Volatile, as nobody reads what is written.
        unsafe { self.start.write_volatile(b'a') };
        // SAFETY: as above.
        let second = unsafe { self.start.add(1) };
        // SAFETY: as above.
        unsafe { second.write_volatile(b'b') };
    }

    /// Frees the block.
    ///
    /// # Safety
    ///
    /// It is a live block of this heap, and the value is not used again.
    #[inline(always)]
    unsafe fn free<A: GlobalAlloc>(&self, heap: SharedHeap<'_, A>) {
        // SAFETY: the block is live, as promised, and has this layout.
        unsafe { heap.free(self.start, self.layout()) };
    }
}
