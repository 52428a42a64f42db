//! What statistics and wrappers add, in nanoseconds a pair of free and allocate: the same loop runs
//! with and without in each round, and the difference within the round counts.

use crate::blocks::Ours;
use crate::contender::Contender;
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::rows::pool::{churning, pool};
use crate::rows::{Measure, Row, Unit};
use crate::uncounted;
use crate::work::churn::BLOCK;

/// Returns the rows of what is added.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![Row::new(
        "cost/statistics",
        Unit::Ns,
        Aim::time(1.0, 0.5),
        Measure::Added(statistics),
    )]
}

/// Few enough blocks that all stay in the first-level cache: a miss would hide what is added, or be
/// taken for it where two pools happen to lie differently.
const LIVE_IN_CACHE: u32 = 128;

/// The pool, and the very same code without its counters.
fn statistics() -> [Contender; 2] {
    let uncounted = uncounted::pool::PoolAllocator::new(BLOCK, "uncounted pool", &PAGES);
    [
        churning("pool", pool(), LIVE_IN_CACHE),
        churning("pool without counters", Ours(uncounted), LIVE_IN_CACHE),
    ]
}
