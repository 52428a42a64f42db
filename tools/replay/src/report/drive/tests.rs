//! Events do to an allocator what they say, refusals included.

use super::Drive;
use crate::report::tests::{Toy, nothing_live, random_trace, trace};
use crate::trace::Op;

#[test]
fn live_bytes_follow_the_trace() {
    let trace = random_trace(23, 4000);
    let toy = Toy::new(1 << 22);
    let mut drive = Drive::new(&toy, trace.slots as usize);
    let mut most = 0;
    for event in &trace.events {
        drive.apply(*event);
        most = most.max(drive.live_bytes());
    }
    assert_eq!((most, drive.refused()), (trace.peak_live_bytes, 0), "as the trace says");
    drop(drive);
    nothing_live(&toy);
}

#[test]
fn a_refused_block_is_left_out_to_its_end() {
    let trace = trace(&[
        (Op::Allocate, 0, 64),
        (Op::Allocate, 1, 1000),
        (Op::Reallocate, 1, 32),
        (Op::Free, 1, 0),
        (Op::Reallocate, 0, 1000),
        (Op::AllocateZeroed, 1, 32),
    ]);
    let toy = Toy::new(128);
    let mut drive = Drive::new(&toy, trace.slots as usize);
    let seen: Vec<_> = trace
        .events
        .iter()
        .map(|event| {
            drive.apply(*event);
            (drive.live_bytes(), drive.refused())
        })
        .collect();
    let expected = [(64, 0), (64, 1), (64, 1), (64, 1), (64, 2), (96, 2)];
    assert_eq!(seen, expected, "a refusal changes nothing");
    drop(drive);
    nothing_live(&toy);
}

#[test]
fn a_block_that_cannot_grow_where_it_lies_moves() {
    let trace = trace(&[
        (Op::Allocate, 0, 32),
        (Op::Allocate, 1, 32),
        (Op::Reallocate, 0, 48),
        (Op::Reallocate, 1, 16),
    ]);
    let toy = Toy::new(256);
    let mut drive = Drive::new(&toy, trace.slots as usize);
    trace.events.iter().for_each(|event| drive.apply(*event));
    let offset = |slot| {
        let live = drive.live(slot).expect("both are alive");
        (live.block.addr().get() - toy.region().start, live.layout.size())
    };
    assert_eq!((offset(0), offset(1)), ((64, 48), (32, 16)), "one moved, one stayed");
    drop(drive);
    nothing_live(&toy);
}

#[test]
fn slots_change_their_blocks() {
    let trace = trace(&[(Op::Allocate, 0, 32)]);
    let toy = Toy::new(64);
    let mut drive = Drive::new(&toy, trace.slots as usize);
    drive.apply(trace.events[0]);
    let spare = drive.spare_slot();
    drive.swap(0, spare);
    assert!(drive.live(0).is_none() && drive.live(spare).is_some(), "the block is in the other");
    drop(drive);
    nothing_live(&toy);
}
