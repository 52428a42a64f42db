//! The proxy: conformance, programs, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{Allocator, BuddyAllocator, HeapAllocator, PoolAllocator, ProxyAllocator};
use loligo_tests::misuse::Wrong;
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const PROXY: Subject = Subject {
    name: "proxy",
    reporter: |wrong| (wrong != Wrong::Leak).then_some("memory"),
    limits: Limits { lists: false, ..Limits::region(256 << 10) },
    make: |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let memory = HeapAllocator::from_region("memory", region.memory());
        test(&ProxyAllocator::new("proxy", &memory));
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    PROXY.conforms();
}

#[test]
fn runs_programs() {
    PROXY.runs_programs(100, "regressions/proxy.txt");
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new("pool", block, &memory);
        let inner = ProxyAllocator::new("inner", &pool);
        test(&ProxyAllocator::new("outer", &inner));
    });
    let buddies = Limits { lists: false, ..Limits::region(256 << 10) };
    conformance::allocator(&buddies, |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
        test(&ProxyAllocator::new("proxy", &buddy.expect("the region holds a leaf")));
    });
}

#[test]
fn falsifies_no_number() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let proxies = ["one", "two", "three"].map(|name| ProxyAllocator::new(name, &memory));
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

#[test]
fn a_budget_is_kept() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let proxy = ProxyAllocator::new("proxy", &memory).with_budget(10_000);
    let limits = Limits { lists: false, size_max: 8000, align_max: 4096, ..Limits::region(10_000) };
    let plan = Plan { cases: 60, ..Plan::new(limits) };
    plan.check(|test| test(&ProxyAllocator::new("proxy", &memory).with_budget(10_000)));
    let mut oracle = Oracle::new(&proxy, limits).expect("a fresh proxy");
    let layout = Layout::new::<[u8; 100]>();
    while oracle.allocate(layout).expect("the contract holds").is_some() {}
    let stats = proxy.stats();
    assert!((10_000 - 112..=10_000).contains(&stats.granted), "{stats:?}");
    oracle.finish().expect("the contract holds");
}

#[test]
fn a_refusal_below_changes_nothing() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let failing = FailingBacking::new(&memory, Refusals::From(3));
    let proxy = ProxyAllocator::new("proxy", &failing);
    let limits = Limits { lists: false, reclaims: false, ..Limits::region(1 << 20) };
    let mut oracle = Oracle::new(&proxy, limits).expect("a fresh proxy");
    run(&sample(&Space::new(40, 12, 6), 200, 1), &mut oracle).expect("the contract holds");
    oracle.finish().expect("the contract holds");
}
