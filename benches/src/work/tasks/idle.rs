//! The CPU time of threads that have nothing to do.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::outcome::{Reading, median};

use super::peers::rayon_pool;
use super::{SMALL, ours};

/// Threads of each pool, the calling one among them.
const THREADS: u32 = 4;

/// How long they have nothing to do in a pass.
const IDLE: Duration = Duration::from_millis(100);

/// How long they have before to fall asleep: many times as long as any of them looks for work.
const SETTLING: Duration = Duration::from_millis(5);

/// CPU time that counts as none: the clocks of the process and of this thread are not read at the
/// same moment. It is a hundred-thousandth of the time on the wall.
const NOTHING_NS: u64 = 1000;

const ROUNDS: u32 = 9;

/// The CPU time of idle threads, ours, over the time on the wall, with rayon's in the note. No
/// race: both should take nothing, and nothing has no ratio.
pub(crate) fn idle() -> Reading {
    let mut pools = [our_idle(), rayon_idle()];
    let mut shares = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (pool, shares) in pools.iter_mut().zip(&mut shares) {
            shares.push(pool.pass().ns_per_operation());
        }
    }
    let [figures, rayon] = shares;
    let note = median(&rayon).map(|rayon| format!("rayon: {rayon:.5}, {THREADS} threads each"));
    Reading::Alone { figures, note }
}

fn our_idle() -> Contender {
    ours(THREADS, |main| {
        idle_after(|| {
            let result = main.parallel_for(&"before", 1000, 1, |items| SMALL.body(items));
            assert!(result.is_ok(), "nothing panics");
        })
    })
}

/// The pool has one thread less: the calling one is not part of it, but is one of ours.
fn rayon_idle() -> Contender {
    use rayon::prelude::*;
    let pool = rayon_pool(THREADS - 1);
    Contender::new("rayon", move || {
        idle_after(|| {
            pool.install(|| (0..1000).into_par_iter().for_each(|item| SMALL.body(item..item + 1)));
        })
    })
}

/// Returns the CPU time of other threads of this process after `work`, once they had time to fall
/// asleep; the operations are the nanoseconds on the wall.
fn idle_after(work: impl FnOnce()) -> Pass {
    work();
    thread::sleep(SETTLING);
    let (from, others) = (Instant::now(), others_cpu_ns());
    thread::sleep(IDLE);
    let ns = others_cpu_ns().saturating_sub(others);
    let ns = if ns < NOTHING_NS { 0 } else { ns };
    Pass { ns, operations: from.elapsed().as_nanos() as u64 }
}

/// Returns the CPU time of all other threads of this process.
pub(super) fn others_cpu_ns() -> u64 {
    clock::process_cpu_ns().saturating_sub(clock::thread_cpu_ns())
}
