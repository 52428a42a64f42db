//! Recordings record by record: their contents, when they are written, and their end.

use core::alloc::Layout;
use core::ptr;
use std::io::ErrorKind;
use std::string::String;
use std::thread;
use std::vec::Vec;

use super::{BOOKS, BUFFER_BYTES, State};
use crate::testing::test_child::{MemoryFile, said};
use crate::wrappers::trace::SinkError;
use crate::wrappers::trace::format::{MAGIC, Op};

/// A record without its time: kind, log2 of the alignment, thread, slot, bytes, object.
type Unit = (u8, u8, u16, u32, u64, u16);

/// The size of a recording before its first event: the magic and the name of its one object.
const HEAD_BYTES: usize = 8 + 32;

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a valid layout")
}

/// A block that is never touched.
fn block(number: usize) -> *mut u8 {
    ptr::without_provenance_mut(0x1000 * number)
}

/// Runs `act` with a fresh state in a separate thread, which has no number yet.
fn with_state(act: impl FnOnce(&mut State) + Send) {
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut state = State::new();
            act(&mut state);
            state.slots.release(&BOOKS);
            state.slots_free.release(&BOOKS);
        });
    });
}

fn begun(act: impl FnOnce(&mut State, &MemoryFile) + Send) {
    let memory = MemoryFile::new();
    with_state(|state| {
        state.begin(&memory.path());
        act(state, &memory);
    });
}

/// Reads the records after the head, and their times.
fn units(bytes: &[u8]) -> (Vec<Unit>, Vec<u64>) {
    assert_eq!(bytes[..8], MAGIC, "it begins with the magic");
    assert_eq!(bytes[8..23], *b"\x07\0\x06\0\x01\0\0\0global\0", "the name of its one object");
    let number = |unit: &[u8], from: usize, to: usize| {
        unit[from..to].iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let units = bytes[HEAD_BYTES..].chunks_exact(32);
    let read = |unit: &[u8]| {
        assert_eq!(unit[16..20], [0; 4], "it has no site");
        let [thread, slot, bytes, object] =
            [(2, 4), (4, 8), (8, 16), (20, 22)].map(|(from, to)| number(unit, from, to));
        ((unit[0], unit[1], thread as u16, slot as u32, bytes, object as u16), number(unit, 24, 32))
    };
    units.map(read).unzip()
}

#[test]
fn every_call_is_a_record() {
    begun(|state, memory| {
        state.allocated(Op::Allocate, ptr::null_mut(), layout(1, 1));
        state.allocated(Op::Allocate, block(1), layout(100, 8));
        state.allocated(Op::AllocateZeroed, block(2), layout(200, 64));
        state.freed(block(3), layout(1, 1));
        state.freed(block(1), layout(100, 8));
        state.allocated(Op::Allocate, block(3), layout(5, 1));
        state.mark(77);
        let slot = state.lift(block(2));
        assert_eq!((slot, state.lift(block(2))), (Some(1), None), "it is lifted once");
        state.reallocated(block(4), slot, layout(200, 64), 300);
        let slot = state.lift(block(3));
        state.put_back(block(3), slot);
        state.freed(block(3), layout(5, 1));
        state.reallocated(block(9), None, layout(1, 1), 2);
        state.freed(block(4), layout(300, 64));
        assert_eq!(state.slots_free.len(), 2, "all slots are free");
        assert_eq!(state.finish(), Ok(()), "nothing has ended it before");
        let (units, times) = units(&memory.bytes());
        let expected = [
            (1, 3, 0, 0, 100, 1),
            (4, 6, 0, 1, 200, 1),
            (2, 3, 0, 0, 0, 1),
            (1, 0, 0, 0, 5, 1),
            (5, 0, 0, 0, 77, 0),
            (3, 6, 0, 1, 300, 1),
            (2, 0, 0, 0, 0, 1),
            (2, 6, 0, 1, 0, 1),
            (8, 0, 0, 0, 7, 0),
        ];
        assert_eq!(units, expected);
        let (end, events) = times.split_last().expect("there are records");
        assert!(events.is_sorted() && *end == 0, "{times:?}");
        // Events after the end are not recorded, and change nothing.
        let bytes = memory.bytes();
        state.allocated(Op::Allocate, block(5), layout(1, 1));
        state.mark(78);
        state.put_back(block(5), Some(3));
        assert_eq!((state.lift(block(5)), state.slots.len()), (None, 0), "it is not known");
        state.reallocated(block(6), Some(3), layout(1, 1), 2);
        assert_eq!((state.events, state.used), (7, 0), "nothing is counted or kept");
        assert_eq!(state.finish(), Ok(()), "it has ended");
        assert_eq!(memory.bytes(), bytes, "nothing is written");
    });
}

#[test]
fn threads_are_numbered_as_they_come() {
    begun(|state, memory| {
        state.mark(0);
        for number in 1..3 {
            thread::scope(|scope| {
                scope.spawn(|| {
                    state.mark(number);
                    state.mark(number);
                });
            });
        }
        state.mark(0);
        assert_eq!(state.finish(), Ok(()));
        let (units, _) = units(&memory.bytes());
        let threads: Vec<_> = units.iter().map(|unit| (unit.2, unit.4)).collect();
        assert_eq!(threads, [(0, 0), (1, 1), (1, 1), (2, 2), (2, 2), (0, 0), (0, 0)]);
    });
}

#[test]
fn the_clock_goes_on_from_the_first_event() {
    with_state(|state| {
        assert!(state.began.is_none(), "no event so far");
        let first = state.now_ns();
        let began = state.began;
        assert!(began.is_some(), "now");
        // However coarse the clock is, it advances in the end.
        while state.now_ns() <= first + 1 {}
        assert_eq!(state.began, began, "it began once");
    });
}

#[test]
fn records_are_written_when_the_buffer_is_full() {
    begun(|state, memory| {
        let fits = (BUFFER_BYTES - HEAD_BYTES) / 32;
        for number in 0..fits as u64 {
            assert_eq!(memory.bytes().len(), 0, "{number} records wait");
            state.mark(number);
        }
        state.mark(0);
        let first = HEAD_BYTES + 32 * fits;
        assert_eq!(memory.bytes().len(), first, "all but the last, which has no room");
        // From now on whole buffers of 256 records.
        for number in 1..256 {
            state.mark(number);
        }
        assert_eq!((memory.bytes().len(), state.used), (first, BUFFER_BYTES), "it is just full");
        state.mark(256);
        assert_eq!((memory.bytes().len(), state.used), (first + BUFFER_BYTES, 32), "256 more");
        assert_eq!(state.finish(), Ok(()));
        assert_eq!(memory.bytes().len(), first + BUFFER_BYTES + 64, "the last one, and the end");
    });
}

#[test]
fn what_cannot_be_recorded_to_is_told_and_kept() {
    let text = said(|| {
        let mut state = State::new();
        state.begin("/no/such/folder/run.altrace");
        state.begin("/no/such/folder/run.altrace");
        assert_eq!(state.used, 0, "nothing is kept");
        state.mark(1);
        let error = state.finish().expect_err("it never began");
        assert_eq!(error.kind(), Some(ErrorKind::NotFound), "{error}");
        assert_eq!(state.finish(), Ok(()), "reported once");
    });
    let line = "loligo: cannot record to `/no/such/folder/run.altrace`: ";
    assert_eq!(text.matches(line).count(), 2, "{text}");
}

#[test]
fn a_file_that_takes_no_more_ends_the_recording() {
    let text = said(|| {
        let mut state = State::new();
        state.begin("/dev/full");
        state.allocated(Op::Allocate, block(1), layout(1, 1));
        state.flush();
        state.allocated(Op::Allocate, block(2), layout(1, 1));
        assert_eq!((state.events, state.is_on()), (1, false), "the second is not recorded");
        let error = state.finish().expect_err("the device is full");
        assert_eq!(error.kind(), Some(ErrorKind::StorageFull), "{error}");
    });
    assert_eq!(text.matches("loligo: the recording ended early: ").count(), 1, "{text}");
}

#[test]
fn a_failure_writes_what_there_is_and_ends_the_recording() {
    let memory = MemoryFile::new();
    let error = SinkError::new("for a reason");
    let text = said(|| {
        let mut state = State::new();
        state.begin(&memory.path());
        state.mark(5);
        state.fail(error);
        assert!(!state.is_on(), "it is over");
        state.fail(SinkError::new("for another reason"));
        assert_eq!(state.finish(), Err(error), "the first");
    });
    assert_eq!(text, "loligo: the recording ended early: for a reason");
    let (units, _) = units(&memory.bytes());
    let kinds: Vec<_> = units.iter().map(|unit| (unit.0, unit.4)).collect();
    assert_eq!(kinds, [(5, 5)], "the mark, and no end");
}

/// If a process was forked by one that records, the child does not touch the file.
#[test]
fn a_child_writes_nothing_and_says_nothing() {
    begun(|state, memory| {
        state.mark(1);
        let text: String = said(|| {
            state.flush();
            assert!(!state.is_on(), "it is over here");
            assert_eq!(state.finish(), Ok(()), "and nothing has failed");
        });
        assert_eq!(text, "");
        assert_eq!(memory.bytes(), b"", "the child's");
        assert_eq!(state.finish(), Ok(()), "the parent's goes on");
        assert_eq!(memory.bytes().len(), HEAD_BYTES + 64);
    });
}
