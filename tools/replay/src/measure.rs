//! Measuring rows on traces: memory in children, then times in interleaved rounds, then the worst
//! operation, then contents.

mod lanes;

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::io;

use crate::child::{self, Children};
use crate::clock::{self, TickScale};
use crate::memory::{self, Peak, RegionSizes};
use crate::pass::verify::Verified;
use crate::program::Program;
use crate::results::{Kind, TraceResult};
use crate::rows::Row;
use crate::trace::{Trace, TraceError};
use lanes::measure_trace;

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
    /// How many hundredths of each trace only warm the allocators: times, worst operations, faults
    /// and memory are those of the rest. Contents are verified from the start.
    pub warm_percent: u8,
    /// Whether each counted round begins with a fresh allocator, in a separate child, as a program
    /// does. Else an allocator that grows keeps what it has from round to round, so that one which
    /// gives memory back meets page faults that the others do not.
    pub fresh: bool,
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
            warm_percent: 0,
            fresh: false,
        }
    }
}

impl Options {
    /// Returns the first of `events` events that is measured.
    #[must_use]
    pub fn measured_from(&self, events: usize) -> usize {
        // In two parts, so that no product can overflow.
        let percent = usize::from(self.warm_percent.min(100));
        events / 100 * percent + events % 100 * percent / 100
    }

    /// Returns the cap for a trace of `events` events.
    #[must_use]
    pub fn cap_for(&self, events: u64) -> Duration {
        const LEAST: Duration = Duration::from_millis(250);
        self.cap.unwrap_or_else(|| Duration::from_nanos(events.saturating_mul(125)).max(LEAST))
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
    /// A trace is not valid: its public fields were changed.
    Trace(TraceError),
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => write!(f, "the system refuses memory or a process: {error}"),
            Self::TooLarge { trace, needed_bytes, available_bytes } => write!(
                f,
                "trace `{trace}` needs {needed_bytes} bytes to be verified and {available_bytes} \
                 are free; run without --verify, or on a larger machine"
            ),
            Self::Trace(error) => write!(f, "{error}"),
        }
    }
}

impl Error for MeasureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            Self::TooLarge { .. } => None,
            Self::Trace(error) => error.source(),
        }
    }
}

impl From<io::Error> for MeasureError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Measures every row on every trace. Memory comes first for all traces, before any row has run in
/// this process, so that no allocator's leftovers hide what a child needs. Rows receive the call
/// site of each event where the trace has them.
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
    if options.verify
        && let Some(trace) = traces.iter().find(|trace| fitting(trace, 1).is_none())
    {
        return Err(too_large(trace));
    }
    let mut work = Work::new(traces.len() * rows.len(), options, progress);
    let mut peaks = Vec::new();
    for trace in traces {
        peaks.push(measure_memory(trace, rows, options, &mut work)?);
    }
    let scale = TickScale::measure();
    let mut measured = Vec::new();
    for (trace, peaks) in traces.iter().zip(peaks) {
        measured.push(measure_trace(trace, rows, &peaks, scale, options, &mut work)?);
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
        Self { report, done: 0, of: pairs as u64 * rounds }
    }

    fn step(&mut self, trace: &str, row: &str, phase: Phase) {
        (self.report)(Progress { trace, row, phase, done: self.done, of: self.of });
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
    let program = Program::new(trace, options.measured_from(trace.events.len()))?;
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

fn too_large(trace: &Trace) -> MeasureError {
    MeasureError::TooLarge {
        trace: trace.name.clone(),
        needed_bytes: trace.peak_live_bytes.saturating_mul(2),
        available_bytes: clock::available_bytes(),
    }
}

/// Returns the sizes of regions for a trace if `children` such regions fit the memory that is free.
pub(crate) fn fitting(trace: &Trace, children: u64) -> Option<RegionSizes> {
    let sizes = RegionSizes::of(trace.peak_live_bytes)?;
    let needed = (sizes.ample as u64).saturating_mul(children);
    (needed <= clock::available_bytes() / 10 * 9).then_some(sizes)
}

#[cfg(test)]
mod tests;
