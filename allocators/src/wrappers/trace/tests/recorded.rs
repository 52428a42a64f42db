//! Exact recordings: pieces, names, slots, and the state that a recording leaves to the next.

use core::fmt;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::format;
use std::io;
use std::string::String;
use std::sync::Mutex;
use std::vec::Vec;

use super::recording::{Records, take_apart};
use super::{layout, line, take};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, panic_of};
use crate::wrappers::trace::format::{Name, Named};
use crate::wrappers::trace::{SinkError, TraceAllocator, TraceSink, WriteSink};

/// Stores each piece separately, counts the ends, and has no clock.
#[derive(Default)]
struct Pieces {
    pieces: Mutex<Vec<Vec<u8>>>,
    ends: AtomicUsize,
}

impl TraceSink for Pieces {
    fn write(&self, bytes: &[u8]) -> Result<(), SinkError> {
        self.pieces.lock().expect("one thread").push(bytes.to_vec());
        Ok(())
    }

    fn finish(&self) -> Result<(), SinkError> {
        self.ends.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl Pieces {
    /// Returns and removes the pieces so far.
    fn take(&self) -> Vec<Vec<u8>> {
        core::mem::take(&mut *self.pieces.lock().expect("one thread"))
    }
}

/// Returns the record of a name.
fn named(kind: u8, number: u8, text: &str) -> Vec<u8> {
    let mut record = Vec::from([kind, 0, text.len() as u8, 0, number, 0, 0, 0]);
    record.extend_from_slice(text.as_bytes());
    record.resize(record.len().next_multiple_of(32), 0);
    record
}

/// Returns the record of an event, or of a mark or the end.
fn unit(op: u8, align: u8, slot: u8, bytes: u8, site: u8, object: u8) -> Vec<u8> {
    let mut unit = Vec::from([0; 32]);
    for (at, byte) in [(0, op), (1, align), (4, slot), (8, bytes), (16, site), (20, object)] {
        unit[at] = byte;
    }
    unit
}

#[test]
fn every_byte_is_as_the_format_says() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("sound", &backing, &books);
    trace.start_recording(&sink).expect("the books have room");
    let mut blocks: Vec<_> = (10..12).map(|size| take(&trace, size)).collect();
    trace.frame_mark(77);
    blocks.push(take(&trace, 12));
    let mut sites = Vec::new();
    trace.walk_sites(&mut |usage| sites.push(format!("{}", usage.site)));
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    trace.finish_recording().expect("it takes everything");
    let expected = [
        b"ALTRACE2".to_vec(),
        named(7, 1, "sound"),
        named(6, 1, &sites[0]),
        unit(1, 3, 0, 10, 1, 1),
        unit(1, 3, 1, 11, 1, 1),
        unit(5, 0, 0, 77, 0, 0),
        named(6, 2, &sites[1]),
        unit(1, 3, 2, 12, 2, 1),
        unit(2, 3, 0, 0, 0, 1),
        unit(2, 3, 1, 0, 0, 1),
        unit(2, 3, 2, 0, 0, 1),
        unit(8, 0, 0, 6, 0, 0),
    ];
    assert_eq!(sink.take().concat(), expected.concat());
}

#[test]
fn pieces_are_as_full_as_the_next_event_lets_them() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    trace.start_recording(&sink).expect("the books have room");
    (0..300).for_each(|value| trace.frame_mark(value));
    trace.finish_recording().expect("it takes everything");
    trace.finish_recording().expect("there is none");
    drop(trace);
    assert_eq!(sink.ends.load(Ordering::SeqCst), 1, "it is finished once");
    let lengths: Vec<usize> = sink.take().iter().map(Vec::len).collect();
    assert_eq!(lengths, [40 + 125 * 32, 127 * 32, 48 * 32 + 32], "room for two records is kept");
}

#[test]
fn the_buffer_may_be_full_at_any_event() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let mut block = take(&trace, 8);
    let mut align = 8;
    for marks in 0..260 {
        // Another alignment makes two records, followed at once by the end.
        trace.start_recording(&sink).expect("the books have room");
        (0..marks).for_each(|value| trace.frame_mark(value));
        let (old, new) = (layout(8, align), layout(8, 72 - align));
        // SAFETY: the block is live and has this layout.
        block = unsafe { trace.reallocate(block, old, new) }.expect("it moves").cast();
        align = new.align();
        trace.finish_recording().expect("it takes everything");
        let found = take_apart(&sink.take().concat());
        assert_eq!((found.events.len(), found.marks.len() as u64), (3, marks), "{marks} marks");
        // A new site makes a name and a record.
        trace.start_recording(&sink).expect("the books have room");
        (0..marks).for_each(|value| trace.frame_mark(value));
        let at = line() + 1;
        let other = take(&trace, 9);
        // SAFETY: the block is live.
        unsafe { trace.deallocate(other) };
        trace.finish_recording().expect("it takes everything");
        let found = take_apart(&sink.take().concat());
        assert_eq!((found.events.len(), found.marks.len() as u64), (3, marks), "{marks} marks");
        assert!(found.sites[1].contains(&format!(":{at}:")), "{marks}: {}", found.sites[1]);
        assert!(found.ended && found.times == [0; 3], "no clock, no times");
    }
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}

#[test]
fn resizing_in_place_makes_room_for_its_records() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let trace = TraceAllocator::new_in("trace", &pool, &books);
    let block = take(&trace, 0);
    trace.start_recording(&sink).expect("the books have room");
    let mut expected: Records = Vec::from([(1, 3, 0, 1)]);
    for step in 0..400 {
        let (old, new) = (layout(step % 64, 8), layout((step + 1) % 64, 8));
        // SAFETY: the block is live and has this layout.
        let resized = unsafe { trace.resize_in_place(block, old, new) };
        assert!(resized.is_ok(), "it has room");
        expected.push((3, 3, 0, new.size().max(1) as u64));
    }
    trace.finish_recording().expect("it takes everything");
    assert_eq!(take_apart(&sink.take().concat()).events, expected);
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}

#[test]
fn a_free_slot_needs_no_room() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    trace.start_recording(&sink).expect("the books have room");
    let mut blocks = Vec::new();
    for _ in 0..3 {
        while blocks.len() < 16 {
            blocks.push(take(&trace, 8));
            // All slots can be freed.
            assert_eq!(trace.books_bytes(), books.stats().granted, "{} blocks", blocks.len());
            books.refuse_from(if blocks.len() < 16 { 100 } else { 0 });
        }
        let requests = books.requests();
        // SAFETY: the block is live.
        unsafe { trace.deallocate(blocks.swap_remove(5)) };
        blocks.push(take_again(&trace));
        assert_eq!(books.requests(), requests, "the slot that was freed is taken");
        books.refuse_none();
        blocks.drain(3..).for_each(|block| {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        });
        // Its site is known from here on.
        blocks.push(take_again(&trace));
    }
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    trace.finish_recording().expect("it takes everything");
}

#[inline(never)]
fn take_again(trace: &dyn Allocator) -> core::ptr::NonNull<u8> {
    take(trace, 8)
}

#[test]
fn sites_are_named_in_the_order_in_which_they_ask() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let one = || take(&trace, 1);
    let other = || take(&trace, 2);
    let lines = [line() - 2, line() - 1];
    let free = |block| {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    };
    free(one());
    free(other());
    for order in [[0, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]] {
        trace.start_recording(&sink).expect("the books have room");
        for site in order {
            free(if site == 0 { one() } else { other() });
        }
        trace.finish_recording().expect("it takes everything");
        let found = take_apart(&sink.take().concat());
        for (event, site) in order.into_iter().enumerate() {
            let said = &found.sites[2 * event];
            assert!(said.contains(&format!(":{}:", lines[site])), "{order:?}: {said}");
        }
    }
}

/// Stores the bytes, and panics at the given reading of its clock.
struct Stopping {
    bytes: Mutex<Vec<u8>>,
    asked: AtomicU64,
    stops: u64,
}

impl TraceSink for Stopping {
    fn write(&self, bytes: &[u8]) -> Result<(), SinkError> {
        self.bytes.lock().expect("one thread").extend_from_slice(bytes);
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        assert!(asked != self.stops, "the clock stopped");
        asked
    }
}

#[test]
fn a_recording_that_was_cut_off_leaves_nothing_to_the_next() {
    let sink = Pieces::default();
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    for stops in 0..12 {
        let stopping = Stopping { bytes: Mutex::default(), asked: AtomicU64::new(0), stops };
        let trace = TraceAllocator::new_in("trace", &backing, &books);
        let same = || take(&trace, 8);
        trace.start_recording(&stopping).expect("the books have room");
        let mut blocks = Vec::new();
        let said = panic_of(|| {
            (0..3).for_each(|_| blocks.push(same()));
            loop {
                // SAFETY: the block is live, and taken off the list when it is freed.
                unsafe { trace.deallocate(blocks[0]) };
                blocks.swap_remove(0);
                blocks.push(take(&trace, 9));
            }
        });
        assert_eq!((&*said, trace.is_recording()), ("the clock stopped", false), "at {stops}");
        trace.verify().expect("sound");
        assert_eq!(trace.books_bytes(), books.stats().granted, "the buffer is kept");
        let live = blocks.len();
        trace.start_recording(&sink).expect("the other has ended");
        trace.verify().expect("sound");
        assert_eq!(trace.books_bytes(), books.stats().granted, "one buffer is enough");
        blocks.push(same());
        trace.finish_recording().expect("the failure was before it");
        let found = take_apart(&sink.take().concat());
        let slots: Vec<u32> = found.events.iter().map(|event| event.2).collect();
        assert_eq!(slots, (0..=live as u32).collect::<Vec<_>>(), "slots start again");
        assert!(found.ended && found.sites.iter().all(|site| !site.is_empty()), "so do sites");
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        drop(trace);
        assert_eq!(books.stats().live, 0, "all tables are freed");
    }
}

/// Like a disk that turns out to be full when buffered bytes are written.
struct Late;

impl io::Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn what_is_lost_at_the_end_is_told() {
    let sink = WriteSink::new(Late);
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.start_recording(&sink).expect("the books have room");
    let error = trace.finish_recording().expect_err("the disk is full");
    assert_eq!(error.kind(), Some(io::ErrorKind::StorageFull));
    let kind = io::ErrorKind::StorageFull;
    assert_eq!(format!("{error}"), format!("the recording ended early: writing failed: {kind}"));
}

#[test]
fn the_clock_of_a_writing_sink_goes_on() {
    let sink = WriteSink::new(Vec::new());
    assert_eq!(format!("{sink:?}"), "WriteSink { .. }");
    let mut last = 0;
    // Read the clock until it has advanced, since each call takes time.
    let goes_on = (0..10_000_000).any(|_| {
        let now = sink.now_ns();
        assert!(now >= last, "time does not go back");
        last = now;
        now > 1
    });
    assert!(goes_on, "it stays at {last}");
}

#[test]
fn a_name_ends_where_its_record_must() {
    /// Displays the given number of letters.
    struct Long(usize);
    impl fmt::Display for Long {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            (0..self.0).try_for_each(|_| f.write_str("\u{e4}"))
        }
    }
    let path: String = "x".repeat(3000);
    for (then, kept) in [(0, 0_usize), (1, 2), (16, 32), (17, 32), (100, 32)] {
        let name = Name::new(Named::Object, 1, &path, format_args!("{}", Long(then)));
        let bytes = name.as_bytes();
        let length = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        let expected = ((992 + kept).next_multiple_of(32), 984 + kept);
        assert_eq!((bytes.len(), length), expected, "{then} letters more");
        let text = core::str::from_utf8(&bytes[8..8 + length]).expect("cut between letters");
        assert_eq!(text.trim_start_matches('x'), "\u{e4}".repeat(kept / 2), "{then} letters more");
    }
}
