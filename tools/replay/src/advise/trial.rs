//! Candidates replayed on the training part, each in a separate child, together with the heap.

use core::time::Duration;
use std::io;

use super::space::Drawing;
use super::{AdviseError, Options};
use crate::child::{self, Children};
use crate::interrupt;
use crate::measure::{MeasureError, fitting};
use crate::memory::{self, RegionSizes};
use crate::our_rows::heap_row;
use crate::pass::Bench;
use crate::program::Program;
use crate::results::Spread;
use crate::rows::{Row, timed_fresh};
use crate::strategies::StrategyConfig;
use crate::trace::Trace;

/// How much of the training part only warms.
const WARM_PERCENT: usize = 50;

/// Nanoseconds of the heap's time that a trial measures at least, in as many rounds as that takes:
/// in the first trial, and in that of those that go on. Time and no number of events, as an event
/// of a program with large blocks takes ten times as long as one with small blocks.
const HEAP_NS: [u64; 2] = [30_000_000, 120_000_000];

/// The least and the most rounds of a trial.
const ROUNDS: core::ops::RangeInclusive<u64> = 3..=41;

/// A candidate that takes more than this number of times as long as the heap in its first round is
/// not tried further.
const SLOW_MAX: f64 = 4.0;

/// Candidates that go on to the longer trial, for each finalist.
const GO_ON: usize = 2;

/// Lots in which candidates are drawn: the first by chance, the second near the best of it, the
/// others are edits of the best so far.
const LOTS: usize = 4;

/// A candidate and what its trial found.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The candidate.
    pub strategy: StrategyConfig,
    /// What was found; `None` if it died, was stopped or refused a request.
    pub figures: Option<Figures>,
    /// Whether it is judged on the rest of the trace.
    pub is_finalist: bool,
}

/// What a trial found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Time above the empty loop over that of the heap in the same child.
    pub time_ratio: f64,
    /// Peak bytes above the live bytes.
    pub bytes_above: f64,
    /// Bytes left at the end of the training part.
    pub end_bytes: f64,
}

/// Draws and tries candidates, the first of which is the heap.
pub(super) fn run(
    training: &Trace,
    drawing: &mut Drawing<'_>,
    options: &Options,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Vec<Tried>, AdviseError> {
    let Some(sizes) = fitting(training, 2 * child::cores() as u64) else {
        return Err(AdviseError::Measure(MeasureError::TooLarge {
            trace: training.name.clone(),
            needed_bytes: training.peak_live_bytes.saturating_mul(4),
            available_bytes: crate::clock::available_bytes(),
        }));
    };
    let from = training.events.len() * WARM_PERCENT / 100;
    let program = Program::new(training, from)?;
    let trial = |heap_ns: u64| Trial { program: &program, sizes, heap_ns };
    let mut tried: Vec<Tried> = Vec::new();
    for lot in 0..LOTS {
        let left = (options.candidates + 1).saturating_sub(tried.len().max(1));
        let all: Vec<usize> = (0..tried.len()).collect();
        let near = best(&tried, &all, options.finalists);
        let share = left.div_ceil(LOTS - lot);
        match lot {
            0 => drawing.draw(options.candidates * 2 / 5),
            1 => drawing.draw_near(&near, share),
            _ => drawing.edit(&near, share),
        }
        if lot > 0 {
            drawing.draw(share.saturating_sub(drawing.candidates().count() - tried.len()));
        }
        let fresh: Vec<usize> = (tried.len()..drawing.candidates().count()).collect();
        tried.extend(drawing.candidates().skip(tried.len()).map(|strategy| Tried {
            strategy: strategy.clone(),
            figures: None,
            is_finalist: false,
        }));
        let told = format!("trying lot {} of {LOTS}", lot + 1);
        let started =
            trial(HEAP_NS[0]).of_all(&mut tried, &fresh, &mut |at, of| progress(&told, at, of))?;
        if started < fresh.len() {
            tried.truncate(tried.len() - (fresh.len() - started));
            break;
        }
    }
    let all: Vec<usize> = (0..tried.len()).collect();
    let mut going = best(&tried, &all, options.finalists * GO_ON);
    if !going.contains(&0) {
        going.push(0);
    }
    trial(HEAP_NS[1]).of_all(&mut tried, &going, &mut |at, of| progress("trying again", at, of))?;
    // The heap is judged with all others and takes no place.
    let finalists = best(&tried, &going, options.finalists + 1).into_iter();
    for index in finalists.filter(|index| *index != 0).take(options.finalists) {
        tried[index].is_finalist = true;
    }
    Ok(tried)
}

struct Trial<'p> {
    program: &'p Program,
    sizes: RegionSizes,
    heap_ns: u64,
}

impl Trial<'_> {
    /// Tries candidates until all are, or somebody asks for the results so far; returns how many.
    fn of_all(
        &self,
        tried: &mut [Tried],
        chosen: &[usize],
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<usize> {
        let mut children = Children::new(child::cores());
        let mut started = 0;
        for (at, index) in chosen.iter().enumerate() {
            if interrupt::is_asked() {
                break;
            }
            started += 1;
            progress(at, chosen.len());
            let row = tried[*index].strategy.row();
            children.start(*index, || self.of_one(&row))?;
        }
        for (index, answer) in children.finish() {
            tried[index].figures = answer.and_then(|answer| self.decode(&answer));
        }
        Ok(started)
    }

    /// Tries one candidate; in a child.
    fn of_one(&self, row: &Row) -> io::Result<Vec<u8>> {
        let program = self.program;
        let events = program.steps().len() as u64;
        // A hundred times what the heap takes, and never less than some seconds.
        child::limit_cpu(20 + events * ROUNDS.end() / 100_000);
        let cap = Duration::from_nanos(events * 250).max(Duration::from_millis(250));
        let refused = || io::Error::other("refused or too slow");
        let mut bench = Bench::new(program)?;
        let (null, heap) = (Row::null(), heap_row());
        let rows = [&null, &heap, row];
        let mut rounds = Vec::new();
        let mut left = 0;
        loop {
            let mut ns = [0; 3];
            for (row, ns) in rows.iter().zip(&mut ns) {
                let timed = timed_fresh(&mut bench, row, self.sizes.ample, cap)?;
                let whole =
                    timed.filter(|timed| timed.done == program.steps().len() && timed.refused == 0);
                *ns = whole.ok_or_else(refused)?.ns;
            }
            // The first round warms up and says how many it takes.
            if left > 0 {
                rounds.push(ns);
                left -= 1;
            } else {
                let [null, heap, own] = ns.map(|ns| ns as f64);
                if own - null > (heap - null).max(1.0) * SLOW_MAX {
                    return Err(refused());
                }
                left = (self.heap_ns / ns[1].max(1)).clamp(*ROUNDS.start(), *ROUNDS.end());
            }
            if left == 0 {
                break;
            }
        }
        let peak = memory::peak_in_child(program, row, self.sizes, cap * 4)?;
        if peak.refused > 0 || peak.done < events {
            return Err(refused());
        }
        let null = rounds.iter().map(|ns| ns[0]).min().unwrap_or(0) as f64;
        let above = |ns: u64| (ns as f64 - null).max(1.0);
        let ratios: Vec<f64> = rounds.iter().map(|ns| above(ns[2]) / above(ns[1])).collect();
        let ratio = Spread::of(&ratios).map_or(f64::INFINITY, |spread| spread.median);
        let words = [peak.bytes, peak.end_bytes, ratio.to_bits()];
        Ok(words.iter().flat_map(|word| word.to_ne_bytes()).collect())
    }

    fn decode(&self, answer: &[u8]) -> Option<Figures> {
        let (words, []) = answer.as_chunks::<8>() else {
            return None;
        };
        let [peak, end, ratio] = *words else {
            return None;
        };
        let peak = u64::from_ne_bytes(peak) as f64;
        Some(Figures {
            time_ratio: f64::from_bits(u64::from_ne_bytes(ratio)),
            bytes_above: peak - self.program.measured_peak_bytes() as f64,
            end_bytes: u64::from_ne_bytes(end) as f64,
        })
    }
}

/// Returns the candidates that are best by one of three measures, each without being much worse
/// than the heap by the others, among all and among those of each kind: what is lean on the part
/// that is searched on need not be so later, and kinds fail for different reasons.
fn best(tried: &[Tried], chosen: &[usize], count: usize) -> Vec<usize> {
    let of = |index: usize| tried.get(index).and_then(|one| one.figures);
    let Some(heap) = of(0) else {
        return chosen.iter().copied().take(count).collect();
    };
    let found: Vec<usize> = chosen.iter().copied().filter(|index| of(*index).is_some()).collect();
    let figures = |index: &usize| of(*index).unwrap_or(heap);
    let ranked = |keep: &dyn Fn(Figures) -> bool, by: &dyn Fn(Figures) -> f64| {
        let mut list: Vec<usize> =
            found.iter().copied().filter(|index| keep(figures(index))).collect();
        list.sort_by(|a, b| by(figures(a)).total_cmp(&by(figures(b))));
        list
    };
    let lean = |one: Figures| one.bytes_above <= heap.bytes_above * 1.05;
    // What gives memory back pays for it while a program grows and shrinks, and no more when it is
    // at rest; so it may cost more here than it may in the end.
    let mut lists = vec![
        ranked(&lean, &|one| one.time_ratio),
        ranked(&|one| one.time_ratio < 1.5, &|one| one.end_bytes),
        ranked(&|one| one.time_ratio < 1.1, &|one| one.bytes_above),
        ranked(&|one| one.bytes_above <= heap.bytes_above * 1.25, &|one| one.time_ratio),
        ranked(&|_| true, &|one| one.time_ratio),
    ];
    let kind = |index: usize| tried[index].strategy.name.split('-').next().unwrap_or_default();
    let mut kinds: Vec<&str> = found.iter().map(|index| kind(*index)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for of in kinds {
        for by in [|one: Figures| one.bytes_above, |one: Figures| one.end_bytes] {
            let leaner = ranked(&|one| one.time_ratio < 1.1 && by(one) < by(heap), &by);
            lists.push(leaner.into_iter().filter(|index| kind(*index) == of).collect());
        }
    }
    // One of each list in turn, so that each has its share.
    let mut kept: Vec<usize> = Vec::new();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..longest {
        for list in &lists {
            if let Some(index) = list.get(at)
                && !kept.contains(index)
                && kept.len() < count
            {
                kept.push(*index);
            }
        }
    }
    kept
}
