//! Whole measurements by threads: figures, memory, contents, real traces.

use core::cell::Cell;
use core::time::Duration;
use std::path::PathBuf;
use std::rc::Rc;

use super::{Checking, random_trace, relay};
use crate::bundled::bundled;
use crate::child::alone;
use crate::measure::{MeasureError, Measured};
use crate::results::{Kind, RowResult};
use crate::threads::{
    SharedRow, ThreadOptions, WORKERS_DEFAULT, measure_threads, shared_ours, shared_peers,
};
use crate::trace::{Event, Op, Trace};

fn quick() -> ThreadOptions {
    let cap = Some(Duration::from_secs(100));
    ThreadOptions { rounds: 2, memory: false, verify: true, cap, ..ThreadOptions::default() }
}

fn all_rows() -> Vec<SharedRow> {
    let mut rows = vec![SharedRow::null()];
    rows.extend(shared_ours());
    rows.extend(shared_peers());
    rows
}

fn run(trace: Trace, rows: &[SharedRow], options: &ThreadOptions) -> Measured {
    let measured = measure_threads(&[trace], rows, options, &mut |_| {});
    measured.expect("the system has what it takes").pop().expect("one trace, one result")
}

#[test]
fn every_row_holds_a_random_trace() {
    let _alone = alone();
    let rows = all_rows();
    let options = ThreadOptions { memory: true, ..quick() };
    let measured = run(random_trace(17, 3, 6000), &rows, &options);
    let names: Vec<&str> = measured.result.rows.iter().map(|row| &*row.name).collect();
    assert_eq!(names[..6], ["null", "locked-heap", "thread-heap", "page", "system", "mimalloc"]);
    for (row, verified) in measured.result.rows.iter().zip(&measured.verified) {
        assert_figures(row, 3);
        if row.kind == Kind::Loop {
            assert_eq!((row.memory_ratio, row.refused), (None, None));
            assert_eq!(*verified, None);
            continue;
        }
        assert_eq!(row.refused, Some(0), "{}", row.name);
        let verified = verified.as_ref().expect("it was verified");
        assert_eq!(verified.losses, [], "{}", row.name);
        assert_eq!(verified.events_done, 6000, "{}", row.name);
    }
}

fn assert_figures(row: &RowResult, threads: u32) {
    assert!(!row.capped, "{row:?}");
    assert_eq!((row.rounds_ns.len(), row.events_done, row.worst_ns), (2, 6000, None));
    let ns = row.ns_per_event.expect("a time");
    assert!(ns.min <= ns.median && ns.median <= ns.max, "{row:?}");
    let figures = row.threads.as_ref().expect("figures of threads");
    assert_eq!((figures.threads, figures.recorded_threads), (threads, 3));
    let rate = figures.events_per_second.expect("a rate");
    assert!(
        (rate.max * ns.min / 1e9 - 1.0).abs() < 1e-6,
        "the one is the other's inverse: {row:?}"
    );
    let elapsed = figures.elapsed_ns.expect("a time");
    assert!((elapsed.min / ns.min - 6000.0).abs() < 0.1, "{row:?}");
    assert!(figures.waits.expect("a count") <= figures.hand_overs, "{row:?}");
    assert!(figures.cpu_ns_per_event.expect("a time") > 0.0, "{row:?}");
}

#[test]
fn threads_are_folded_onto_those_that_are_allowed() {
    let _alone = alone();
    for (threads_max, threads) in [(1, 1), (2, 2), (WORKERS_DEFAULT, 3)] {
        let options = ThreadOptions { threads_max, ..quick() };
        let measured = run(random_trace(19, 3, 6000), &shared_ours()[..2], &options);
        for (row, verified) in measured.result.rows.iter().zip(&measured.verified) {
            assert_figures(row, threads);
            assert_eq!(verified.as_ref().expect("it was verified").losses, []);
        }
    }
}

/// Returns a trace of two threads that allocate `count` blocks each and keep them.
fn piles(count: u32, bytes: u64) -> Trace {
    let event =
        |slot| Event { op: Op::Allocate, align_log2: 3, thread: (slot % 2) as u16, slot, bytes };
    Trace::from_events("piles", (0..2 * count).map(event).collect()).expect("valid")
}

#[test]
fn memory_is_what_all_threads_touch() {
    let _alone = alone();
    let options = ThreadOptions { memory: true, verify: false, ..quick() };
    let measured = run(piles(500, 64 << 10), &shared_ours(), &options);
    for row in &measured.result.rows {
        let figures = row.threads.as_ref().expect("figures of threads");
        assert_eq!(figures.peak_live_bytes, Some(1000 * (64 << 10)), "all are kept");
        assert_eq!((figures.hand_overs, figures.waits), (0, Some(0)));
        let ratio = row.memory_ratio.expect("memory");
        assert!((0.99..1.3).contains(&ratio), "{}: {ratio}", row.name);
        assert_eq!(row.peak_bytes, figures.peak_bytes);
    }
}

#[test]
fn a_row_over_its_cap_is_not_run_again() {
    let _alone = alone();
    let options = ThreadOptions {
        cap: Some(Duration::from_nanos(1)),
        memory: true,
        verify: false,
        ..quick()
    };
    let measured = run(relay(4, 20_000), &shared_ours()[..1], &options);
    let row = &measured.result.rows[0];
    assert!(row.capped, "{row:?}");
    assert!(row.events_done < 100_000 && row.rounds_ns.len() <= 1, "{row:?}");
    assert_eq!(row.memory_ratio, None);
}

#[test]
fn a_trace_that_was_changed_is_refused_before_threads_start() {
    let made = Rc::new(Cell::new(0));
    let counted = Rc::clone(&made);
    let row = SharedRow::new("checking", Kind::Peer, move || {
        counted.set(counted.get() + 1);
        Checking::default()
    });
    let mut changed = relay(3, 10);
    changed.events[3].op = Op::Allocate;
    let traces = [relay(2, 10), changed];
    let error = measure_threads(&traces, &[row], &quick(), &mut |_| {}).expect_err("changed");
    assert!(matches!(error, MeasureError::Trace(_)), "{error:?}");
    assert!(error.to_string().starts_with("relay: record 3 "), "{error}");
    assert_eq!(made.get(), 0, "no allocator was made");
}

#[test]
fn a_trace_whose_threads_could_fill_the_memory_is_refused() {
    let _alone = alone();
    // Few bytes are alive at a time, if thread 0 waits for thread 1 as it did.
    let mut events = Vec::new();
    for _ in 0..8 {
        let event = |op, thread, bytes| Event { op, align_log2: 3, thread, slot: 0, bytes };
        events.push(event(Op::Allocate, 0, 1 << 45));
        events.push(event(Op::Free, 1, 0));
    }
    let trace = Trace::from_events("ahead", events).expect("valid");
    let traces = [trace];
    let error = measure_threads(&traces, &shared_ours()[..1], &quick(), &mut |_| {});
    let error = error.expect_err("no machine holds eight of these").to_string();
    assert!(error.contains(&(16_u64 << 45).to_string()), "{error}");
    assert!(error.contains("run without --verify"), "{error}");
}

#[test]
fn progress_counts_to_its_end() {
    let _alone = alone();
    let mut seen = Vec::new();
    let options = ThreadOptions { memory: true, ..quick() };
    let traces = [relay(2, 10), relay(3, 10)];
    let rows = [SharedRow::null(), SharedRow::new("checking", Kind::Peer, Checking::default)];
    measure_threads(&traces, &rows, &options, &mut |progress| {
        seen.push((progress.done, progress.of));
    })
    .expect("measured");
    let of = seen[0].1;
    assert_eq!(seen, (0..of).map(|done| (done, of)).collect::<Vec<_>>());
}

/// The folder of recorded traces: `LOLIGO_DATA`, or `shared` next to the checkout.
fn recordings() -> Option<PathBuf> {
    let data = std::env::var_os("LOLIGO_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = data.join("traces");
    folder.is_dir().then_some(folder)
}

/// Replays the first events of a trace under verification and asserts that nothing is lost.
fn hold(trace: &Trace) {
    let trace = trace.first(60_000).expect("the start of a valid trace");
    let options = ThreadOptions { rounds: 1, ..quick() };
    let measured = run(trace, &shared_ours()[..2], &options);
    for (row, verified) in measured.result.rows.iter().zip(measured.verified) {
        let verified = verified.expect("it was verified");
        assert_eq!(verified.losses, [], "{} on {}", row.name, measured.result.name);
        assert_eq!((row.refused, verified.refused), (Some(0), 0), "{}", row.name);
    }
}

#[test]
fn our_allocators_hold_real_traces() {
    let _alone = alone();
    let traces: Vec<Trace> = if let Some(folder) = recordings() {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("the folder can be read").path());
        paths
            .filter(|path| path.to_string_lossy().contains(".altrace"))
            .map(|path| Trace::open(&path).expect("the recordings are valid"))
            .collect()
    } else {
        println!("no recordings next to the checkout and none in LOLIGO_DATA: the bundled ones do");
        bundled().iter().map(|one| one.open().expect("the bundled traces are valid")).collect()
    };
    let has_threads = |trace: &&Trace| trace.events.iter().any(|event| event.thread > 0);
    let threaded: Vec<&Trace> = traces.iter().filter(has_threads).collect();
    if threaded.is_empty() {
        println!("no recording of several threads in the folder: nothing is replayed");
    }
    threaded.into_iter().for_each(hold);
}
