//! The static heap: conformance, programs, and its life in a `static`.

use core::alloc::Layout;
use std::thread;

use loligo_allocators::{SharedRef, StaticHeap};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, Oracle, conformance};

use crate::subject::{Subject, bytes, tests_of};

/// Bytes of its buffer.
const BYTES: usize = 128 << 10;

pub(crate) const STATIC_HEAP: Subject = Subject {
    name: "static-heap",
    reporter: |_| None,
    limits: Limits { size_max: BYTES / 8, align_max: 1024, ..Limits::region(BYTES) },
    make: |test| test(&*Box::new(StaticHeap::<BYTES>::new("static-heap"))),
    misused: bytes(64, 16),
};

/// One that no test may leave with live blocks.
static HEAP: StaticHeap<BYTES> = StaticHeap::new("boot");

tests_of! {
    STATIC_HEAP, 100, "regressions/static-heap.txt";
}

#[test]
fn conforms_as_a_global_allocator() {
    conformance::global_alloc(&STATIC_HEAP.limits, |test| {
        test(&*Box::new(StaticHeap::<BYTES>::new("global")));
    });
}

#[test]
fn serves_several_threads_from_a_static() {
    let shared: SharedRef<'static> = &HEAP;
    let block = thread::spawn(move || {
        let block = shared.allocate(Layout::new::<u64>()).expect("the heap has room");
        block.cast::<u64>().addr()
    });
    let address = block.join().expect("the thread ends well");
    let mut found = None;
    shared.walk(&mut |block| found = Some(block.address));
    let found = found.expect("the block outlives the thread");
    assert_eq!(found.addr(), address);
    // SAFETY: the walk shows the one live block, which nothing else frees.
    unsafe { shared.deallocate(found) };

    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(16, 9, 5), 2000, seed)).collect();
    run_shared(shared, &STATIC_HEAP.limits, &programs).expect("the contract holds");
    let oracle = Oracle::new(shared, STATIC_HEAP.limits).expect("nothing is left");
    oracle.finish().expect("the heap is whole");
}

#[test]
fn may_move_while_it_is_empty() {
    let heap = Box::new(StaticHeap::<BYTES>::new("moved"));
    let mut oracle = Oracle::new(&*heap, STATIC_HEAP.limits).expect("a fresh heap");
    oracle.allocate(bytes(100, 8)).expect("the contract holds");
    oracle.finish().expect("all is freed");
    let moved = Box::new(*heap);
    let mut oracle = Oracle::new(&*moved, STATIC_HEAP.limits).expect("nothing is live");
    oracle.allocate(bytes(100, 8)).expect("the contract holds").expect("there is room");
    oracle.finish().expect("all is freed");
}
