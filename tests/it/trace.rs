//! The tracing allocator: conformance, programs, and recordings that are replayed.

use core::alloc::Layout;
use core::cell::Cell;

use loligo_allocators::{Allocator, HeapAllocator, PoolAllocator, TraceAllocator, WriteSink};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use loligo_tests::programs::{Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

/// What the blocks of pools are.
const BLOCK: Layout = bytes(64, 16);

/// Bytes of the books.
const BOOKS: usize = 4 << 20;

pub(crate) const TRACE: Subject = Subject {
    name: "trace",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::region(256 << 10) },
    make: |test| over_heap(false, test),
    misused: bytes(64, 16),
};

pub(crate) const TRACE_OVER_POOL: Subject = Subject {
    name: "trace",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::fixed(BLOCK, None) },
    make: |test| {
        let books = NaiveAllocator::new("books", BOOKS);
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let pool = PoolAllocator::new_in("pool", BLOCK, &memory);
        test(&TraceAllocator::new_in("trace", &pool, &books));
    },
    misused: BLOCK,
};

/// Over a heap in a region; what is recorded must be freed in the end.
fn over_heap(recording: bool, test: Test<'_>) {
    let mut region = Region::new(256 << 10, 256 << 10);
    let sink = WriteSink::new(Vec::new());
    let books = NaiveAllocator::new("books", BOOKS);
    {
        let memory = HeapAllocator::from_region("memory", region.memory());
        let trace = TraceAllocator::new_in("trace", &memory, &books);
        if recording {
            trace.start_recording(&sink).expect("the books have room");
        }
        test(&trace);
    }
    assert_eq!(books.stats().live, 0, "the tables are given back");
    let left = replay(&sink.into_inner(), recording);
    assert_eq!(left, [], "everything that was recorded was freed");
}

tests_of! {
    TRACE, 100, "regressions/trace.txt";
    TRACE_OVER_POOL, 100, "regressions/trace-pool.txt";
}

#[test]
fn records_while_it_conforms_and_runs_programs() {
    let recorded = Subject { make: |test| over_heap(true, test), ..TRACE };
    recorded.conforms();
    recorded.runs_programs(60, "regressions/trace-recorded.txt");
}

#[test]
fn traces_another_that_traces() {
    let limits = Limits { ordered: false, ..Limits::region(256 << 10) };
    conformance::allocator(&limits, |test| {
        let books = NaiveAllocator::new("books", BOOKS);
        let mut region = Region::new(256 << 10, 256 << 10);
        let memory = HeapAllocator::from_region("memory", region.memory());
        let inner = TraceAllocator::new_in("inner", &memory, &books);
        // This one is reached through trait objects alone.
        let outer: TraceAllocator<'_> = TraceAllocator::new_in("outer", &inner, &books);
        test(&outer);
    });
}

#[test]
fn runs_over_every_refusal_of_its_backing() {
    let books = NaiveAllocator::new("books", BOOKS);
    let program = sample(&Space::new(40, 9, 5), 200, 3);
    conformance::exhaustion(&TRACE.limits, 64 << 10, &program, |backing, test| {
        test(&TraceAllocator::new_in("trace", backing, &books));
    });
    assert_eq!(books.stats().live, 0, "the tables are given back");
}

#[test]
fn runs_over_every_refusal_of_its_books() {
    let program = sample(&Space::new(120, 7, 4), 400, 4);
    for recording in [false, true] {
        let requests = Cell::new(0);
        conformance::exhaustion(&TRACE.limits, BOOKS, &program, |books, test| {
            let sink = WriteSink::new(Vec::new());
            let mut region = Region::new(256 << 10, 256 << 10);
            let memory = HeapAllocator::from_region("memory", region.memory());
            {
                let trace = TraceAllocator::new_in("trace", &memory, books);
                if recording && trace.start_recording(&sink).is_err() {
                    return;
                }
                requests.set(requests.get() + 1);
                test(&trace);
            }
            assert_eq!(replay(&sink.into_inner(), recording), []);
        });
        assert!(requests.get() > 4, "each table was refused to grow");
    }
}

#[test]
fn a_refused_request_is_not_recorded() {
    let sink = WriteSink::new(Vec::new());
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let books = NaiveAllocator::new("books", BOOKS);
    let failing = FailingBacking::new_in(&memory, Refusals::From(60));
    let trace = TraceAllocator::new_in("trace", &failing, &books);
    let limits = Limits { reclaims: false, ordered: false, ..Limits::region(1 << 20) };
    let mut oracle = Oracle::new(&trace, limits).expect("a fresh allocator");
    run(&sample(&Space::new(60, 9, 5), 50, 5), &mut oracle).expect("the contract holds");
    // What lives by now is written first.
    trace.start_recording(&sink).expect("the books have room");
    run(&sample(&Space::new(60, 9, 5), 200, 6), &mut oracle).expect("the contract holds");
    assert!(failing.refused() > 0, "some requests were refused");
    let mut live: Vec<(u64, u32)> = oracle
        .keys()
        .map(|key| oracle.layout(key))
        .map(|layout| (layout.size().max(1) as u64, layout.align().ilog2()))
        .collect();
    live.sort_unstable();
    assert!(live.len() > 10, "blocks are alive at the end");
    trace.finish_recording().expect("a vector takes everything");
    oracle.finish().expect("the contract holds");
    drop(trace);
    assert_eq!(replay(&sink.into_inner(), true), live);
}

/// Reads a recording by the rules of the trace format, version 2, and returns what lives at its
/// end: sizes and alignments, sorted. Without a recording there must be no byte.
fn replay(file: &[u8], recorded: bool) -> Vec<(u64, u32)> {
    if !recorded {
        assert_eq!(file, b"", "nothing was to be recorded");
        return Vec::new();
    }
    let records = file.strip_prefix(b"ALTRACE2").expect("the magic");
    assert!(records.len().is_multiple_of(32), "whole records");
    // Each slot's block, and the slots that are free, the last freed last.
    let mut slots: Vec<Option<(u64, u32)>> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let mut sites = 0;
    let mut records = records.chunks_exact(32).enumerate();
    while let Some((number, record)) = records.next() {
        let field = |from: usize, to: usize| {
            let bytes = record[from..to].iter().rev();
            bytes.fold(0_u64, |word, &byte| word << 8 | u64::from(byte))
        };
        if let 6..=8 = record[0] {
            // A name continues in as many records as it takes; the last record is the end.
            let more = field(2, 4).saturating_sub(24).div_ceil(32);
            (0..more).for_each(|_| assert!(records.next().is_some(), "record {number} goes on"));
            sites += u64::from(record[0] == 6);
            assert!(record[0] != 8 || records.next().is_none(), "nothing follows the end");
            continue;
        }
        assert!(field(16, 20) <= sites, "record {number}: its site is named before it");
        let [op, align, thread] = [field(0, 1), field(1, 2), field(2, 4)];
        let (slot, size) = (field(4, 8) as usize, field(8, 16));
        let align = align as u32;
        assert!(align <= 20 && thread == 0 && size <= 1 << 47, "record {number}");
        let alive = slots.get(slot).copied().flatten();
        if op != 2 {
            assert!(size >= 1, "record {number} has a size");
        }
        match op {
            1 | 4 => {
                assert_eq!(alive, None, "record {number}: slot {slot} is alive");
                assert_eq!(slot, free.pop().unwrap_or(slots.len()), "record {number}");
                if slot == slots.len() {
                    slots.push(None);
                }
                slots[slot] = Some((size, align));
            }
            2 | 3 => {
                let (_, was) =
                    alive.unwrap_or_else(|| panic!("record {number}: slot {slot} is not alive"));
                assert_eq!(align, was, "record {number}");
                slots[slot] = (op == 3).then_some((size, align));
                if op == 2 {
                    assert_eq!(size, 0, "record {number}");
                    free.push(slot);
                }
            }
            _ => panic!("record {number}: there is no operation {op}"),
        }
    }
    let mut live: Vec<_> = slots.into_iter().flatten().collect();
    live.sort_unstable();
    live
}
