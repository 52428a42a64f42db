//! A thread pool as one writes it: boxed closures in a queue with a lock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

type Job<'e> = Box<dyn FnOnce() + Send + 'e>;

/// The pool, while its threads are there.
pub(super) struct RawPool<'e> {
    state: Mutex<State<'e>>,
    /// Rung when there is a job, and when all are done.
    news: Condvar,
}

#[derive(Default)]
struct State<'e> {
    jobs: VecDeque<Job<'e>>,
    open: u32,
    closing: bool,
}

impl<'e> RawPool<'e> {
    /// Runs `work` with the given number of threads, the calling one among them.
    pub(super) fn run<R>(threads: u32, work: impl FnOnce(&Self) -> R) -> R {
        let pool = Self { state: Mutex::default(), news: Condvar::new() };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| pool.help(|state| state.closing));
            }
            let result = work(&pool);
            pool.lock().closing = true;
            pool.news.notify_all();
            result
        })
    }

    pub(super) fn spawn(&self, job: impl FnOnce() + Send + 'e) {
        let mut state = self.lock();
        state.jobs.push_back(Box::new(job));
        state.open += 1;
        drop(state);
        self.news.notify_one();
    }

    /// Runs jobs until all are done.
    pub(super) fn wait(&self) {
        self.help(|state| state.open == 0);
    }

    fn help(&self, is_done: impl Fn(&State<'e>) -> bool) {
        let mut state = self.lock();
        while !is_done(&state) {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.lock();
                state.open -= 1;
                if state.open == 0 {
                    self.news.notify_all();
                }
            } else {
                state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'e>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
