//! The buddy allocator: conformance, programs, and what it alone promises.

use core::alloc::Layout;

use loligo_allocators::{Allocator, BuddyAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

pub(crate) const BUDDY: Subject = Subject {
    name: "buddy",
    reporter: |_| None,
    limits: Limits::region(256 << 10),
    make: |test| in_region(256 << 10, 64, 0, test),
    misused: bytes(64, 16),
};

/// Makes a buddy over a region that starts `offset` bytes past a multiple of 4 MiB.
fn in_region(region_bytes: usize, leaf_bytes: usize, offset: usize, test: Test<'_>) {
    let mut region = Region::new(region_bytes, 4 << 20).at_offset(offset);
    let buddy = BuddyAllocator::from_region("buddy", leaf_bytes, region.memory());
    test(&buddy.expect("the region holds a leaf"));
}

/// The limits of a buddy whose buffer is of any size at any address: half the greatest power of two
/// within it is served surely, since one of its blocks that size is in there whole.
fn limits_anywhere(region_bytes: usize) -> Limits {
    let most = (region_bytes.next_power_of_two() / 8).max(16);
    Limits { size_max: most, align_max: most, ..Limits::region(region_bytes) }
}

tests_of! {
    BUDDY, 400, "regressions/buddy.txt";
}

/// The suite learns from the first region what the greatest block is; no other one here serves it.
#[test]
fn conforms_where_each_region_lies_elsewhere() {
    let mut offset = 0;
    conformance::allocator(&limits_anywhere(100_000), |test| {
        in_region(100_000, 64, offset, test);
        offset = 20_000;
    });
    offset = 0;
    Plan { cases: 20, ..Plan::new(limits_anywhere(100_000)) }.check(|test| {
        in_region(100_000, 64, offset, test);
        offset = 20_000;
    });
}

#[test]
fn conforms_at_any_address_and_length() {
    for (region_bytes, leaf_bytes, offset) in [
        (100_000, 16, 0),
        (65_537, 32, 1),
        (70_001, 64, 777),
        (131_071, 1024, 4095),
        (200_000, 4096, 2_000_001),
        (3000, 16, 8),
    ] {
        conformance::allocator(&limits_anywhere(region_bytes), |test| {
            in_region(region_bytes, leaf_bytes, offset, test);
        });
    }
}

#[test]
fn runs_programs_with_tails() {
    for (region_bytes, leaf_bytes, offset) in [(5000, 16, 3), (40_000, 128, 0), (99_999, 16, 31)] {
        let plan = Plan {
            cases: 150,
            regressions: Some("regressions/buddy-tails.txt"),
            ..Plan::new(limits_anywhere(region_bytes))
        };
        plan.check(|test| in_region(region_bytes, leaf_bytes, offset, test));
    }
}

#[test]
fn serves_alignments_to_2_mib() {
    let limits = Limits { align_max: 2 << 20, ..Limits::region(16 << 20) };
    conformance::allocator(&limits, |test| in_region(16 << 20, 4096, 0, test));
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(32, 12, 8), 60, 11);
    conformance::exhaustion(&limits_anywhere(32 << 10), 64 << 10, &program, |backing, test| {
        if let Ok(buddy) = BuddyAllocator::new_in("buddy", 32 << 10, 64, backing) {
            test(&buddy);
        }
    });
}

/// Fills a buddy with blocks of one leaf and returns how many were served.
fn leaves_served(region_bytes: usize, leaf_bytes: usize) -> usize {
    let mut served = 0;
    in_region(region_bytes, leaf_bytes, 0, &mut |buddy| {
        let limits = limits_anywhere(region_bytes);
        let mut oracle = Oracle::new(buddy, limits).expect("a fresh buddy");
        let leaf = Layout::from_size_align(leaf_bytes, 1).expect("a leaf");
        while let Some(_key) = oracle.allocate(leaf).expect("the contract holds") {
            served += 1;
        }
        oracle.finish().expect("the contract holds");
    });
    served
}

#[test]
fn a_buffer_of_any_size_is_used_to_its_end() {
    assert_eq!(leaves_served(400 << 10, 1 << 10), 399);
    assert_eq!(leaves_served(512 << 10, 16 << 10), 31);
    // Two bits a leaf are 16 leaves of 8192; the header and the fronts are a few more.
    assert!(leaves_served(1 << 20, 128) >= 8170, "metadata takes more than a quarter percent");
}

#[test]
fn the_greatest_block_is_back_after_any_program() {
    in_region(256 << 10, 16, 0, &mut |buddy| {
        for seed in 0..20 {
            let mut oracle = Oracle::new(buddy, limits_anywhere(256 << 10)).expect("empty");
            let program = sample(&Space::new(200, 10, 6), 1000, seed);
            loligo_tests::programs::run(&program, &mut oracle).expect("the contract holds");
            oracle.finish().expect("all is freed");
            let half = buddy.allocate(bytes(128 << 10, 128 << 10)).expect("all is merged");
            // SAFETY: the block is live and of this layout.
            unsafe { buddy.deallocate_sized(half.cast(), bytes(128 << 10, 128 << 10)) };
        }
    });
}

#[test]
fn gives_its_backing_all_back() {
    let memory = NaiveAllocator::new("memory", 128 << 10);
    {
        let buddy = BuddyAllocator::new_in("buddy", 100_000, 32, &memory).expect("there is room");
        let mut oracle = Oracle::new(&buddy, limits_anywhere(100_000)).expect("a fresh buddy");
        let program = sample(&Space::new(64, 14, 6), 400, 5);
        loligo_tests::programs::run(&program, &mut oracle).expect("the contract holds");
        oracle.finish().expect("all is freed");
        assert_eq!(memory.stats().live, 1, "one block of the backing is all it takes");
    }
    assert_eq!(memory.stats().live, 0);
}
