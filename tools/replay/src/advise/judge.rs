//! The finalists on the part of the trace that the search has not seen.

use super::{AdviseError, TRAIN_PERCENT};
use crate::measure::{Measured, Options, Phase, Progress, measure};
use crate::of_heap::{OfHeap, Ratio};
use crate::our_rows::heap_row;
use crate::results::Kind;
use crate::rows::{self, Row};
use crate::strategies::StrategyConfig;
use crate::trace::Trace;

/// By how much a choice may be worse than the heap in what it is not chosen for.
pub const WORSE_MAX: f64 = 1.05;

/// What is not better than the heap by this is no advice.
const WORTH: f64 = 0.95;

/// The peers that are judged with the strategies: those that grow as a program does.
const PEERS: [&str; 4] = ["system", "mimalloc", "jemalloc", "snmalloc"];

/// What differs by less than this is the same; another figure then decides.
const SAME: f64 = 1.03;

/// Events that are measured of each finalist at least, in as many rounds as that takes, up to a
/// limit.
const EVENTS: usize = 10_000_000;
const ROUNDS_MAX: usize = 51;

/// What a choice for bounded latency may cost, in time and in bytes above the live ones, of the
/// heap's.
const LATENCY_COST_MAX: f64 = 1.25;

/// A finalist, or the heap, on what was held back.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The name of its row.
    pub name: String,
    /// The strategy; `None` is the heap itself, or a row without a strategy.
    pub strategy: Option<StrategyConfig>,
    /// Whether it is somebody else's allocator.
    pub is_peer: bool,
    /// Nanoseconds an event above the empty loop, the median of the rounds.
    pub ns_above: f64,
    /// The same over the heap's in the same round, the median of the rounds.
    pub time_ratio: f64,
    /// Between these that ratio is, with 95 %.
    pub time_range: (f64, f64),
    /// Peak bytes above the peak of the live ones.
    pub bytes_above: f64,
    /// The same over the heap's.
    pub bytes_ratio: f64,
    /// The worst single operation.
    pub worst_ns: f64,
    /// Whether every block kept its contents and no request was refused.
    pub is_sound: bool,
    /// Whether no other is better in time, bytes and worst operation at once.
    pub is_on_front: bool,
}

impl Judged {
    /// Returns `true` if it takes less time than the heap by more than the noise and 5 %.
    #[must_use]
    pub fn is_faster(&self) -> bool {
        Ratio { median: self.time_ratio, range: self.time_range }.is_less()
    }
}

/// The choices, as indices of what was judged; 0 is the heap. Each is better than the heap by 5 % at
/// least, and by more than the noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The least time, whatever its memory.
    pub speed: usize,
    /// The least bytes, with time at most 5 % more than the heap's.
    pub memory: usize,
    /// The least worst operation, with time and bytes at most a quarter more than the heap's.
    pub latency: usize,
    /// The peer that takes least time, if that is less than what was chosen for speed takes.
    pub peer: Option<usize>,
}

/// What was judged, the heap first, and the greatest sum of live bytes while it was.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The heap and the rows, in their order.
    pub judged: Vec<Judged>,
    /// The greatest sum of live bytes on the part held back.
    pub peak_live_bytes: u64,
}

/// Judges strategies, the heap first.
pub(super) fn judge(
    trace: &Trace,
    finalists: &[StrategyConfig],
    rounds: u32,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Judgement, AdviseError> {
    let mut rows: Vec<Row> = finalists.iter().map(StrategyConfig::row).collect();
    rows.extend(rows::peers().into_iter().filter(|peer| PEERS.contains(&peer.name())));
    let mut judgement = judge_rows(trace, rows, rounds, progress)?;
    for (judged, strategy) in judgement.judged.iter_mut().skip(1).zip(finalists) {
        judged.strategy = Some(strategy.clone());
    }
    Ok(judgement)
}

/// Judges rows against the heap, on the part of a trace that is held back from a search: a fresh
/// allocator for each round, warmed by the first part.
///
/// # Errors
///
/// [`AdviseError`] if the system refuses what the replay needs.
pub fn judge_rows(
    trace: &Trace,
    rows: Vec<Row>,
    rounds: u32,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Judgement, AdviseError> {
    let mut all = vec![Row::null(), heap_row()];
    all.extend(rows);
    // Short traces need more rounds for the same certainty.
    let held_back = trace.events.len() - trace.events.len() / 100 * usize::from(TRAIN_PERCENT);
    let rounds = rounds.max((EVENTS / held_back.max(1)).min(ROUNDS_MAX) as u32);
    let options = Options {
        rounds,
        verify: true,
        warm_percent: TRAIN_PERCENT,
        fresh: true,
        worst_rounds: 5,
        ..Options::default()
    };
    let mut told = |one: Progress<'_>| {
        let phase = match one.phase {
            Phase::Memory => "judging memory",
            Phase::Time => "judging time",
            Phase::Worst => "judging the worst operation",
            Phase::Verify => "comparing contents",
        };
        progress(phase, one.done as usize, one.of as usize);
    };
    let mut measured = measure(core::slice::from_ref(trace), &all, &options, &mut told)?;
    let Some(measured) = measured.pop() else {
        return Ok(Judgement { judged: Vec::new(), peak_live_bytes: 0 });
    };
    let peak_live_bytes = measured.result.peak_live_bytes;
    Ok(Judgement { judged: compare(&measured), peak_live_bytes })
}

/// Compares the rows, of which the first is the empty loop and the second the heap.
fn compare(measured: &Measured) -> Vec<Judged> {
    let mut judged = Vec::new();
    let Some(of_heap) = OfHeap::new(&measured.result) else { return judged };
    for (index, row) in measured.result.rows.iter().enumerate().skip(1) {
        let nothing = Ratio { median: f64::INFINITY, range: (f64::INFINITY, f64::INFINITY) };
        let time = of_heap.time(row).unwrap_or(nothing);
        let contents = measured.verified.get(index).and_then(Option::as_ref);
        judged.push(Judged {
            name: row.name.clone(),
            strategy: None,
            is_peer: row.kind == Kind::Peer,
            ns_above: of_heap.ns_above(row).unwrap_or(f64::INFINITY),
            time_ratio: time.median,
            time_range: time.range,
            bytes_above: of_heap.bytes_above(row).unwrap_or(f64::INFINITY),
            bytes_ratio: of_heap.bytes(row).unwrap_or(f64::INFINITY),
            worst_ns: row.worst_ns.unwrap_or(f64::INFINITY),
            is_sound: !row.capped
                && row.refused == Some(0)
                && contents.is_some_and(|found| found.losses.is_empty() && found.refused == 0),
            is_on_front: false,
        });
    }
    mark_front(&mut judged);
    judged
}

/// Marks those that no other beats in everything.
fn mark_front(judged: &mut [Judged]) {
    let figures: Vec<[f64; 3]> =
        judged.iter().map(|one| [one.time_ratio, one.bytes_above, one.worst_ns]).collect();
    for (index, own) in figures.iter().enumerate() {
        let beaten = figures.iter().enumerate().any(|(other, of)| {
            let all = of.iter().zip(own).all(|(a, b)| a <= b);
            judged[other].is_sound && all && (of != own || other < index)
        });
        judged[index].is_on_front = judged[index].is_sound && !beaten;
    }
}

/// Names the choices among what is sound; the heap where nothing is better.
pub(super) fn choose(judged: &[Judged]) -> Verdict {
    let heap_worst = judged.first().map_or(f64::INFINITY, |heap| heap.worst_ns);
    let (time, bytes) = (|one: &Judged| one.time_ratio, |one: &Judged| one.bytes_ratio);
    let least = |keep: &dyn Fn(&Judged) -> bool,
                 by: &dyn Fn(&Judged) -> f64,
                 else_by: &dyn Fn(&Judged) -> f64| {
        let all = || judged.iter().enumerate().skip(1);
        let fit = || all().filter(|(_, one)| one.is_sound && keep(one));
        let least = fit().map(|(_, one)| by(one)).fold(f64::INFINITY, f64::min);
        let near = fit().filter(|(_, one)| by(one) <= least * SAME);
        near.min_by(|(_, a), (_, b)| else_by(a).total_cmp(&else_by(b))).map(|(index, _)| index)
    };
    let ours = |one: &Judged| !one.is_peer;
    let speed = least(&|one| ours(one) && one.is_faster(), &time, &bytes).unwrap_or(0);
    let memory = least(
        &|one| ours(one) && one.bytes_ratio <= WORTH && one.time_ratio <= WORSE_MAX,
        &bytes,
        &time,
    );
    let latency = least(
        &|one| {
            ours(one)
                && one.worst_ns <= WORTH * heap_worst
                && one.time_ratio <= LATENCY_COST_MAX
                && one.bytes_ratio <= LATENCY_COST_MAX
        },
        &|one| one.worst_ns,
        &time,
    );
    let fastest = judged.get(speed).map_or(1.0, time);
    let peer = least(
        &|one| one.is_peer && one.is_faster() && one.time_ratio <= WORTH * fastest,
        &time,
        &bytes,
    );
    Verdict { speed, memory: memory.unwrap_or(0), latency: latency.unwrap_or(0), peer }
}
