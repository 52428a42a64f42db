//! Who does the work at the same time.

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs pieces of work that do not depend on each other, on as many threads as it likes.
///
/// This is all that a compile asks of whoever runs it, so that threads, a task system or a farm can do it.
pub trait Executor {
    /// Calls `work` with every number from 0 to `count`, each once, in any order and at the same time where it can;
    /// returns when all calls have returned.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// Threads of the system, made for each run: a compile makes three runs, so making them costs nothing that shows.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    jobs: NonZeroUsize,
}

impl Threads {
    /// Works with so many threads, the caller's among them.
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
                // Each number goes to one thread; what the work wrote is seen when the threads are joined.
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= count {
                    return;
                }
                work(turn);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.jobs.get().min(count) {
                // A machine that has no thread left works with fewer.
                let _ = thread::Builder::new().spawn_scoped(scope, take_turns);
            }
            take_turns();
        });
    }
}
