//! The shared frame: conformance, programs of one and several threads, and what it alone promises.

use loligo_allocators::{Allocator, PageAllocator, SharedFrame};
use loligo_tests::programs::{Space, run_shared, sample};
use loligo_tests::{Limits, Oracle, Region};

use crate::subject::{
    Subject, Test, bytes, conforms_at_odd_places, conforms_with_great_alignments, tests_of,
};

/// Bytes of the frames.
const BYTES: usize = 256 << 10;

pub(crate) const SHARED_FRAME: Subject = Subject {
    name: "shared-frame",
    reporter: |_| None,
    limits: Limits { reclaims: false, reports_leaks: false, ..Limits::region(BYTES) },
    make: |test| in_region(BYTES, 0, test),
    misused: bytes(64, 16),
};

fn in_region(region_bytes: usize, offset: usize, test: Test<'_>) {
    let mut region = Region::new(region_bytes, 4 << 20).at_offset(offset);
    test(&SharedFrame::from_region("shared-frame", region.memory()));
}

tests_of! {
    SHARED_FRAME, 200, "regressions/shared-frame.txt";
}

#[test]
fn conforms_at_any_address_and_length() {
    conforms_at_odd_places(SHARED_FRAME.limits, in_region);
}

#[test]
fn serves_alignments_to_2_mib() {
    conforms_with_great_alignments(SHARED_FRAME.limits, in_region);
}

#[test]
fn last_in_first_out_gives_all_room_back() {
    in_region(BYTES, 0, &mut |frame| {
        let mut oracle = Oracle::new(frame, SHARED_FRAME.limits).expect("an empty frame");
        for _ in 0..50 {
            let mut keys = Vec::new();
            for size in 0..400 {
                let taken = oracle.allocate(bytes(size, 8)).expect("the contract holds");
                keys.push(taken.expect("all room is back"));
            }
            while let Some(key) = keys.pop() {
                oracle.free(key).expect("the contract holds");
            }
        }
        oracle.finish().expect("the contract holds");
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let mut frame = SharedFrame::new_in("frame", 4 << 20, &pages).expect("there are pages");
    for seed in 0..4 {
        println!("seed {seed}");
        let programs: Vec<_> =
            (0..4).map(|n| sample(&Space::new(64, 9, 6), 3000, 10 * seed + n)).collect();
        run_shared(&frame, &SHARED_FRAME.limits, &programs).expect("the contract holds");
        frame.assert_empty();
        frame.reset();
    }
    drop(frame);
    assert_eq!(pages.stats().live, 0);
}
