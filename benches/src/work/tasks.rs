//! Tasks: ours, those of rayon and bevy, and a thread pool as one writes it, all with the same
//! number of threads, the calling one among them.
//!
//! With one thread a pass takes the CPU time of that thread; with two the time on the wall, so the
//! machine must have two cores to spare. With more threads than cores it is on the wall, too, and
//! measures also how the system shares the cores. Threads are started and warmed up before.

mod dependents;
mod frame;
mod idle;
mod peers;
mod raw;
mod trees;
mod urgent;
mod wake;

use core::hint::black_box;
use core::ops::Range;
use std::time::Instant;

use loligo_tasks::{Settings, Task, Tasks, Worker};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

pub(crate) use dependents::{our_dependents, rayon_dependents};
pub(crate) use frame::{bevy_frame, our_frame, our_share, raw_frame, rayon_frame};
pub(crate) use idle::idle;
pub(crate) use peers::{
    bevy_loop, bevy_spawn, raw_loop, raw_spawn, rayon_few, rayon_loop, rayon_spawn,
};
pub(crate) use trees::{chili_tree, our_tree, rayon_tree};
pub(crate) use urgent::our_urgent;
pub(crate) use wake::{our_wake, rayon_wake};

/// Tasks that are spawned before they are waited for, and how often.
const SPAWNED: u32 = 1000;
const SPAWNS: u32 = 100;

/// The tasks of a scope of few.
const FEW: u32 = 4;

/// A loop over many items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    /// How many there are.
    len: usize,
    /// How many a task has at least.
    grain: usize,
    /// How long an item takes, in steps.
    steps: u32,
    /// How often it is run in a pass.
    times: u32,
}

/// Items of a few nanoseconds.
pub(crate) const SMALL: Loop = Loop { len: 1 << 16, grain: 4096, steps: 4, times: 40 };

/// Items of some dozen microseconds.
pub(crate) const LARGE: Loop = Loop { len: 40, grain: 1, steps: 20_000, times: 20 };

impl Loop {
    /// Does what is to be done for some of the items.
    #[inline]
    fn body(self, items: Range<usize>) {
        items.for_each(|item| work(item as u64, self.steps));
    }

    fn pass(self, ns: u64) -> Pass {
        Pass { ns, operations: u64::from(self.times) * self.len as u64 }
    }
}

/// Takes time in the processor alone.
#[inline]
fn work(seed: u64, steps: u32) {
    let mut state = seed | 1;
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

/// Takes the time of `work`, done so often: of this thread if it is alone, else on the wall, where the
/// median of all counts for each. What else runs on a machine delays some of them by more than they
/// take, and a helping thread finds most either awake or asleep.
fn timed(threads: u32, times: u32, mut work: impl FnMut()) -> u64 {
    if threads == 1 {
        return clock::time(|| (0..times).for_each(|_| work()));
    }
    let once = || {
        let from = Instant::now();
        work();
        from.elapsed().as_nanos() as u64
    };
    percentile(core::iter::repeat_with(once).take(times as usize).collect(), 50) * u64::from(times)
}

/// Returns the percentile `percent` of times, of which there is at least one.
fn percentile(mut each: Vec<u64>, percent: usize) -> u64 {
    let place = (each.len() * percent / 100).min(each.len() - 1);
    *each.select_nth_unstable(place).1
}

/// Returns a contender of ours whose pass runs `work` in a manager with the given number of
/// threads.
fn ours(threads: u32, work: impl Fn(&Worker<'_>) -> Pass + 'static) -> Contender {
    let settings = Settings { workers: Some(threads - 1), ..Settings::default() };
    let Ok(mut tasks) = Tasks::<Heap>::try_new_in(&settings, &HEAP) else {
        unreachable!("there is memory for a table")
    };
    Contender::new("loligo", move || {
        tasks.run(|main| {
            let warm = main.parallel_for(&"warm", 1000, 1, |items| SMALL.body(items));
            assert!(warm.is_ok(), "nothing panics");
            work(main)
        })
    })
}

/// Spawns tasks of ours that do nothing.
pub(crate) fn our_spawn<const THREADS: u32>() -> Contender {
    ours(THREADS, |main| {
        let ns = timed(THREADS, SPAWNS, || {
            let result = main.scope(&"spawn", |scope| {
                for index in 0..SPAWNED {
                    let task = Task::new(&"task", move |_| _ = black_box(index));
                    assert!(scope.add(task).is_ok(), "there is room");
                }
            });
            assert!(result.is_ok(), "nothing panics");
        });
        spawned(ns)
    })
}

/// Runs scopes of ours that have four tasks each.
pub(crate) fn our_few<const THREADS: u32>() -> Contender {
    ours(THREADS, |main| {
        few(THREADS, || {
            let result = main.scope(&"few", |scope| {
                for index in 0..FEW {
                    let task = Task::new(&"task", move |_| _ = black_box(index));
                    assert!(scope.add(task).is_ok(), "there is room");
                }
            });
            assert!(result.is_ok(), "nothing panics");
        })
    })
}

/// Runs chains of tasks of ours, each of which waits for the one before.
pub(crate) fn our_chain<const THREADS: u32>() -> Contender {
    ours(THREADS, |main| {
        let ns = timed(THREADS, SPAWNS, || {
            let result = main.scope(&"chain", |scope| {
                let mut last = None;
                for index in 0..SPAWNED {
                    let task = Task::new(&"task", move |_| _ = black_box(index));
                    let added = scope.add(match last {
                        Some(last) => task.after(last),
                        None => task,
                    });
                    assert!(added.is_ok(), "there is room");
                    last = added.ok();
                }
            });
            assert!(result.is_ok(), "nothing panics");
        });
        spawned(ns)
    })
}

/// Runs a loop by ours.
pub(crate) fn our_loop<const THREADS: u32>(each: Loop) -> Contender {
    ours(THREADS, move |main| {
        let ns = timed(THREADS, each.times, || {
            let body = |items: Range<usize>| each.body(items);
            let result = main.parallel_for(&"loop", each.len, each.grain, body);
            assert!(result.is_ok(), "nothing panics");
        });
        each.pass(ns)
    })
}

/// Runs the items as tasks of ours, one each, on one thread.
pub(crate) fn our_tasks_alone() -> Contender {
    ours(1, |main| {
        let ns = timed(1, LARGE.times, || {
            let result = main.scope(&"loop", |scope| {
                for item in 0..LARGE.len {
                    let task = Task::new(&"item", move |_| LARGE.body(item..item + 1));
                    assert!(scope.add(task).is_ok(), "there is room");
                }
            });
            assert!(result.is_ok(), "nothing panics");
        });
        LARGE.pass(ns)
    })
}

/// Runs a loop without tasks.
pub(crate) fn plain_loop(each: Loop) -> Contender {
    Contender::new("plain loop", move || {
        each.pass(timed(1, each.times, || each.body(0..black_box(each.len))))
    })
}

/// Runs scopes of four tasks; the time is that of a task.
fn few(threads: u32, mut scope: impl FnMut()) -> Pass {
    let scopes = SPAWNED / FEW;
    spawned(timed(threads, SPAWNS, || (0..scopes).for_each(|_| scope())))
}

fn spawned(ns: u64) -> Pass {
    Pass { ns, operations: u64::from(SPAWNS) * u64::from(SPAWNED) }
}

#[cfg(test)]
mod tests;
