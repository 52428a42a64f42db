//! `rptest`: mixed sizes and alignments, and parcels of blocks that another thread frees.
//!
//! From M. Jansson's benchmark of rpmalloc, 2017. The rules are those of the program in
//! mimalloc-bench, called as `rptest N 0 1 2 500 1000 100 8 16000`: each of N threads has a table
//! of 1 000 slots and, in each of 500 loops, empties 24 to 79 slots, frees the parcels that it was
//! sent, and fills 30 to 99 slots. In every second loop it allocates as many blocks once more and
//! sends them to another thread in a parcel, which is on the heap as well. Blocks of 8 to 16 000
//! bytes become rarer with their size; all of a block is written. A run starts the threads twice,
//! and they do all this twice.
//!
//! Changes: threads wait at a barrier, without sleeping. All threads send parcels in all loops; in
//! the program the first thread that is ready stops all parcels, so on two cores 9 to 29 % of them
//! are not sent. The sizes and numbers of blocks are drawn from the same distributions, not copied.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::suites::Timing;
use crate::suites::pointers::Pointers;
use crate::suites::rptest::plan::Plan;
use crate::suites::shared_heap::SharedHeap;

mod plan;

/// How often a thread of a run does all its loops.
const PASSES: usize = 2;

/// A parcel is sent in every loop whose number is a multiple of this.
const LOOPS_A_PARCEL: u32 = 2;

/// Bytes of a page of memory.
const PAGE_BYTES: usize = 4096;

/// How a run is parameterised.
#[derive(Clone, Copy, Debug)]
pub struct Rptest {
    /// Threads; one alone sends no parcels.
    pub threads: u32,
    /// How often threads are started, twice in the program.
    pub starts: u32,
    /// Loops of a pass.
    pub loops: u32,
    /// Slots of a thread, not a multiple of 7 or 11.
    pub slots: usize,
}

impl Rptest {
    /// Returns the parameters of mimalloc-bench, where threads are started twice.
    #[must_use]
    pub const fn new(threads: u32, starts: u32) -> Self {
        Self { threads, starts, loops: 500, slots: 1000 }
    }

    /// Returns how many parcels are sent.
    #[must_use]
    pub fn parcels(self) -> u64 {
        let passes = u64::from(self.threads) * u64::from(self.starts) * PASSES as u64;
        let sends = self.threads > 1;
        if sends { passes * u64::from(self.loops.div_ceil(LOOPS_A_PARCEL)) } else { 0 }
    }

    /// Runs it; an operation is an allocation or a free.
    ///
    /// # Panics
    ///
    /// If the heap refuses a request or a thread cannot be started.
    pub fn run<A: GlobalAlloc + Sync>(self, heap: &A) -> Timing {
        let heap = SharedHeap(heap);
        let plan = Plan::new();
        let mail: Vec<AtomicPtr<Parcel>> =
            (0..self.threads).map(|_| AtomicPtr::default()).collect();
        let barrier = Barrier::new(self.threads as usize);
        let mut operations = 0;
        let begin = Instant::now();
        for _ in 0..self.starts {
            operations += thread::scope(|scope| {
                let spawn = |id: u32| {
                    let worker = Worker {
                        heap,
                        rules: self,
                        plan: &plan,
                        mail: &mail,
                        id: id as usize,
                        receiver: 0,
                        operations: 0,
                    };
                    let barrier = &barrier;
                    scope.spawn(move || worker.work(barrier))
                };
                let workers: Vec<_> = (0..self.threads).map(spawn).collect();
                let join = |worker: thread::ScopedJoinHandle<'_, u64>| {
                    worker.join().expect("the heap serves every request")
                };
                workers.into_iter().map(join).sum::<u64>()
            });
        }
        Timing { operations, elapsed: begin.elapsed(), own_kib: 0 }
    }
}

/// A thread of a run.
struct Worker<'e, A> {
    heap: SharedHeap<'e, A>,
    rules: Rptest,
    plan: &'e Plan,
    /// For each thread the parcels that it was sent.
    mail: &'e [AtomicPtr<Parcel>],
    id: usize,
    /// The thread that was sent a parcel last.
    receiver: usize,
    operations: u64,
}

impl<A: GlobalAlloc> Worker<'_, A> {
    /// Does all loops; returns the number of operations.
    fn work(mut self, barrier: &Barrier) -> u64 {
        let mut table = Pointers::nulls(self.heap, self.rules.slots);
        let (mut emptied, mut filled) = (0, 0);
        for pass in 0..PASSES {
            let mut sizes = self.plan.cursor(self.id, pass);
            for number in 0..self.rules.loops {
                let counts = self.plan.counts(pass + number as usize);
                for _ in 0..counts.frees {
                    self.free(table.replace(emptied, ptr::null_mut()));
                    emptied = (emptied + plan::STEP_EMPTIED) % self.rules.slots;
                }
                self.free_parcels();
                for index in 0..counts.allocations {
                    self.free(table.replace(filled, ptr::null_mut()));
                    table.replace(filled, self.allocate(sizes.next(index)));
                    filled = (filled + plan::STEP_FILLED) % self.rules.slots;
                }
                if self.mail.len() > 1 && number % LOOPS_A_PARCEL == 0 {
                    self.send(counts.allocations, &mut sizes);
                }
            }
            // Then nobody sends any more, until all are here again.
            barrier.wait();
            self.free_parcels();
            for slot in 0..self.rules.slots {
                self.free(table.replace(slot, ptr::null_mut()));
            }
            barrier.wait();
        }
        // The table is allocated and freed as well.
        self.operations + 2
    }

    /// Allocates a parcel of blocks and sends it to the next thread.
    fn send(&mut self, count: u32, sizes: &mut plan::Cursor<'_>) {
        let parcel = self.heap.allocate(Parcel::LAYOUT).cast::<Parcel>();
        let blocks = self.heap.allocate(Parcel::blocks_layout(count)).cast::<*mut u64>();
        self.operations += 2;
        for index in 0..count {
            // SAFETY: the index is below the count that the array was allocated for.
            let place = unsafe { blocks.add(index as usize) };
            let block = self.allocate(sizes.next(index));
            // SAFETY: as above.
            unsafe { place.write(block) };
        }
        self.receiver = (self.receiver + 1) % self.mail.len();
        if self.receiver == self.id {
            self.receiver = (self.receiver + 1) % self.mail.len();
        }
        let top = &self.mail[self.receiver];
        let mut next = top.load(Ordering::Relaxed);
        loop {
            // SAFETY: the parcel is fresh, has this layout and is this thread's until it is sent.
            unsafe { parcel.write(Parcel { blocks, count, next }) };
            // Release: what was written to the parcel and its blocks is visible to the thread that
            // swaps the stack. Parcels are taken all at once, so no address can come back between.
            match top.compare_exchange_weak(
                next,
                parcel.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => next = now,
            }
        }
    }

    /// Frees all parcels that this thread was sent.
    fn free_parcels(&mut self) {
        // Acquire pairs with the release of `send`.
        let mut top = self.mail[self.id].swap(ptr::null_mut(), Ordering::Acquire);
        while let Some(parcel) = NonNull::new(top) {
            // SAFETY: a sent parcel is live, and swapping the stack made it this thread's.
            let Parcel { blocks, count, next } = unsafe { parcel.read() };
            for index in 0..count as usize {
                // SAFETY: the array has `count` pointers.
                let place = unsafe { blocks.add(index) };
                // SAFETY: the sender wrote all of them.
                let block = unsafe { place.read() };
                self.free(block);
            }
            // SAFETY: the array is live, has this layout and is not used again.
            unsafe { self.heap.free(blocks.cast(), Parcel::blocks_layout(count)) };
            // SAFETY: so is the parcel, which was read above.
            unsafe { self.heap.free(parcel.cast(), Parcel::LAYOUT) };
            self.operations += 2;
            top = next;
        }
    }

    /// Allocates a block, writes all of it and stores its layout in its first word.
    #[inline(always)]
    fn allocate(&mut self, shape: plan::Shape) -> *mut u64 {
        let layout = shape.layout();
        let block = if shape.is_zeroed() {
            let block = self.heap.allocate_zeroed(layout);
            // SAFETY: the block is fresh and this long.
            unsafe { touch(block, layout.size()) };
            block
        } else {
            let block = self.heap.allocate(layout);
            // SAFETY: the block is fresh and this long.
            unsafe { block.write_bytes(0xcd, layout.size()) };
            block
        };
        let block = block.cast::<u64>();
        // SAFETY: no block has less than 8 bytes, and all are aligned to 8.
        unsafe { block.write(shape.to_word()) };
        self.operations += 1;
        block.as_ptr()
    }

    /// Frees a block, unless it is null.
    #[inline(always)]
    fn free(&mut self, block: *mut u64) {
        let Some(block) = NonNull::new(block) else { return };
        // SAFETY: the pointers of tables and parcels are null or those of live blocks, whose first
        // word is written when they are allocated.
        let shape = plan::Shape::from_word(unsafe { block.read() });
        // SAFETY: the block is live, has the stored layout, and is in no table any more.
        unsafe { self.heap.free(block.cast(), shape.layout()) };
        self.operations += 1;
    }
}

/// Blocks that are sent to another thread.
#[repr(C, align(16))]
struct Parcel {
    blocks: NonNull<*mut u64>,
    count: u32,
    next: *mut Parcel,
}

impl Parcel {
    const LAYOUT: Layout = Layout::new::<Self>();

    fn blocks_layout(count: u32) -> Layout {
        Layout::array::<*mut u64>(count as usize)
            .and_then(|layout| layout.align_to(16))
            .expect("a parcel has at most 99 blocks")
    }
}

/// Writes to each page of a block that the heap zeroed, since its pages may not be resident yet.
///
/// # Safety
///
/// The block has `bytes` bytes, at least one, and its contents are not needed.
#[inline(always)]
unsafe fn touch(block: NonNull<u8>, bytes: usize) {
    for offset in (PAGE_BYTES..bytes).step_by(PAGE_BYTES).chain([bytes - 1]) {
        // SAFETY: the offset is below the size.
        let place = unsafe { block.add(offset) };
        // SAFETY: as above.
        unsafe { place.write(1) };
    }
}
