//! The buddy over offsets.

use loligo_allocators::{AllocError, BuddyOffsets, Damage, Stats};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space};
use loligo_tests::{Limits, conformance};

use crate::offsets::{self, Offsets};
use crate::subject::Test;

impl Offsets for BuddyOffsets<'_, NaiveAllocator> {
    fn allocate(&self, bytes: u64, align: u64) -> Result<u64, AllocError> {
        self.allocate(bytes, align)
    }

    fn free(&self, offset: u64) {
        self.free(offset);
    }

    fn free_sized(&self, offset: u64, bytes: u64) {
        self.free_sized(offset, bytes);
    }

    fn resize_in_place(&self, offset: u64, old: u64, new: u64) -> Result<(), AllocError> {
        self.resize_in_place(offset, old, new).map(|_| ())
    }

    fn allocated_size(&self, offset: u64) -> u64 {
        self.allocated_size(offset)
    }

    fn stats(&self) -> Stats {
        self.stats()
    }

    fn name(&self) -> &str {
        self.name()
    }

    fn walk(&self, visit: &mut dyn FnMut(u64, u64)) {
        self.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.verify()
    }
}

fn over(bytes: usize, leaf_bytes: u64, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", 4 << 20);
    let make = |memory| {
        let offsets = BuddyOffsets::new_in("offsets", bytes as u64, leaf_bytes, memory);
        offsets.expect("the table has room")
    };
    offsets::over(bytes, &memory, make, test);
}

/// The limits for a range of any length: a quarter of it is served surely.
fn limits(bytes: usize) -> Limits {
    let most = bytes.next_power_of_two() / 8;
    Limits { size_max: most, align_max: most, reports_leaks: false, ..Limits::region(bytes) }
}

#[test]
fn conforms() {
    for (bytes, leaf_bytes) in [(256 << 10, 64), (100_000, 1), (70_000, 1024), (4096, 4)] {
        conformance::allocator(&limits(bytes), |test| over(bytes, leaf_bytes, test));
    }
}

#[test]
fn runs_programs() {
    for (bytes, leaf_bytes) in [(64 << 10, 16), (50_001, 1), (5000, 2)] {
        let plan = Plan {
            cases: 100,
            space: Space { slots: 100, ..Space::past(&limits(bytes)) },
            regressions: Some("regressions/buddy-offsets.txt"),
            ..Plan::new(limits(bytes))
        };
        plan.check(|test| over(bytes, leaf_bytes, test));
    }
}

#[test]
fn serves_more_than_an_address_space_could_back() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let leaf = 1 << 40;
    let offsets = BuddyOffsets::new_in("huge", 1000 << 40, leaf, &memory).expect("a small table");
    let mut taken = Vec::new();
    while let Ok(offset) = offsets.allocate(leaf, 1) {
        taken.push(offset);
    }
    taken.sort_unstable();
    assert!(taken.iter().copied().eq((0..1000).map(|index| index * leaf)), "each leaf once");
    taken.into_iter().for_each(|offset| offsets.free_sized(offset, leaf));
    offsets.verify().expect("all is free again");
    assert_eq!(offsets.stats().live, 0);
}
