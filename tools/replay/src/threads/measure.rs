//! Measuring rows on traces by threads: memory in children, times in interleaved rounds, contents.

use core::time::Duration;
use std::io;

use super::WORKERS_DEFAULT;
use super::crew::{Outcome, Stage};
use super::pass::Peak;
use super::plan::Plan;
use super::rows::{SharedRow, SharedRunner};
use crate::child;
use crate::clock;
use crate::measure::{MeasureError, Measured, Options, Phase, Progress};
use crate::pass::verify::Verified;
use crate::results::{Kind, RowResult, Spread, ThreadFigures, TraceResult};
use crate::trace::Trace;

/// How to measure by threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadOptions {
    /// The most threads of a replay, at most [`WORKERS_MAX`](super::WORKERS_MAX).
    pub threads_max: u16,
    /// Counted rounds of every row; one more comes before them, for the cap and to warm up.
    pub rounds: u32,
    /// Whether to measure memory in children.
    pub memory: bool,
    /// Whether to fill blocks and compare their contents. Peers are stopped at 20 times the cap.
    pub verify: bool,
    /// The elapsed time after which a row's first round is stopped; `None` is 500 ns an event and at
    /// least a second.
    pub cap: Option<Duration>,
}

impl Default for ThreadOptions {
    fn default() -> Self {
        let Options { rounds, memory, verify, cap, .. } = Options::default();
        Self { threads_max: WORKERS_DEFAULT, rounds, memory, verify, cap }
    }
}

impl ThreadOptions {
    /// Returns the cap for a trace of `events` events: four times that of one thread, as threads
    /// wait for each other and for processors.
    fn cap_for(&self, events: usize) -> Duration {
        self.cap.unwrap_or_else(|| 4 * Options::default().cap_for(events as u64))
    }
}

/// Measures every row on every trace by as many threads as the trace has. Memory comes first for
/// all traces, before any row has run in this process.
///
/// # Errors
///
/// [`MeasureError`] if a trace is not valid, which is found before any thread starts, or if the
/// system refuses what the replayer itself needs.
pub fn measure_threads(
    traces: &[Trace],
    rows: &[SharedRow],
    options: &ThreadOptions,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Measured>, MeasureError> {
    for trace in traces {
        trace.check().map_err(MeasureError::Trace)?;
    }
    let rounds = 2 + options.rounds + u32::from(options.verify);
    let of = (traces.len() * rows.len()) as u64 * u64::from(rounds);
    let mut work = Work { report: progress, done: 0, of };
    let mut peaks = Vec::new();
    for trace in traces {
        let plan = Plan::new(trace, usize::from(options.threads_max))?;
        if options.verify {
            check_room(trace, &plan)?;
        }
        peaks.push(memory(trace, &plan, rows, options, &mut work)?);
    }
    let mut measured = Vec::new();
    for (trace, peaks) in traces.iter().zip(&peaks) {
        measured.push(measure_trace(trace, rows, peaks, options, &mut work)?);
    }
    Ok(measured)
}

/// Counts the work for the progress display.
struct Work<'a> {
    report: &'a mut dyn FnMut(Progress<'_>),
    done: u64,
    of: u64,
}

impl Work<'_> {
    fn step(&mut self, trace: &Trace, row: &SharedRow, phase: Phase) {
        let (trace, row) = (&*trace.name, row.name());
        (self.report)(Progress { trace, row, phase, done: self.done, of: self.of });
        self.done += 1;
    }
}

/// Returns what is needed to hold all blocks that can be alive, if it is more than is free.
fn missing_bytes(plan: &Plan) -> Option<u64> {
    let needed = plan.worst_live_bytes().saturating_mul(2);
    (needed > clock::available_bytes() / 10 * 9).then_some(needed)
}

fn check_room(trace: &Trace, plan: &Plan) -> Result<(), MeasureError> {
    match missing_bytes(plan) {
        None => Ok(()),
        Some(needed_bytes) => Err(MeasureError::TooLarge {
            trace: trace.name.clone(),
            needed_bytes,
            available_bytes: clock::available_bytes(),
        }),
    }
}

/// Measures the memory of all rows, one at a time, as each uses several processors.
fn memory(
    trace: &Trace,
    plan: &Plan,
    rows: &[SharedRow],
    options: &ThreadOptions,
    work: &mut Work<'_>,
) -> Result<Vec<Option<Peak>>, MeasureError> {
    // Touching takes longer than replaying.
    let cap = 2 * options.cap_for(plan.events());
    let has_room = missing_bytes(plan).is_none();
    let mut peaks = Vec::new();
    for row in rows {
        work.step(trace, row, Phase::Memory);
        if row.kind() == Kind::Loop || !options.memory || !has_room {
            peaks.push(None);
            continue;
        }
        let answer = child::run(|| {
            let mut stage = Stage::new(plan)?;
            let peak = row.runner().touching(&mut stage, trace.peak_live_bytes, cap)?;
            serde_json::to_vec(&peak).map_err(io::Error::from)
        })?;
        let peak = answer.and_then(|answer| serde_json::from_slice::<Peak>(&answer).ok());
        peaks.push(peak.filter(|peak| peak.done == plan.events() as u64));
    }
    Ok(peaks)
}

/// A row at work on a trace.
struct Lane<'r> {
    row: &'r SharedRow,
    runner: Box<dyn SharedRunner>,
    first: Outcome,
    is_capped: bool,
    rounds: Vec<Outcome>,
}

/// Measures times and contents on one trace.
fn measure_trace(
    trace: &Trace,
    rows: &[SharedRow],
    peaks: &[Option<Peak>],
    options: &ThreadOptions,
    work: &mut Work<'_>,
) -> Result<Measured, MeasureError> {
    let plan = Plan::new(trace, usize::from(options.threads_max))?;
    let mut stage = Stage::new(&plan)?;
    let cap = options.cap_for(plan.events());
    let mut lanes = Vec::new();
    for row in rows {
        work.step(trace, row, Phase::Time);
        let mut runner = row.runner();
        let first = runner.timed(&mut stage, cap)?;
        let is_capped = first.events_done() < plan.events() as u64;
        lanes.push(Lane { row, runner, first, is_capped, rounds: Vec::new() });
    }
    for round in 0..options.rounds as usize {
        for index in 0..lanes.len() {
            let lane = &mut lanes[(index + round) % rows.len()];
            work.step(trace, lane.row, Phase::Time);
            if !lane.is_capped {
                lane.rounds.push(lane.runner.timed(&mut stage, Duration::MAX)?);
            }
        }
    }
    let mut verified = Vec::new();
    if options.verify {
        for lane in &mut lanes {
            work.step(trace, lane.row, Phase::Verify);
            verified.push(verify(lane, &mut stage, 20 * cap)?);
        }
    }
    let row = |(lane, peak): (&Lane<'_>, &Option<Peak>)| row_result(lane, *peak, &plan);
    let result = TraceResult {
        name: trace.name.clone(),
        events: trace.events.len() as u64,
        peak_live_bytes: trace.peak_live_bytes,
        rows: lanes.iter().zip(peaks).map(row).collect(),
    };
    Ok(Measured { result, verified })
}

/// Compares contents in a child: an allocator that loses blocks may well crash.
fn verify(
    lane: &mut Lane<'_>,
    stage: &mut Stage<'_>,
    peer_cap: Duration,
) -> Result<Option<Verified>, MeasureError> {
    let cap = match lane.row.kind() {
        Kind::Loop => return Ok(None),
        Kind::Peer => peer_cap,
        Kind::Ours | Kind::Strategy => Duration::MAX,
    };
    let answer = child::run(|| {
        let found = lane.runner.verify(stage, cap)?;
        serde_json::to_vec(&found).map_err(io::Error::from)
    })?;
    let found = answer.and_then(|answer| serde_json::from_slice(&answer).ok());
    Ok(Some(found.unwrap_or_else(Verified::died)))
}

fn row_result(lane: &Lane<'_>, peak: Option<Peak>, plan: &Plan) -> RowResult {
    // A row that goes on is counted from its second round on; one that does not has its first only.
    let counted =
        if lane.is_capped { core::slice::from_ref(&lane.first) } else { &lane.rounds[..] };
    let counted: Vec<&Outcome> = counted.iter().filter(|one| one.events_done() > 0).collect();
    let each = |figure: fn(&Outcome) -> f64| -> Vec<f64> {
        counted.iter().map(|outcome| figure(outcome)).collect()
    };
    let rounds_ns = each(|one| one.elapsed_ns as f64 / one.events_done() as f64);
    let median = |figure| Spread::of(&each(figure)).map(|spread| spread.median);
    let peak = peak.filter(|_| !lane.is_capped);
    let is_loop = lane.row.kind() == Kind::Loop;
    RowResult {
        name: lane.row.name().to_owned(),
        kind: lane.row.kind(),
        ns_per_event: Spread::of(&rounds_ns),
        memory_ratio: peak
            .filter(|peak| peak.live_bytes > 0)
            .map(|peak| peak.bytes as f64 / peak.live_bytes as f64),
        peak_bytes: peak.map(|peak| peak.bytes),
        worst_ns: None,
        faults: median(|one| one.faults as f64).map(|faults| faults as u64),
        refused: (!is_loop).then_some(lane.first.refused),
        capped: lane.is_capped,
        events_done: lane.first.events_done(),
        threads: Some(ThreadFigures {
            threads: plan.workers() as u32,
            recorded_threads: plan.threads() as u32,
            elapsed_ns: Spread::of(&each(|one| one.elapsed_ns as f64)),
            events_per_second: Spread::of(&each(|one| {
                one.events_done() as f64 / (one.elapsed_ns.max(1) as f64 / 1e9)
            })),
            cpu_ns_per_event: median(|one| one.cpu_ns as f64 / one.events_done() as f64),
            hand_overs: plan.hand_overs(),
            waits: median(|one| one.waits as f64).map(|waits| waits as u64),
            peak_bytes: peak.map(|peak| peak.bytes),
            peak_live_bytes: peak.map(|peak| peak.live_bytes),
        }),
        rounds_ns,
        note: None,
    }
}
