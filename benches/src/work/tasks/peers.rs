//! The same work by rayon, bevy and a pool as one writes it.

use core::hint::black_box;

use bevy_tasks::{ParallelSlice, TaskPool, TaskPoolBuilder};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::contender::{Contender, Pass};

use super::raw::RawPool;
use super::{FEW, Loop, SPAWNED, SPAWNS, few, spawned, timed};

/// Returns a contender whose pass runs in a pool of rayon's.
pub(super) fn rayon(threads: u32, work: impl Fn() -> Pass + Send + Sync + 'static) -> Contender {
    let pool = rayon_pool(threads);
    Contender::new("rayon", move || pool.install(&work))
}

/// Returns a pool of rayon's.
pub(super) fn rayon_pool(threads: u32) -> ThreadPool {
    match ThreadPoolBuilder::new().num_threads(threads as usize).build() {
        Ok(pool) => pool,
        Err(error) => unreachable!("the system has threads: {error}"),
    }
}

/// Returns a contender whose pass uses a pool of bevy's; the calling thread helps, as it does in
/// ours.
pub(super) fn bevy(threads: u32, work: impl Fn(&TaskPool) -> Pass + 'static) -> Contender {
    let pool = TaskPoolBuilder::new().num_threads(threads as usize - 1).build();
    Contender::new("bevy_tasks", move || work(&pool))
}

pub(super) fn raw(threads: u32, work: impl Fn(&RawPool<'_>) -> Pass + 'static) -> Contender {
    Contender::new("raw pool", move || RawPool::run(threads, &work))
}

/// Spawns tasks of rayon that do nothing.
pub(crate) fn rayon_spawn<const THREADS: u32>() -> Contender {
    rayon(THREADS, || {
        let ns = timed(THREADS, SPAWNS, || {
            rayon::scope(|scope| {
                for index in 0..SPAWNED {
                    scope.spawn(move |_| _ = black_box(index));
                }
            });
        });
        spawned(ns)
    })
}

/// Runs scopes of rayon that have four tasks each.
pub(crate) fn rayon_few<const THREADS: u32>() -> Contender {
    rayon(THREADS, || {
        few(THREADS, || {
            rayon::scope(|scope| {
                (0..FEW).for_each(|index| scope.spawn(move |_| _ = black_box(index)));
            });
        })
    })
}

/// Spawns tasks of bevy that do nothing.
pub(crate) fn bevy_spawn<const THREADS: u32>() -> Contender {
    bevy(THREADS, |pool| {
        let ns = timed(THREADS, SPAWNS, || {
            pool.scope(|scope| {
                for index in 0..SPAWNED {
                    scope.spawn(async move { _ = black_box(index) });
                }
            });
        });
        spawned(ns)
    })
}

/// Puts boxed closures that do nothing into a queue.
pub(crate) fn raw_spawn<const THREADS: u32>() -> Contender {
    raw(THREADS, |pool| {
        let ns = timed(THREADS, SPAWNS, || {
            for index in 0..SPAWNED {
                pool.spawn(move || _ = black_box(index));
            }
            pool.wait();
        });
        spawned(ns)
    })
}

/// Runs a loop by rayon.
pub(crate) fn rayon_loop<const THREADS: u32>(each: Loop) -> Contender {
    rayon(THREADS, move || {
        let ns = timed(THREADS, each.times, || {
            let items = (0..each.len).into_par_iter().with_min_len(each.grain);
            items.for_each(|item| each.body(item..item + 1));
        });
        each.pass(ns)
    })
}

/// Runs a loop by bevy.
pub(crate) fn bevy_loop<const THREADS: u32>(each: Loop) -> Contender {
    let items: Vec<usize> = (0..each.len).collect();
    bevy(THREADS, move |pool| {
        let ns = timed(THREADS, each.times, || {
            items.par_chunk_map(pool, each.grain, |_, items| {
                items.iter().for_each(|item| each.body(*item..*item + 1));
            });
        });
        each.pass(ns)
    })
}

/// Runs a loop in pieces by a pool as one writes it.
pub(crate) fn raw_loop<const THREADS: u32>(each: Loop) -> Contender {
    raw(THREADS, move |pool| {
        let ns = timed(THREADS, each.times, || {
            for first in (0..each.len).step_by(each.grain) {
                let items = first..each.len.min(first + each.grain);
                pool.spawn(move || each.body(items));
            }
            pool.wait();
        });
        each.pass(ns)
    })
}
