//! The rows of the pool for several threads: against the single-threaded pool in a lock.

use core::ops::Range;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use loligo_allocators::{Allocator, Locked, PageAllocator, PoolAllocator, SharedPool};

use crate::blocks::Ours;
use crate::contender::{Contender, Pass, Race};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::churn::{BLOCK, Filled};

/// Returns the rows of the shared pool.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("shared/pool", Unit::Ns, Aim::over_peer(1.5, 1.2), Measure::Race(alone)),
        Row::new("shared/pool2", Unit::Ns, Aim::over_peer(1.0, 0.7), Measure::Race(side_by_side)),
    ]
}

/// How many blocks each thread has alive: few enough that all stay in the first-level cache, so
/// that what is measured is the pool and what the threads do to each other.
const LIVE: u32 = 128;

/// Pairs of a thread in a pass: about 50 ms.
const PAIRS: u32 = 4_000_000;

/// Pairs that come before the time is taken.
const PAIRS_WARM: u32 = 10_000;

fn shared_pool() -> SharedPool<'static, PageAllocator> {
    SharedPool::new_in("shared pool", BLOCK, &PAGES)
}

fn locked_pool() -> Locked<PoolAllocator<'static, PageAllocator>> {
    Locked::new(PoolAllocator::new_in("locked pool", BLOCK, &PAGES))
}

/// One thread, in its CPU time.
fn alone() -> Race {
    fn churning(name: &'static str, pool: impl Allocator + 'static) -> Contender {
        let mut filled = Filled::new(Ours(pool), LIVE);
        Contender::new(name, move || filled.churn(PAIRS))
    }
    Race {
        ours: churning("shared pool", shared_pool()),
        peers: vec![churning("locked pool", locked_pool())],
        absent: Vec::new(),
    }
}

/// Two threads on one pool, each with its own blocks.
///
/// Both fill and warm up, wait for each other at a barrier, and churn. What is taken is the time on
/// the wall from the moment the first begins to the moment the last ends, over the pairs of one
/// thread: what a thread waits for another, asleep or awake, is part of the figure, which the CPU
/// time of a thread would leave out. So what other programs take is in it as well; the machine must
/// have two cores to spare.
fn side_by_side() -> Race {
    fn churning(name: &'static str, pool: impl Allocator + Sync + 'static) -> Contender {
        Contender::new(name, move || {
            let ns = churn_beside(&pool).as_nanos() as u64;
            Pass { ns, operations: u64::from(PAIRS) }
        })
    }
    Race {
        ours: churning("shared pool", shared_pool()),
        peers: vec![churning("locked pool", locked_pool())],
        absent: Vec::new(),
    }
}

/// Churns in two threads at once and returns the time from the first beginning to the last end.
fn churn_beside(pool: &(impl Allocator + Sync)) -> core::time::Duration {
    let start = Barrier::new(2);
    let churn = || {
        let mut filled = Filled::new(Ours(pool), LIVE);
        filled.churn_untimed(PAIRS_WARM);
        start.wait();
        let begin = Instant::now();
        filled.churn_untimed(PAIRS);
        begin..Instant::now()
    };
    let both = |other: Range<Instant>, own: Range<Instant>| {
        own.end.max(other.end) - own.start.min(other.start)
    };
    thread::scope(|scope| {
        let threads = [scope.spawn(churn), scope.spawn(churn)];
        let [one, two] =
            threads.map(|thread| thread.join().expect("the pools serve every request"));
        both(one, two)
    })
}
