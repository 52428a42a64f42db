//! The proxy: conformance, programs, and what it alone promises.

use loligo_allocators::{Allocator, ProxyAllocator};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, conformance};

use crate::subject::{Subject, Test, bytes, over_buddy, over_heap, over_pool, tests_of, wrapper};

pub(crate) const PROXY: Subject =
    wrapper("proxy", |test| over_heap(|memory| test(&ProxyAllocator::new_in("proxy", memory))));

tests_of! {
    PROXY, 100, "regressions/proxy.txt";
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        over_pool(block, |pool| {
            let inner = ProxyAllocator::new_in("inner", pool);
            test(&ProxyAllocator::new_in("outer", &inner));
        });
    });
    let buddies = Limits { lists: false, ..Limits::region(256 << 10) };
    conformance::allocator(&buddies, |test| {
        over_buddy(|buddy| test(&ProxyAllocator::new_in("proxy", &buddy)));
    });
}

#[test]
fn falsifies_no_number() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let proxies = ["one", "two", "three"].map(|name| ProxyAllocator::new_in(name, &memory));
    let limits = Limits { lists: false, reclaims: false, ..Limits::region(1 << 20) };
    let oracles: Vec<Oracle<'_>> = proxies
        .iter()
        .zip(0..)
        .map(|(proxy, seed)| {
            let mut oracle = Oracle::new(proxy, limits).expect("a fresh proxy");
            let program = sample(&Space::new(40, 12, 6), 300, seed);
            run(&program, &mut oracle).expect("the contract holds");
            oracle
        })
        .collect();
    let parts: Vec<_> = proxies.iter().map(Allocator::stats).collect();
    let whole = memory.stats();
    assert!(whole.live > 0, "the programs leave blocks");
    assert_eq!(parts.iter().map(|stats| stats.live).sum::<usize>(), whole.live);
    assert_eq!(parts.iter().map(|stats| stats.granted).sum::<usize>(), whole.granted);
    for oracle in oracles {
        oracle.finish().expect("the contract holds");
    }
    assert_eq!(memory.stats().live, 0);
}

/// Runs programs within a budget, then fills it with blocks of 100 bytes, for which the backing
/// grants `granted`.
pub(crate) fn keeps_a_budget(granted: usize, make: &mut dyn FnMut(usize, Test<'_>)) {
    const BUDGET: usize = 10_000;
    let limits = Limits { lists: false, size_max: 8000, align_max: 4096, ..Limits::region(BUDGET) };
    let plan = Plan { cases: 60, ..Plan::new(limits) };
    plan.check(|test| make(BUDGET, test));
    make(BUDGET, &mut |proxy| {
        let mut oracle = Oracle::new(proxy, limits).expect("a fresh proxy");
        while oracle.allocate(bytes(100, 1)).expect("the contract holds").is_some() {}
        let stats = proxy.stats();
        assert!((BUDGET - granted..=BUDGET).contains(&stats.granted), "{stats:?}");
        oracle.finish().expect("the contract holds");
    });
}

#[test]
fn a_budget_is_kept() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    keeps_a_budget(112, &mut |budget, test| {
        test(&ProxyAllocator::new_in("proxy", &memory).with_budget(budget));
    });
}

#[test]
fn a_refusal_below_changes_nothing() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let failing = FailingBacking::new_in(&memory, Refusals::From(3));
    let proxy = ProxyAllocator::new_in("proxy", &failing);
    let limits = Limits { lists: false, reclaims: false, ..Limits::region(1 << 20) };
    let mut oracle = Oracle::new(&proxy, limits).expect("a fresh proxy");
    run(&sample(&Space::new(40, 12, 6), 200, 1), &mut oracle).expect("the contract holds");
    oracle.finish().expect("the contract holds");
}
