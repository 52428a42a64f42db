//! Checking at a fixed interval of calls: conformance, programs, and compositions.

use loligo_allocators::{CanaryAllocator, VerifyAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, conformance};

use crate::subject::{Subject, bytes, over_heap, over_pool, tests_of, wrapper};

pub(crate) const VERIFY: Subject = wrapper("verify", |test| {
    over_heap(|memory| test(&VerifyAllocator::new_in("verify", 40, memory)))
});

tests_of! {
    VERIFY, 100, "regressions/verify.txt";
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        over_pool(CanaryAllocator::layout_for(block), |pool| {
            let canary = CanaryAllocator::new_in("canary", pool);
            let inner = VerifyAllocator::new_in("inner", 3, &canary);
            test(&VerifyAllocator::new_in("outer", 5, &inner));
        });
    });
    let plan = Plan { cases: 40, regressions: Some("regressions/verify.txt"), ..Plan::new(pools) };
    plan.check(|test| over_pool(block, |pool| test(&VerifyAllocator::new_in("verify", 1, pool))));
}

#[test]
fn checks_as_often_as_told() {
    for interval in [0, 1, 7] {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let verify = VerifyAllocator::new_in("verify", interval, &memory);
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
        test(&VerifyAllocator::new_in("verify", 20, backing));
    });
}
