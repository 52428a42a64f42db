//! The quarantine: conformance, programs, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{
    Allocator, HeapAllocator, PoolAllocator, ProxyAllocator, QuarantineAllocator,
};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{self, Subject, Test, bytes, over_buddy, over_pool, tests_of};

pub(crate) const QUARANTINE: Subject = Subject {
    name: "quarantine",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::region(256 << 10) },
    make: |test| over_heap(64, 32 << 10, test),
    misused: bytes(64, 16),
};

/// Makes a quarantine over a heap in a region, with its books elsewhere.
fn over_heap(count: usize, bytes_max: usize, test: Test<'_>) {
    let books = NaiveAllocator::new("books", 1 << 20);
    subject::over_heap(|memory| {
        let quarantine =
            QuarantineAllocator::new_in("quarantine", count, bytes_max, memory, &books);
        test(&quarantine.expect("the books have room"));
    });
    assert_eq!(books.stats().live, 0, "books are kept for ever");
}

tests_of! {
    QUARANTINE, 100, "regressions/quarantine.txt";
}

#[test]
fn conforms_with_any_limit() {
    for (count, bytes_max) in [(0, 0), (1, usize::MAX), (10_000, 100), (3, 5000)] {
        conformance::allocator(&QUARANTINE.limits, |test| over_heap(count, bytes_max, test));
        let plan = Plan { cases: 10, ..Plan::new(QUARANTINE.limits) };
        plan.check(|test| over_heap(count, bytes_max, test));
    }
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { ordered: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let books = NaiveAllocator::new("books", 1 << 20);
        over_pool(block, |pool| {
            let inner = QuarantineAllocator::new_in("inner", 10, 1000, pool, &books);
            let inner = inner.expect("the books have room");
            let outer = QuarantineAllocator::new_in("outer", 5, 5000, &inner, &books);
            test(&outer.expect("the books have room"));
        });
    });
    let full = Limits { ordered: false, ..Limits::fixed(block, Some(8 << 10)) };
    conformance::allocator(&full, |test| {
        let mut region = Region::new(8 << 10, 64);
        let books = NaiveAllocator::new("books", 1 << 20);
        let pool = PoolAllocator::from_region("pool", block, region.memory());
        let quarantine = QuarantineAllocator::new_in("quarantine", 500, 64 << 10, &pool, &books);
        test(&quarantine.expect("the books have room"));
    });
    let buddies = Limits { ordered: false, ..Limits::region(256 << 10) };
    conformance::allocator(&buddies, |test| {
        let books = NaiveAllocator::new("books", 1 << 20);
        over_buddy(|buddy| {
            let proxy = ProxyAllocator::new_in("proxy", &buddy);
            let quarantine =
                QuarantineAllocator::new_in("quarantine", 20, 64 << 10, &proxy, &books);
            test(&quarantine.expect("the books have room"));
        });
    });
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(60, 9, 4), 200, 3);
    // Blocks and books from one allocator, either of which may be refused.
    conformance::exhaustion(&QUARANTINE.limits, 64 << 10, &program, |backing, test| {
        if let Ok(quarantine) = QuarantineAllocator::new_in("q", 16, 4000, backing, backing) {
            test(&quarantine);
        }
    });
    let memory = NaiveAllocator::new("memory", 1 << 20);
    conformance::exhaustion(&QUARANTINE.limits, 64 << 10, &program, |books, test| {
        if let Ok(quarantine) = QuarantineAllocator::new_in("q", 16, 4000, &memory, books) {
            test(&quarantine);
        }
        assert_eq!(memory.stats().live, 0, "blocks are kept for ever");
    });
}

#[test]
fn takes_no_memory_that_the_program_needs() {
    let layout = Layout::new::<[u64; 32]>();
    let fill = |count: usize| {
        let mut region = Region::new(64 << 10, 64 << 10);
        let memory = HeapAllocator::from_region("memory", region.memory());
        let books = NaiveAllocator::new("books", 1 << 20);
        let quarantine = QuarantineAllocator::new_in("q", count, 1 << 20, &memory, &books);
        let quarantine = quarantine.expect("the books have room");
        let mut most = Vec::new();
        for _ in 0..3 {
            let mut oracle =
                Oracle::new(&quarantine, Limits { reclaims: false, ..QUARANTINE.limits })
                    .expect("no block is live");
            while oracle.allocate(layout).expect("the contract holds").is_some() {}
            most.push(oracle.len());
            oracle.finish().expect("the contract holds");
        }
        most
    };
    assert_eq!(fill(10_000), fill(0));
}

#[test]
fn a_refusal_below_changes_nothing() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let books = NaiveAllocator::new("books", 1 << 20);
    let failing = FailingBacking::new_in(&memory, Refusals::From(30));
    let quarantine = QuarantineAllocator::new_in("q", 10, 1 << 20, &failing, &books);
    let quarantine = quarantine.expect("the books have room");
    let limits = Limits { ordered: false, reclaims: false, ..Limits::region(1 << 20) };
    let mut oracle = Oracle::new(&quarantine, limits).expect("a fresh quarantine");
    run(&sample(&Space::new(40, 12, 6), 300, 1), &mut oracle).expect("the contract holds");
    oracle.finish().expect("the contract holds");
    assert!(failing.refused() > 0, "something was refused");
}
