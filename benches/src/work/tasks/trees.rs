//! A tree of work that divides itself in two, with nothing in its leaves: what each fork costs.

use core::hint::black_box;

use loligo_tasks::Worker;

use crate::contender::{Contender, Pass};

use super::peers::rayon;
use super::{ours, timed};

/// The height of the tree, and how often it is run in a pass.
const HEIGHT: u32 = 16;
const TIMES: u32 = 9;

fn forked(ns: u64) -> Pass {
    Pass { ns, operations: u64::from(TIMES) * ((1 << HEIGHT) - 1) }
}

/// Runs `tree` as often as a pass does; each leaf counts 1.
fn pass(threads: u32, mut tree: impl FnMut() -> u64) -> Pass {
    let ns = timed(threads, TIMES, || assert_eq!(tree(), 1 << HEIGHT, "every leaf"));
    forked(ns)
}

fn our_branch(worker: &Worker<'_>, height: u32) -> u64 {
    if height == 0 {
        return black_box(1);
    }
    let below = |worker: &Worker<'_>| our_branch(worker, height - 1);
    match worker.both(&"branch", below, below) {
        Ok((left, right)) => left + right,
        Err(error) => unreachable!("nothing panics: {error}"),
    }
}

/// The tree by ours.
pub(crate) fn our_tree<const THREADS: u32>() -> Contender {
    ours(THREADS, |main| pass(THREADS, || our_branch(main, HEIGHT)))
}

fn rayon_branch(height: u32) -> u64 {
    if height == 0 {
        return black_box(1);
    }
    let (left, right) = ::rayon::join(|| rayon_branch(height - 1), || rayon_branch(height - 1));
    left + right
}

/// The tree by rayon.
pub(crate) fn rayon_tree<const THREADS: u32>() -> Contender {
    rayon(THREADS, || pass(THREADS, || rayon_branch(HEIGHT)))
}

fn chili_branch(scope: &mut chili::Scope<'_>, height: u32) -> u64 {
    if height == 0 {
        return black_box(1);
    }
    let (left, right) = scope
        .join(|scope| chili_branch(scope, height - 1), |scope| chili_branch(scope, height - 1));
    left + right
}

/// The tree by chili, whose calling thread helps, as it does in ours.
pub(crate) fn chili_tree<const THREADS: u32>() -> Contender {
    let thread_count = core::num::NonZero::new(THREADS as usize);
    let config = chili::Config { thread_count, ..chili::Config::default() };
    let pool = chili::ThreadPool::with_config(config);
    Contender::new("chili", move || {
        let mut scope = pool.scope();
        pass(THREADS, || chili_branch(&mut scope, HEIGHT))
    })
}
