//! The shared proxy: conformance, programs of one and several threads, and what it alone promises.

use loligo_allocators::{
    Allocator, HeapAllocator, Locked, PageAllocator, PoolAllocator, SharedProxy,
};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::proxy::keeps_a_budget;
use crate::subject::{Subject, bytes, over_buddy, tests_of, wrapper};

pub(crate) const SHARED_PROXY: Subject = wrapper("shared-proxy", |test| {
    let mut region = Region::new(256 << 10, 256 << 10);
    let memory = Locked::new(HeapAllocator::from_region("memory", region.memory()));
    test(&SharedProxy::new_in("shared-proxy", &memory));
});

tests_of! {
    SHARED_PROXY, 100, "regressions/shared-proxy.txt";
}

#[test]
fn composes_over_any_other() {
    let block = bytes(40, 8);
    let pools = Limits { lists: false, ..Limits::fixed(block, None) };
    conformance::allocator(&pools, |test| {
        let pages = PageAllocator::new("pages");
        let pool = Locked::new(PoolAllocator::new_in("pool", block, &pages));
        let inner = SharedProxy::new_in("inner", &pool);
        test(&SharedProxy::new_in("outer", &inner));
    });
    let buddies = Limits { lists: false, ..Limits::region(256 << 10) };
    conformance::allocator(&buddies, |test| {
        over_buddy(|buddy| test(&SharedProxy::new_in("proxy", &Locked::new(buddy))));
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(64, 14, 13), 3000, seed)).collect();
    let proxy = SharedProxy::new_in("proxy", &heap);
    run_shared(&proxy, &Limits::growing(), &programs).expect("the contract holds");
    let proxy = SharedProxy::new_in("proxy", &heap).with_budget(100_000);
    run_shared(&proxy, &Limits::growing(), &programs).expect("the contract holds");
    assert!(proxy.stats().peak_granted <= 100_000);
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn a_budget_is_kept() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    keeps_a_budget(128, &mut |budget, test| {
        test(&SharedProxy::new_in("proxy", &heap).with_budget(budget));
    });
}
