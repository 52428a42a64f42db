//! What statistics and wrappers add, in nanoseconds a pair of free and allocate: the same loop runs
//! with and without in each round, and the difference within the round counts.

use loligo_allocators::ProxyAllocator;

use crate::blocks::Ours;
use crate::contender::{Contender, Pass};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::rows::pool::pool;
use crate::rows::{Measure, Row, Unit};
use crate::uncounted;
use crate::work::churn::{BLOCK, Filled};

/// Returns the rows of what is added.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("cost/statistics", Unit::Ns, Aim::time(1.0, 0.5), Measure::Added(statistics)),
        Row::new("cost/proxy", Unit::Ns, Aim::time(1.5, 1.0), Measure::Added(proxy)),
    ]
}

/// Few enough blocks that all stay in the first-level cache: a miss would hide what is added, or be
/// taken for it where two pools happen to lie differently.
const LIVE_IN_CACHE: u32 = 128;

/// Pairs of a pass.
const PAIRS: u32 = 2_000_000;

/// The pool, and the very same code without its counters.
fn statistics() -> [Contender; 2] {
    [
        Contender::new("pool", in_pool),
        Contender::new("pool without counters", || {
            let pool = uncounted::pool::PoolAllocator::new(BLOCK, "uncounted pool", &PAGES);
            Filled::new(Ours(pool), LIVE_IN_CACHE).churn(PAIRS)
        }),
    ]
}

/// A proxy over a pool, whose type it knows, and the pool alone.
fn proxy() -> [Contender; 2] {
    [
        Contender::new("proxy over a pool", || {
            let Ours(pool) = pool();
            let proxy = ProxyAllocator::new("proxy", &pool);
            Filled::new(Ours(proxy), LIVE_IN_CACHE).churn(PAIRS)
        }),
        Contender::new("pool", in_pool),
    ]
}

fn in_pool() -> Pass {
    Filled::new(pool(), LIVE_IN_CACHE).churn(PAIRS)
}
