//! How soon an urgent task begins while all threads have others to do.

use core::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use loligo_tasks::{PRIORITY_MAX, Scope, Task, Worker};

use crate::contender::{Contender, Pass};

use super::{ours, percentile, timed, work};

/// The tasks of low priority, and the steps of each: some dozen microseconds.
const LOW: usize = 600;
const STEPS: u32 = 20_000;

/// Every `EACH`th low task adds an urgent one, but for the last: the queues of both threads should
/// not be empty before it begins, and a thread takes at most 32 tasks at once from another's.
const EACH: usize = 20;
const ADDERS: usize = (LOW - 2 * 32) / EACH * EACH;
pub(super) const URGENT: usize = ADDERS / EACH;

/// The time from adding a task of the highest priority to its begin, over the time that one low
/// task takes, while both threads have a queue of low ones: the 95th percentile of a pass. A low
/// task adds it as it begins, so its thread can run the urgent one after a whole low task, and the
/// other thread after a part of one.
pub(crate) fn our_urgent() -> Contender {
    ours(2, |main| {
        let length = || timed(2, 20, || work(0, STEPS)) / 20;
        let before = length();
        let ns = percentile(waits(main), 95);
        Pass { ns, operations: before.midpoint(length()) }
    })
}

/// Runs the tasks of a pass; returns how long each urgent one has waited.
pub(super) fn waits(main: &Worker<'_>) -> Vec<u64> {
    let each: Vec<AtomicU64> = (0..URGENT).map(|_| AtomicU64::new(0)).collect();
    let result = main.scope(&"low and urgent", |scope| {
        for index in 0..LOW {
            let adds = index < ADDERS && index % EACH == EACH / 2;
            let waited = if adds { each.get(index / EACH) } else { None };
            let task = Task::new(&"low", move |_| {
                if let Some(waited) = waited {
                    add_urgent(scope, waited);
                }
                work(1, STEPS);
            });
            assert!(scope.add(task).is_ok(), "there is room");
        }
    });
    assert!(result.is_ok(), "nothing panics");
    each.into_iter().map(AtomicU64::into_inner).collect()
}

/// Adds an urgent task that notes how long it has waited.
fn add_urgent<'s>(scope: &'s Scope<'s, '_>, waited: &'s AtomicU64) {
    let from = Instant::now();
    let note = move |_: &Worker<'_>| {
        waited.store(from.elapsed().as_nanos() as u64, Ordering::Relaxed);
    };
    let task = Task::new(&"urgent", note).priority(PRIORITY_MAX);
    assert!(scope.add(task).is_ok(), "there is room");
}
