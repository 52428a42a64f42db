//! The rows of a trace at work: timed rounds, then children for the worst operation and contents.

use core::time::Duration;
use std::io;

use super::{MeasureError, Measured, Options, Phase, Work, fitting};
use crate::child::{self, Children};
use crate::clock::TickScale;
use crate::mapped::{Mapped, Region};
use crate::memory::{Peak, RegionSizes};
use crate::pass::verify::Verified;
use crate::pass::{Bench, Timed};
use crate::program::Program;
use crate::results::{Kind, RowResult, Spread, TraceResult};
use crate::rows::{Row, Runner, timed_fresh};
use crate::trace::Trace;

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
    /// Returns `true` if the row runs again.
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
pub(super) fn measure_trace(
    trace: &Trace,
    rows: &[Row],
    peaks: &[Option<Peak>],
    scale: TickScale,
    options: &Options,
    work: &mut Work<'_>,
) -> Result<Measured, MeasureError> {
    let program = Program::new(trace, options.measured_from(trace.events.len()))?;
    let mut bench = Bench::new(&program)?;
    let cap = options.cap_for(trace.events.len() as u64);
    let mut shared = match fitting(trace, 1) {
        Some(sizes) => {
            let mut region = Region::new(sizes.ample)?;
            region.make_resident(sizes.tight);
            Some(Shared { region, sizes })
        }
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
            if lane.goes_on() && options.fresh {
                let bytes = shared.as_ref().map_or(0, |shared| shared.sizes.ample);
                let timed = timed_fresh(&mut bench, lane.row, bytes, Duration::MAX)?;
                lane.rounds.extend(timed);
            } else if lane.goes_on()
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
    Ok(summarise(&program, trace, lanes, peaks, options))
}

/// Runs a row's first round: it warms up, meets the cap, and returns whether the region is too
/// tight.
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
        let ticks = answer.and_then(|answer| answer.try_into().ok()).map(u32::from_ne_bytes);
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
    program: &Program,
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
        rows.push(row_result(&lane, *peak, program));
    }
    let peak_live_bytes = program.measured_peak_bytes();
    let result = TraceResult { name: trace.name.clone(), events, peak_live_bytes, rows };
    Measured { result, verified }
}

fn row_result(lane: &Lane<'_>, peak: Option<Peak>, program: &Program) -> RowResult {
    let events = program.steps().len() as u64;
    let peak_live_bytes = program.measured_peak_bytes();
    let measured = |timed: &Timed| timed.done - program.warming();
    // A row that goes on is counted from its second round on; one that does not has its first only.
    let counted = if lane.capped { lane.first.as_slice() } else { lane.rounds.as_slice() };
    let rounds_ns: Vec<f64> = counted
        .iter()
        .filter(|timed| measured(timed) > 0)
        .map(|timed| timed.ns as f64 / measured(timed) as f64)
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
            .filter(|_| peak_live_bytes > 0)
            .map(|peak| peak.bytes as f64 / peak_live_bytes as f64),
        peak_bytes: whole.map(|peak| peak.bytes),
        worst_ns: lane.worst_ns,
        faults: faults.get(faults.len() / 2).copied(),
        refused: lane.first.filter(|_| !is_loop).map(|first| first.refused),
        capped: lane.capped,
        events_done: lane.first.map_or(0, |first| first.done as u64),
        rounds_ns,
        note: lane.note.clone(),
        threads: None,
    }
}
