//! An allocator of allocator-api2 as an allocator: conformance, programs, threads.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, api2_02, api2_03, api2_04};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, bytes, tests_of};

pub(crate) const FROM_ALLOCATOR_API2: Subject = Subject {
    name: "from-api2",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::growing() },
    make: |test| {
        let global = allocator_api2_02::alloc::Global;
        test(&api2_02::FromAllocatorApi2::new("from-api2", global));
    },
    misused: bytes(64, 16),
};

tests_of! {
    FROM_ALLOCATOR_API2, 40, "regressions/from-allocator-api2.txt";
}

#[test]
fn conforms_in_each_line() {
    let limits = FROM_ALLOCATOR_API2.limits;
    conformance::allocator(&limits, |test| {
        let global = allocator_api2_03::alloc::Global;
        test(&api2_03::FromAllocatorApi2::new("03", global));
    });
    conformance::allocator(&limits, |test| {
        let global = allocator_api2_04::alloc::Global;
        test(&api2_04::FromAllocatorApi2::new("04", global));
    });
}

/// The round trip: pages of this family, through the bridge and back.
#[test]
fn carries_another_over_the_bridge() {
    let limits = Limits { size_max: 1 << 20, ..Limits::growing() };
    conformance::allocator(&limits, |test| {
        let pages = PageAllocator::new("pages");
        let back = api2_02::FromAllocatorApi2::new("back", &pages);
        test(&HeapAllocator::new_in("heap", &back));
        drop(back);
        assert_eq!(pages.stats().live, 0, "memory of the source is kept");
    });
}

/// An arena of another crate, whose blocks go when it goes.
#[test]
fn conforms_over_an_arena() {
    let limits = Limits { size_max: 64 << 10, ..FROM_ALLOCATOR_API2.limits };
    conformance::allocator(&limits, |test| {
        let arena = bumpalo::Bump::new();
        test(&api2_02::FromAllocatorApi2::new("arena", &arena));
    });
}

#[test]
fn serves_several_threads() {
    let global = api2_02::FromAllocatorApi2::new("shared", allocator_api2_02::alloc::Global);
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(24, 14, 13), 300, seed)).collect();
    run_shared(&global, &FROM_ALLOCATOR_API2.limits, &programs).expect("the contract holds");
    assert_eq!(global.stats().live, 0, "all came back");
}
