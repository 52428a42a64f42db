//! Every interleaving of two threads on a shared pool, up to a bound of preemptions.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::boxed::Box;
use std::sync::LazyLock;
use std::vec::Vec;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::blocks::shared_pool::SharedPool;
use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::testing::test_backing::TestBacking;
use crate::threads::sync::shared::model::{Fault, Gate, explore, must_fail};

const BLOCK: Layout = Layout::new::<u64>();

/// A pool in a region, and for each block a cell that the model checker watches: the owner of the
/// block writes it, so two owners, also one after the other without synchronisation, are detected.
struct Watched {
    pool: SharedPool<'static>,
    cells: Vec<UnsafeCell<u32>>,
    first: usize,
    /// Dropped after the pool.
    _memory: Memory,
}

/// The region of a pool, freed with it.
struct Memory(NonNull<[MaybeUninit<u64>; WORDS]>);

/// The size of a pool's region in words.
const WORDS: usize = 100;

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and the pool that used it is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: only the owner of its block writes a cell; the test checks that this holds.
unsafe impl Sync for Watched {}

// SAFETY: as above.
unsafe impl Send for Watched {}

impl Watched {
    /// Makes a pool of `blocks` blocks.
    fn new(blocks: usize) -> Self {
        let memory = Box::new([MaybeUninit::<u64>::uninit(); WORDS]);
        let memory = NonNull::from(Box::leak(memory));
        let bytes = NonNull::slice_from_raw_parts(memory.cast::<MaybeUninit<u8>>(), 8 * WORDS);
        // SAFETY: the words exist until the pool is gone, and no other code refers to them.
        let region = unsafe { &mut *bytes.as_ptr() };
        let mut pool = SharedPool::from_region("model", BLOCK, &mut []);
        pool = pool.with_blocks_max(blocks);
        pool.settle_in(region);
        assert_eq!(pool.capacity(), blocks, "the region has room for all");
        let first = pool.chunk(0).first.addr().get();
        let cells = (0..blocks).map(|_| UnsafeCell::new(0)).collect();
        Self { pool, cells, first, _memory: Memory(memory) }
    }

    fn take(&self) -> Option<NonNull<u8>> {
        let block = self.pool.allocate(BLOCK).ok()?.cast();
        self.own(block);
        Some(block)
    }

    fn own(&self, block: NonNull<u8>) {
        let cell = &self.cells[(block.addr().get() - self.first) / 8];
        cell.with_mut(|value| {
            // SAFETY: this thread owns the block.
            unsafe { *value += 1 }
        });
    }

    fn free(&self, block: NonNull<u8>) {
        self.own(block);
        self.pool.give_back(block).expect("the block is live");
    }
}

/// A block that is sent to another thread.
#[derive(Clone, Copy)]
struct Sent(NonNull<u8>);

// SAFETY: only one thread uses it, but where two frees race on purpose.
unsafe impl Send for Sent {}

/// Runs `one` in a thread and `two` in this one, then passes the pool to the final checks.
fn both(
    watched: Watched,
    one: impl FnOnce(&Watched) + 'static,
    two: impl FnOnce(&Watched),
) -> Arc<Watched> {
    let watched = Arc::new(watched);
    let gate = Gate::new();
    let (other, other_gate) = (Arc::clone(&watched), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        one(&other);
    });
    gate.pass();
    two(&watched);
    thread.join().expect("the thread ends well");
    watched.pool.validate();
    watched
}

/// Two threads each allocate, write and free a block of the same word.
fn take_and_free() {
    let cycle = |watched: &Watched| {
        let block = watched.take().expect("a block for each");
        watched.free(block);
    };
    let watched = both(Watched::new(2), cycle, cycle);
    assert_eq!(watched.pool.stats().live, 0, "all blocks are back");
    assert_eq!(watched.pool.stats().allocations_total, 2, "both are counted");
}

/// A word is found empty, and the bit above it cleared, while its neighbour, which shares the word
/// above, gets bits: the levels must stay consistent.
fn search_while_a_word_fills() {
    let watched = Watched::new(4);
    let blocks: Vec<Sent> = (0..4).filter_map(|_| watched.take().map(Sent)).collect();
    let [first, second, third, fourth] = blocks[..] else { panic!("four blocks are there") };
    // Leaves the bit above the first word set, with no bits below.
    watched.free(first.0);
    assert_eq!(watched.take(), Some(first.0), "the only free block");
    let mut found = None;
    let watched = both(
        watched,
        move |watched| {
            watched.free({ third }.0);
            watched.free({ fourth }.0);
        },
        |watched| found = watched.take(),
    );
    // The freed block is found.
    watched.free(second.0);
    found.into_iter().for_each(|block| watched.free(block));
    let all: Vec<_> = (0..3).map(|_| watched.take().expect("three are free")).collect();
    assert!(watched.take().is_none(), "there are four");
    all.into_iter().chain([first.0]).for_each(|block| watched.free(block));
}

/// A word is found empty while it gets a bit again.
fn search_while_the_word_fills() {
    let watched = Watched::new(2);
    let blocks: Vec<Sent> = (0..2).filter_map(|_| watched.take().map(Sent)).collect();
    let [first, second] = blocks[..] else { panic!("two blocks are there") };
    watched.free(first.0);
    assert_eq!(watched.take(), Some(first.0), "the only free block");
    let mut found = None;
    let watched =
        both(watched, move |watched| watched.free({ second }.0), |watched| found = watched.take());
    let again = found.or_else(|| watched.take());
    assert_eq!(again, Some(second.0), "it is found, now or later");
    [first, second].into_iter().for_each(|Sent(block)| watched.free(block));
}

/// A block passes from the thread that frees it to one that waits for it.
fn handed_over() {
    let watched = Watched::new(1);
    let block = Sent(watched.take().expect("the only block"));
    let watched = both(
        watched,
        move |watched| watched.free({ block }.0),
        |watched| {
            if let Some(block) = watched.take() {
                watched.free(block);
            }
        },
    );
    let block = watched.take().expect("it is back");
    watched.free(block);
}

/// Two threads free one block: exactly one free is reported.
fn double_free() {
    let watched = Watched::new(2);
    let block = Sent(watched.take().expect("a block"));
    let watched = Arc::new(watched);
    let gate = Gate::new();
    let free = move |watched: &Watched| match watched.pool.give_back({ block }.0) {
        Ok(()) => 0,
        Err(Misuse::DoubleFree) => 1,
        Err(other) => panic!("{other:?} is said of a double free"),
    };
    let (other, other_gate) = (Arc::clone(&watched), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        free(&other)
    });
    gate.pass();
    let told = free(&watched) + thread.join().expect("the thread ends well");
    assert_eq!(told, 1, "exactly one of two frees is reported");
    assert_eq!(watched.pool.stats().live, 0, "the count is right again");
    watched.pool.validate();
}

/// Two threads find the pool empty and grow it.
fn growth() {
    // The system's memory, with a lock that the model checker does not see and that is never held
    // where it switches threads.
    static BACKING: LazyLock<TestBacking> = LazyLock::new(TestBacking::new);
    let pool = SharedPool::new_in("model", BLOCK, &*BACKING);
    let pool = Arc::new(pool.with_blocks_per_chunk(2));
    let gate = Gate::new();
    let take = |pool: &SharedPool<'static, TestBacking>| {
        Sent(pool.allocate(BLOCK).expect("the heap has room").cast())
    };
    let (other, other_gate) = (Arc::clone(&pool), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        take(&other)
    });
    gate.pass();
    let one = take(&pool);
    let stats = pool.stats();
    assert!(stats.granted <= stats.reserved, "{stats:?}");
    let two = thread.join().expect("the thread ends well");
    assert_ne!(one.0, two.0, "two blocks");
    assert_eq!(pool.count(), 1, "one chunk is enough for both");
    for Sent(block) in [one, two] {
        pool.give_back(block).expect("the block is live");
    }
    pool.validate();
}

/// The counters are read while another thread works.
fn counters() {
    let watched = Watched::new(2);
    both(
        watched,
        |watched| {
            let block = watched.take().expect("a block for each");
            watched.free(block);
        },
        |watched| {
            let stats = watched.pool.stats();
            assert!(stats.granted <= stats.reserved && stats.live <= 1, "{stats:?}");
            assert!(stats.requested_total <= stats.granted_total, "{stats:?}");
            watched.pool.verify().expect("it holds at every moment");
        },
    );
}

#[test]
fn loom_shared_pool_take_and_free() {
    explore("shared_pool::take_and_free", 3, 1000, take_and_free);
}

#[test]
fn loom_shared_pool_search_while_a_word_fills() {
    explore("shared_pool::search_while_a_word_fills", 3, 400, search_while_a_word_fills);
}

#[test]
fn loom_shared_pool_search_while_the_word_fills() {
    explore("shared_pool::search_while_the_word_fills", 3, 100, search_while_the_word_fills);
}

#[test]
fn loom_shared_pool_handed_over() {
    explore("shared_pool::handed_over", 3, 100, handed_over);
}

#[test]
fn loom_shared_pool_double_free() {
    explore("shared_pool::double_free", 3, 10, double_free);
}

#[test]
fn loom_shared_pool_growth() {
    explore("shared_pool::growth", 2, 600, growth);
}

#[test]
fn loom_shared_pool_counters() {
    explore("shared_pool::counters", 3, 100, counters);
}

#[test]
fn loom_shared_pool_faults_are_caught() {
    let owners = ["Causality violation", "oncurrent"];
    must_fail("shared_pool::take_and_free", Fault::SplitExchange, &owners, take_and_free);
    must_fail("shared_pool::handed_over", Fault::Relaxed, &owners, handed_over);
    let told = ["exactly one of two frees is reported"];
    must_fail("shared_pool::double_free", Fault::SplitOr, &told, double_free);
    let lost = ["no search finds", "levels", "the bits and the counters differ", "is live"];
    must_fail("shared_pool::fills", Fault::SplitAnd, &lost, search_while_a_word_fills);
    must_fail("shared_pool::fills", Fault::Relaxed, &lost, search_while_the_word_fills);
    let miscounted = ["are counted"];
    must_fail("shared_pool::take_and_free", Fault::SplitAdd, &miscounted, take_and_free);
}
