//! The shared pool: conformance, programs of one and several threads, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator, SharedPool};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

/// What most blocks of the tests are.
const BLOCK: Layout = bytes(64, 16);

pub(crate) const SHARED_POOL: Subject = Subject {
    name: "shared-pool",
    reporter: |_| None,
    limits: Limits::fixed(BLOCK, None),
    make: |test| over_pages(BLOCK, 0, test),
    misused: BLOCK,
};

pub(crate) const SHARED_POOL_IN_REGION: Subject = Subject {
    name: "shared-pool-region",
    reporter: |_| None,
    limits: Limits::fixed(BLOCK, Some(16 << 10)),
    make: |test| {
        let mut region = Region::new(16 << 10, 64).at_offset(8);
        test(&SharedPool::from_region("shared-pool-region", BLOCK, region.memory()));
    },
    misused: BLOCK,
};

/// Makes a pool over pages and checks that they have everything back.
fn over_pages(block: Layout, per_chunk: usize, test: Test<'_>) {
    let pages = PageAllocator::new("pages");
    test(&SharedPool::new_in("shared-pool", block, &pages).with_blocks_per_chunk(per_chunk));
    assert_eq!(pages.stats().live, 0, "the pool keeps memory of its backing");
}

tests_of! {
    SHARED_POOL, 100, "regressions/shared-pool.txt";
    SHARED_POOL_IN_REGION, 200, "regressions/shared-pool-region.txt";
}

/// Layouts of blocks: tiny, odd, just past a power of two, much aligned, greater than a page.
const BLOCKS: [Layout; 8] = [
    bytes(0, 1),
    bytes(3, 1),
    bytes(8, 8),
    bytes(24, 8),
    bytes(65, 1),
    bytes(16, 256),
    bytes(5000, 8),
    bytes(20_000, 4096),
];

#[test]
fn conforms_with_any_block() {
    for block in BLOCKS {
        let size = block.size().max(1).next_multiple_of(block.align());
        let grown = Limits { size_max: size, ..Limits::fixed(block, None) };
        for per_chunk in [0, 100] {
            conformance::allocator(&grown, |test| over_pages(block, per_chunk, test));
        }
        let bytes = (200 * size).clamp(4000, 200_000);
        let limits = Limits { memory: Some(bytes), ..grown };
        conformance::allocator(&limits, |test| {
            let mut region = Region::new(bytes, 4096).at_offset(24);
            test(&SharedPool::from_region("shared-pool", block, region.memory()));
        });
    }
}

#[test]
fn a_small_backing_is_used_to_its_end() {
    let mut region = Region::new(64 << 10, 4096);
    let heap = Locked::new(HeapAllocator::from_region("heap", region.memory()));
    let pool = SharedPool::new_in("pool", BLOCK, &heap);
    let mut oracle =
        Oracle::new(&pool, Limits::fixed(BLOCK, Some(64 << 10))).expect("a fresh pool");
    while oracle.allocate(BLOCK).expect("the contract holds").is_some() {}
    let stats = pool.stats();
    assert!(stats.granted > (64 << 10) * 9 / 10, "{stats:?}");
    oracle.finish().expect("the contract holds");
    drop(pool);
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn serves_several_threads() {
    for seed in 0..4 {
        println!("seed {seed}");
        let programs: Vec<_> =
            (0..4).map(|n| sample(&Space::new(64, 7, 4), 4000, 10 * seed + n)).collect();
        let pages = PageAllocator::new("pages");
        let pool = SharedPool::new_in("pool", BLOCK, &pages).with_blocks_per_chunk(20);
        run_shared(&pool, &Limits::fixed(BLOCK, None), &programs).expect("the contract holds");
        let mut region = Region::new(4096, 64);
        let pool = SharedPool::from_region("pool", BLOCK, region.memory());
        run_shared(&pool, &Limits::fixed(BLOCK, Some(4096)), &programs)
            .expect("the contract holds");
    }
}
