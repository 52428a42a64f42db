//! A `GlobalAlloc` as an allocator: conformance, programs, threads.

use std::alloc::System;

use loligo_allocators::{Allocator, FromGlobal, HeapAllocator, Locked, PoolAllocator, StaticHeap};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

pub(crate) const FROM_GLOBAL: Subject = Subject {
    name: "from-global",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::growing() },
    make: |test| test(&FromGlobal::new("from-global", &System)),
    misused: bytes(64, 16),
};

tests_of! {
    FROM_GLOBAL, 40, "regressions/from-global.txt";
}

/// Makes one over a heap of this family and checks that its table goes with it.
fn over_a_static_heap(test: Test<'_>) {
    let heap = Box::new(StaticHeap::<{ 512 << 10 }>::new("below"));
    test(&FromGlobal::new("above", &*heap));
    assert_eq!(heap.stats().live, 0, "memory of the source is kept");
    heap.verify().expect("the source is sound");
}

#[test]
fn conforms_over_a_source_that_runs_out() {
    let most = 64 << 10;
    let limits = Limits { ordered: false, size_max: most, align_max: most, ..Limits::growing() };
    conformance::allocator(&limits, over_a_static_heap);
}

#[test]
fn carries_others() {
    let limits = Limits { size_max: 1 << 20, ..Limits::growing() };
    conformance::allocator(&limits, |test| {
        let system = FromGlobal::new("system", &System);
        test(&HeapAllocator::new_in("heap", &system));
    });
    let block = bytes(72, 16);
    conformance::allocator(&Limits::fixed(block, None), |test| {
        let system = FromGlobal::new("system", &System);
        test(&PoolAllocator::new_in("pool", block, &system));
    });
}

/// The round trip: an allocator over a `GlobalAlloc` as a `GlobalAlloc` again.
#[test]
fn conforms_as_a_global_allocator() {
    conformance::global_alloc(&FROM_GLOBAL.limits, |test| {
        test(&Locked::new(FromGlobal::new("global", &System)));
    });
}

#[test]
fn serves_several_threads() {
    let system = FromGlobal::new("shared", &System);
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(24, 14, 13), 300, seed)).collect();
    run_shared(&system, &FROM_GLOBAL.limits, &programs).expect("the contract holds");
    assert_eq!(system.stats().live, 0, "all came back");
}
