//! Recordings: their contents, their slots, and sinks that fail.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::format;
use std::string::{String, ToString};
use std::sync::Mutex;
use std::vec::Vec;

use super::{layout, line, take};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, panic_of};
use crate::wrappers::trace::format::{Name, Named};
use crate::wrappers::trace::{SinkError, TraceAllocator, TraceSink, WriteSink};

/// Operation, alignment, slot and bytes of each event.
pub(super) type Records = Vec<(u8, u8, u32, u64)>;

/// A parsed recording.
pub(super) struct Recording {
    pub(super) events: Records,
    /// The name of the site of each event, empty for none.
    pub(super) sites: Vec<String>,
    pub(super) times: Vec<u64>,
    pub(super) object: String,
    /// The value of each mark, and how many events are before it.
    pub(super) marks: Vec<(u64, usize)>,
    /// Whether the last record is there.
    pub(super) ended: bool,
}

/// Returns the events of a recording.
pub(super) fn records(bytes: &[u8]) -> Records {
    take_apart(bytes).events
}

/// Parses a recording by the rules of the format.
pub(super) fn take_apart(bytes: &[u8]) -> Recording {
    let units = bytes.strip_prefix(b"ALTRACE2").expect("the magic comes first");
    let (units, rest) = units.as_chunks::<32>();
    assert!(rest.is_empty(), "whole records alone");
    let mut found = Recording {
        events: Vec::new(),
        sites: Vec::new(),
        times: Vec::new(),
        object: String::new(),
        marks: Vec::new(),
        ended: false,
    };
    let mut names: Vec<String> = std::vec![String::new()];
    let mut units = units.iter();
    while let Some(unit) = units.next() {
        assert!(!found.ended, "nothing follows the end");
        let field = |from: usize, to: usize| {
            unit[from..to].iter().rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte))
        };
        let (word, time) = (field(8, 16), field(24, 32));
        match unit[0] {
            op @ 1..=4 => {
                assert_eq!((field(2, 4), field(20, 22), field(22, 24)), (0, 1, 0), "{unit:?}");
                found.events.push((op, unit[1], field(4, 8) as u32, word));
                found.sites.push(names[field(16, 20) as usize].clone());
                found.times.push(time);
            }
            5 => found.marks.push((word, found.events.len())),
            kind @ (6 | 7) => {
                let length = field(2, 4) as usize;
                let mut text = unit[8..].to_vec();
                while text.len() < length {
                    text.extend_from_slice(units.next().expect("the name goes on"));
                }
                assert!(text[length..].iter().all(|&byte| byte == 0), "padded with zeros");
                let text = String::from_utf8(text[..length].to_vec()).expect("UTF-8");
                if kind == 6 {
                    assert_eq!(field(4, 8) as usize, names.len(), "named in order");
                    names.push(text);
                } else {
                    assert_eq!((field(4, 8), &*found.object), (1, ""), "one allocator object");
                    found.object = text;
                }
            }
            8 => {
                assert_eq!(word as usize, found.events.len(), "the events are counted");
                found.ended = true;
            }
            kind => panic!("there is no kind {kind}"),
        }
    }
    found
}

#[test]
fn events_are_written_as_they_come() {
    let sink = WriteSink::new(Vec::new());
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.finish_recording().expect("there is none");
    trace.start_recording(&sink).expect("the books have room");
    assert!(trace.is_recording());
    let first = take(&trace, 10);
    let second = trace.allocate_zeroed(layout(0, 64)).expect("there is memory").cast::<u8>();
    let third = take(&trace, 30);
    // SAFETY: the blocks are live and have these layouts.
    unsafe {
        trace.deallocate(first);
        trace.deallocate(third);
        let second = trace.reallocate(second, layout(0, 64), layout(70, 64)).expect("it grows");
        // Another alignment is another block, in the slot that was freed last.
        let second =
            trace.reallocate(second.cast(), layout(70, 64), layout(80, 8)).expect("it moves");
        trace.deallocate(second.cast());
        let huge = trace.allocate(layout(1, 1 << 21)).expect("there is memory");
        trace.deallocate(huge.cast());
    }
    trace.verify().expect("sound");
    trace.finish_recording().expect("a vector takes everything");
    assert!(!trace.is_recording());
    let unseen = take(&trace, 5);
    // SAFETY: the block is live.
    unsafe { trace.deallocate(unseen) };
    drop(trace);
    let expected = [
        (1, 3, 0, 10),
        (4, 6, 1, 1),
        (1, 3, 2, 30),
        (2, 3, 0, 0),
        (2, 3, 2, 0),
        (3, 6, 1, 70),
        (1, 3, 2, 80),
        (2, 6, 1, 0),
        (2, 3, 2, 0),
        (1, 20, 2, 1),
        (2, 20, 2, 0),
    ];
    assert_eq!(records(&sink.into_inner()), expected);
}

#[test]
fn events_bear_their_sites_times_and_marks() {
    /// Counts instead of reading a clock.
    struct Counting(Mutex<Vec<u8>>, AtomicUsize);
    impl TraceSink for Counting {
        fn write(&self, bytes: &[u8]) -> Result<(), SinkError> {
            self.0.lock().expect("one thread").extend_from_slice(bytes);
            Ok(())
        }

        fn now_ns(&self) -> u64 {
            self.1.fetch_add(1, Ordering::SeqCst) as u64
        }
    }
    let sink = Counting(Mutex::new(Vec::new()), AtomicUsize::new(7));
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("sound", &backing, &books);
    trace.frame_mark(99);
    let (early_line, early) = (line(), take(&trace, 1));
    trace.start_recording(&sink).expect("the books have room");
    trace.frame_mark(1);
    let mut blocks = std::vec![early];
    let loop_line = line() + 1;
    blocks.extend((0..3).map(|size| take(&trace, 10 + size)));
    let (last_line, last) = (line(), take(&trace, 20));
    trace.frame_mark(2);
    blocks.push(last);
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    drop(trace);
    assert_eq!(books.stats().live, 0);
    let found = take_apart(&sink.0.into_inner().expect("one thread"));
    assert_eq!((&*found.object, found.ended), ("sound", true));
    assert_eq!(found.marks, [(1, 1), (2, 5)]);
    let lines = [early_line, loop_line, loop_line, loop_line, last_line];
    for (site, line) in found.sites.iter().zip(lines) {
        assert!(site.contains(&format!("tests/recording.rs:{line}:")), "{site} is not of {line}");
    }
    assert!(found.sites[5..].iter().all(|site| site.is_empty()), "frees bear none");
    assert_eq!(found.times, [7, 9, 10, 11, 12, 14, 15, 16, 17, 18], "one for each event and mark");
}

#[test]
fn names_of_any_length_fit() {
    for length in [0, 1, 23, 24, 25, 56, 900, 984, 985, 3000] {
        // Letters of two bytes, so that a cut may be inside one.
        let path: String = (0..length / 2).map(|_| '\u{e4}').chain(['x'; 1]).collect();
        let name = Name::new(Named::Site, 5, &path, format_args!(":{}:{}", u32::MAX, u32::MAX));
        let bytes = name.as_bytes();
        assert!(bytes.len().is_multiple_of(32) && bytes.len() <= 1024, "{length}");
        let said = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        let text = core::str::from_utf8(&bytes[8..8 + said]).expect("cut between letters");
        let path_kept = text.strip_suffix(":4294967295:4294967295").expect("the place is whole");
        assert!(path.ends_with(path_kept), "the end is kept");
        assert!(path_kept.len() == path.len() || path_kept.len() >= 983, "{length}: {text}");
    }
}

#[test]
fn a_late_recording_begins_with_what_lives() {
    let (one, two) = (WriteSink::new(Vec::new()), WriteSink::new(Vec::new()));
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let blocks: Vec<NonNull<u8>> = (1..=600).map(|size| take(&trace, size)).collect();
    for &block in blocks.iter().step_by(2) {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    trace.start_recording(&one).expect("the books have room");
    trace.verify().expect("sound");
    // SAFETY: the block is live.
    unsafe { trace.deallocate(blocks[1]) };
    trace.finish_recording().expect("a vector takes everything");
    // And again, with other slots; the drop writes the remaining records.
    trace.start_recording(&two).expect("the books have room");
    for &block in blocks.iter().skip(3).step_by(2) {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    drop(trace);
    let one = records(&one.into_inner());
    let mut expected: Records =
        (0..300).map(|slot| (1, 3, slot, 2 * u64::from(slot) + 2)).collect();
    expected.push((2, 3, 0, 0));
    assert_eq!(one, expected);
    let two = records(&two.into_inner());
    assert_eq!(two.len(), 299 + 299);
    assert_eq!(two[..2], [(1, 3, 0, 4), (1, 3, 1, 6)]);
}

/// Fails at the given call.
struct Failing {
    writes: AtomicUsize,
    fails: usize,
}

impl TraceSink for Failing {
    fn write(&self, _bytes: &[u8]) -> Result<(), SinkError> {
        let write = self.writes.fetch_add(1, Ordering::SeqCst);
        if write == self.fails { Err(SinkError::new("it is full")) } else { Ok(()) }
    }

    fn finish(&self) -> Result<(), SinkError> {
        if self.fails == usize::MAX { Err(SinkError::new("it was lost")) } else { Ok(()) }
    }
}

#[test]
fn a_sink_that_fails_ends_the_recording_and_not_the_program() {
    for (fails, live, what) in [
        (0, 0, "full"),
        (1, 0, "full"),
        (0, 600, "full"),
        (1, 600, "full"),
        (usize::MAX, 0, "lost"),
    ] {
        let sink = Failing { writes: AtomicUsize::new(0), fails };
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let trace = TraceAllocator::new_in("trace", &backing, &books);
        let mut blocks: Vec<_> = (0..live).map(|_| take(&trace, 8)).collect();
        trace.start_recording(&sink).expect("the books have room");
        blocks.extend((0..1000).map(|_| take(&trace, 8)));
        trace.verify().expect("sound");
        assert_eq!(trace.is_recording(), fails == usize::MAX);
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        let error = trace.finish_recording().expect_err("the sink has failed");
        assert!(error.to_string().contains(what), "{error}");
        trace.finish_recording().expect("the error is returned once");
        assert!(
            sink.writes.load(Ordering::SeqCst) <= fails.saturating_add(1),
            "it is left alone then"
        );
    }
}

#[test]
fn an_error_of_the_system_is_told() {
    /// Like a full disk.
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = WriteSink::new(Full);
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.start_recording(&sink).expect("the books have room");
    let error = trace.finish_recording().expect_err("the disk is full");
    assert!(error.kind().is_some(), "{error:?}");
    assert!(error.to_string().contains("os error 28"), "{error}");
}

#[test]
fn only_one_recording_runs() {
    let sink = WriteSink::new(Vec::new());
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.start_recording(&sink).expect("the books have room");
    let said = panic_of(|| _ = trace.start_recording(&sink));
    assert!(said.contains("a recording is running"), "{said}");
    trace.finish_recording().expect("a vector takes everything");
}

#[test]
fn a_sink_that_panics_ends_the_recording_and_changes_nothing() {
    /// Panics at once.
    struct Panicking;
    impl TraceSink for Panicking {
        fn write(&self, _bytes: &[u8]) -> Result<(), SinkError> {
            panic!("no more paper");
        }
    }
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    trace.start_recording(&Panicking).expect("the books have room");
    let mut blocks = Vec::new();
    let said = panic_of(|| (0..600).for_each(|_| blocks.push(take(&trace, 8))));
    assert_eq!(said, "no more paper");
    assert!(!trace.is_recording());
    trace.verify().expect("sound");
    assert_eq!((trace.stats().live, backing.stats().live), (blocks.len(), blocks.len()));
    blocks.push(take(&trace, 8));
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    let error = trace.finish_recording().expect_err("it was cut off");
    assert!(error.to_string().contains("panicked"), "{error}");
    drop(trace);
    assert_eq!(books.stats().live, 0);
}

/// Accepts the given number of pieces, and panics at the next one or at the end.
struct Breaking(AtomicUsize);

impl TraceSink for Breaking {
    fn write(&self, _bytes: &[u8]) -> Result<(), SinkError> {
        let left = self.0.load(Ordering::SeqCst).checked_sub(1).expect("no more paper");
        self.0.store(left, Ordering::SeqCst);
        Ok(())
    }

    fn finish(&self) -> Result<(), SinkError> {
        panic!("no more paper")
    }
}

#[test]
fn a_sink_that_panics_keeps_no_memory_of_the_books() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    for pieces in 0..2 {
        let sink = Breaking(AtomicUsize::new(pieces));
        let trace = TraceAllocator::new_in("trace", &backing, &books);
        let block = take(&trace, 8);
        trace.start_recording(&sink).expect("the books have room");
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
        let said = panic_of(|| drop(trace));
        assert!(said.contains("no more paper"), "{said}");
        assert_eq!(books.stats().live, 0, "the tables are freed");
    }
    // The live blocks are written at the start, which fills more than a piece.
    let sink = Breaking(AtomicUsize::new(0));
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let blocks: Vec<_> = (0..300).map(|_| take(&trace, 8)).collect();
    let before = books.stats().live;
    let said = panic_of(|| _ = trace.start_recording(&sink));
    assert!(said.contains("no more paper"), "{said}");
    trace.finish_recording().expect_err("it was cut off");
    assert_eq!(books.stats().live, before, "the tables of the blocks are left");
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

/// Uses the allocator that it records, which it must not.
struct Reentrant<'a> {
    trace: Mutex<Option<SendRef<'a>>>,
}

struct SendRef<'a>(&'a dyn Allocator);
// SAFETY: the test uses it from one thread only.
unsafe impl Send for SendRef<'_> {}

impl TraceSink for Reentrant<'_> {
    fn write(&self, _bytes: &[u8]) -> Result<(), SinkError> {
        if let Some(SendRef(trace)) = *self.trace.lock().expect("one thread") {
            let block = take(trace, 8);
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        Ok(())
    }
}

#[test]
fn a_sink_that_uses_its_allocator_is_cut_off() {
    let backing = TestBacking::new();
    // Neither is dropped, since each refers to the other; their memory is freed by hand.
    let sink: &'static Reentrant<'static> = leak(Reentrant { trace: Mutex::new(None) });
    let backing_ref: &'static TestBacking = leak(backing);
    let trace: &'static TraceAllocator<'static, TestBacking, TestBacking> =
        leak(TraceAllocator::new_in("trace", backing_ref, backing_ref));
    trace.start_recording(sink).expect("the books have room");
    *sink.trace.lock().expect("one thread") = Some(SendRef(trace));
    let blocks: Vec<_> = (0..600).map(|_| take(trace, 8)).collect();
    trace.verify().expect("sound");
    assert!(!trace.is_recording());
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    let error = trace.finish_recording().expect_err("it was cut off");
    assert!(error.to_string().contains("used the allocator"), "{error}");
    assert_eq!(trace.stats().live, 0);
}

pub(super) fn leak<T>(value: T) -> &'static T {
    std::boxed::Box::leak(std::boxed::Box::new(value))
}
