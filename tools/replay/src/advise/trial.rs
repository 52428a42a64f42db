//! Candidates replayed on the training part, each in a child of its own with the heap beside it.

use core::time::Duration;
use std::io;

use super::AdviseError;
use crate::child::{self, Children};
use crate::measure::{MeasureError, fitting};
use crate::memory::{self, RegionSizes};
use crate::ours;
use crate::pass::Bench;
use crate::program::Program;
use crate::rows::Row;
use crate::strategies::StrategyConfig;
use crate::trace::Trace;

/// How much of the training part only warms.
const WARM_PERCENT: usize = 50;

/// Rounds of the first trial, and of those that go on.
const ROUNDS: [u32; 2] = [2, 6];

/// Candidates that go on to the longer trial, for each finalist.
const GO_ON: usize = 4;

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

/// Tries all candidates, the first of which is the heap.
pub(super) fn run(
    training: &Trace,
    candidates: &[StrategyConfig],
    finalists: usize,
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
    let program = Program::new(training, from, &[])?;
    let mut tried: Vec<Tried> = candidates
        .iter()
        .map(|strategy| Tried { strategy: strategy.clone(), figures: None, is_finalist: false })
        .collect();
    let mut chosen: Vec<usize> = (0..tried.len()).collect();
    for (stage, rounds) in ROUNDS.into_iter().enumerate() {
        let told = format!("trial {} of {}", stage + 1, ROUNDS.len());
        let trial = Trial { program: &program, sizes, rounds };
        for (index, figures) in
            trial.of_all(&tried, &chosen, &mut |at, of| progress(&told, at, of))?
        {
            tried[index].figures = figures;
        }
        let count = if stage + 1 < ROUNDS.len() { finalists * GO_ON } else { finalists };
        chosen = best(&tried, &chosen, count);
    }
    for index in chosen {
        tried[index].is_finalist = index != 0;
    }
    Ok(tried)
}

struct Trial<'p> {
    program: &'p Program,
    sizes: RegionSizes,
    rounds: u32,
}

impl Trial<'_> {
    fn of_all(
        &self,
        tried: &[Tried],
        chosen: &[usize],
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<Vec<(usize, Option<Figures>)>> {
        let mut children = Children::new(child::cores());
        for (at, index) in chosen.iter().enumerate() {
            progress(at, chosen.len());
            let row = tried[*index].strategy.row();
            children.start(*index, || self.of_one(&row))?;
        }
        let answers = children.finish().into_iter();
        Ok(answers.map(|(index, answer)| (index, answer.and_then(|a| self.decode(&a)))).collect())
    }

    /// Tries one candidate; in a child.
    fn of_one(&self, row: &Row) -> io::Result<Vec<u8>> {
        let program = self.program;
        let events = program.steps().len() as u64;
        // A hundred times what the heap takes, and never less than some seconds.
        child::limit_cpu(20 + events * u64::from(self.rounds) / 100_000);
        let cap = Duration::from_nanos(events * 250).max(Duration::from_millis(250));
        let peak = memory::peak_in_child(program, row, self.sizes, cap * 4)?;
        if peak.refused > 0 || peak.done < events {
            return Err(io::Error::other("refused or too slow"));
        }
        let mut bench = Bench::new(program)?;
        let (null, heap) = (Row::null(), ours::heap_row());
        // SAFETY: none of the rows lives in a region.
        let mut runners = unsafe { [null.runner(None), heap.runner(None), row.runner(None)] };
        let mut least = [u64::MAX; 3];
        for round in 0..=self.rounds {
            for (runner, least) in runners.iter_mut().zip(&mut least) {
                let timed = runner.timed(&mut bench, cap)?;
                if timed.done < program.steps().len() || timed.refused > 0 {
                    return Err(io::Error::other("refused or too slow"));
                }
                // The first round warms up.
                *least = if round == 0 { u64::MAX } else { timed.ns.min(*least) };
            }
        }
        let words = [peak.bytes, peak.end_bytes, least[0], least[1], least[2]];
        Ok(words.iter().flat_map(|word| word.to_ne_bytes()).collect())
    }

    fn decode(&self, answer: &[u8]) -> Option<Figures> {
        let (words, []) = answer.as_chunks::<8>() else {
            return None;
        };
        let [peak, end, null, heap, own] = *words else {
            return None;
        };
        let [null, heap, own] = [null, heap, own].map(|word| u64::from_ne_bytes(word) as f64);
        Some(Figures {
            time_ratio: (own - null).max(0.0) / (heap - null).max(1.0),
            bytes_above: u64::from_ne_bytes(peak) as f64
                - self.program.measured_peak_bytes() as f64,
            end_bytes: u64::from_ne_bytes(end) as f64,
        })
    }
}

/// Returns the candidates that are best by one of three measures, each without being much worse than the
/// heap by the others, and those that none beats by all.
fn best(tried: &[Tried], chosen: &[usize], count: usize) -> Vec<usize> {
    let of = |index: usize| tried[index].figures;
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
    let lists = [
        ranked(&lean, &|one| one.time_ratio),
        ranked(&|one| one.time_ratio < 1.1, &|one| one.end_bytes),
        ranked(&|one| one.time_ratio < 1.1, &|one| one.bytes_above),
        ranked(&|one| one.bytes_above <= heap.bytes_above * 1.25, &|one| one.time_ratio),
        ranked(&|_| true, &|one| one.time_ratio),
    ];
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
