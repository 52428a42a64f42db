//! The programs themselves: as bytes, as text, and on several threads.

use loligo_allocators::Locked;
use loligo_tests::models::{Fault, FaultyAllocator, NaiveAllocator};
use loligo_tests::programs::AllocatorOp::{
    Allocate, AllocateZeroed, Check, Free, FreeSized, Reallocate, Resize,
};
use loligo_tests::programs::{
    AllocatorOp, Plan, Space, from_bytes, run, run_shared, sample, to_bytes,
};
use loligo_tests::{Limits, Oracle, Rule};

/// Bytes of the regions.
const BYTES: usize = 64 << 10;

/// The operation without what its bytes do not keep.
fn kept(op: AllocatorOp) -> AllocatorOp {
    match op {
        Resize { slot, size, .. } => Resize { slot, size, share: 0 },
        Reallocate { slot, size, align, .. } => Reallocate { slot, size, align, share: 0 },
        other => other,
    }
}

#[test]
fn bytes_keep_a_program() {
    for (space, seed) in [(Space::new(300, 33, 21), 1), (Space::new(8, 12, 6), 2)] {
        let program = sample(&space, 3000, seed);
        let again = from_bytes(&to_bytes(&program), &space);
        assert_eq!(again.len(), program.len());
        for (was, is) in program.into_iter().zip(again) {
            assert_eq!(kept(is), kept(was));
        }
    }
}

#[test]
fn any_bytes_are_a_program() {
    let space = Space::past(&Limits::region(BYTES));
    for seed in 0..50 {
        let bytes: Vec<u8> =
            (0..700_u64).map(|index| (index * index * 31 + seed * 977 + index / 7) as u8).collect();
        let naive = NaiveAllocator::new("naive", BYTES);
        let mut oracle = Oracle::new(&naive, Limits::region(BYTES)).expect("a fresh allocator");
        run(&from_bytes(&bytes, &space), &mut oracle).expect("the contract holds");
        oracle.finish().expect("the contract holds");
    }
}

#[test]
fn samples_reach_every_operation_and_stay_in_their_space() {
    let space = Space::new(10, 20, 12);
    let program = sample(&space, 5000, 3);
    let mut seen = [0; 7];
    let mut huge = 0;
    for op in program {
        let (kind, slot, size, align) = match op {
            Allocate { slot, size, align } => (0, slot, size, align),
            AllocateZeroed { slot, size, align } => (1, slot, size, align),
            Free { slot } => (2, slot, 0, 1),
            FreeSized { slot, .. } => (3, slot, 0, 1),
            Resize { slot, size, .. } => (4, slot, size, 1),
            Reallocate { slot, size, align, .. } => (5, slot, size, align),
            Check => (6, 0, 0, 1),
        };
        seen[kind] += 1;
        huge += usize::from(size > isize::MAX as usize / 2);
        assert!(slot < 10 && align <= 1 << 12 && align.is_power_of_two(), "{op:?}");
        assert!(size < 1 << 20 || size > isize::MAX as usize / 2, "{op:?}");
    }
    assert!(seen.iter().all(|&count| count > 50) && huge > 50, "{seen:?} {huge}");
}

#[test]
fn operations_that_do_not_fit_are_skipped() {
    let naive = NaiveAllocator::new("naive", BYTES);
    let mut oracle = Oracle::new(&naive, Limits::region(BYTES)).expect("a fresh allocator");
    let program = [
        Free { slot: 3 },
        FreeSized { slot: 3, share: 9 },
        Resize { slot: 3, size: 10, share: 0 },
        Reallocate { slot: 3, size: 10, align: 8, share: 0 },
        Allocate { slot: 3, size: 10, align: 3 },
        Allocate { slot: 3, size: 10, align: 8 },
        AllocateZeroed { slot: 3, size: 99, align: 8 },
        Check,
    ];
    run(&program, &mut oracle).expect("the contract holds");
    assert_eq!(oracle.len(), 1, "one allocation had a free slot and a layout");
    assert_eq!(oracle.keys().map(|key| oracle.layout(key).size()).max(), Some(10));
    oracle.finish().expect("the contract holds");
}

#[test]
fn a_failing_program_is_printed_as_rust() {
    let plan = Plan::new(Limits::region(BYTES));
    let failure = plan.find(|test| test(&FaultyAllocator::new(Fault::ForgetsZeroing, BYTES)));
    let failure = failure.expect("the fault is found");
    assert_eq!(failure.broken.rule, Rule::Zeroed);
    let text = failure.to_string();
    assert!(text.contains("    let program = [AllocateZeroed { slot: "), "{text}");
    assert!(failure.program.len() <= 4, "{text}");
}

#[test]
fn threads_catch_planted_faults() {
    let limits = Limits::region(BYTES);
    let programs: Vec<_> = (0..3).map(|seed| sample(&Space::new(12, 10, 8), 1500, seed)).collect();
    for (fault, rules) in [
        (Fault::None, None),
        (Fault::AlignsTo16, Some(Rule::Alignment)),
        (Fault::GivesOutTwice, Some(Rule::Overlap)),
        (Fault::ShortSlice, Some(Rule::Length)),
        (Fault::WritesOnFree, Some(Rule::Contents)),
        (Fault::LosesLastByte, Some(Rule::Contents)),
        (Fault::ForgetsZeroing, Some(Rule::Zeroed)),
        (Fault::RequestedTooBig, Some(Rule::StatsOrder)),
        (Fault::ForgetsSizedFree, Some(Rule::StatsLowered)),
        (Fault::CriesWolf, Some(Rule::Verify)),
        (Fault::PanicsWhenFull, Some(Rule::Panicked)),
    ] {
        let shared = Locked::new(FaultyAllocator::new(fault, BYTES));
        let found = run_shared(&shared, &limits, &programs).map_err(|broken| broken.rule);
        assert_eq!(found.err(), rules, "{fault:?}");
        // Blocks that a failed thread left are not freed.
        core::mem::forget(shared);
    }
}
