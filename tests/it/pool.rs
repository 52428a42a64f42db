//! The pool: conformance, programs, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{Allocator, PoolAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

/// What most blocks of the tests are.
const BLOCK: Layout = bytes(64, 16);

pub(crate) const POOL: Subject = Subject {
    name: "pool",
    reporter: |_| None,
    limits: Limits::fixed(BLOCK, None),
    make: |test| over_naive(BLOCK, 0, 1 << 20, test),
    misused: BLOCK,
};

pub(crate) const POOL_IN_REGION: Subject = Subject {
    name: "pool-region",
    reporter: |_| None,
    limits: Limits::fixed(BLOCK, Some(16 << 10)),
    make: |test| {
        let mut region = Region::new(16 << 10, 64).at_offset(8);
        test(&PoolAllocator::from_region("pool-region", BLOCK, region.memory()));
    },
    misused: BLOCK,
};

/// Makes a pool over a naive backing and checks that the backing has everything back.
fn over_naive(block: Layout, per_chunk: usize, memory_bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", memory_bytes);
    test(&PoolAllocator::new_in("pool", block, &memory).with_blocks_per_chunk(per_chunk));
    assert_eq!(memory.stats().live, 0, "the pool keeps memory of its backing");
}

tests_of! {
    POOL, 300, "regressions/pool.txt";
    POOL_IN_REGION, 300, "regressions/pool-region.txt";
}

/// Layouts of blocks: tiny, odd, just past a power of two, much aligned, greater than a page.
const BLOCKS: [Layout; 10] = [
    bytes(0, 1),
    bytes(1, 1),
    bytes(3, 1),
    bytes(8, 8),
    bytes(24, 8),
    bytes(65, 1),
    bytes(100, 4),
    bytes(16, 256),
    bytes(5000, 8),
    bytes(20_000, 4096),
];

#[test]
fn conforms_with_any_block() {
    for block in BLOCKS {
        for per_chunk in [0, 1, 3, 64, 100] {
            let size = block.size().max(1).next_multiple_of(block.align());
            let limits = Limits { size_max: size, ..Limits::fixed(block, None) };
            conformance::allocator(&limits, |test| over_naive(block, per_chunk, 4 << 20, test));
            let plan = Plan {
                cases: 4,
                regressions: Some("regressions/pool-blocks.txt"),
                ..Plan::new(limits)
            };
            plan.check(|test| over_naive(block, per_chunk, 4 << 20, test));
        }
    }
}

#[test]
fn is_full_when_its_backing_is() {
    for (block, memory_bytes) in [(BLOCK, 20_000), (bytes(1, 1), 3000), (bytes(700, 4), 64 << 10)] {
        // Its chunks grow, so that what is left of the backing may be less than a chunk: the limit
        // is no more than an upper one.
        let limits = Limits { touch_max: 4096, ..Limits::fixed(block, Some(memory_bytes)) };
        conformance::allocator(&limits, |test| over_naive(block, 0, memory_bytes, test));
    }
}

#[test]
fn runs_over_every_refusal() {
    for per_chunk in [0, 1, 7] {
        let program = sample(&Space::new(60, 7, 4), 200, 2);
        conformance::exhaustion(&POOL.limits, 64 << 10, &program, |backing, test| {
            test(&PoolAllocator::new_in("pool", BLOCK, backing).with_blocks_per_chunk(per_chunk));
        });
    }
}

#[test]
fn gives_empty_chunks_back() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let pool = PoolAllocator::new_in("pool", BLOCK, &memory).with_blocks_per_chunk(8);
    let mut oracle = Oracle::new(&pool, POOL.limits).expect("a fresh pool");
    let keys: Vec<_> = (0..100)
        .map(|_| oracle.allocate(BLOCK).expect("the contract holds").expect("there is room"))
        .collect();
    let full = pool.stats().reserved;
    // One block in each second chunk stays.
    for (_, key) in keys.iter().enumerate().filter(|(index, _)| index % 16 != 0) {
        oracle.free(*key).expect("the contract holds");
    }
    let given = pool.shrink();
    assert!(given > 0, "chunks without live blocks are given back");
    assert!(pool.stats().reserved < full, "and are no longer reserved");
    drop(oracle);
    pool.verify().expect("the pool is sound");
    for key in keys.iter().step_by(16) {
        let mut found = None;
        pool.walk(&mut |block| found = found.or(Some(block.address)));
        let block = found.unwrap_or_else(|| panic!("{key:?} is still live"));
        // SAFETY: the walk shows live blocks alone.
        unsafe { pool.deallocate(block) };
    }
    assert_eq!(pool.stats().live, 0);
}
