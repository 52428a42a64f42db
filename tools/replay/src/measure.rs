//! Measuring rows on traces: memory in children, then times in interleaved rounds, then the worst
//! operation, then contents.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::io;

use crate::child::{self, Children};
use crate::clock::{self, TickScale};
use crate::mapped::{Mapped, Region};
use crate::memory::{self, Peak, RegionSizes};
use crate::pass::verify::Verified;
use crate::pass::{Bench, Timed};
use crate::program::Program;
use crate::results::{Kind, RowResult, Spread, TraceResult};
use crate::rows::{Row, Runner};
use crate::trace::Trace;

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Counted rounds of every row; one more comes before them, for the cap and to warm up.
    pub rounds: u32,
    /// Rounds in which each operation is timed alone; 0 leaves the worst operation out.
    pub worst_rounds: u32,
    /// How many rows are timed for their worst operation at once, in children of their own. More
    /// than one saves time; they share the caches then, which the least of all rounds mostly hides.
    pub worst_at_once: usize,
    /// Whether to measure memory in children.
    pub memory: bool,
    /// Whether to fill blocks and compare their contents. Peers are stopped at 20 times the cap.
    pub verify: bool,
    /// The CPU time after which a row's first round is stopped; `None` is 125 ns an event and at
    /// least a quarter of a second.
    pub cap: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rounds: 5,
            worst_rounds: 5,
            worst_at_once: child::cores(),
            memory: true,
            verify: false,
            cap: None,
        }
    }
}

impl Options {
    /// Returns the cap for a trace of so many events.
    #[must_use]
    pub fn cap_for(&self, events: u64) -> Duration {
        const LEAST: Duration = Duration::from_millis(250);
        self.cap
            .unwrap_or_else(|| Duration::from_nanos(events.saturating_mul(125)).max(LEAST))
    }
}

/// What was found on one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The figures.
    pub result: TraceResult,
    /// What the verifying pass found for each row; empty unless it was asked for. The replay loop's
    /// own row has `None`.
    pub verified: Vec<Option<Verified>>,
}

/// What is being done, for a progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The trace's name.
    pub trace: &'a str,
    /// The row's name.
    pub row: &'a str,
    /// What is measured.
    pub phase: Phase,
    /// Steps of work done so far over all traces.
    pub done: u64,
    /// Steps of work in all.
    pub of: u64,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Memory in children.
    Memory,
    /// Times in interleaved rounds.
    Time,
    /// The worst operation.
    Worst,
    /// Whole contents.
    Verify,
}

/// Why a trace could not be measured.
#[derive(Debug)]
#[non_exhaustive]
pub enum MeasureError {
    /// The system refused memory or a process.
    System(io::Error),
    /// The trace's blocks together do not fit this machine's memory, so their contents cannot be
    /// verified.
    TooLarge {
        /// The trace's name.
        trace: String,
        /// What would be needed.
        needed_bytes: u64,
        /// What is there.
        available_bytes: u64,
    },
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => write!(f, "the system refuses memory or a process: {error}"),
            Self::TooLarge {
                trace,
                needed_bytes,
                available_bytes,
            } => write!(
                f,
                "trace `{trace}` needs {needed_bytes} bytes to be verified and {available_bytes} \
                 are free; run without --verify, or on a larger machine"
            ),
        }
    }
}

impl Error for MeasureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            Self::TooLarge { .. } => None,
        }
    }
}

impl From<io::Error> for MeasureError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Measures every row on every trace. Memory comes first for all traces, before any row has run in
/// this process, so that no allocator's leftovers hide what a child needs.
///
/// # Errors
///
/// [`MeasureError`] if the system refuses what the replayer itself needs.
pub fn measure(
    traces: &[Trace],
    rows: &[Row],
    options: &Options,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Measured>, MeasureError> {
    let mut work = Work::new(traces.len() * rows.len(), options, progress);
    let mut peaks = Vec::new();
    for trace in traces {
        peaks.push(measure_memory(trace, rows, options, &mut work)?);
    }
    let scale = TickScale::measure();
    let mut measured = Vec::new();
    for (trace, peaks) in traces.iter().zip(peaks) {
        measured.push(measure_trace(
            trace, rows, &peaks, scale, options, &mut work,
        )?);
    }
    Ok(measured)
}

/// Counts the work for the progress display.
struct Work<'a> {
    report: &'a mut dyn FnMut(Progress<'_>),
    done: u64,
    of: u64,
}

impl<'a> Work<'a> {
    fn new(pairs: usize, options: &Options, report: &'a mut dyn FnMut(Progress<'_>)) -> Self {
        let rounds =
            u64::from(options.memory) + u64::from(options.rounds) + 2 + u64::from(options.verify);
        Self {
            report,
            done: 0,
            of: pairs as u64 * rounds,
        }
    }

    fn step(&mut self, trace: &str, row: &str, phase: Phase) {
        (self.report)(Progress {
            trace,
            row,
            phase,
            done: self.done,
            of: self.of,
        });
        self.done += 1;
    }
}

/// Measures the memory of all rows on a trace, as many at a time as there are cores.
fn measure_memory(
    trace: &Trace,
    rows: &[Row],
    options: &Options,
    work: &mut Work<'_>,
) -> Result<Vec<Option<Peak>>, MeasureError> {
    let mut peaks = vec![None; rows.len()];
    let cores = child::cores();
    let Some(sizes) = fitting(trace, cores as u64) else {
        return Ok(peaks);
    };
    if !options.memory {
        return Ok(peaks);
    }
    let program = Program::new(trace)?;
    // Touching takes longer than replaying, the more so where pages are given back in between.
    let cap = 2 * options.cap_for(trace.events.len() as u64);
    let mut children = Children::new(cores);
    for (index, row) in rows.iter().enumerate() {
        work.step(&trace.name, row.name(), Phase::Memory);
        if row.kind() != Kind::Loop {
            let work = || memory::peak_in_child(&program, row, sizes, cap).map(Peak::encode);
            children.start(index, work)?;
        }
    }
    for (index, answer) in children.finish() {
        peaks[index] = answer.and_then(|answer| Peak::decode(&answer));
    }
    Ok(peaks)
}

/// Returns the sizes of regions for a trace if `children` such regions fit the memory that is free.
fn fitting(trace: &Trace, children: u64) -> Option<RegionSizes> {
    let sizes = RegionSizes::of(trace.peak_live_bytes)?;
    let needed = (sizes.ample as u64).saturating_mul(children);
    (needed <= clock::available_bytes() / 10 * 9).then_some(sizes)
}

/// A row at work on a trace.
struct Lane<'r> {
    row: &'r Row,
    runner: Option<Box<dyn Runner + 'r>>,
    first: Option<Timed>,
    capped: bool,
    rounds: Vec<Timed>,
    worst_ns: Option<f64>,
    verified: Option<Verified>,
    note: Option<String>,
}

impl Lane<'_> {
    /// Tells whether the row runs again.
    fn goes_on(&self) -> bool {
        self.runner.is_some() && !self.capped
    }
}

/// The fixed region that all rows of a trace share, one at a time.
struct Shared {
    region: Region,
    sizes: RegionSizes,
}

/// Measures times, worst operations and contents on one trace.
fn measure_trace(
    trace: &Trace,
    rows: &[Row],
    peaks: &[Option<Peak>],
    scale: TickScale,
    options: &Options,
    work: &mut Work<'_>,
) -> Result<Measured, MeasureError> {
    let program = Program::new(trace)?;
    let mut bench = Bench::new(&program)?;
    let cap = options.cap_for(trace.events.len() as u64);
    let mut shared = match fitting(trace, 1) {
        Some(sizes) => {
            let mut region = Region::new(sizes.ample)?;
            region.make_resident(sizes.tight);
            Some(Shared { region, sizes })
        }
        None if options.verify => return Err(too_large(trace)),
        None => None,
    };
    let mut lanes = Vec::new();
    for row in rows {
        work.step(&trace.name, row.name(), Phase::Time);
        lanes.push(first_round(&mut bench, row, shared.as_mut(), cap, options)?);
    }
    for round in 0..options.rounds as usize {
        for index in 0..lanes.len() {
            let lane = &mut lanes[(index + round) % rows.len()];
            work.step(&trace.name, lane.row.name(), Phase::Time);
            if lane.goes_on()
                && let Some(runner) = &mut lane.runner
            {
                lane.rounds.push(runner.timed(&mut bench, Duration::MAX)?);
            }
        }
    }
    worst_rounds(&mut bench, &mut lanes, trace, scale, options, work)?;
    if options.verify {
        verify(&mut bench, &mut lanes, trace, cap * 20, work)?;
    }
    Ok(summarise(trace, lanes, peaks, options))
}

fn too_large(trace: &Trace) -> MeasureError {
    MeasureError::TooLarge {
        trace: trace.name.clone(),
        needed_bytes: trace.peak_live_bytes.saturating_mul(2),
        available_bytes: clock::available_bytes(),
    }
}

/// Runs a row's first round: it warms up, meets the cap, and tells whether the region is too tight.
fn first_round<'r>(
    bench: &mut Bench<'_>,
    row: &'r Row,
    shared: Option<&mut Shared>,
    cap: Duration,
    options: &Options,
) -> Result<Lane<'r>, MeasureError> {
    let mut lane = Lane {
        row,
        runner: None,
        first: None,
        capped: false,
        rounds: Vec::with_capacity(options.rounds as usize),
        worst_ns: None,
        verified: None,
        note: None,
    };
    let (runner, first) = if row.lives_in_region() {
        let Some(shared) = shared else {
            lane.note = Some("not run: its region does not fit this machine".to_owned());
            return Ok(lane);
        };
        // SAFETY: the region outlives the lanes of its trace, and one runner uses it at a time.
        let mut runner = unsafe { row.runner(Some(shared.region.arena(shared.sizes.tight))) };
        let mut first = runner.timed(bench, cap)?;
        if first.refused > 0 {
            shared.region.make_resident(shared.sizes.ample);
            // SAFETY: as above.
            runner = unsafe { row.runner(Some(shared.region.arena(shared.sizes.ample))) };
            first = runner.timed(bench, cap)?;
            lane.note = Some("region of 2 x peak".to_owned());
        }
        (runner, first)
    } else {
        // SAFETY: the row grows and takes no arena.
        let mut runner = unsafe { row.runner(None) };
        let first = runner.timed(bench, cap)?;
        (runner, first)
    };
    lane.capped = first.done < bench.program.steps().len();
    lane.first = Some(first);
    lane.runner = Some(runner);
    Ok(lane)
}

/// Times each operation alone, row by row, in children that begin where the timed rounds ended. The
/// pages that a child shares at first are its own from the second round on.
fn worst_rounds(
    bench: &mut Bench<'_>,
    lanes: &mut [Lane<'_>],
    trace: &Trace,
    scale: TickScale,
    options: &Options,
    work: &mut Work<'_>,
) -> Result<(), MeasureError> {
    let mut children = Children::new(options.worst_at_once);
    for (index, lane) in lanes.iter_mut().enumerate() {
        work.step(&trace.name, lane.row.name(), Phase::Worst);
        if !lane.goes_on() || lane.row.kind() == Kind::Loop || options.worst_rounds == 0 {
            continue;
        }
        let Some(runner) = &mut lane.runner else {
            continue;
        };
        children.start(index, || {
            let mut least = Mapped::<u32>::new(bench.program.steps().len())?;
            least.as_mut_slice().fill(u32::MAX);
            for _ in 0..options.worst_rounds {
                runner.worst(bench, least.as_mut_slice())?;
            }
            let worst = least.as_slice().iter().max().copied().unwrap_or(0);
            Ok(worst.to_ne_bytes().to_vec())
        })?;
    }
    for (index, answer) in children.finish() {
        let ticks = answer
            .and_then(|answer| answer.try_into().ok())
            .map(u32::from_ne_bytes);
        lanes[index].worst_ns = ticks.map(|ticks| scale.ns(u64::from(ticks)));
    }
    Ok(())
}

/// Compares contents, row by row, in children: an allocator that loses blocks may well crash.
fn verify(
    bench: &mut Bench<'_>,
    lanes: &mut [Lane<'_>],
    trace: &Trace,
    cap: Duration,
    work: &mut Work<'_>,
) -> Result<(), MeasureError> {
    let mut children = Children::new(child::cores());
    for (index, lane) in lanes.iter_mut().enumerate() {
        work.step(&trace.name, lane.row.name(), Phase::Verify);
        let Some(runner) = &mut lane.runner else {
            continue;
        };
        // What is ours is verified to the end; a peer that is quadratic would take hours.
        let cap = if lane.row.kind() == Kind::Peer { cap } else { Duration::MAX };
        if lane.row.kind() != Kind::Loop {
            children.start(index, || {
                let found = runner.verify(bench, cap)?;
                serde_json::to_vec(&found).map_err(io::Error::from)
            })?;
        }
    }
    for (index, answer) in children.finish() {
        let found = answer.and_then(|answer| serde_json::from_slice(&answer).ok());
        lanes[index].verified = Some(found.unwrap_or_else(Verified::died));
    }
    Ok(())
}

/// Puts together what was found.
fn summarise(
    trace: &Trace,
    lanes: Vec<Lane<'_>>,
    peaks: &[Option<Peak>],
    options: &Options,
) -> Measured {
    let events = trace.events.len() as u64;
    let mut verified = Vec::new();
    let mut rows = Vec::new();
    for (mut lane, peak) in lanes.into_iter().zip(peaks) {
        if options.verify {
            verified.push(lane.verified.take());
        }
        rows.push(row_result(&lane, *peak, trace));
    }
    let peak_live_bytes = trace.peak_live_bytes;
    let result = TraceResult {
        name: trace.name.clone(),
        events,
        peak_live_bytes,
        rows,
    };
    Measured { result, verified }
}

fn row_result(lane: &Lane<'_>, peak: Option<Peak>, trace: &Trace) -> RowResult {
    let events = trace.events.len() as u64;
    // A row that goes on is counted from its second round on; one that does not has its first only.
    let counted = if lane.capped {
        lane.first.as_slice()
    } else {
        lane.rounds.as_slice()
    };
    let rounds_ns: Vec<f64> = counted
        .iter()
        .filter(|timed| timed.done > 0)
        .map(|timed| timed.ns as f64 / timed.done as f64)
        .collect();
    let mut faults: Vec<u64> = counted.iter().map(|timed| timed.faults).collect();
    faults.sort_unstable();
    let is_loop = lane.row.kind() == Kind::Loop;
    let whole = peak.filter(|peak| peak.done == events && !lane.capped);
    RowResult {
        name: lane.row.name().to_owned(),
        kind: lane.row.kind(),
        ns_per_event: Spread::of(&rounds_ns),
        memory_ratio: whole
            .filter(|_| trace.peak_live_bytes > 0)
            .map(|peak| peak.bytes as f64 / trace.peak_live_bytes as f64),
        worst_ns: lane.worst_ns,
        faults: faults.get(faults.len() / 2).copied(),
        refused: lane.first.filter(|_| !is_loop).map(|first| first.refused),
        capped: lane.capped,
        events_done: lane.first.map_or(0, |first| first.done as u64),
        rounds_ns,
        note: lane.note.clone(),
    }
}

#[cfg(test)]
mod tests;
