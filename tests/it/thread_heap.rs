//! The heap for threads: the contract, programs of one thread and of several, as a global allocator.

use loligo_allocators::{
    Allocator, GlobalMemory, HeapAllocator, Locked, PageAllocator, ThreadHeap,
};
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, bytes};

pub(crate) const THREAD_HEAP: Subject = Subject {
    name: "thread-heap",
    reporter: |_| None,
    limits: Limits::growing(),
    make: |test| {
        let pages = PageAllocator::new("pages");
        test(&ThreadHeap::new("thread-heap", &pages));
    },
    misused: bytes(64, 16),
};

#[test]
fn conforms() {
    THREAD_HEAP.conforms();
}

#[test]
fn runs_programs() {
    let plan =
        Plan { regressions: Some("regressions/thread_heap.txt"), ..Plan::new(THREAD_HEAP.limits) };
    plan.check(THREAD_HEAP.make);
}

#[test]
fn conforms_as_a_global_allocator() {
    conformance::global_alloc(&THREAD_HEAP.limits, |test| {
        let pages = PageAllocator::new("pages");
        test(&ThreadHeap::new("global", &pages));
    });
}

#[test]
fn comes_after_a_static_heap() {
    static PAGES: PageAllocator = PageAllocator::new("pages");
    conformance::global_alloc(&THREAD_HEAP.limits, |test| {
        let later = ThreadHeap::new("later", &PAGES);
        test(&*Box::new(GlobalMemory::<{ 64 << 10 }, _>::new("early", later)));
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    for threads in [2, 4, 9] {
        let heap = ThreadHeap::new("heap", &pages);
        let programs: Vec<_> =
            (0..threads).map(|seed| sample(&Space::new(64, 14, 13), 3000, seed)).collect();
        run_shared(&heap, &Limits::growing(), &programs).expect("the contract holds");
        heap.collect();
        heap.verify().expect("nothing is damaged");
    }
}

#[test]
fn is_made_over_any_allocator_that_threads_share() {
    let pages = PageAllocator::new("pages");
    let below = Locked::new(HeapAllocator::new("below", &pages));
    let heap = ThreadHeap::new("above", &below);
    run_shared(&heap, &Limits::growing(), &[sample(&Space::new(16, 12, 6), 2000, 1)])
        .expect("the contract holds");
    assert!(below.stats().live > 0, "regions and tables are from there");
    drop(heap);
    assert_eq!(below.stats().live, 0);
}
