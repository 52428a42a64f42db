//! An allocator under test: how it is made, and what it can serve.

use core::alloc::Layout;

use loligo_allocators::{Allocator, BuddyAllocator, HeapAllocator, PoolAllocator};
use loligo_tests::misuse::Wrong;
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space};
use loligo_tests::{Limits, Region, conformance};

/// What a maker hands its allocator to.
pub(crate) type Test<'t> = &'t mut dyn FnMut(&dyn Allocator);

/// An allocator under test.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The allocator's own name, which its reports must state.
    pub(crate) name: &'static str,
    /// The allocator that reports a wrong use where that is not itself: the backing that it passes
    /// frees on to.
    pub(crate) reporter: fn(Wrong) -> Option<&'static str>,
    /// What it can serve.
    pub(crate) limits: Limits,
    /// Makes a fresh one.
    pub(crate) make: fn(Test<'_>),
    /// The blocks to misuse.
    pub(crate) misused: Layout,
}

impl Subject {
    /// Runs the conformance suite.
    pub(crate) fn conforms(&self) {
        conformance::allocator(&self.limits, self.make);
    }

    /// Runs random programs: sizes up to past the greatest, then small ones with more blocks.
    pub(crate) fn runs_programs(&self, cases: u32, regressions: &'static str) {
        let plan = Plan { cases, regressions: Some(regressions), ..Plan::new(self.limits) };
        plan.check(self.make);
        let space = Space { slots: 160, size_bits: plan.space.size_bits.min(9), ..plan.space };
        Plan { space, steps: 600, cases: cases / 4 + 1, ..plan }.check(self.make);
    }
}

/// Makes the two tests that every allocator has: the suite, and random programs.
macro_rules! tests_of {
    ($($subject:ident, $cases:literal, $regressions:literal;)+) => {
        #[test]
        fn conforms() {
            $($subject.conforms();)+
        }

        #[test]
        fn runs_programs() {
            $($subject.runs_programs($cases, $regressions);)+
        }
    };
}
pub(crate) use tests_of;

/// Returns a wrapper as a subject: `make` puts it over the heap of [`over_heap`].
pub(crate) const fn wrapper(name: &'static str, make: fn(Test<'_>)) -> Subject {
    Subject {
        name,
        reporter: |wrong| match wrong {
            Wrong::Leak => None,
            _ => Some("memory"),
        },
        limits: Limits { lists: false, ..Limits::region(256 << 10) },
        make,
        misused: bytes(64, 16),
    }
}

/// Makes a heap in a region and checks that it has everything back.
pub(crate) fn over_heap(test: impl FnOnce(&HeapAllocator<'_, dyn Allocator + Sync + '_>)) {
    let mut region = Region::new(256 << 10, 256 << 10);
    let memory = HeapAllocator::from_region("memory", region.memory());
    test(&memory);
    memory.verify().expect("the heap is sound");
    assert_eq!(memory.stats().live, 0, "memory of the backing is kept");
}

/// Makes a pool of blocks of that layout over a naive backing.
pub(crate) fn over_pool(block: Layout, test: impl FnOnce(&PoolAllocator<'_, NaiveAllocator>)) {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    test(&PoolAllocator::new_in("pool", block, &memory));
}

/// Makes a buddy in a region.
pub(crate) fn over_buddy(test: impl FnOnce(BuddyAllocator<'_, dyn Allocator + Sync + '_>)) {
    let mut region = Region::new(256 << 10, 256 << 10);
    let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
    test(buddy.expect("the region holds a leaf"));
}

/// Makes an allocator in a region of that many bytes, at that many past an aligned address.
pub(crate) type InRegion = fn(usize, usize, Test<'_>);

/// Runs the suite in regions at odd addresses and of odd lengths.
pub(crate) fn conforms_at_odd_places(limits: Limits, in_region: InRegion) {
    for (region_bytes, offset) in [(1000, 1), (65_537, 4095), (100_003, 7)] {
        let limits = Limits { align_max: 64, memory: Some(region_bytes), ..limits };
        let limits = Limits { size_max: region_bytes / 2, ..limits };
        conformance::allocator(&limits, |test| in_region(region_bytes, offset, test));
    }
}

/// Runs the suite in a region of 16 MiB, with alignments to 2 MiB.
pub(crate) fn conforms_with_great_alignments(limits: Limits, in_region: InRegion) {
    let limits = Limits { align_max: 2 << 20, size_max: 4 << 20, ..limits };
    let limits = Limits { memory: Some(16 << 20), ..limits };
    conformance::allocator(&limits, |test| in_region(16 << 20, 0, test));
}

/// The layout of blocks of the given number of bytes.
pub(crate) const fn bytes(size: usize, align: usize) -> Layout {
    match Layout::from_size_align(size, align) {
        Ok(layout) => layout,
        Err(_) => panic!("a layout for a test"),
    }
}
