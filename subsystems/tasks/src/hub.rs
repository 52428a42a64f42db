//! The lock, the sleeping threads, and the loops of threads that look for work.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::error::{AddError, WaitError};
use crate::id::TaskId;
use crate::lent::Lent;
use crate::observer::{Observed, Observer};
use crate::slot::Slot;
use crate::state::{State, Taken, ThreadRecord, Waits};
use crate::sync::{AtomicU32, Bell, Guard, Lock, Ordering};
use crate::task::Task;
use crate::worker::Worker;

/// How often a thread that finds nothing looks again before it sleeps: some microseconds, about
/// what waking it costs.
#[cfg(not(all(test, loom)))]
const LOOKS: u32 = 100;
#[cfg(all(test, loom))]
const LOOKS: u32 = 0;

/// What all threads share.
pub(crate) struct Hub<'m> {
    state: Lock<State>,
    news: News,
    bells: &'m [Bell],
    observer: Option<&'m dyn Observer>,
}

/// Counts changes that searching threads should see. In a separate cache line: they read it all the
/// time.
#[repr(align(128))]
struct News(AtomicU32);

impl<'m> Hub<'m> {
    /// Makes the hub of an empty task manager.
    pub(crate) fn new(
        slots: &'m mut [Slot],
        threads: &'m mut [ThreadRecord],
        bells: &'m [Bell],
        main_threads: u32,
        observer: Option<&'m dyn Observer>,
    ) -> Self {
        // SAFETY: the hub is gone when 'm ends, and the state with it.
        let slots = unsafe { Lent::new(slots) };
        // SAFETY: as above.
        let threads = unsafe { Lent::new(threads) };
        let state = Lock::new(State::new(slots, threads, main_threads));
        Self { state, news: News(AtomicU32::new(0)), bells, observer }
    }

    /// Does something under the lock, and wakes whom it concerns.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut guard = self.state.lock();
        let result = work(&mut guard);
        self.unlock(guard);
        result
    }

    /// Adds a task.
    ///
    /// # Safety
    ///
    /// What the task borrows remains valid until it has completed.
    #[inline]
    pub(crate) unsafe fn add(
        &self,
        task: &mut Task<'_>,
        root: Option<TaskId>,
    ) -> Result<TaskId, AddError> {
        self.with(|state| {
            // SAFETY: the caller's promise is the one that is asked for.
            unsafe { state.add(task, root) }
        })
    }

    /// Runs tasks until the manager shuts down: what a worker does.
    pub(crate) fn serve(&self, thread: u8) {
        let mut guard = self.state.lock();
        let mut looked = false;
        while !guard.is_closing() {
            guard = self.step(guard, thread, &mut looked);
        }
        self.unlock(guard);
    }

    /// Runs tasks until what is waited for has come about, or `is_there` says so.
    pub(crate) fn work_until(
        &self,
        thread: u8,
        waits: Waits,
        is_there: impl Fn() -> bool,
    ) -> Result<(), WaitError> {
        let mut guard = self.state.lock();
        let before = match guard.begin_wait(thread, waits) {
            Ok(before) => before,
            Err(error) => {
                self.unlock(guard);
                return Err(error);
            }
        };
        let mut looked = false;
        let result = loop {
            if is_there() {
                break Ok(());
            }
            if let Some(result) = guard.waited(thread) {
                break result;
            }
            guard = self.step(guard, thread, &mut looked);
        };
        guard.end_wait(thread, before);
        self.unlock(guard);
        result
    }

    /// Runs one task, if there is one.
    pub(crate) fn run_one(&self, thread: u8) -> bool {
        let mut guard = self.state.lock();
        let taken = guard.take(thread);
        let some = taken.is_some();
        if let Some(taken) = taken {
            guard = self.run(guard, thread, taken);
        }
        self.unlock(guard);
        some
    }

    /// Runs a task; if there is none, looks for some time, and then sleeps.
    #[inline]
    fn step<'g>(
        &'g self,
        mut guard: Guard<'g, State>,
        thread: u8,
        looked: &mut bool,
    ) -> Guard<'g, State> {
        if let Some(taken) = guard.take(thread) {
            *looked = false;
            self.run(guard, thread, taken)
        } else if *looked {
            *looked = false;
            self.sleep(guard, thread)
        } else {
            *looked = true;
            self.look(guard)
        }
    }

    /// Gives the lock back, runs a task, takes the lock and notes that it is done: once each for a
    /// task.
    #[inline]
    fn run<'g>(&'g self, guard: Guard<'g, State>, thread: u8, taken: Taken) -> Guard<'g, State> {
        let index = taken.index;
        self.unlock(guard);
        let panicked = self.execute(thread, taken);
        let mut guard = self.state.lock();
        guard.finish(thread, index, panicked);
        guard
    }

    /// Runs a task's closure; returns whether it panicked.
    #[inline]
    fn execute(&self, thread: u8, taken: Taken) -> bool {
        let worker = Worker::new(self, thread, Some(taken.id));
        let result = catch_unwind(AssertUnwindSafe(|| {
            if let Some(observer) = self.observer {
                return observed(observer, taken, &worker);
            }
            // SAFETY: it came in by `add`, whose caller promises that what it borrows remains valid
            // until the task has completed, which it does after this at the earliest.
            unsafe { taken.closure.call(&worker) }
        }));
        let Err(payload) = result else {
            return false;
        };
        // What is dropped here is the program's, and may panic again: that is the same failure.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            core::mem::forget(again);
        }
        true
    }

    /// Looks for news without the lock, for a while.
    #[cold]
    fn look<'g>(&'g self, mut guard: Guard<'g, State>) -> Guard<'g, State> {
        guard.search(true);
        // Relaxed here and below: what is decided on it is only when to take the lock.
        let seen = self.news.0.load(Ordering::Relaxed);
        self.unlock(guard);
        for _ in 0..LOOKS {
            if self.news.0.load(Ordering::Relaxed) != seen {
                break;
            }
            core::hint::spin_loop();
        }
        let mut guard = self.state.lock();
        guard.search(false);
        guard
    }

    /// Sleeps until woken. The lock was not given back since nothing was found.
    #[cold]
    fn sleep<'g>(&'g self, mut guard: Guard<'g, State>, thread: u8) -> Guard<'g, State> {
        let asleep = guard.fall_asleep(thread);
        // Others may have been woken, where all waited for each other.
        let (wakes, changed) = guard.before_unlock();
        self.tell(changed);
        self.ring(wakes & !(1 << thread));
        if asleep {
            while guard.is_asleep(thread) {
                guard = self.bells[usize::from(thread)].sleep(guard);
            }
        }
        // The thread that wakes another counts it as searching.
        guard.search(false);
        guard
    }

    /// Gives the lock back, and wakes whom it concerns.
    #[inline]
    fn unlock(&self, mut guard: Guard<'_, State>) {
        let (wakes, changed) = guard.before_unlock();
        self.tell(changed);
        drop(guard);
        if wakes != 0 {
            self.ring(wakes);
        }
    }

    /// Raises the count that searching threads compare, if `changed`. Only with the lock held.
    #[inline]
    fn tell(&self, changed: bool) {
        if changed {
            // Relaxed, and no read-modify-write: the lock is held.
            let seen = self.news.0.load(Ordering::Relaxed);
            self.news.0.store(seen.wrapping_add(1), Ordering::Relaxed);
        }
    }

    #[cold]
    fn ring(&self, wakes: u64) {
        for (thread, bell) in self.bells.iter().enumerate() {
            if wakes >> thread & 1 == 1 {
                bell.ring();
            }
        }
    }
}

/// Runs a task's closure and reports its begin and end.
#[cold]
fn observed(observer: &dyn Observer, taken: Taken, worker: &Worker<'_>) {
    let (name, id, parent) = (taken.name, taken.id, taken.parent);
    let _observed = Observed::begin(observer, name, id, parent, worker.thread());
    // SAFETY: as in `execute`.
    unsafe { taken.closure.call(worker) }
}

#[cfg(test)]
mod tests;
