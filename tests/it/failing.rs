//! Refusing on purpose: conformance, programs, and structures over it.

use loligo_allocators::{Allocator, CanaryAllocator, FailingAllocator, PoolAllocator, Refusals};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, conformance};

use crate::subject::{Subject, bytes, over_heap, wrapper};

pub(crate) const FAILING: Subject = wrapper("failing", |test| {
    over_heap(|memory| test(&FailingAllocator::new_in("failing", Refusals::None, memory)));
});

/// The limits of what is on one that refuses: the greatest block may be refused in the end.
const UNSURE: Limits = Limits { lists: false, reclaims: false, ..Limits::region(256 << 10) };

#[test]
fn conforms() {
    FAILING.conforms();
    let limits = Limits { size_max: 4096, ..FAILING.limits };
    conformance::allocator(&limits, |test| {
        let memory = NaiveAllocator::new("memory", 256 << 10);
        test(&FailingAllocator::new_in("failing", Refusals::Larger(4096), &memory));
    });
}

#[test]
fn runs_programs() {
    FAILING.runs_programs(100, "regressions/failing.txt");
    let limits = Limits { size_max: 4096, ..FAILING.limits };
    let plan =
        Plan { cases: 40, regressions: Some("regressions/failing.txt"), ..Plan::new(limits) };
    plan.check(|test| {
        let memory = NaiveAllocator::new("memory", 256 << 10);
        test(&FailingAllocator::new_in("failing", Refusals::Larger(4096), &memory));
    });
}

/// A tenth of the requests refused in other places each time, below, above and between others.
#[test]
fn refusals_at_any_point_change_nothing() {
    let block = bytes(40, 8);
    for seed in 0..40 {
        let refusals = Refusals::Share { per_mille: 100, seed };
        let program = sample(&Space::new(40, 8, 3), 300, seed);
        let drive = |allocator: &dyn Allocator| {
            let mut oracle = Oracle::new(allocator, UNSURE).expect("nothing is live");
            run(&program, &mut oracle).expect("the contract holds");
            oracle.finish().expect("the contract holds");
        };
        let memory = NaiveAllocator::new("memory", 256 << 10);
        let failing = FailingAllocator::new_in("failing", refusals, &memory);
        drive(&failing);
        drive(&CanaryAllocator::new_in("canary", &failing));
        drive(&PoolAllocator::new_in("pool", block, &failing).with_blocks_per_chunk(2));
        drive(&FailingAllocator::new_in("outer", Refusals::Every(7), &failing));
        assert!(failing.refused() > 8, "{} of {}", failing.refused(), failing.requests());
        assert_eq!(memory.stats().live, 0);
    }
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(40, 10, 5), 200, 9);
    conformance::exhaustion(&FAILING.limits, 256 << 10, &program, |backing, test| {
        test(&FailingAllocator::new_in("failing", Refusals::Every(9), backing));
    });
}
