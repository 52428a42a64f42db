//! How soon a thread that sleeps begins a task that another adds.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::thread;
use std::time::Instant;

use loligo_tasks::Task;

use crate::contender::{Contender, Pass};

use super::peers::rayon_pool;
use super::{ours, percentile};

/// How often the thread is woken in a pass.
const WAKES: usize = 200;

/// How long it is left alone before: more than any pool looks for work before its threads sleep.
const ALONE: Duration = Duration::from_micros(300);

/// The time from adding a task to its begin on a thread that slept, ours: the percentile `PERCENT`
/// of the wakes of a pass. The thread that adds it does not help, as one outside the pool
/// could not: it spins until the task has begun, so the sleeping thread needs another core.
pub(crate) fn our_wake<const PERCENT: usize>() -> Contender {
    ours(2, |main| {
        wakes(PERCENT, |begun| {
            let result = main.scope(&"wake", |scope| {
                let from = Instant::now();
                let task = Task::new(&"woken", move |_| begin(begun, from));
                assert!(scope.add(task).is_ok(), "there is room");
                wait_for(begun)
            });
            result.unwrap_or_else(|_| unreachable!("nothing panics"))
        })
    })
}

/// The same by rayon, whose pool has the sleeping thread alone.
pub(crate) fn rayon_wake<const PERCENT: usize>() -> Contender {
    let pool = rayon_pool(1);
    Contender::new("rayon", move || {
        wakes(PERCENT, |begun| {
            pool.in_place_scope(|scope| {
                let from = Instant::now();
                scope.spawn(move |_| begin(begun, from));
                wait_for(begun)
            })
        })
    })
}

/// Takes the times of all wakes of a pass.
fn wakes(percent: usize, wake: impl Fn(&AtomicU64) -> u64) -> Pass {
    let once = || {
        thread::sleep(ALONE);
        wake(&AtomicU64::new(0))
    };
    let each = core::iter::repeat_with(once).take(WAKES).collect();
    Pass { ns: percentile(each, percent), operations: 1 }
}

/// Notes when the task has begun. By the task, so that the figure does not include how long the
/// other thread takes to see it.
fn begin(begun: &AtomicU64, from: Instant) {
    begun.store((from.elapsed().as_nanos() as u64).max(1), Ordering::Release);
}

/// Waits until it has begun; returns after how many nanoseconds.
fn wait_for(begun: &AtomicU64) -> u64 {
    loop {
        match begun.load(Ordering::Acquire) {
            0 => core::hint::spin_loop(),
            ns => return ns,
        }
    }
}
