//! The slab: conformance, programs, and what it alone promises.

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, HeapAllocator, PageAllocator, SlabAllocator,
};
use loligo_tests::misuse::Wrong;
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::{Subject, Test, bytes};

/// A slab of the classes that stand unless others are chosen.
type Slab<'a, B> = SlabAllocator<'a, B, DefaultClasses>;

/// The greatest size that the slab serves itself; what is larger is its backing's, and is listed
/// there.
const OWN_MAX: usize = 496;

pub(crate) const SLAB: Subject = Subject {
    name: "slab",
    reporter: |wrong| (wrong == Wrong::ForeignFree).then_some("memory"),
    limits: Limits {
        size_max: OWN_MAX,
        align_max: 16,
        memory: None,
        ..Limits::region(1 << 20)
    },
    make: |test| over_naive(4 << 20, test),
    misused: bytes(64, 16),
};

/// Makes a slab over a naive backing, which must have everything back.
fn over_naive(memory_bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", memory_bytes);
    test(&Slab::with_region_bytes("slab", &memory, 64 << 10));
    assert_eq!(
        memory.stats().live,
        0,
        "the slab keeps memory of its backing"
    );
}

/// A slab of all sizes: the large ones are passed on, and neither `walk` nor `owns` knows them.
const ALL_SIZES: Limits = Limits {
    lists: false,
    owns: false,
    ..Limits::growing()
};

#[test]
fn conforms() {
    SLAB.conforms();
}

#[test]
fn conforms_with_large_blocks_passed_on() {
    conformance::allocator(&ALL_SIZES, |test| {
        let pages = PageAllocator::new("pages");
        test(&Slab::new("slab", &pages));
        assert_eq!(pages.stats().live, 0, "the slab keeps pages");
    });
    let limits = Limits {
        size_max: 64 << 10,
        align_max: 4096,
        memory: None,
        lists: false,
        owns: false,
        ..Limits::region(1 << 20)
    };
    conformance::allocator(&limits, |test| {
        let mut region = Region::new(8 << 20, 4096);
        let heap = HeapAllocator::from_region("large", region.memory());
        test(&Slab::with_region_bytes("slab", &heap, 64 << 10));
        assert_eq!(heap.stats().live, 0, "the slab keeps memory of its backing");
    });
    conformance::allocator(&limits, |test| {
        let mut region = Region::new(8 << 20, 4096);
        let buddy = BuddyAllocator::from_region("large", region.memory(), 1024);
        let buddy = buddy.expect("the region holds a leaf");
        test(&Slab::with_region_bytes("slab", &buddy, 64 << 10));
        assert_eq!(
            buddy.stats().live,
            0,
            "the slab keeps memory of its backing"
        );
    });
}

#[test]
fn runs_programs() {
    let plan = Plan {
        cases: 200,
        steps: 600,
        space: Space::new(300, 8, 4),
        regressions: Some("regressions/slab.txt"),
        ..Plan::new(SLAB.limits)
    };
    plan.check(SLAB.make);
}

#[test]
fn runs_programs_with_large_blocks_passed_on() {
    let plan = Plan {
        cases: 60,
        regressions: Some("regressions/slab-large.txt"),
        ..Plan::new(ALL_SIZES)
    };
    plan.check(|test| {
        let pages = PageAllocator::new("pages");
        test(&Slab::new("slab", &pages));
    });
}

#[test]
fn runs_over_every_refusal() {
    for seed in [1, 2, 3] {
        let program = sample(&Space::new(60, 11, 6), 200, seed);
        let limits = Limits {
            lists: false,
            owns: false,
            ..SLAB.limits
        };
        conformance::exhaustion(&limits, 2 << 20, &program, |backing, test| {
            test(&Slab::with_region_bytes("slab", backing, 64 << 10));
        });
    }
}
