//! Many tasks that depend on one.

use core::hint::black_box;
use std::time::Instant;

use loligo_tasks::Task;

use crate::clock;
use crate::contender::{Contender, Pass};

use super::peers::rayon;
use super::{SPAWNED, SPAWNS, ours, percentile, spawned};

/// Tasks of ours that depend on one: the time from the start of that one, which does nothing, to
/// the completion of all. Adding them, before, is not part of it.
pub(crate) fn our_dependents<const THREADS: u32>() -> Contender {
    ours(THREADS, |main| {
        pass(|| {
            let result = main.scope(&"dependents", |scope| {
                let one = scope.add(Task::new(&"one", |_| ()).held());
                let Ok(one) = one else { unreachable!("there is room") };
                for index in 0..SPAWNED {
                    let task = Task::new(&"dependent", move |_| _ = black_box(index));
                    assert!(scope.add(task.after(one)).is_ok(), "there is room");
                }
                let from = Start::now(THREADS);
                assert!(main.start(one).is_ok(), "it is held");
                from
            });
            let Ok(from) = result else { unreachable!("nothing panics") };
            from.elapsed_ns()
        })
    })
}

/// The nearest that rayon has: the one spawns the others, since there they may start. So adding
/// them is part of the time.
pub(crate) fn rayon_dependents<const THREADS: u32>() -> Contender {
    rayon(THREADS, || {
        pass(|| {
            let from = Start::now(THREADS);
            ::rayon::scope(|scope| {
                scope.spawn(|scope| {
                    for index in 0..SPAWNED {
                        scope.spawn(move |_| _ = black_box(index));
                    }
                });
            });
            from.elapsed_ns()
        })
    })
}

/// Returns the time of a dependent, by the median of the times that all of them took.
fn pass(once: impl FnMut() -> u64) -> Pass {
    let each = core::iter::repeat_with(once).take(SPAWNS as usize).collect();
    spawned(percentile(each, 50) * u64::from(SPAWNS))
}

/// When a time began, by the clock that counts for this number of threads.
#[derive(Clone, Copy)]
enum Start {
    Cpu(u64),
    Wall(Instant),
}

impl Start {
    fn now(threads: u32) -> Self {
        match threads {
            1 => Self::Cpu(clock::thread_cpu_ns()),
            _ => Self::Wall(Instant::now()),
        }
    }

    fn elapsed_ns(self) -> u64 {
        match self {
            Self::Cpu(from) => clock::thread_cpu_ns() - from,
            Self::Wall(from) => from.elapsed().as_nanos() as u64,
        }
    }
}
