//! Tests of reading and writing traces.

use super::*;
use crate::bundled::bundled;

fn allocate(slot: u32, bytes: u64) -> Event {
    Event { op: Op::Allocate, align_log2: 4, thread: 0, slot, bytes }
}

fn free(slot: u32) -> Event {
    Event { op: Op::Free, align_log2: 4, thread: 0, slot, bytes: 0 }
}

fn reallocate(slot: u32, bytes: u64) -> Event {
    Event { op: Op::Reallocate, align_log2: 4, thread: 0, slot, bytes }
}

/// A small valid trace with every operation, a reused slot and a block alive at its end.
fn small() -> Vec<Event> {
    vec![
        allocate(0, 100),
        Event { op: Op::AllocateZeroed, ..allocate(1, 50) },
        reallocate(0, 300),
        free(1),
        allocate(1, 7),
        free(0),
    ]
}

fn file_of(events: &[Event]) -> Vec<u8> {
    let mut file = Vec::new();
    write_trace(&mut file, events).expect("a vector takes every write");
    file
}

/// Returns the error that `file` is refused with, after seeing that both ways of reading agree.
fn refusal(file: &[u8]) -> TraceError {
    let plain = Trace::read("small", file).expect_err("the trace is broken");
    let packed = zstd::encode_all(file, 3).expect("compressing in memory");
    let compressed = Trace::read_zst("small", &packed[..]).expect_err("the trace is broken");
    assert_eq!(plain.to_string(), compressed.to_string(), "both readers judge alike");
    plain
}

/// Returns what `last` after the small trace is refused with.
fn refusal_of(last: Event) -> TraceErrorKind {
    let mut events = small();
    events.push(last);
    let error = refusal(&file_of(&events));
    assert_eq!(error.record, Some(6), "the record that is wrong is named: {error}");
    let text = error.to_string();
    assert!(text.starts_with("small: record 6 (counted from 0, at byte 104): "), "{text}");
    assert!(text.contains("; "), "it has a remedy: {text}");
    error.kind
}

#[test]
fn reads_what_was_written() {
    let trace = Trace::read("small", &file_of(&small())[..]).expect("valid");
    assert_eq!(trace.events, small());
    assert_eq!(trace.peak_live_bytes, 350);
    assert_eq!(trace.peak_live_blocks, 2);
    assert_eq!(trace.slots, 2);
    assert_eq!(trace.allocations, 3);
    assert_eq!(Trace::from_events("small", small()).expect("valid"), trace);
}

#[test]
fn an_empty_trace_is_valid() {
    let trace = Trace::read("empty", &MAGIC[..]).expect("valid");
    assert_eq!((trace.events.len(), trace.slots, trace.peak_live_bytes), (0, 0, 0));
}

#[test]
fn refuses_a_bad_magic() {
    for file in [&b""[..], b"ALTRACE", b"ALTRACE0", b"ALTRACE3................"] {
        assert!(matches!(refusal(file).kind, TraceErrorKind::BadMagic), "{file:?}");
    }
}

#[test]
fn refuses_a_broken_length() {
    let file = file_of(&small());
    for cut in 1..RECORD_BYTES {
        let error = refusal(&file[..file.len() - cut]);
        assert_eq!(error.record, Some(5), "{error}");
        let left_over = RECORD_BYTES - cut;
        assert!(
            matches!(error.kind, TraceErrorKind::BrokenLength { left_over: n } if n == left_over)
        );
    }
}

#[test]
fn refuses_an_unknown_operation() {
    for op in [0, 5, 6, 255] {
        let mut file = file_of(&small());
        let third = MAGIC.len() + 2 * RECORD_BYTES;
        file[third] = op;
        let error = refusal(&file);
        assert_eq!(error.record, Some(2));
        assert!(
            matches!(error.kind, TraceErrorKind::UnknownOperation { op: found } if found == op)
        );
    }
}

#[test]
fn refuses_wrong_alignments() {
    let high = Event { align_log2: 21, ..allocate(0, 1) };
    assert!(matches!(refusal_of(high), TraceErrorKind::AlignmentTooGreat { align_log2: 21 }));
    for event in [free(1), reallocate(1, 9)] {
        let fault = refusal_of(Event { align_log2: 5, ..event });
        assert!(matches!(
            fault,
            TraceErrorKind::AlignmentChanged { align_log2: 5, block_align_log2: 4 }
        ));
    }
    let greatest = Event { align_log2: 20, ..allocate(0, 1) };
    Trace::from_events("greatest", vec![greatest]).expect("2^20 is allowed");
}

#[test]
fn refuses_wrong_slots() {
    for event in [allocate(4, 1), free(4), reallocate(u32::MAX, 1)] {
        assert!(matches!(refusal_of(event), TraceErrorKind::SlotTooHigh { allocations: 3, .. }));
    }
    assert!(matches!(refusal_of(allocate(1, 1)), TraceErrorKind::SlotLive { slot: 1 }));
    for event in [free(0), free(2), free(3), reallocate(0, 1), reallocate(3, 1)] {
        assert!(matches!(refusal_of(event), TraceErrorKind::SlotDead { .. }), "{event:?}");
    }
    let mut events = small();
    events.push(allocate(3, 1));
    Trace::from_events("gap", events).expect("slot 3 after three allocations is allowed");
}

#[test]
fn refuses_wrong_sizes() {
    for event in [allocate(0, 0), reallocate(1, 0)] {
        assert!(matches!(refusal_of(event), TraceErrorKind::SizeZero));
    }
    let over = BLOCK_BYTES_MAX + 1;
    for event in [allocate(0, over), reallocate(1, u64::MAX)] {
        assert!(matches!(refusal_of(event), TraceErrorKind::SizeTooGreat { .. }));
    }
    let sized = Event { bytes: 1, ..free(1) };
    assert!(matches!(refusal_of(sized), TraceErrorKind::SizeOfFree { bytes: 1 }));
    Trace::from_events("big", vec![allocate(0, BLOCK_BYTES_MAX)]).expect("2^47 is allowed");
}

#[test]
fn refuses_more_live_bytes_than_can_be_counted() {
    let events = (0..=1 << 16).map(|slot| allocate(slot, BLOCK_BYTES_MAX)).collect();
    let error = Trace::from_events("vast", events).expect_err("2^63 bytes and one block more");
    assert!(matches!(error.kind, TraceErrorKind::TooMuchLive));
    assert_eq!(error.record, Some(1 << 16));
}

#[test]
fn refuses_cut_and_damaged_compression() {
    let packed = zstd::encode_all(&file_of(&small())[..], 3).expect("compressing in memory");
    for cut in 1..packed.len() {
        let error = Trace::read_zst("cut", &packed[..cut]).expect_err("the stream is cut");
        assert!(
            matches!(error.kind, TraceErrorKind::Compressed(_) | TraceErrorKind::BadMagic),
            "{error}"
        );
    }
    let error = Trace::read_zst("plain", &file_of(&small())[..]).expect_err("not compressed");
    assert!(matches!(error.kind, TraceErrorKind::Compressed(_)), "{error}");
}

#[test]
fn flipped_bits_never_panic() {
    let file = file_of(&small());
    let packed = zstd::encode_all(&file[..], 3).expect("compressing in memory");
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        // Some flips give another valid trace; what counts is an answer that is consistent.
        match Trace::read("flip", &damaged[..]) {
            Ok(trace) => assert_eq!(trace.events.len(), small().len()),
            Err(error) => assert!(error.to_string().starts_with("flip: "), "{error}"),
        }
    }
    for bit in 0..packed.len() * 8 {
        let mut damaged = packed.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Err(error) = Trace::read_zst("flip", &damaged[..]) {
            assert!(error.to_string().starts_with("flip: "), "{error}");
        }
    }
}

#[test]
fn opens_files_by_their_ending() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = file_of(&small());
    let plain = folder.path().join("small.altrace");
    std::fs::write(&plain, &file).expect("writing");
    let packed = folder.path().join("small.altrace.zst");
    std::fs::write(&packed, zstd::encode_all(&file[..], 3).expect("compressing")).expect("writing");
    for path in [&plain, &packed] {
        let trace = Trace::open(path).expect("valid");
        assert_eq!((trace.name.as_str(), &trace.events), ("small", &small()));
    }
    std::fs::write(&plain, b"").expect("writing");
    assert!(matches!(Trace::open(&plain).expect_err("empty").kind, TraceErrorKind::BadMagic));
    for missing in [folder.path(), &folder.path().join("none.altrace")] {
        let error = Trace::open(missing).expect_err("nothing to read");
        assert!(matches!(error.kind, TraceErrorKind::Unreadable(_)), "{error}");
        assert!(error.to_string().contains(&missing.display().to_string()), "{error}");
    }
}

#[test]
fn names_lose_their_endings() {
    for name in ["git-log", "git-log.altrace", "x/git-log.altrace.zst", "/y/git-log.zst"] {
        assert_eq!(trace_name(Path::new(name)), "git-log");
    }
}

#[test]
fn bundled_traces_are_what_their_readme_says() {
    let known: [(&str, usize, u64, u32); 5] = [
        ("ffmpeg", 123_881, 41_369_631, 1_752),
        ("git-log", 502_486, 60_744_206, 4_380),
        ("lua", 2_000_000, 15_916_898, 237_698),
        ("openttd", 678_885, 11_443_886, 49_741),
        ("sqlite", 849_611, 8_536_821, 5_294),
    ];
    assert_eq!(bundled().len(), known.len());
    let mut packed_bytes = 0;
    for (bundle, (name, events, bytes, blocks)) in bundled().iter().zip(known) {
        let trace = bundle.open().expect("the bundled traces are valid");
        assert_eq!(trace.name, name);
        assert_eq!(trace.events.len(), events, "{name}");
        assert_eq!((trace.peak_live_bytes, trace.peak_live_blocks), (bytes, blocks), "{name}");
        assert_eq!(trace.slots, trace.peak_live_blocks, "{name}: slots are reused");
        packed_bytes += bundle.bytes.len();
    }
    assert!(packed_bytes < 6 << 20, "the bundle stays under 6 MB");
}

/// What lives at the end of a trace: sizes and alignments, sorted.
fn alive(events: &[Event]) -> Vec<(u64, u8)> {
    let mut slots = std::collections::BTreeMap::new();
    for event in events {
        match event.op {
            Op::Free => _ = slots.remove(&event.slot),
            _ => _ = slots.insert(event.slot, (event.bytes, event.align_log2)),
        }
    }
    let mut alive: Vec<_> = slots.into_values().collect();
    alive.sort_unstable();
    alive
}

/// A random program over a trace allocator, recorded from its middle on, is a valid trace and ends
/// with the blocks that the program had.
#[test]
fn what_a_trace_allocator_records_is_read() {
    use core::alloc::Layout;
    use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, TraceAllocator, WriteSink};

    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    for seed in 0..8_u64 {
        let sink = WriteSink::new(Vec::new());
        let trace = TraceAllocator::new_in("trace", &heap, &pages);
        let mut random = seed;
        let mut blocks = Vec::new();
        for step in 0..4000 {
            if step == 100 * seed {
                trace.start_recording(&sink).expect("there is memory");
            }
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let (way, size) = (random >> 61, (random >> 40) as usize % 700);
            let layout =
                Layout::from_size_align(size, 1 << ((random >> 32) % 8)).expect("a layout");
            let at = (random >> 20) as usize % (blocks.len() + 1);
            if way < 4 || at == blocks.len() {
                let block =
                    if way == 0 { trace.allocate_zeroed(layout) } else { trace.allocate(layout) };
                blocks.push((block.expect("there is memory").cast::<u8>(), layout));
            } else if way < 6 {
                let (block, old) = blocks[at];
                // SAFETY: the block is live and has this layout.
                let moved = unsafe { trace.reallocate(block, old, layout) };
                blocks[at] = (moved.expect("there is memory").cast(), layout);
            } else {
                let (block, old) = blocks.swap_remove(at);
                // SAFETY: the block is live and has this layout.
                unsafe { trace.deallocate_sized(block, old) };
            }
        }
        trace.finish_recording().expect("a vector takes everything");
        let as_recorded =
            |layout: Layout| (layout.size().max(1) as u64, layout.align().ilog2() as u8);
        let mut expected: Vec<_> = blocks.iter().map(|&(_, layout)| as_recorded(layout)).collect();
        expected.sort_unstable();
        for (block, layout) in blocks {
            // SAFETY: the block is live and has this layout.
            unsafe { trace.deallocate_sized(block, layout) };
        }
        drop(trace);
        let read = Trace::read("recorded", &sink.into_inner()[..]).expect("a valid trace");
        assert_eq!(alive(&read.events), expected, "seed {seed}");
        assert_eq!(u64::from(read.slots), u64::from(read.peak_live_blocks), "seed {seed}");
        assert_eq!(read.ending(), Ending::Whole, "seed {seed}");
        assert_eq!(read.objects().expect("it names itself").name(1), "trace", "seed {seed}");
        let sites = read.sites().expect("it names sites");
        assert!(sites.names().all(|name| name.contains("trace/tests.rs:")), "seed {seed}");
        for (index, event) in read.events.iter().enumerate() {
            let asks = matches!(event.op, Op::Allocate | Op::AllocateZeroed);
            assert_eq!(sites.of(index) != 0, asks, "event {index}");
        }
        assert!(read.times().expect("the sink has a clock").is_sorted(), "one thread, one clock");
    }
}
