//! Rows on recorded traces. A trace is replayed once for all rows that ask for its times, and once
//! more where memory or the worst operation is asked for.

mod shift;
pub use self::shift::Shift;

use std::collections::BTreeMap;

use loligo_replay::measure::{Options, measure};
use loligo_replay::ours;
use loligo_replay::results::TraceResult;
use loligo_replay::rows::{Row, peers};
use loligo_replay::trace::Trace;

use crate::outcome::Reading;
use crate::traces::Traces;

/// What a row asks of the traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The geometric mean over all traces of the time over the system's `malloc`.
    Geomean {
        /// Which way of running the heap.
        ours: &'static str,
    },
    /// The time on one trace.
    Trace {
        /// The trace.
        trace: String,
        /// Which way of running the heap.
        ours: &'static str,
        /// The peers that it is compared with.
        peers: &'static [&'static str],
    },
    /// The geometric mean over all traces of peak memory over peak live bytes, of the worse way.
    Memory,
    /// The same after phases of other sizes.
    Shift(Shift),
    /// The worst operation on any trace, of the worse way.
    Worst,
}

/// Both ways of running the heap.
const HEAPS: [&str; 2] = ["heap-region", "heap"];

/// The peers of the heap's rows, as far as they are compiled in.
const PEERS: [&str; 4] = ["system", "talc", "rlsf", "snmalloc"];

/// Rounds of the worst operation, alone on the machine: for each event the least counts. With the
/// minimum of five rounds, interrupts of the machine are still visible among millions of events.
const WORST_ROUNDS: u32 = 15;

/// The traces, and what has been measured on them so far.
#[derive(Debug)]
pub struct Replayed {
    traces: Traces,
    times: BTreeMap<String, TraceResult>,
    limits: BTreeMap<String, TraceResult>,
}

impl Replayed {
    /// Measures nothing yet.
    #[must_use]
    pub fn new(traces: Traces) -> Self {
        Self { traces, times: BTreeMap::new(), limits: BTreeMap::new() }
    }

    /// Returns the traces.
    #[must_use]
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    pub(crate) fn answer(&mut self, question: &Question, rounds: u32) -> Reading {
        let answer = match question {
            Question::Geomean { ours } => self.geomean(ours, rounds),
            Question::Trace { trace, ours, peers } => self.trace(trace, ours, peers, rounds),
            Question::Memory => self.memory(),
            Question::Shift(sizes) => shifted(sizes),
            Question::Worst => self.worst(),
        };
        answer.unwrap_or_else(Reading::Unmeasured)
    }

    /// The time on one trace, compared with peers.
    fn trace(
        &mut self,
        trace: &str,
        ours: &str,
        peers: &[&'static str],
        rounds: u32,
    ) -> Result<Reading, String> {
        let result = self.times_of(trace, rounds)?;
        let ours = rounds_ns(result, ours)?.to_vec();
        let absent: Vec<_> = (peers.iter().copied())
            .filter(|peer| !result.rows.iter().any(|row| row.name == *peer))
            .collect();
        let peers = (peers.iter())
            // A peer that was stopped at its time cap or refused requests cannot be compared with.
            .filter_map(|peer| Some(((*peer).to_owned(), rounds_ns(result, peer).ok()?.to_vec())))
            .collect();
        Ok(Reading::Raced { ours, peers, absent })
    }

    /// The geometric means over all traces, round by round.
    fn geomean(&mut self, ours: &str, rounds: u32) -> Result<Reading, String> {
        let mut both = [Vec::new(), Vec::new()];
        for trace in self.traces.names() {
            let result = self.times_of(&trace, rounds)?;
            for (figures, row) in both.iter_mut().zip([ours, "system"]) {
                figures.push(rounds_ns(result, row)?.to_vec());
            }
        }
        let [ours, system] = both.map(|traces| geomeans(&traces));
        Ok(Reading::Raced { ours, peers: vec![("system".to_owned(), system)], absent: Vec::new() })
    }

    fn memory(&mut self) -> Result<Reading, String> {
        self.worse_way(|results, heap| {
            let ratios = results.iter().map(|result| {
                let row = row(result, heap)?;
                let ratio = row.memory_ratio.ok_or("the replay gave no figure")?;
                Ok(vec![ratio])
            });
            let ratios: Vec<Vec<f64>> = ratios.collect::<Result<_, String>>()?;
            Ok(geomeans(&ratios)[0])
        })
    }

    fn worst(&mut self) -> Result<Reading, String> {
        self.worse_way(|results, heap| {
            let mut worst_us = 0.0_f64;
            for result in results {
                let worst_ns = row(result, heap)?.worst_ns;
                worst_us = worst_us.max(worst_ns.ok_or("the replay gave no figure")? / 1e3);
            }
            Ok(worst_us)
        })
    }

    /// Takes a figure of both ways of running the heap, over all traces, and returns the worse one.
    fn worse_way(
        &mut self,
        figure: impl Fn(&[&TraceResult], &str) -> Result<f64, String>,
    ) -> Result<Reading, String> {
        for trace in self.traces.names() {
            self.measure_limits(&trace)?;
        }
        let results: Vec<&TraceResult> = self.limits.values().collect();
        let mut figures = Vec::new();
        for heap in HEAPS {
            figures.push(figure(&results, heap)?);
        }
        let told: Vec<String> = HEAPS
            .iter()
            .zip(&figures)
            .map(|(heap, figure)| format!("{heap} {figure:.3}"))
            .collect();
        Ok(Reading::Alone {
            figures: vec![figures.into_iter().fold(0.0, f64::max)],
            note: Some(told.join(", ")),
        })
    }

    fn times_of(&mut self, trace: &str, rounds: u32) -> Result<&TraceResult, String> {
        if !self.times.contains_key(trace) {
            let options = Options { rounds, worst_rounds: 0, memory: false, ..Options::default() };
            let rows = rows_named(&HEAPS, &PEERS);
            let result = measure_one(&self.open(trace)?, &rows, &options)?;
            self.times.insert(trace.to_owned(), result);
        }
        Ok(&self.times[trace])
    }

    fn measure_limits(&mut self, trace: &str) -> Result<(), String> {
        if !self.limits.contains_key(trace) {
            let options = Options {
                rounds: 0,
                worst_rounds: WORST_ROUNDS,
                worst_at_once: 1,
                memory: true,
                ..Options::default()
            };
            let rows = rows_named(&HEAPS, &[]);
            let result = measure_one(&self.open(trace)?, &rows, &options)?;
            self.limits.insert(trace.to_owned(), result);
        }
        Ok(())
    }

    fn open(&self, trace: &str) -> Result<Trace, String> {
        self.traces.open(trace).map_err(|error| error.to_string())
    }
}

/// Peak memory over peak live bytes of the growing heap after phases of other sizes.
fn shifted(sizes: &Shift) -> Result<Reading, String> {
    let options = Options { rounds: 0, worst_rounds: 0, memory: true, ..Options::default() };
    let trace = shift::trace(sizes);
    let result = measure_one(&trace, &rows_named(&["heap"], &[]), &options)?;
    let ratio = row(&result, "heap")?.memory_ratio;
    Ok(Reading::single(ratio.ok_or("the replay gave no figure")?))
}

/// Returns the replay's rows of these names, as far as they are there.
fn rows_named(ours_named: &[&str], peers_named: &[&str]) -> Vec<Row> {
    let ours = ours().into_iter().filter(|row| ours_named.contains(&row.name()));
    let peers = peers().into_iter().filter(|row| peers_named.contains(&row.name()));
    ours.chain(peers).collect()
}

fn measure_one(trace: &Trace, rows: &[Row], options: &Options) -> Result<TraceResult, String> {
    let measured = measure(core::slice::from_ref(trace), rows, options, &mut |_| {});
    let mut measured = measured.map_err(|error| error.to_string())?;
    let measured = measured.pop().ok_or("the replay gave no result")?;
    Ok(measured.result)
}

/// Returns a row that served the whole trace.
fn row<'r>(
    result: &'r TraceResult,
    name: &str,
) -> Result<&'r loligo_replay::results::RowResult, String> {
    let row = result.rows.iter().find(|row| row.name == name);
    let row = row.ok_or_else(|| format!("`{name}` is not among the replay's rows"))?;
    let trace = &result.name;
    if row.capped {
        return Err(format!("{name} was stopped at its time cap on {trace}"));
    }
    match row.refused {
        Some(0) | None => Ok(row),
        Some(refused) => Err(format!("{name} refused {refused} requests on {trace}")),
    }
}

fn rounds_ns<'r>(result: &'r TraceResult, name: &str) -> Result<&'r [f64], String> {
    Ok(&row(result, name)?.rounds_ns)
}

/// Returns for each round the geometric mean over the traces.
fn geomeans(traces: &[Vec<f64>]) -> Vec<f64> {
    let rounds = traces.iter().map(Vec::len).min().unwrap_or(0);
    let mean = |round: usize| {
        let logarithms: f64 = traces.iter().map(|figures| figures[round].ln()).sum();
        (logarithms / traces.len() as f64).exp()
    };
    (0..rounds).map(mean).collect()
}

#[cfg(test)]
mod tests;
