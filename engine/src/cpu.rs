//! How much processor time a thread of ours has had: what a frame costs, whatever else the machine
//! does.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering};

use loligo_tasks::{Begun, Observer, ThreadIndex};
use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time that this thread has had, in nanoseconds.
pub(crate) fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Runs the driver of the graphics card, or the software driver in its place, whose time is not
/// ours. What it calls within is counted once.
pub(crate) fn in_driver<R>(work: impl FnOnce() -> R) -> R {
    if INSIDE.replace(true) {
        return work();
    }
    let began = thread_ns();
    let result = work();
    DRIVER.set(DRIVER.get() + (thread_ns() - began));
    INSIDE.set(false);
    result
}

/// Returns the processor time that this thread has spent in drivers, in nanoseconds.
pub(crate) fn driver_ns() -> u64 {
    DRIVER.get()
}

std::thread_local! {
    static DRIVER: Cell<u64> = const { Cell::new(0) };
    /// Whether it is in one.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Whether this is a worker of the tasks, and how many tasks it is inside of.
    static WORKER: Cell<(bool, u32)> = const { Cell::new((false, 0)) };
    /// When the outermost of them began.
    static BEGAN: Cell<u64> = const { Cell::new(0) };
}

/// Adds up what workers take: the main thread and the render thread measure themselves.
///
/// It also shows tasks in the monitor's timeline.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    ns: AtomicU64,
}

impl Workers {
    /// Returns what all workers have had, in nanoseconds.
    pub(crate) fn ns(&self) -> u64 {
        // Relaxed: a sum that only grows, read as it comes.
        self.ns.load(Ordering::Relaxed)
    }
}

/// What happens on threads that run tasks.
pub(crate) struct Watched<'w, F> {
    pub(crate) workers: &'w Workers,
    /// Runs a thread's life with a recorder of the monitor.
    pub(crate) record: F,
}

impl<F: Fn(u8, &mut dyn FnMut()) + Sync> Observer for Watched<'_, F> {
    fn begin(&self, task: &Begun) {
        loligo_monitor::current::begin(loligo_monitor::Name::new(task.name));
        let (is_worker, depth) = WORKER.get();
        if is_worker {
            if depth == 0 {
                BEGAN.set(thread_ns());
            }
            WORKER.set((true, depth + 1));
        }
    }

    fn end(&self, task: &Begun) {
        let (is_worker, depth) = WORKER.get();
        if is_worker {
            WORKER.set((true, depth - 1));
            if depth == 1 {
                // Relaxed: see `ns`.
                self.workers.ns.fetch_add(thread_ns() - BEGAN.get(), Ordering::Relaxed);
            }
        }
        loligo_monitor::current::end(loligo_monitor::Name::new(task.name));
    }

    fn thread(&self, thread: ThreadIndex, life: &mut dyn FnMut()) {
        WORKER.set((true, 0));
        (self.record)(thread.0, life);
    }
}

#[cfg(test)]
mod tests {
    use super::{driver_ns, in_driver, thread_ns};

    /// Takes some processor time, whatever the clock's steps are.
    fn work() {
        let began = thread_ns();
        while thread_ns() - began < 1_000_000 {}
    }

    #[test]
    fn what_a_driver_calls_within_itself_is_counted_once() {
        let (own, driver) = (thread_ns(), driver_ns());
        in_driver(|| {
            in_driver(work);
            in_driver(work);
        });
        let spent = driver_ns() - driver;
        assert!(spent >= 2_000_000, "{spent} ns of two times a millisecond");
        assert!(spent <= thread_ns() - own, "{spent} ns are more than passed");
        in_driver(work);
        assert!(driver_ns() - driver >= spent + 1_000_000, "the next is counted again");
    }
}
