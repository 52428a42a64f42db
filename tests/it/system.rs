//! The system's heap as an allocator: conformance, programs, threads.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, SystemAllocator};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

pub(crate) const SYSTEM: Subject = Subject {
    name: "system",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::growing() },
    make: over_the_system,
    misused: bytes(64, 16),
};

/// Makes one and checks that its table goes with it.
fn over_the_system(test: Test<'_>) {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    test(&system);
    drop(system);
    assert_eq!(pages.stats().reserved, 0, "pages are kept for ever");
}

tests_of! {
    SYSTEM, 40, "regressions/system.txt";
}

#[test]
fn carries_another() {
    let limits = Limits { size_max: 1 << 20, ..Limits::growing() };
    conformance::allocator(&limits, |test| {
        let pages = PageAllocator::new("pages");
        let system = SystemAllocator::new("system", &pages);
        test(&HeapAllocator::new_in("heap", &system));
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("shared", &pages);
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(24, 14, 13), 300, seed)).collect();
    run_shared(&system, &SYSTEM.limits, &programs).expect("the contract holds");
    assert_eq!(system.stats().live, 0);
}
