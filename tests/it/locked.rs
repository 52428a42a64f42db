//! Allocators with a lock: several threads, and as the global allocator.

use loligo_allocators::{
    Allocator, BuddyAllocator, HeapAllocator, Locked, PageAllocator, PoolAllocator,
};
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const LOCKED: Subject = Subject {
    name: "locked",
    reporter: |_| None,
    limits: Limits::region(256 << 10),
    make: |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        test(&Locked::new(HeapAllocator::from_region("locked", region.memory())));
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    LOCKED.conforms();
}

#[test]
fn runs_programs() {
    let plan = Plan { regressions: Some("regressions/locked.txt"), ..Plan::new(LOCKED.limits) };
    plan.check(LOCKED.make);
}

#[test]
fn conforms_as_a_global_allocator() {
    conformance::global_alloc(&LOCKED.limits, |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        test(&Locked::new(HeapAllocator::from_region("global", region.memory())));
    });
}

/// Programs for four threads.
fn programs(space: &Space) -> Vec<Vec<loligo_tests::programs::AllocatorOp>> {
    (0..4).map(|seed| sample(space, 4000, seed)).collect()
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    run_shared(&heap, &Limits::growing(), &programs(&Space::new(64, 14, 13)))
        .expect("the contract holds");

    let mut region = Region::new(1 << 20, 4096);
    let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
    let buddy = Locked::new(buddy.expect("the region holds a leaf"));
    run_shared(&buddy, &Limits::region(1 << 20), &programs(&Space::new(64, 14, 8)))
        .expect("the contract holds");

    let block = bytes(100, 4);
    let pool = Locked::new(PoolAllocator::new_in("pool", block, &pages));
    run_shared(&pool, &Limits::fixed(block, None), &programs(&Space::new(64, 7, 3)))
        .expect("the contract holds");
}

#[test]
fn a_block_may_be_freed_by_another_thread() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    let layout = bytes(64, 8);
    let (sender, receiver) = std::sync::mpsc::channel::<usize>();
    std::thread::scope(|scope| {
        let heap = &heap;
        scope.spawn(move || {
            for _ in 0..1000 {
                let block = heap.allocate(layout).expect("there is room").cast::<u8>();
                let sent = sender.send(block.expose_provenance().get());
                sent.expect("the other thread listens");
            }
        });
        scope.spawn(move || {
            for address in receiver {
                let block = core::ptr::with_exposed_provenance_mut::<u8>(address);
                let block = core::ptr::NonNull::new(block).expect("a block's address");
                // SAFETY: the other thread sent a live block of this layout, and keeps no use of
                // it.
                unsafe { heap.deallocate_sized(block, layout) };
            }
        });
    });
    assert_eq!(heap.stats().live, 0);
}
