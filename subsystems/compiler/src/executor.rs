//! Runs jobs in parallel.

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs pieces of work that do not depend on each other, on as many threads as it likes.
///
/// This is all that a compile asks of its runner, so that threads, a task system or a farm can do
/// it.
pub trait Executor {
    /// Calls `work` with every number from 0 to `count`, each once, in any order and at the same
    /// time where it can; returns when all calls have returned.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// The stack of a thread, in bytes: compilers are libraries of others, some of which recurse over
/// what they read.
const STACK_BYTES: usize = 16 << 20;

/// Threads of the system, made for each run: a compile makes three runs, so making them costs
/// nothing that shows.
///
/// Each has 16 MiB of stack. Of one job alone the caller does the work, on the stack that it has.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    jobs: NonZeroUsize,
}

impl Threads {
    /// Works with the given number of threads; where it is one, that is the caller.
    #[must_use]
    pub const fn new(jobs: NonZeroUsize) -> Self {
        Self { jobs }
    }
}

impl Default for Threads {
    /// As many as the machine has.
    fn default() -> Self {
        Self::new(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Executor for Threads {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let take_turns = || {
            loop {
                // Each number goes to one thread; what the work wrote is seen when the threads are
                // joined.
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= count {
                    return;
                }
                work(turn);
            }
        };
        let jobs = self.jobs.get().min(count);
        thread::scope(|scope| {
            let threads = if jobs > 1 { jobs } else { 0 };
            let mut started = 0;
            for _ in 0..threads {
                // A machine that has no thread left works with fewer.
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                started += usize::from(builder.spawn_scoped(scope, take_turns).is_ok());
            }
            if started == 0 {
                take_turns();
            }
        });
    }
}
