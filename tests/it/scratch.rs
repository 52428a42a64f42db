//! The scratch ring: conformance, programs, and what it alone promises.

use loligo_allocators::{Allocator, ScratchAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, conforms_at_odd_places};

/// Bytes of the rings, their tables included.
const BYTES: usize = 64 << 10;

/// Nearly all blocks are in the ring.
pub(crate) const SCRATCH: Subject = Subject {
    name: "scratch",
    reporter: |_| None,
    limits: Limits {
        ordered: false,
        reclaims: false,
        reports_leaks: false,
        ..Limits::region(BYTES)
    },
    make: |test| over_naive(BYTES, 4 * BYTES, test),
    misused: bytes(64, 16),
};

/// There is nothing to fall back to.
pub(crate) const SCRATCH_IN_REGION: Subject =
    Subject { name: "scratch-region", make: |test| in_region(BYTES, 0, test), ..SCRATCH };

/// Nearly all blocks fall back.
pub(crate) const SCRATCH_FALLEN: Subject = Subject {
    name: "scratch-fallen",
    make: |test| over_naive_as("scratch-fallen", 40, 4 * BYTES, test),
    ..SCRATCH
};

fn over_naive(ring_bytes: usize, memory_bytes: usize, test: Test<'_>) {
    over_naive_as("scratch", ring_bytes, memory_bytes, test);
}

/// Makes a ring over a naive backing and checks that the backing has everything back.
fn over_naive_as(name: &str, ring_bytes: usize, memory_bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", memory_bytes);
    test(&ScratchAllocator::new_in(name, ring_bytes, &memory).expect("there is room for the ring"));
    assert_eq!(memory.stats().live, 0, "the ring keeps memory of its backing");
}

fn in_region(region_bytes: usize, offset: usize, test: Test<'_>) {
    let mut region = Region::new(region_bytes, 4096).at_offset(offset);
    test(&ScratchAllocator::from_region("scratch-region", region.memory()));
}

#[test]
fn conforms() {
    SCRATCH.conforms();
    SCRATCH_IN_REGION.conforms();
    SCRATCH_FALLEN.conforms();
}

#[test]
fn conforms_at_any_address_and_length() {
    conforms_at_odd_places(SCRATCH.limits, in_region);
}

#[test]
fn runs_programs() {
    SCRATCH.runs_programs(150, "regressions/scratch.txt");
    SCRATCH_IN_REGION.runs_programs(150, "regressions/scratch-region.txt");
    SCRATCH_FALLEN.runs_programs(60, "regressions/scratch-fallen.txt");
    // A ring that half of the blocks fit into.
    let plan = Plan {
        cases: 100,
        regressions: Some("regressions/scratch-small.txt"),
        ..Plan::new(SCRATCH_FALLEN.limits)
    };
    plan.check(|test| over_naive(2000, 4 * BYTES, test));
}

#[test]
fn runs_over_every_refusal() {
    for ring_bytes in [100, 2000] {
        let program = sample(&Space::new(60, 9, 5), 200, 2);
        let limits = SCRATCH_FALLEN.limits;
        conformance::exhaustion(&limits, 256 << 10, &program, |backing, test| {
            if let Ok(scratch) = ScratchAllocator::new_in("scratch", ring_bytes, backing) {
                test(&scratch);
            }
        });
    }
}

#[test]
fn the_whole_ring_comes_back_in_whatever_order() {
    in_region(BYTES, 8, &mut |scratch| {
        let limits = Limits { reclaims: true, ..SCRATCH.limits };
        for order in 0..4 {
            let mut oracle = Oracle::new(scratch, limits).expect("an empty ring");
            let mut keys = Vec::new();
            for size in 0..300 {
                let layout = bytes(size, 1 << (size % 6));
                keys.push(oracle.allocate(layout).expect("the contract holds").expect("room"));
            }
            match order {
                0 => {}
                1 => keys.reverse(),
                2 => keys.rotate_left(200),
                _ => keys.sort_by_key(|key| oracle.layout(*key).align()),
            }
            for key in keys {
                oracle.free(key).expect("the contract holds");
            }
            oracle.finish().expect("the whole ring is free again");
        }
    });
}

#[test]
fn a_queue_never_falls_back() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let scratch = ScratchAllocator::new_in("scratch", 8000, &memory).expect("there is room");
    let mut oracle = Oracle::new(&scratch, SCRATCH_FALLEN.limits).expect("an empty ring");
    let mut queue = std::collections::VecDeque::new();
    for turn in 0..3000_usize {
        let layout = bytes(1 + turn * 37 % 400, 8);
        queue.push_back(oracle.allocate(layout).expect("the contract holds").expect("room"));
        if queue.len() > 10 {
            oracle.free(queue.pop_front().expect("ten are queued")).expect("the contract holds");
        }
    }
    assert_eq!(scratch.fell_back().allocations_total, 0);
    oracle.finish().expect("the contract holds");
}
