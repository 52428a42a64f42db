//! Filling: conformance, programs, and compositions.

use loligo_allocators::{
    Allocator, CanaryAllocator, FillAllocator, FillPattern, HeapAllocator, PageAllocator,
    PoolAllocator,
};
use loligo_tests::misuse::Wrong;
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const FILL: Subject = Subject {
    name: "fill",
    reporter: |wrong| (wrong != Wrong::Leak).then_some("memory"),
    limits: Limits { lists: false, ..Limits::region(256 << 10) },
    make: |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let memory = HeapAllocator::from_region("memory", region.memory());
        test(&FillAllocator::new("fill", &memory));
        memory.verify().expect("the heap is sound");
        assert_eq!(memory.stats().live, 0, "the wrapper keeps memory of its backing");
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    FILL.conforms();
}

#[test]
fn runs_programs() {
    FILL.runs_programs(100, "regressions/fill.txt");
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new("pool", CanaryAllocator::layout_for(block), &memory);
        let canary = CanaryAllocator::new("canary", &pool);
        let inner = FillAllocator::new("inner", &canary).with_fresh(FillPattern::Ones);
        test(&FillAllocator::new("outer", &inner).with_freed(FillPattern::Zeros));
    });
    let pages = Limits { lists: false, size_max: 64 << 10, align_max: 4096, ..Limits::growing() };
    conformance::allocator(&pages, |test| {
        let pages = PageAllocator::new("pages");
        test(&FillAllocator::new("fill", &pages));
    });
    let plan = Plan { cases: 60, regressions: Some("regressions/fill.txt"), ..Plan::new(pools) };
    plan.check(|test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new("pool", block, &memory);
        test(&FillAllocator::new("fill", &pool));
    });
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(40, 10, 5), 200, 7);
    conformance::exhaustion(&FILL.limits, 256 << 10, &program, |backing, test| {
        test(&FillAllocator::new("fill", backing));
    });
}
