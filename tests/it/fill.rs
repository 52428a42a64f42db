//! Filling: conformance, programs, and compositions.

use loligo_allocators::{CanaryAllocator, FillAllocator, FillPattern, PageAllocator};
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, bytes, over_heap, over_pool, tests_of, wrapper};

pub(crate) const FILL: Subject =
    wrapper("fill", |test| over_heap(|memory| test(&FillAllocator::new_in("fill", memory))));

tests_of! {
    FILL, 100, "regressions/fill.txt";
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        over_pool(CanaryAllocator::layout_for(block), |pool| {
            let canary = CanaryAllocator::new_in("canary", pool);
            let inner = FillAllocator::new_in("inner", &canary).with_fresh(FillPattern::Ones);
            test(&FillAllocator::new_in("outer", &inner).with_freed(FillPattern::Zeros));
        });
    });
    let pages = Limits { lists: false, size_max: 64 << 10, align_max: 4096, ..Limits::growing() };
    conformance::allocator(&pages, |test| {
        let pages = PageAllocator::new("pages");
        test(&FillAllocator::new_in("fill", &pages));
    });
    let plan = Plan { cases: 60, regressions: Some("regressions/fill.txt"), ..Plan::new(pools) };
    plan.check(|test| over_pool(block, |pool| test(&FillAllocator::new_in("fill", pool))));
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(40, 10, 5), 200, 7);
    conformance::exhaustion(&FILL.limits, 256 << 10, &program, |backing, test| {
        test(&FillAllocator::new_in("fill", backing));
    });
}
