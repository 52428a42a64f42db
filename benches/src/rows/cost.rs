//! What statistics and wrappers add, in nanoseconds a pair of free and allocate: the same loop runs
//! with and without in each round, and the difference within the round counts.

use core::alloc::Layout;

use loligo_allocators::{
    CanaryAllocator, FillAllocator, GuardPageAllocator, PageAllocator, PoolAllocator,
    ProxyAllocator, QuarantineAllocator, SharedPool, SharedProxy, Sites, TraceAllocator,
};

use crate::blocks::Ours;
use crate::contender::{Contender, Pass};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::uncounted;
use crate::work::churn::{BLOCK, Filled};

/// Returns the rows of what is added. The design states aims for the first three; those of the
/// others are our own, set before they were first measured, from what each has to do: write the
/// block twice, take a hash table's entry in and out, walk sixteen frames, ask the kernel five
/// times.
#[must_use]
pub fn rows() -> Vec<Row> {
    let added = |name, aim, measure| Row::new(name, Unit::Ns, aim, Measure::Added(measure));
    vec![
        added("cost/statistics", Aim::time(1.0, 0.5), statistics),
        added("cost/proxy", Aim::time(1.5, 1.0), proxy),
        added("cost/canary", Aim::time(10.0, 6.0), canary),
        added("cost/fill", Aim::time(10.0, 5.0), fill),
        added("cost/quarantine", Aim::time(40.0, 25.0), quarantine),
        added("cost/sites", Aim::time(15.0, 10.0), sites),
        added("cost/trace", Aim::time(40.0, 20.0), trace),
        added("cost/trace-stacks", Aim::time(5_000.0, 2_000.0), trace_stacks),
        added("cost/shared-proxy", Aim::time(40.0, 25.0), shared_proxy),
        added("cost/guard-page", Aim::time(20_000.0, 10_000.0), guard_page),
    ]
}

/// Few enough blocks that all stay in the first-level cache: a miss would hide what is added, or be
/// taken for it where two pools have different addresses.
const LIVE_IN_CACHE: u32 = 128;

/// Blocks of a pool's chunk: all that a row has alive or waiting. If the windows of two chunks
/// share a slot of the pool's table, because of their addresses, each free of the one takes a
/// search, and the pool alone reads 5 or 15 ns depending on where the system puts its memory.
const BLOCKS_A_CHUNK: usize = 256;

/// Blocks that wait in the quarantine.
const WAITING: usize = 64;

/// Pairs of a pass; of those that take microseconds a thousandth.
const PAIRS: u32 = 2_000_000;

/// The pool, and the very same code without its counters.
fn statistics() -> [Contender; 2] {
    [
        Contender::new("pool", in_pool),
        Contender::new("pool without counters", || {
            let pool = uncounted::pool::PoolAllocator::new_in("uncounted pool", BLOCK, &PAGES)
                .with_blocks_per_chunk(BLOCKS_A_CHUNK);
            Filled::new(Ours(pool), LIVE_IN_CACHE).churn(PAIRS)
        }),
    ]
}

/// A proxy over a pool, whose type it knows, and the pool alone.
fn proxy() -> [Contender; 2] {
    [
        Contender::new("proxy over a pool", || {
            let pool = pool_of(BLOCK);
            let proxy = ProxyAllocator::new_in("proxy", &pool);
            Filled::new(Ours(proxy), LIVE_IN_CACHE).churn(PAIRS)
        }),
        Contender::new("pool", in_pool),
    ]
}

/// A wrapper over a pool of what it asks for, and the pool alone.
macro_rules! over_pool {
    ($name:ident, $title:literal, $layout:expr, |$pool:ident| $wrapper:expr) => {
        #[doc = concat!("A ", $title, ", and the pool alone.")]
        fn $name() -> [Contender; 2] {
            [
                Contender::new($title, || {
                    let $pool = pool_of($layout);
                    Filled::new(Ours($wrapper), LIVE_IN_CACHE).churn(PAIRS)
                }),
                Contender::new("pool", in_pool),
            ]
        }
    };
}

over_pool!(canary, "canary over a pool", CanaryAllocator::layout_for(BLOCK), |pool| {
    CanaryAllocator::new_in("canary", &pool)
});
over_pool!(fill, "fill over a pool", BLOCK, |pool| FillAllocator::new_in("fill", &pool));
over_pool!(quarantine, "quarantine over a pool", BLOCK, |pool| {
    QuarantineAllocator::new_in("quarantine", WAITING, usize::MAX, &pool, &PAGES)
        .expect("the system has pages")
});
over_pool!(trace, "trace over a pool", BLOCK, |pool| {
    TraceAllocator::new_in("trace", &pool, &PAGES)
});

/// A pool that keeps sites, and one that does not.
fn sites() -> [Contender; 2] {
    [
        Contender::new("pool with sites", || {
            let pool = pool_of(BLOCK).with_sites(Sites::new_in(&PAGES));
            Filled::new(Ours(pool), LIVE_IN_CACHE).churn(PAIRS)
        }),
        Contender::new("pool", in_pool),
    ]
}

/// A trace that keeps the stack of each allocation, and the pool alone.
fn trace_stacks() -> [Contender; 2] {
    [
        Contender::new("trace with stacks over a pool", || {
            let pool = pool_of(BLOCK);
            let trace = TraceAllocator::new_in("trace", &pool, &PAGES).with_stacks();
            Filled::new(Ours(trace), LIVE_IN_CACHE).churn(PAIRS / 1000)
        }),
        Contender::new("pool", in_pool),
    ]
}

/// A shared proxy over locked pages would hide what the proxy adds; so the allocator below is a
/// shared pool.
fn shared_proxy() -> [Contender; 2] {
    [
        Contender::new("shared proxy over a shared pool", || {
            let pool = SharedPool::new_in("pool", BLOCK, &PAGES);
            let proxy = SharedProxy::new_in("proxy", &pool);
            Filled::new(Ours(proxy), LIVE_IN_CACHE).churn(PAIRS)
        }),
        Contender::new("shared pool", || {
            let pool = SharedPool::new_in("pool", BLOCK, &PAGES);
            Filled::new(Ours(pool), LIVE_IN_CACHE).churn(PAIRS)
        }),
    ]
}

/// A separate page for each block, written to as in the other rows, and the pool.
fn guard_page() -> [Contender; 2] {
    [
        Contender::new("guard pages", || {
            let guarded = GuardPageAllocator::new("guarded", &PAGES);
            Filled::new(Ours(guarded), LIVE_IN_CACHE).churn(PAIRS / 1000)
        }),
        Contender::new("pool", in_pool),
    ]
}

fn in_pool() -> Pass {
    Filled::new(Ours(pool_of(BLOCK)), LIVE_IN_CACHE).churn(PAIRS)
}

/// A pool that needs one chunk.
fn pool_of(layout: Layout) -> PoolAllocator<'static, PageAllocator> {
    PoolAllocator::new_in("pool", layout, &PAGES).with_blocks_per_chunk(BLOCKS_A_CHUNK)
}
