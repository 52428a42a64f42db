//! Heaps in turns, each run in a new process, and the table of their medians.

use core::fmt::Write as _;
use std::env;
use std::process::Command;

use crate::outcome::{median, quartile_distance};
use crate::suites::Suite;
use crate::suites::figures::Figures;
use crate::suites::peers::Peer;

/// What is compared.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) suites: Vec<Suite>,
    pub(crate) heaps: Vec<Peer>,
    pub(crate) threads: Vec<u32>,
    pub(crate) rounds: u32,
    pub(crate) times: u32,
}

/// The columns of each heap; a pair of ratios for each of ours follows.
const HEADS: [&str; 7] =
    ["suite", "threads", "heap", "median s", "spread", "M operations/s", "peak MiB"];

impl Comparison {
    /// Returns the first two lines of the table, in Markdown.
    pub(crate) fn head(&self) -> String {
        let mut heads = HEADS.map(str::to_owned).to_vec();
        for ours in self.ours() {
            let name = self.heaps[ours].name;
            heads.extend([format!("{name}/heap, time"), format!("{name}/heap, peak")]);
        }
        let rule = "|---".repeat(heads.len());
        format!("{}\n{rule}|", line(&heads))
    }

    /// Measures everything and passes on each row as soon as it is known.
    ///
    /// # Errors
    ///
    /// The first run that failed, with what its process printed.
    pub(crate) fn measure(&self, row: &mut dyn FnMut(&str)) -> Result<(), String> {
        for &suite in &self.suites {
            for &threads in &self.threads {
                let rounds = self.interleave(|heap| run_child(suite, heap, threads, self.times))?;
                for rows in self.rows(suite, threads, &rounds) {
                    row(&rows);
                }
            }
        }
        Ok(())
    }

    /// Runs each heap once a round. The order is rotated by one place a round, so no heap always
    /// runs after the same neighbour.
    fn interleave(
        &self,
        run: impl Fn(&Peer) -> Result<Figures, String>,
    ) -> Result<Vec<Vec<Figures>>, String> {
        let count = self.heaps.len();
        let mut figures = vec![Vec::with_capacity(self.rounds as usize); count];
        for round in 0..self.rounds as usize {
            for turn in 0..count {
                let index = (turn + round) % count;
                figures[index].push(run(&self.heaps[index])?);
            }
        }
        Ok(figures)
    }

    /// Returns the rows of a suite with a number of threads.
    fn rows(&self, suite: Suite, threads: u32, rounds: &[Vec<Figures>]) -> Vec<String> {
        let of = |heap: usize, figure: fn(&Figures) -> f64| -> Vec<f64> {
            rounds[heap].iter().map(figure).collect()
        };
        let middle = |heap, figure| median(&of(heap, figure)).unwrap_or(f64::NAN);
        let seconds: fn(&Figures) -> f64 = |figures| figures.seconds;
        let peak_kib: fn(&Figures) -> f64 = |figures| figures.peak_kib as f64;
        let row = |heap: usize| {
            let median_s = middle(heap, seconds);
            let spread = quartile_distance(&of(heap, seconds)).unwrap_or(f64::NAN) / median_s;
            let mut cells = vec![
                suite.name().to_owned(),
                threads.to_string(),
                self.heaps[heap].name.to_owned(),
                format!("{median_s:.3}"),
                format!("{:.0} %", 100.0 * spread),
                format!("{:.2}", middle(heap, Figures::rate_millions)),
                format!("{:.1}", middle(heap, peak_kib) / 1024.0),
            ];
            for ours in self.ours() {
                let ratio = |figure| middle(ours, figure) / middle(heap, figure);
                cells.push(format!("{:.2}", ratio(seconds)));
                cells.push(format!("{:.2}", ratio(peak_kib)));
            }
            line(&cells)
        };
        (0..self.heaps.len()).map(row).collect()
    }

    /// Returns the places of our heaps.
    fn ours(&self) -> impl Iterator<Item = usize> + '_ {
        let places = self.heaps.iter().enumerate();
        places.filter(|(_, heap)| heap.is_ours).map(|(place, _)| place)
    }
}

/// Runs a suite over a heap in a new process.
///
/// # Errors
///
/// A sentence with the command and what it printed, if it fails.
pub(super) fn run_child(
    suite: Suite,
    heap: &Peer,
    threads: u32,
    times: u32,
) -> Result<Figures, String> {
    let program = env::current_exe().map_err(|error| format!("cannot find itself: {error}"))?;
    let mut child = Command::new(program);
    child.args(["run", suite.name(), heap.name]);
    child.args(["--threads", &threads.to_string(), "--times", &times.to_string()]);
    let output = child.output().map_err(|error| format!("cannot run {child:?}: {error}"))?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{child:?} ended with {}:\n{printed}", output.status));
    }
    String::from_utf8_lossy(&output.stdout).parse()
}

/// Returns a line of a table in Markdown.
pub(super) fn line(cells: &[String]) -> String {
    let mut line = String::from("|");
    for cell in cells {
        // Writing to a string does not fail.
        let _ = write!(line, " {cell} |");
    }
    line
}

#[cfg(test)]
mod tests;
