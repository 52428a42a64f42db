//! Checking at a fixed interval of calls: conformance, programs, and compositions.

use loligo_allocators::{
    Allocator, CanaryAllocator, HeapAllocator, PoolAllocator, VerifyAllocator,
};
use loligo_tests::misuse::Wrong;
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const VERIFY: Subject = Subject {
    name: "verify",
    reporter: |wrong| (wrong != Wrong::Leak).then_some("memory"),
    limits: Limits { lists: false, ..Limits::region(256 << 10) },
    make: |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let memory = HeapAllocator::from_region("memory", region.memory());
        test(&VerifyAllocator::new("verify", 40, &memory));
        assert_eq!(memory.stats().live, 0, "the wrapper keeps memory of its backing");
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    VERIFY.conforms();
}

#[test]
fn runs_programs() {
    VERIFY.runs_programs(100, "regressions/verify.txt");
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new("pool", CanaryAllocator::layout_for(block), &memory);
        let canary = CanaryAllocator::new("canary", &pool);
        let inner = VerifyAllocator::new("inner", 3, &canary);
        test(&VerifyAllocator::new("outer", 5, &inner));
    });
    let plan = Plan { cases: 40, regressions: Some("regressions/verify.txt"), ..Plan::new(pools) };
    plan.check(|test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new("pool", block, &memory);
        test(&VerifyAllocator::new("verify", 1, &pool));
    });
}

#[test]
fn checks_as_often_as_told() {
    for interval in [0, 1, 7] {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let verify = VerifyAllocator::new("verify", interval, &memory);
        let mut oracle = Oracle::new(&verify, VERIFY.limits).expect("nothing is live");
        run(&sample(&Space::new(40, 9, 4), 300, 8), &mut oracle).expect("the contract holds");
        oracle.finish().expect("the contract holds");
        assert!(verify.calls() > 100);
        let checks = verify.calls().checked_div(interval).unwrap_or(0);
        assert_eq!(verify.checks(), checks);
    }
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(40, 10, 5), 150, 9);
    conformance::exhaustion(&VERIFY.limits, 256 << 10, &program, |backing, test| {
        test(&VerifyAllocator::new("verify", 20, backing));
    });
}
