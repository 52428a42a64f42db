//! All suites over our heap for threads and all peers: a row for each suite and number of threads,
//! in one table with the best peer and in another with all.
//!
//! All runs are done once a round, and there are as many rounds as fit into the time, so the bound
//! costs rounds and never a row. The heap under one lock is not among them: `suites compare` has it.

use core::time::Duration;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::outcome::median;
use crate::record::{self, Facts};
use crate::scoreboard::check_place;
use crate::suites::Suite;
use crate::suites::comparison::{line, run_child};
use crate::suites::figures::Figures;
use crate::suites::peers::{PEERS, Peer, warn_of_absent_heaps};

/// The command that a record names.
const COMMAND: &str = "cargo xtask suites";

/// Our heap that is compared.
const OURS: &str = "threads";

/// The peer whose peak memory is in the table.
const MEMORY_PEER: &str = "glibc";

/// What is measured, from the command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct Summary {
    /// Suites; all without any
    #[arg(value_name = "SUITE")]
    suites: Vec<Suite>,
    /// Numbers of threads, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2,4,8")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    threads: Vec<u32>,
    /// Rounds at most, in each of which every heap runs each suite once; the median counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// No round begins that would not end within this time; there is always one
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1000))]
    minutes: u64,
    /// Writes a dated record into DIR: machine, flags, commit, command and the table
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
}

/// The figures of a suite with a number of threads.
#[derive(Debug)]
struct Cell {
    suite: Suite,
    threads: u32,
    /// For each heap, a figure a round.
    figures: Vec<Vec<Figures>>,
}

/// The columns.
const HEADS: [&str; 9] = [
    "suite",
    "threads",
    "ours, s",
    "best peer",
    "its s",
    "time, ours/best",
    "peak MiB, ours",
    "peak MiB, glibc",
    "peak, ours/glibc",
];

impl Summary {
    /// Measures, prints the table and writes the record.
    ///
    /// # Errors
    ///
    /// The first run that failed, or a record that cannot be written.
    pub(crate) fn run(
        &self,
        arguments: &[String],
        print: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        if let Some(folder) = &self.record {
            check_place(folder)?;
        }
        warn_of_absent_heaps();
        let heaps: Vec<_> =
            PEERS.iter().filter(|heap| !heap.is_ours || heap.name == OURS).copied().collect();
        let mut cells = self.cells(heaps.len());
        let limit = Duration::from_secs(60 * self.minutes);
        let done = rounds(self.rounds, limit, &mut |round| {
            eprintln!("round {} of at most {}", round + 1, self.rounds);
            measure(&mut cells, &heaps, round, &|cell, heap| {
                run_child(cell.suite, heap, cell.threads, 1)
            })
        })?;
        let table = format!("{}\n\n{}", table(&cells, &heaps), each_heap(&cells, &heaps));
        print(&table);
        let rounds = format!("{done}, heaps in turns, each run in a new process; medians");
        // The first argument is the name of this subcommand.
        let facts = Facts::collect(COMMAND, arguments.get(1..).unwrap_or_default(), rounds);
        if let Some(folder) = &self.record {
            let failed = |error| format!("cannot write into {}: {error}", folder.display());
            let text = record::write_text(folder, "-suites", &facts, &format!("{table}\n"));
            print(&format!("record: {}", text.map_err(failed)?.display()));
        }
        Ok(())
    }

    /// Returns a cell without figures for each suite and number of threads.
    fn cells(&self, heaps: usize) -> Vec<Cell> {
        let suites = if self.suites.is_empty() { &Suite::ALL[..] } else { &self.suites };
        let cell = |suite, threads| Cell { suite, threads, figures: vec![Vec::new(); heaps] };
        let of = |suite| self.threads.iter().map(move |threads| cell(suite, *threads));
        suites.iter().flat_map(|suite| of(*suite)).collect()
    }
}

/// Does rounds until there are `most` or the next would, if it took as long as the last, end after
/// `limit`; returns how many.
fn rounds(
    most: u32,
    limit: Duration,
    round: &mut dyn FnMut(usize) -> Result<(), String>,
) -> Result<u32, String> {
    let begin = Instant::now();
    for done in 0..most {
        let round_begin = Instant::now();
        round(done as usize)?;
        if begin.elapsed() + round_begin.elapsed() > limit {
            return Ok(done + 1);
        }
    }
    Ok(most)
}

/// Runs each heap once for each cell. The order of the heaps is rotated by one place a round.
fn measure(
    cells: &mut [Cell],
    heaps: &[Peer],
    round: usize,
    run: &dyn Fn(&Cell, &Peer) -> Result<Figures, String>,
) -> Result<(), String> {
    for cell in cells {
        for turn in 0..heaps.len() {
            let heap = (turn + round) % heaps.len();
            let figures = run(cell, &heaps[heap])?;
            cell.figures[heap].push(figures);
        }
    }
    Ok(())
}

fn table(cells: &[Cell], heaps: &[Peer]) -> String {
    let mut lines =
        vec![line(&HEADS.map(str::to_owned)), format!("{}|", "|---".repeat(HEADS.len()))];
    lines.extend(cells.iter().map(|cell| row(cell, heaps)));
    lines.join("\n")
}

/// The times and peaks of all heaps.
fn each_heap(cells: &[Cell], heaps: &[Peer]) -> String {
    let mut head = vec!["suite".to_owned(), "threads".to_owned()];
    head.extend(heaps.iter().map(|heap| format!("{}: s, MiB", heap.name)));
    let mut lines = vec![line(&head), format!("{}|", "|---".repeat(head.len()))];
    for cell in cells {
        let mut row = vec![cell.suite.name().to_owned(), cell.threads.to_string()];
        let figures = |heap| format!("{:.3}, {:.1}", cell.seconds(heap), cell.peak_mib(heap));
        row.extend((0..heaps.len()).map(figures));
        lines.push(line(&row));
    }
    lines.join("\n")
}

impl Cell {
    fn middle(&self, heap: usize, figure: fn(&Figures) -> f64) -> f64 {
        let figures: Vec<_> = self.figures[heap].iter().map(figure).collect();
        median(&figures).unwrap_or(f64::NAN)
    }

    fn seconds(&self, heap: usize) -> f64 {
        self.middle(heap, |figures| figures.seconds)
    }

    fn peak_mib(&self, heap: usize) -> f64 {
        self.middle(heap, |figures| figures.peak_kib as f64 / 1024.0)
    }
}

fn row(cell: &Cell, heaps: &[Peer]) -> String {
    let seconds = |heap| cell.seconds(heap);
    let peak_mib = |heap| cell.peak_mib(heap);
    let place = |name| heaps.iter().position(|heap| heap.name == name);
    let ours = place(OURS).expect("our heap is always measured");
    let glibc = place(MEMORY_PEER).expect("the C library's heap is always measured");
    let peers = (0..heaps.len()).filter(|heap| !heaps[*heap].is_ours);
    let best = peers
        .min_by(|one, other| seconds(*one).total_cmp(&seconds(*other)))
        .expect("there are peers");
    line(&[
        cell.suite.name().to_owned(),
        cell.threads.to_string(),
        format!("{:.3}", seconds(ours)),
        heaps[best].name.to_owned(),
        format!("{:.3}", seconds(best)),
        format!("{:.2}", seconds(ours) / seconds(best)),
        format!("{:.1}", peak_mib(ours)),
        format!("{:.1}", peak_mib(glibc)),
        format!("{:.2}", peak_mib(ours) / peak_mib(glibc)),
    ])
}

#[cfg(test)]
mod tests;
