//! Tests of version 2: what is written is read, what ends early is kept, what is wrong is refused.

use super::*;
use crate::trace::{Op, STACK_FRAMES_MAX, TraceWriter};

fn allocate(slot: u32, bytes: u64) -> Event {
    Event { op: Op::Allocate, align_log2: 4, thread: 3, slot, bytes }
}

fn free(slot: u32) -> Event {
    Event { op: Op::Free, align_log2: 4, thread: 3, slot, bytes: 0 }
}

/// A name of the longest kind that the tests use: three units and a bit.
const LONG: &str =
    "a/path/that/is/longer/than/one/unit/and/even/longer/than/two/of/them/src/s\u{e4}ge.rs:12:9";

/// Writes a trace with everything in it.
fn full() -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    let mut write = || -> std::io::Result<()> {
        writer.note("program", "sage --fast")?;
        let heap = writer.object("heap")?;
        let first = writer.site("main+0x12")?;
        writer
            .event(allocate(0, 100), Details { site: first, object: heap, time_ns: 5, stack: 0 })?;
        writer.mark(3, 1, 6)?;
        let second = writer.site(LONG)?;
        let outer = writer.stack(0, first)?;
        let stack = writer.stack(outer, second)?;
        let details = Details { site: second, object: heap, time_ns: 7, stack };
        writer.event(allocate(1, 50), details)?;
        writer.event(free(0), Details { time_ns: 9, ..Details::default() })?;
        writer.mark(3, 2, 10)
    };
    write().expect("a vector takes every write");
    writer.finish().expect("a vector takes every write")
}

/// Where each record of [`full`] begins, and at last where the file ends.
fn starts(file: &[u8]) -> Vec<usize> {
    let mut at = MAGIC_2.len();
    let mut starts = Vec::new();
    while at < file.len() {
        starts.push(at);
        let length = usize::from(u16::from_le_bytes([file[at + 2], file[at + 3]]));
        let is_text = matches!(file[at], 6 | 7 | 128..);
        at += if is_text { (TEXT_AT + length).next_multiple_of(UNIT_BYTES) } else { UNIT_BYTES };
    }
    starts.push(file.len());
    starts
}

fn read_all(file: &[u8]) -> Result<Trace, TraceError> {
    let plain = Trace::read("full", file);
    let packed = zstd::encode_all(file, 1).expect("compressing in memory");
    let compressed = Trace::read_zst("full", &packed[..]);
    assert_eq!(format!("{plain:?}"), format!("{compressed:?}"), "both readers judge alike");
    plain
}

#[test]
fn all_that_was_written_is_read() {
    let trace = read_all(&full()).expect("valid");
    assert_eq!(trace.events, [allocate(0, 100), allocate(1, 50), free(0)]);
    assert_eq!((trace.peak_live_bytes, trace.slots, trace.allocations), (150, 2, 2));
    let sites = trace.sites().expect("sites are recorded");
    assert_eq!((sites.of(0), sites.of(1), sites.of(2), sites.of(3)), (1, 2, 0, 0));
    assert_eq!(sites.names().collect::<Vec<_>>(), ["main+0x12", LONG]);
    assert_eq!((sites.name(0), sites.name(2), sites.name(3)), ("", LONG, ""));
    let objects = trace.objects().expect("objects are recorded");
    assert_eq!((objects.of(0), objects.of(2), objects.name(1)), (1, 0, "heap"));
    assert_eq!(trace.times().expect("times are recorded"), [5, 7, 9]);
    let stacks = trace.stacks().expect("stacks are recorded");
    assert_eq!((stacks.count(), stacks.of(0), stacks.of(1), stacks.of(2)), (2, 0, 2, 0));
    assert_eq!(stacks.frames(2).collect::<Vec<_>>(), [2, 1], "the innermost first");
    assert_eq!((stacks.frames(0).count(), stacks.frames(3).count()), (0, 0));
    let mark = |event, value, time_ns| Mark { event, value, time_ns, thread: 3 };
    assert_eq!(trace.marks(), [mark(1, 1, 6), mark(3, 2, 10)]);
    assert_eq!(trace.notes().collect::<Vec<_>>(), [("program", "sage --fast")]);
    assert_eq!(trace.ending(), Ending::Whole);
    let mut again = Vec::new();
    trace.write(&mut again).expect("a vector takes every write");
    assert_eq!(read_all(&again).expect("valid"), trace, "and written again");
}

#[test]
fn events_alone_have_no_columns() {
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    writer.event(allocate(0, 1), Details::default()).expect("a vector takes every write");
    let file = writer.finish().expect("a vector takes every write");
    let trace = read_all(&file).expect("valid");
    assert!(trace.sites().is_none() && trace.objects().is_none() && trace.times().is_none());
    assert!(trace.stacks().is_none());
    assert_eq!(trace, Trace::from_events("full", vec![allocate(0, 1)]).expect("valid"));
}

#[test]
fn a_recording_cut_anywhere_is_read_as_far_as_it_is_whole() {
    let file = full();
    let starts = starts(&file);
    let whole = read_all(&file).expect("valid");
    for cut in MAGIC_2.len()..file.len() {
        let trace = read_all(&file[..cut]).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let start = starts.iter().rfind(|&&start| start <= cut).expect("the first record");
        assert_eq!(trace.ending(), Ending::Cut { left_over: cut - start }, "cut at {cut}");
        assert_eq!(trace.events, whole.events[..trace.events.len()], "cut at {cut}");
    }
    for cut in 0..MAGIC_2.len() {
        let error = read_all(&file[..cut]).expect_err("nothing says what it is");
        assert!(matches!(error.kind, TraceErrorKind::BadMagic), "cut at {cut}: {error}");
    }
    // A compressed stream that is cut is damaged, not ended early: it is compressed when it is
    // whole.
    let packed = zstd::encode_all(&file[..], 1).expect("compressing in memory");
    let error = Trace::read_zst("full", &packed[..packed.len() - 1]).expect_err("cut");
    assert!(matches!(error.kind, TraceErrorKind::Compressed(_)), "{error}");
}

#[test]
fn long_recordings_cross_the_pieces_that_are_read() {
    let name = "x".repeat(TEXT_BYTES_MAX_UNITS * UNIT_BYTES);
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    for slot in 0..3 * PIECE_UNITS as u32 {
        let site = if slot % 1000 == 0 { writer.site(&name).expect("room") } else { 0 };
        let details = Details { site, time_ns: slot.into(), ..Details::default() };
        writer.event(allocate(slot, 1), details).expect("a vector takes every write");
    }
    let file = writer.finish().expect("a vector takes every write");
    let trace = read_all(&file).expect("valid");
    assert_eq!(trace.events.len(), 3 * PIECE_UNITS);
    let sites = trace.sites().expect("named");
    assert_eq!((sites.count(), sites.of(2000), sites.name(3).len()), (7, 3, name.len()));
}

/// Units that a long name of the tests takes.
const TEXT_BYTES_MAX_UNITS: usize = 700;

/// Returns what `full` is refused with when byte `at` of its record number `record` is `byte`.
#[track_caller]
fn refusal(record: usize, at: usize, byte: u8) -> TraceErrorKind {
    let mut file = full();
    let start = starts(&file)[record];
    file[start + at] = byte;
    let error = read_all(&file).expect_err("it is damaged");
    assert_eq!((error.record, error.byte), (Some(record as u64), Some(start as u64)), "{error}");
    let text = error.to_string();
    let place = format!("full: record {record} (counted from 0, at byte {start}): ");
    assert!(text.starts_with(&place) && text.contains("; "), "{text}");
    error.kind
}

#[test]
fn damage_is_told_with_its_place() {
    // Records: note, object, site, event, mark, site, stack, stack, event, event, mark, stacks of
    // events, end.
    assert!(matches!(refusal(3, 0, 0), TraceErrorKind::UnknownKind { kind: 0 }));
    for kind in [9, 64, 127] {
        assert!(matches!(refusal(4, 0, kind), TraceErrorKind::UnknownKind { .. }), "kind {kind}");
    }
    assert!(matches!(refusal(3, 1, 21), TraceErrorKind::AlignmentTooGreat { align_log2: 21 }));
    assert!(matches!(refusal(3, 16, 2), TraceErrorKind::SiteUnnamed { site: 2, sites: 1 }));
    assert!(matches!(refusal(3, 19, 255), TraceErrorKind::SiteUnnamed { .. }));
    assert!(matches!(refusal(3, 20, 2), TraceErrorKind::ObjectUnnamed { object: 2, objects: 1 }));
    assert!(matches!(refusal(8, 4, 0), TraceErrorKind::SlotLive { slot: 0 }));
    assert!(matches!(refusal(2, 4, 2), TraceErrorKind::NameOutOfOrder { number: 2, names: 0 }));
    assert!(matches!(refusal(5, 4, 1), TraceErrorKind::NameOutOfOrder { number: 1, names: 1 }));
    assert!(matches!(refusal(1, 4, 0), TraceErrorKind::NameOutOfOrder { number: 0, names: 0 }));
    assert!(matches!(refusal(2, 9, 0xff), TraceErrorKind::NoText));
    assert!(matches!(refusal(0, 15, b'-'), TraceErrorKind::NoteNameless));
    assert!(matches!(refusal(12, 8, 4), TraceErrorKind::WrongCount { said: 4, found: 3 }));
    for (record, at) in [
        (0, 1),
        (0, 4),
        (1, 1),
        (2, 31),
        (3, 22),
        (4, 1),
        (4, 7),
        (4, 20),
        (6, 1),
        (6, 16),
        (7, 31),
        (11, 1),
        (11, 7),
        (11, 31),
        (12, 1),
        (12, 31),
    ] {
        assert!(
            matches!(refusal(record, at, 7), TraceErrorKind::NotZero { byte: 7 }),
            "{record} at {at}"
        );
    }
}

#[test]
fn damaged_stacks_are_told_with_their_place() {
    assert!(matches!(refusal(6, 4, 2), TraceErrorKind::StackOutOfOrder { number: 2, stacks: 0 }));
    assert!(matches!(refusal(7, 4, 1), TraceErrorKind::StackOutOfOrder { number: 1, stacks: 1 }));
    assert!(matches!(refusal(6, 8, 1), TraceErrorKind::StackUnknown { stack: 1, stacks: 0 }));
    assert!(matches!(refusal(7, 8, 2), TraceErrorKind::StackUnknown { stack: 2, stacks: 1 }));
    assert!(matches!(refusal(7, 11, 9), TraceErrorKind::StackUnknown { .. }));
    assert!(matches!(refusal(6, 12, 0), TraceErrorKind::SiteUnnamed { site: 0, sites: 2 }));
    assert!(matches!(refusal(6, 12, 3), TraceErrorKind::SiteUnnamed { site: 3, sites: 2 }));
    assert!(matches!(refusal(6, 2, 9), TraceErrorKind::StackLength { length: 9 }));
    // The stacks of events: from event 1 on, two of them.
    assert!(matches!(refusal(11, 2, 15), TraceErrorKind::StackLength { length: 15 }));
    assert!(matches!(refusal(11, 2, 8), TraceErrorKind::StackLength { length: 8 }));
    assert!(matches!(refusal(11, 2, 3), TraceErrorKind::StackLength { length: 3 }));
    let misplaced = refusal(11, 8, 2);
    assert!(matches!(
        misplaced,
        TraceErrorKind::StacksMisplaced { first: 2, count: 2, events: 3, .. }
    ));
    assert!(matches!(refusal(11, 15, 255), TraceErrorKind::StacksMisplaced { .. }));
    assert!(matches!(refusal(11, 16, 3), TraceErrorKind::StackUnknown { stack: 3, stacks: 2 }));
    // A second record for events that have their stacks.
    let file = full();
    let starts = starts(&file);
    let twice = [&file[..starts[12]], &file[starts[11]..]].concat();
    let error = read_all(&twice).expect_err("twice");
    assert!(matches!(error.kind, TraceErrorKind::StacksMisplaced { covered: 3, .. }), "{error}");
}

#[test]
fn stacks_are_kept_for_many_events_and_bounded_in_depth() {
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    let site = writer.site("deep").expect("room");
    let mut stack = 0;
    for _ in 0..STACK_FRAMES_MAX {
        stack = writer.stack(stack, site).expect("room");
    }
    for slot in 0..10_000 {
        // The first ones and a few on the way have none.
        let stack = if slot < 100 || slot % 7 == 0 { 0 } else { slot % 1024 + 1 };
        let details = Details { stack, ..Details::default() };
        writer.event(allocate(slot, 1), details).expect("a vector takes every write");
    }
    let file = writer.finish().expect("a vector takes every write");
    let trace = read_all(&file).expect("valid");
    let stacks = trace.stacks().expect("they are recorded");
    for slot in 0..10_000 {
        let wanted = if slot < 100 || slot % 7 == 0 { 0 } else { slot % 1024 + 1 };
        assert_eq!(stacks.of(slot as usize), wanted, "event {slot}");
        assert_eq!(stacks.frames(wanted).count(), wanted as usize);
    }
    let mut again = Vec::new();
    trace.write(&mut again).expect("a vector takes every write");
    assert_eq!(read_all(&again).expect("valid"), trace, "written again");
    let half = trace.first(5000).expect("valid");
    let of_half = half.stacks().expect("they are kept");
    assert_eq!((of_half.of(4999), of_half.of(5000)), (4999 % 1024 + 1, 0));

    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    writer.site("deep").expect("room");
    (0..=STACK_FRAMES_MAX).for_each(|parent| _ = writer.stack(parent.into(), 1).expect("room"));
    let file = writer.finish().expect("a vector takes every write");
    let error = read_all(&file).expect_err("too deep");
    assert!(matches!(error.kind, TraceErrorKind::StackTooDeep { stack: 1025 }), "{error}");
}

#[test]
fn nothing_follows_the_end() {
    for more in [&[0][..], &[0; UNIT_BYTES], &[8; 100]] {
        let mut file = full();
        file.extend_from_slice(more);
        let error = read_all(&file).expect_err("something follows");
        assert!(matches!(error.kind, TraceErrorKind::AfterEnd), "{error}");
    }
}

#[test]
fn kinds_of_a_newer_recorder_are_passed_over_or_refused() {
    let file = full();
    let starts = starts(&file);
    for (kind, length, units) in [(131, 0, 1), (200, 24, 1), (200, 25, 2), (255, u16::MAX, 2049)] {
        let mut record = vec![0xee; units * UNIT_BYTES];
        record[0] = kind;
        record[2..4].copy_from_slice(&length.to_le_bytes());
        for &start in &starts[..starts.len() - 1] {
            let longer = [&file[..start], &record, &file[start..]].concat();
            let trace = read_all(&longer).expect("it is passed over");
            assert_eq!(trace, read_all(&file).expect("valid"), "kind {kind} at {start}");
        }
    }
}

#[test]
fn flipped_bits_never_panic() {
    let file = full();
    for bit in MAGIC_2.len() * 8..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        match Trace::read("flip", &damaged[..]) {
            Ok(trace) => {
                let mut again = Vec::new();
                trace.write(&mut again).expect("a vector takes every write");
                let again = Trace::read("flip", &again[..]).expect("what was read is valid");
                assert_eq!(again.events, trace.events, "bit {bit}");
            }
            Err(error) => assert!(error.to_string().starts_with("flip: record "), "{error}"),
        }
    }
}

#[test]
fn names_and_notes_that_are_too_long_are_cut() {
    let long = "\u{e4}".repeat(40_000);
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    writer.site(&format!("{long}.rs:1")).expect("a vector takes every write");
    writer.note("program", &format!("x {long}")).expect("a vector takes every write");
    let trace = read_all(&writer.finish().expect("a vector takes every write")).expect("valid");
    let site = trace.sites().expect("named").name(1).to_owned();
    assert!(site.ends_with("\u{e4}.rs:1") && site.len() > 65_000, "the end is kept");
    let (name, value) = trace.notes().next().expect("a note");
    assert!(name == "program" && value.starts_with("x \u{e4}") && value.len() > 65_000);
}
