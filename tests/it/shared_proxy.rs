//! The shared proxy: conformance, programs of one and several threads, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{
    Allocator, BuddyAllocator, HeapAllocator, Locked, PageAllocator, PoolAllocator, SharedProxy,
};
use loligo_tests::misuse::Wrong;
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const SHARED_PROXY: Subject = Subject {
    name: "shared-proxy",
    reporter: |wrong| (wrong != Wrong::Leak).then_some("memory"),
    limits: Limits { lists: false, ..Limits::region(256 << 10) },
    make: |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let memory = Locked::new(HeapAllocator::from_region("memory", region.memory()));
        test(&SharedProxy::new("shared-proxy", &memory));
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    SHARED_PROXY.conforms();
}

#[test]
fn runs_programs() {
    SHARED_PROXY.runs_programs(100, "regressions/shared-proxy.txt");
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let pages = PageAllocator::new("pages");
        let pool = Locked::new(PoolAllocator::new("pool", block, &pages));
        let inner = SharedProxy::new("inner", &pool);
        test(&SharedProxy::new("outer", &inner));
    });
    let buddies = Limits { lists: false, ..Limits::region(256 << 10) };
    conformance::allocator(&buddies, |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
        let buddy = Locked::new(buddy.expect("the region holds a leaf"));
        test(&SharedProxy::new("proxy", &buddy));
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new("heap", &pages));
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(64, 14, 13), 3000, seed)).collect();
    let proxy = SharedProxy::new("proxy", &heap);
    run_shared(&proxy, &Limits::growing(), &programs).expect("the contract holds");
    let proxy = SharedProxy::new("proxy", &heap).with_budget(100_000);
    run_shared(&proxy, &Limits::growing(), &programs).expect("the contract holds");
    assert!(proxy.stats().peak_granted <= 100_000);
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn a_budget_is_kept() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new("heap", &pages));
    let limits = Limits { lists: false, size_max: 8000, align_max: 4096, ..Limits::region(10_000) };
    let plan = Plan { cases: 60, ..Plan::new(limits) };
    plan.check(|test| test(&SharedProxy::new("proxy", &heap).with_budget(10_000)));
    let proxy = SharedProxy::new("proxy", &heap).with_budget(10_000);
    let mut oracle = Oracle::new(&proxy, limits).expect("a fresh proxy");
    let layout = Layout::new::<[u8; 100]>();
    while oracle.allocate(layout).expect("the contract holds").is_some() {}
    let stats = proxy.stats();
    assert!((10_000 - 128..=10_000).contains(&stats.granted), "{stats:?}");
    oracle.finish().expect("the contract holds");
}
