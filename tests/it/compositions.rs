//! Allocators over allocators, two and three deep, each level checked.

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    PoolAllocator, ProxyAllocator, SlabAllocator,
};
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Test, bytes};

/// The block of the pools.
const NODE: core::alloc::Layout = bytes(48, 16);

/// The limits of a general allocator with some room over another.
const GENERAL: Limits =
    Limits { size_max: 64 << 10, align_max: 4096, memory: None, ..Limits::region(1 << 20) };

/// Checks a backing after all allocators on it are gone.
fn is_empty(allocator: &dyn Allocator) {
    allocator.verify().unwrap_or_else(|damage| panic!("{}: {damage}", allocator.name()));
    assert_eq!(allocator.stats().live, 0, "`{}` has not everything back", allocator.name());
}

fn pool_over_heap_over_pages(test: Test<'_>) {
    let pages = PageAllocator::new("pages");
    {
        let heap = HeapAllocator::with_region_bytes_in("heap", 64 << 10, &pages);
        test(&PoolAllocator::new_in("pool", NODE, &heap));
        is_empty(&heap);
    }
    is_empty(&pages);
}

fn heap_over_buddy_over_pages(test: Test<'_>) {
    let pages = PageAllocator::new("pages");
    {
        let buddy = BuddyAllocator::new_in("buddy", 8 << 20, 4096, &pages);
        let buddy = buddy.expect("the system has pages");
        test(&HeapAllocator::with_region_bytes_in("heap", 64 << 10, &buddy));
        is_empty(&buddy);
    }
    is_empty(&pages);
}

fn slab_over_buddy_over_heap(test: Test<'_>) {
    let mut region = Region::new(16 << 20, 4096);
    let heap = HeapAllocator::from_region("heap", region.memory());
    {
        let buddy = BuddyAllocator::new_in("buddy", 4 << 20, 1024, &heap).expect("there is room");
        test(&SlabAllocator::<_, DefaultClasses>::with_region_bytes_in("slab", 64 << 10, &buddy));
        is_empty(&buddy);
    }
    is_empty(&heap);
}

fn heap_over_frame(test: Test<'_>) {
    let mut region = Region::new(16 << 20, 4096);
    let frame = FrameAllocator::from_region("frame", region.memory());
    test(&HeapAllocator::with_region_bytes_in("heap", 64 << 10, &frame));
    is_empty(&frame);
}

fn buddy_over_buddy(test: Test<'_>) {
    let mut region = Region::new(4 << 20, 4096);
    let outer = BuddyAllocator::from_region("outer", 4096, region.memory());
    let outer = outer.expect("the region holds a leaf");
    test(&BuddyAllocator::new_in("inner", 1 << 20, 16, &outer).expect("there is room"));
    is_empty(&outer);
}

#[test]
fn conform() {
    conformance::allocator(&Limits::fixed(NODE, None), pool_over_heap_over_pages);
    conformance::allocator(&GENERAL, heap_over_buddy_over_pages);
    conformance::allocator(&GENERAL, slab_over_buddy_over_heap);
    conformance::allocator(&GENERAL, heap_over_frame);
    conformance::allocator(&GENERAL, buddy_over_buddy);
}

#[test]
fn run_programs() {
    let regressions = Some("regressions/compositions.txt");
    let general = Plan { cases: 40, regressions, ..Plan::new(GENERAL) };
    let nodes = Limits::fixed(NODE, None);
    Plan { cases: 40, regressions, ..Plan::new(nodes) }.check(pool_over_heap_over_pages);
    general.check(heap_over_buddy_over_pages);
    general.check(heap_over_frame);
    general.check(buddy_over_buddy);
    general.check(slab_over_buddy_over_heap);
}

#[test]
fn run_over_every_refusal() {
    let nodes = Limits::fixed(NODE, None);
    let program = sample(&Space::new(200, 6, 4), 500, 3);
    conformance::exhaustion(&nodes, 4 << 20, &program, |backing, test| {
        let heap = HeapAllocator::with_region_bytes_in("heap", 64 << 10, backing);
        test(&PoolAllocator::new_in("pool", NODE, &heap));
        is_empty(&heap);
    });
    let program = sample(&Space::new(24, 15, 6), 200, 4);
    conformance::exhaustion(&GENERAL, 4 << 20, &program, |backing, test| {
        let proxy = ProxyAllocator::new_in("proxy", backing);
        test(&HeapAllocator::with_region_bytes_in("heap", 64 << 10, &proxy));
        is_empty(&proxy);
    });
    let frames = Limits { reclaims: false, ..Limits::region(64 << 10) };
    conformance::exhaustion(&frames, 1 << 20, &program, |backing, test| {
        if let Ok(frame) = FrameAllocator::new_in("frame", 64 << 10, backing) {
            test(&frame);
        }
    });
}

#[test]
fn siblings_share_a_backing() {
    let pages = PageAllocator::new("pages");
    {
        let heap = HeapAllocator::new_in("heap", &pages);
        {
            let nodes = PoolAllocator::new_in("nodes", NODE, &heap);
            let bytes_pool = PoolAllocator::new_in("bytes", bytes(1, 1), &heap);
            let scratch =
                FrameAllocator::new_in("scratch", 64 << 10, &heap).expect("there is room");
            let arena = BuddyAllocator::new_in("arena", 1 << 20, 64, &heap).expect("there is room");
            let frames = Limits { reclaims: false, ..Limits::region(64 << 10) };
            for seed in 0..8 {
                for (allocator, limits) in [
                    (&nodes as &dyn Allocator, Limits::fixed(NODE, None)),
                    (&bytes_pool, Limits::fixed(bytes(1, 1), None)),
                    (&scratch, Limits { ordered: false, ..frames }),
                    (&arena, GENERAL),
                ] {
                    let mut oracle = Oracle::new(allocator, limits).expect("nothing is live");
                    let space = Space { slots: 100, ..Space::past(&limits) };
                    run(&sample(&space, 300, seed), &mut oracle).expect("the contract holds");
                    if limits.reclaims {
                        oracle.finish().expect("all is freed");
                    } else {
                        oracle.free_all().expect("all is freed");
                    }
                }
                heap.verify().expect("the heap is sound");
            }
        }
        is_empty(&heap);
    }
    is_empty(&pages);
}
