//! Programs of several threads on one heap for threads. The threads are real, but each waits for
//! its turn, so that a program does the same in every run.

mod held;
mod worker;

use core::alloc::Layout;
use std::thread::{self, Scope};

use loligo_allocators::{Allocator, SharedRef, ThreadHeap};

use super::model_op::{Beside, Differs, model_ops, run_beside, run_planted};
use super::space::size_of;

use held::Held;
use worker::Worker;

model_ops! {
    /// One operation of a thread on a heap for threads. The thread is `count` modulo 4, and starts
    /// if it does not run; a block is `which` of the live blocks of all threads.
    ThreadHeapOp of 32 by run_thread_heap {
        /// Allocates a block; `which` has its alignment and whether it is zeroed, `at` its size.
        0..=6 => Allocate { count: u8, which: u16, at: u16 },
        /// Allocates up to 64 small blocks of one size.
        7..=8 => AllocateMany { count: u8, which: u16, at: u16 },
        /// Frees a block of any thread, with its size if `at` is odd.
        9..=13 => Free { count: u8, which: u16, at: u16 },
        /// Frees a block by the thread that allocated it.
        14..=16 => FreeOwn { which: u16, at: u16 },
        /// Frees up to 64 blocks of any threads.
        17..=18 => FreeMany { count: u8, which: u16, at: u16 },
        /// Changes the size of a block of any thread in place.
        19..=20 => Resize { count: u8, which: u16, at: u16 },
        /// Changes the size of a block of any thread.
        21..=23 => Reallocate { count: u8, which: u16, at: u16 },
        /// Ends the thread, which leaves its blocks to others.
        24..=27 => End { count: u8 },
        /// Takes back what other threads freed.
        28..=29 => Collect { count: u8 },
        /// Gives back what is free.
        30..=30 => Shrink { count: u8 },
        /// Checks the structure and counts the live blocks that the thread can see.
        31..=31 => Check { count: u8 },
    }
}

/// Runs a program on a heap over `memory` and returns how many operations were refused memory. In
/// the end the threads that run free the blocks of all threads, and end.
///
/// # Errors
///
/// [`Differs`] as soon as a block is not what its thread wrote, shares a byte with another, or the
/// heap is damaged or has live blocks in the end.
///
/// # Panics
///
/// If a thread does, or if the heap reports a misuse or a leak.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{ThreadHeapOp::*, over_heap, run_thread_heap};
///
/// // Thread 0 allocates a block and ends, and thread 1 frees it.
/// let program = [
///     Allocate { count: 0, which: 0, at: 7 },
///     End { count: 0 },
///     Free { count: 1, which: 0, at: 0 },
/// ];
/// over_heap(0, |memory| run_thread_heap(&program, memory))?;
/// # Ok::<(), loligo_tests::programs::Differs>(())
/// ```
pub fn run_thread_heap(program: &[ThreadHeapOp], memory: SharedRef<'_>) -> Result<u32, Differs> {
    with_threads(program, memory, |program, threads| run_beside(program, threads))
}

/// As [`run_thread_heap`], but a byte of a block changes where the same operation is done twice in
/// a row.
pub(super) fn run_planted_thread_heap(
    program: &[ThreadHeapOp],
    memory: SharedRef<'_>,
) -> Result<u32, Differs> {
    with_threads(program, memory, |program, threads| run_planted(program, threads))
}

/// The number of threads.
const THREADS: usize = 4;

/// The most blocks that are live at a time.
const BLOCKS_MAX: usize = 1_000;

/// The most bytes that are live at a time, alignments included. Few of them are touched.
const BYTES_MAX: usize = 64 << 20;

/// The budget of the heap, which no program reaches. It is there as a thread's first region is a
/// 64th of it, and AddressSanitizer poisons all of that.
const BUDGET: usize = 1 << 30;

/// The greatest bit length of most sizes: more would have AddressSanitizer poison so much memory
/// that it takes most of the time.
const SIZE_BITS: u32 = 20;

/// The bit length of a few sizes, which no region has.
const HUGE_BITS: u32 = 25;

/// Greater blocks are not copied.
const COPY_MAX: usize = 1 << 20;

/// The alignments, most of them as programs have them.
const ALIGNS: [usize; 16] = [1, 1, 2, 4, 8, 8, 8, 8, 16, 16, 16, 32, 64, 256, 4 << 10, 1 << 20];

/// The most blocks of one operation.
const MANY: u16 = 64;

fn with_threads(
    program: &[ThreadHeapOp],
    memory: SharedRef<'_>,
    run: fn(&[ThreadHeapOp], &mut Threads<'_, '_, '_>) -> Result<u32, Differs>,
) -> Result<u32, Differs> {
    let heap = ThreadHeap::new("thread-heap", memory).with_budget(BUDGET);
    thread::scope(|scope| {
        let mut threads = Threads::new(scope, &heap);
        let refused = run(program, &mut threads);
        // Also where it failed: a heap with live blocks would report them in place of the failure.
        let end = threads.finish();
        let refused = refused?;
        end.map(|()| refused).map_err(|what| Differs {
            index: program.len(),
            op: "the end".to_owned(),
            what,
        })
    })
}

/// The threads of a program and the live blocks of all of them.
struct Threads<'scope, 'env, 'm> {
    scope: &'scope Scope<'scope, 'env>,
    heap: &'env ThreadHeap<'m>,
    workers: [Option<Worker<'scope>>; THREADS],
    held: Vec<Held>,
    seed: u64,
}

impl<'scope, 'env: 'scope, 'm: 'scope> Threads<'scope, 'env, 'm> {
    fn new(scope: &'scope Scope<'scope, 'env>, heap: &'env ThreadHeap<'m>) -> Self {
        Self { scope, heap, workers: [const { None }; THREADS], held: Vec::new(), seed: 0 }
    }

    /// Runs `work` on a thread, which starts if it does not run.
    fn on<R: Send + 'scope>(
        &mut self,
        count: u8,
        work: impl FnOnce(&'env ThreadHeap<'m>) -> R + Send + 'scope,
    ) -> R {
        let (scope, heap) = (self.scope, self.heap);
        let worker = &mut self.workers[usize::from(count) % THREADS];
        worker.get_or_insert_with(|| Worker::start(scope)).run(move || work(heap))
    }

    /// Allocates up to `blocks` blocks. Returns whether all were served.
    fn allocate(&mut self, count: u8, layout: Layout, is_zeroed: bool, blocks: usize) -> bool {
        let fits = self.bytes_left() / layout.size().max(layout.align());
        let blocks = blocks.min(fits).min(BLOCKS_MAX - self.held.len());
        let (thread, first) = (usize::from(count) % THREADS, self.seed);
        self.seed += blocks as u64;
        let made = self.on(count, move |heap| {
            let seeds = first..first + blocks as u64;
            let made = seeds.map(|seed| Held::allocate(heap, layout, is_zeroed, thread, seed));
            made.map_while(Result::ok).collect::<Vec<_>>()
        });
        let is_served = made.len() == blocks;
        self.held.extend(made);
        is_served
    }

    /// The bytes that may be allocated before there are too many.
    fn bytes_left(&self) -> usize {
        BYTES_MAX.saturating_sub(self.held.iter().map(Held::span).sum())
    }

    /// Takes a block out of the live ones; none if there are none.
    fn take(&mut self, which: u16) -> Option<Held> {
        let live = self.held.len();
        (live > 0).then(|| self.held.swap_remove(usize::from(which) % live))
    }

    /// Frees up to `blocks` blocks, which all come from around `which`.
    fn free(&mut self, count: u8, which: u16, blocks: u16, is_sized: bool) -> Result<(), String> {
        let taken: Vec<_> = (0..blocks).map_while(|_| self.take(which)).collect();
        self.on(count, move |heap| Held::free_all(taken, heap, is_sized))
    }

    /// Runs `change`, which makes it `size` bytes, on a block by a thread and returns its result;
    /// `true` if there is no block or there would be too many bytes.
    fn change(
        &mut self,
        count: u8,
        which: u16,
        size: usize,
        change: impl FnOnce(&mut Held, &ThreadHeap<'m>, u64) -> Result<bool, String> + Send + 'scope,
    ) -> Result<bool, String> {
        if size > self.bytes_left() {
            return Ok(true);
        }
        let Some(mut held) = self.take(which) else { return Ok(true) };
        self.seed += 1;
        let seed = self.seed;
        let (held, result) = self.on(count, move |heap| {
            let result = change(&mut held, heap, seed);
            (held, result)
        });
        self.held.push(held);
        result
    }

    /// Checks that no block shares a byte with another.
    fn check_overlap(&self) -> Result<(), String> {
        let mut ranges: Vec<_> = self.held.iter().map(|held| (held.start(), held.end())).collect();
        ranges.sort_unstable();
        match ranges.array_windows().find(|[(_, end), (start, _)]| end > start) {
            Some([one, other]) => Err(format!("blocks overlap: {one:x?} and {other:x?}")),
            None => Ok(()),
        }
    }

    /// Frees all blocks by the threads that run, ends these and counts. Goes on where something is
    /// wrong, and returns the first.
    fn finish(mut self) -> Result<(), String> {
        let running = (0..THREADS).filter(|&at| self.workers[at].is_some());
        let mut running: Vec<_> = running.collect();
        if running.is_empty() {
            running.push(0);
        }
        let mut held = core::mem::take(&mut self.held);
        let mut found = Ok(());
        for (at, &thread) in running.iter().enumerate() {
            let left = held.len() / (running.len() - at);
            let share = held.split_off(held.len() - left);
            let freed = self.on(thread as u8, move |heap| Held::free_all(share, heap, at % 2 == 0));
            found = found.and(freed);
        }
        self.workers.into_iter().flatten().for_each(Worker::end);
        self.heap.collect();
        let damage = self.heap.verify().map_err(|damage| format!("verify found {damage}"));
        let stats = self.heap.stats();
        let left = (stats.live, stats.granted);
        let left = if left == (0, 0) { Ok(()) } else { Err(format!("{left:?} is live")) };
        found.and(damage).and(left)
    }
}

impl<'scope, 'env: 'scope, 'm: 'scope> Beside for Threads<'scope, 'env, 'm> {
    type Op = ThreadHeapOp;

    fn lose(&mut self) {
        if let Some(held) = self.held.last_mut() {
            held.damage();
        }
    }

    fn step(&mut self, op: ThreadHeapOp) -> Result<bool, String> {
        match op {
            ThreadHeapOp::Allocate { count, which, at } => {
                let layout = Layout::from_size_align(size_at(at), ALIGNS[usize::from(which % 16)]);
                let layout = layout.map_err(|error| error.to_string())?;
                return Ok(self.allocate(count, layout, which & 16 != 0, 1));
            }
            ThreadHeapOp::AllocateMany { count, which, at } => {
                let layout = Layout::from_size_align(usize::from(at % 1_024), 8);
                let layout = layout.map_err(|error| error.to_string())?;
                let blocks = usize::from(1 + which % MANY);
                return Ok(self.allocate(count, layout, false, blocks));
            }
            ThreadHeapOp::Free { count, which, at } => self.free(count, which, 1, at % 2 == 1)?,
            ThreadHeapOp::FreeOwn { which, at } => {
                let own = self.held.get(usize::from(which) % self.held.len().max(1));
                if let Some(thread) = own.map(|held| held.thread) {
                    self.free(thread as u8, which, 1, at % 2 == 1)?;
                }
            }
            ThreadHeapOp::FreeMany { count, which, at } => {
                self.free(count, which, 1 + at % MANY, false)?;
            }
            ThreadHeapOp::Resize { count, which, at } => {
                let size = size_at(at);
                self.change(count, which, size, move |held, heap, seed| {
                    held.resize(heap, size, seed)
                })?;
            }
            ThreadHeapOp::Reallocate { count, which, at } => {
                let size = size_at(at);
                return self.change(count, which, size, move |held, heap, seed| {
                    let is_copied = held.bytes().min(size) <= COPY_MAX;
                    if is_copied { held.reallocate(heap, size, seed) } else { Ok(true) }
                });
            }
            ThreadHeapOp::End { count } => {
                self.workers[usize::from(count) % THREADS].take().into_iter().for_each(Worker::end);
            }
            ThreadHeapOp::Collect { count } => self.on(count, |heap| heap.collect()),
            ThreadHeapOp::Shrink { count } => self.on(count, |heap| heap.shrink()),
            ThreadHeapOp::Check { count } => {
                let live = self.held.len();
                self.on(count, move |heap| check(heap, live, false))?;
            }
        }
        Ok(true)
    }

    fn compare(&self) -> Result<(), String> {
        self.check_overlap()?;
        self.held.iter().try_for_each(|held| held.check(self.heap))?;
        // Of threads that have ended this one sees all blocks.
        let is_exact = self.workers.iter().all(Option::is_none);
        check(self.heap, self.held.len(), is_exact)
    }
}

/// Checks what the running thread can see of a heap of which `live` blocks are live: all of them if
/// `is_exact`.
fn check(heap: &ThreadHeap<'_>, live: usize, is_exact: bool) -> Result<(), String> {
    heap.verify().map_err(|damage| format!("verify found {damage}"))?;
    let mut seen = 0;
    heap.walk(&mut |_| seen += 1);
    let counted = if is_exact { heap.stats().live } else { live };
    if seen > live || is_exact && (seen, counted) != (live, live) {
        return Err(format!(
            "a walk shows {seen} blocks, {counted} are counted, of the model {live}"
        ));
    }
    let stats = heap.stats();
    if stats.requested > stats.granted || stats.granted > stats.reserved {
        return Err(format!("the counters are out of order: {stats:?}"));
    }
    Ok(())
}

/// Returns the size of a step: the lower five bits of `at` are its bit length, the others what is
/// below its first bit.
fn size_at(at: u16) -> usize {
    let bits = match u32::from(at % 32) {
        31 => HUGE_BITS,
        bits => bits % (SIZE_BITS + 1),
    };
    size_of(bits, (at >> 5).wrapping_mul(33))
}
