//! `xmalloc-test`: one thread allocates, another frees.
//!
//! From C. Lever and D. Boreham, "malloc() Performance in a Multithreaded Linux Environment", 2000.
//! The rules are those of the program in mimalloc-bench, called as `xmalloc-test -w N -t 5 -s 64`:
//! N producers fill batches of 4 096 blocks of 64 bytes; N consumers free them. The batches, of
//! 32 776 bytes, are on the heap as well. A stack of at most 100 batches is between them, under a
//! lock. So each free is by another thread than the allocation.
//!
//! Changes: each producer makes a number of batches instead of working for five seconds, and the
//! consumers end when all batches are freed.

use core::alloc::{GlobalAlloc, Layout};
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Instant;

use crate::suites::Timing;
use crate::suites::shared_heap::SharedHeap;
use crate::suites::shared_heap::words;

/// Blocks of a batch.
pub(super) const BATCH_BLOCKS: usize = 4096;

/// How many batches wait for consumers at most.
const BATCHES_WAITING_MAX: u32 = 100;

/// How much of a block its producer writes.
const WRITTEN_BYTES_MAX: u32 = 128;

/// How a run is parameterised.
#[derive(Clone, Copy, Debug)]
pub struct Xmalloc {
    /// Producers, and as many consumers.
    pub threads: u32,
    /// Batches of a producer.
    pub batches: u32,
    /// Bytes of a block.
    pub bytes: u32,
}

impl Xmalloc {
    /// Returns the parameters of mimalloc-bench.
    #[must_use]
    pub const fn new(threads: u32, batches: u32) -> Self {
        Self { threads, batches, bytes: 64 }
    }

    /// Runs it; an operation is a block allocated and freed.
    ///
    /// # Panics
    ///
    /// If the heap refuses a request or a thread cannot be started.
    pub fn run<A: GlobalAlloc + Sync>(self, heap: &A) -> Timing {
        let heap = SharedHeap(heap);
        let batches = u64::from(self.threads) * u64::from(self.batches);
        let queue = Queue::new(batches);
        let begin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| self.consume(heap, &queue));
                scope.spawn(|| self.produce(heap, &queue));
            }
        });
        Timing { operations: batches * BATCH_BLOCKS as u64, elapsed: begin.elapsed(), own_kib: 0 }
    }

    fn produce<A: GlobalAlloc>(self, heap: SharedHeap<'_, A>, queue: &Queue) {
        let written = self.bytes.min(WRITTEN_BYTES_MAX) as usize;
        for _ in 0..self.batches {
            let mut batch = heap.allocate(Batch::LAYOUT).cast::<Batch>();
            // SAFETY: the block is fresh and has the layout of a batch, which begins with its link.
            unsafe { batch.cast::<*mut Batch>().write(ptr::null_mut()) };
            // SAFETY: the link is initialised, the rest need not be, and no other thread has the
            // batch yet.
            let slots = unsafe { &mut batch.as_mut().blocks };
            for (index, slot) in slots.iter_mut().enumerate() {
                let block = heap.allocate(words(self.bytes));
                // SAFETY: the block is fresh and not shorter.
                unsafe { block.write_bytes(index as u8, written) };
                slot.write(block);
            }
            queue.push(batch);
        }
    }

    fn consume<A: GlobalAlloc>(self, heap: SharedHeap<'_, A>, queue: &Queue) {
        while let Some(batch) = queue.pop() {
            // SAFETY: the batch is live and popped by this thread alone.
            for block in unsafe { &batch.as_ref().blocks } {
                // SAFETY: a producer fills each slot of a batch before it pushes it.
                let block = unsafe { block.assume_init() };
                // SAFETY: the block is live with this layout, and its batch ends here.
                unsafe { heap.free(block, words(self.bytes)) };
            }
            // SAFETY: the batch was allocated with this layout and is not used again.
            unsafe { heap.free(batch.cast(), Batch::LAYOUT) };
        }
    }
}

/// A batch of blocks, on the heap under test.
#[repr(C)]
struct Batch {
    next: *mut Batch,
    blocks: [MaybeUninit<NonNull<u8>>; BATCH_BLOCKS],
}

impl Batch {
    const LAYOUT: Layout = Layout::new::<Self>();
}

/// The batches between producers and consumers: last in, first out.
struct Queue {
    waiting: Mutex<Waiting>,
    is_filled: Condvar,
    has_space: Condvar,
}

/// What the lock of a queue protects.
struct Waiting {
    top: *mut Batch,
    count: u32,
    /// Batches that no consumer has popped yet, pushed or not.
    unpopped: u64,
}

// SAFETY: the batches of the stack are owned by it, and whichever thread holds its lock may have
// them.
unsafe impl Send for Waiting {}

impl Queue {
    /// Returns a queue through which this many batches will pass.
    fn new(batches: u64) -> Self {
        let waiting = Waiting { top: ptr::null_mut(), count: 0, unpopped: batches };
        Self { waiting: Mutex::new(waiting), is_filled: Condvar::new(), has_space: Condvar::new() }
    }

    /// Pushes a batch once there is space.
    fn push(&self, mut batch: NonNull<Batch>) {
        let waiting = self.waiting.lock().expect("no thread panics under this lock");
        let mut waiting = self
            .has_space
            .wait_while(waiting, |waiting| waiting.count >= BATCHES_WAITING_MAX)
            .expect("no thread panics under this lock");
        // SAFETY: the batch is live and this thread's until it is on the stack.
        unsafe { batch.as_mut() }.next = waiting.top;
        waiting.top = batch.as_ptr();
        waiting.count += 1;
        self.is_filled.notify_one();
    }

    /// Pops a batch once there is one; `None` when all have been popped.
    fn pop(&self) -> Option<NonNull<Batch>> {
        let waiting = self.waiting.lock().expect("no thread panics under this lock");
        let mut waiting = self
            .is_filled
            .wait_while(waiting, |waiting| waiting.top.is_null() && waiting.unpopped > 0)
            .expect("no thread panics under this lock");
        let batch = NonNull::new(waiting.top)?;
        // SAFETY: a batch on the stack is live and its link is initialised.
        waiting.top = unsafe { batch.as_ref() }.next;
        waiting.count -= 1;
        waiting.unpopped -= 1;
        self.has_space.notify_one();
        if waiting.unpopped == 0 {
            self.is_filled.notify_all();
        }
        Some(batch)
    }
}
