//! `mstress`: random sizes up to megabytes, and blocks that threads exchange.
//!
//! From D. Leijen's stress test of mimalloc, 2018. The rules are those of the program in
//! mimalloc-bench, called as `mstress N 50 25`: in each of 25 iterations N threads, of which the
//! main thread is one, allocate and free in random order. One block in fifty is a hundred times as
//! large as the others, a few of these up to ten thousand times. Threads exchange pointers through
//! 1 000 shared slots, half of which survive an iteration. Each block is written whole and checked
//! when it is freed.
//!
//! The draws are those of the program, so the calls and sizes of a thread are the same. How many
//! blocks are freed by another thread depends on how the threads interleave.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::thread;
use std::time::Instant;

use crate::suites::Timing;
use crate::suites::pointers::Pointers;
use crate::suites::shared_heap::SharedHeap;

/// Slots through which threads exchange pointers.
const SLOTS: usize = 1000;

/// What the words of a block are combined with, to be recognised.
const COOKIE: u64 = 0xbf58_476d_1ce4_e5b9;

/// By how many pointers a thread's table grows.
const GROWTH: usize = 100_000;

/// A thread's short-lived blocks have a power of two of words below 2 to this power.
const SHIFT_END: u64 = 5;

/// As [`SHIFT_END`], of blocks that live as long as their thread.
const SHIFT_RETAINED_END: u64 = 7;

/// How a run is parameterised.
#[derive(Clone, Copy, Debug)]
pub struct Mstress {
    /// Threads, the main thread included.
    pub threads: u32,
    /// Hundreds of short-lived blocks of the thread that allocates least.
    pub scale: u32,
    /// How often all threads are started and joined.
    pub iterations: u32,
}

impl Mstress {
    /// Returns the parameters of mimalloc-bench, of which it has 25 iterations.
    #[must_use]
    pub const fn new(threads: u32, iterations: u32) -> Self {
        Self { threads, scale: 50, iterations }
    }

    /// Runs it; an operation is an allocation or a free.
    ///
    /// # Panics
    ///
    /// If the heap refuses a request or a thread cannot be started.
    pub fn run<A: GlobalAlloc + Sync>(self, heap: &A) -> Timing {
        let heap = SharedHeap(heap);
        let slots: Vec<AtomicPtr<u64>> = (0..SLOTS).map(|_| AtomicPtr::default()).collect();
        let mut draws = Draws(43 * 43);
        let mut operations = 0;
        let begin = Instant::now();
        for iteration in 1..=self.iterations {
            operations += thread::scope(|scope| {
                let spawn = |id| {
                    let slots = &slots;
                    scope.spawn(move || self.stress(heap, id, slots))
                };
                let others: Vec<_> = (1..self.threads).map(spawn).collect();
                let own = self.stress(heap, 0, &slots);
                let join = |thread: thread::ScopedJoinHandle<'_, u64>| {
                    thread.join().expect("the heap serves every request")
                };
                own + others.into_iter().map(join).sum::<u64>()
            });
            for slot in &slots {
                if draws.chance(50) || iteration == self.iterations {
                    // Threads are joined, so what they wrote is visible.
                    let item = Item::from_raw(slot.swap(ptr::null_mut(), Ordering::Relaxed));
                    operations += free(heap, item);
                }
            }
        }
        Timing { operations, elapsed: begin.elapsed(), own_kib: 0 }
    }

    /// The work of a thread; returns its operations.
    #[inline(never)]
    fn stress<A: GlobalAlloc>(
        self,
        heap: SharedHeap<'_, A>,
        id: u32,
        slots: &[AtomicPtr<u64>],
    ) -> u64 {
        let mut draws = Draws((u64::from(id) + 1) * 43);
        let mut short_lived = self.short_lived(id);
        let mut retained_left = short_lived / 2;
        let mut retained = Pointers::with_capacity(heap, retained_left as usize);
        let mut table = Pointers::with_capacity(heap, GROWTH);
        let mut operations = 0;
        while short_lived > 0 || retained_left > 0 {
            operations += 1;
            if retained_left == 0 || (draws.chance(50) && short_lived > 0) {
                short_lived -= 1;
                let words = 1 << (draws.next() % SHIFT_END);
                table.push(Item::allocate(heap, words, &mut draws).into_raw(), GROWTH);
            } else {
                retained_left -= 1;
                let words = 1 << (draws.next() % SHIFT_RETAINED_END);
                retained.push(Item::allocate(heap, words, &mut draws).into_raw(), GROWTH);
            }
            if draws.chance(66) && !table.is_empty() {
                let place = draws.place(table.len());
                operations += free(heap, Item::from_raw(table.replace(place, ptr::null_mut())));
            }
            if draws.chance(25) && !table.is_empty() {
                let place = draws.place(table.len());
                let slot = &slots[draws.place(SLOTS)];
                let own = table.replace(place, ptr::null_mut());
                // Publishes what was written to our block and pairs with the swap of the thread
                // that wrote the other.
                table.replace(place, slot.swap(own, Ordering::AcqRel));
            }
        }
        for mut pointers in [retained, table] {
            for place in 0..pointers.len() {
                let item = Item::from_raw(pointers.replace(place, ptr::null_mut()));
                operations += free(heap, item);
            }
        }
        // The two tables are allocated and freed as well.
        operations + 4
    }

    /// Returns how many short-lived blocks a thread allocates; half as many more are retained.
    #[must_use]
    pub fn short_lived(self, id: u32) -> u32 {
        100 * self.scale * (id % 8 + 1)
    }
}

/// A live block: word `i` of `n` is `n - i`, combined with the cookie.
struct Item(NonNull<u64>);

impl Item {
    /// Allocates and fills a block of `words` words or, rarely, of a multiple.
    fn allocate<A: GlobalAlloc>(heap: SharedHeap<'_, A>, words: u64, draws: &mut Draws) -> Self {
        let mut count = words;
        if draws.chance(1) {
            count *= if draws.chance(1) {
                10_000
            } else if draws.chance(10) {
                1000
            } else {
                100
            };
        }
        let start = heap.allocate(Self::layout(count)).cast::<u64>();
        for index in 0..count {
            // SAFETY: the index is below the count of words that the block has.
            let word = unsafe { start.add(index as usize) };
            // SAFETY: the word is in a fresh block.
            unsafe { word.write((count - index) ^ COOKIE) };
        }
        Self(start)
    }

    fn layout(count: u64) -> Layout {
        Layout::array::<u64>(count as usize).expect("the largest has 5 MB")
    }

    fn from_raw(raw: *mut u64) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    fn into_raw(self) -> *mut u64 {
        self.0.as_ptr()
    }
}

/// Checks and frees a block, if there is one; returns the number of operations.
///
/// # Panics
///
/// If the block is damaged.
fn free<A: GlobalAlloc>(heap: SharedHeap<'_, A>, item: Option<Item>) -> u64 {
    let Some(Item(start)) = item else { return 0 };
    // SAFETY: an item is live and has one word at least.
    let count = unsafe { start.read() } ^ COOKIE;
    for index in 0..count {
        // SAFETY: the first word holds how many there are.
        let word = unsafe { start.add(index as usize) };
        // SAFETY: as above; all words are written when the item is made.
        let found = unsafe { word.read() } ^ COOKIE;
        assert_eq!(found, count - index, "block {start:?} of {count} words, at word {index}");
    }
    // SAFETY: an item is a live block of this heap with this layout, and it ends here.
    unsafe { heap.free(start.cast(), Item::layout(count)) };
    1
}

/// The random numbers of the program: each is the one before, put through the last step of
/// SplitMix64 (S. Vigna, 2015).
struct Draws(u64);

impl Draws {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = bits ^ (bits >> 31);
        self.0
    }

    /// Returns `true` in `percent` + 1 of a hundred cases, as in the program.
    #[inline(always)]
    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 <= percent
    }

    /// Returns an index below `end`.
    #[inline(always)]
    fn place(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
