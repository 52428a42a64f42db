//! The programs of several threads, each run in a process, over all that threads share.

use std::io;

use loligo_replay::sheet::{Line, Section};

use super::{Addition, Setup};
use crate::entry::{Entry, named};
use crate::figures::{Run, decimal, median};
use crate::job::{self, Failure, Job, LONG};
use crate::rivals;
use crate::suite::{Suite, Work};

/// The most threads of a run.
const THREADS_MAX: usize = 4;

/// A suite by a number of threads: a column.
type Column = (Suite, u32);

/// The runs of one heap in one column, or how one of them failed.
type Cell = Result<Vec<Run>, Failure>;

pub(super) fn run(setup: &Setup<'_>) -> io::Result<Addition> {
    let own = setup.entries.iter().filter(|entry| entry.threads.is_some());
    let own: Vec<&str> = own.map(|entry| &*entry.name).collect();
    let clauses = setup.entries.iter().map(|_| String::new()).collect();
    if own.is_empty() {
        // Nothing of the person's would be in the tables.
        return Ok(Addition { clauses, ..Addition::default() });
    }
    let columns = columns();
    let heaps: Vec<&str> = own.iter().copied().chain(rivals::SHARED.iter().copied()).collect();
    let (rounds, work) = match setup.settings.quick {
        true => (1, setup.settings.work()),
        false => (setup.settings.rounds.div_ceil(2), setup.settings.work()),
    };
    let cells = measure(&heaps, &columns, rounds, work)?;
    let rate = "millions of operations a second, the median of the rounds: more is better";
    let peak = "peak of resident memory of the process, MiB";
    let table = |heading: &str, note: &str, figure: fn(&Run) -> f64, decimals: usize| {
        let heads = columns.iter().map(|(suite, threads)| format!("{} {threads}", suite.name()));
        let head = ["row, threads".to_owned()].into_iter().chain(heads);
        let mut table = Section::new(heading, note, head);
        for (heap, cells) in heaps.iter().zip(&cells) {
            let cell = |cell: &Cell| match cell {
                Ok(runs) => decimal(median(&runs.iter().map(figure).collect::<Vec<_>>()), decimals),
                Err(Failure::Hung) => "hung".to_owned(),
                Err(Failure::Died(_)) => "died".to_owned(),
            };
            let line = [(*heap).to_owned()].into_iter().chain(cells.iter().map(cell));
            table.lines.push(Line::new(line).marked(own.contains(heap)));
        }
        table
    };
    let mut sections = vec![
        table("Threads: speed", rate, Run::rate_millions, 1),
        table("Threads: memory", peak, |run| run.peak_kib as f64 / 1024.0, 1),
    ];
    let failures = failures(&heaps, &columns, &cells);
    let is_wrong = failures.lines.iter().any(|line| own.contains(&&*line.cells[0]));
    sections.extend(Some(failures).filter(|failures| !failures.lines.is_empty()));
    Ok(Addition { sections, clauses, is_wrong })
}

/// Returns each suite by one thread, by two, and by as many as there are processors up to four.
fn columns() -> Vec<Column> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads: Vec<u32> = match cores.min(THREADS_MAX) {
        cores if cores > 2 => vec![1, 2, cores as u32],
        _ => vec![1, 2],
    };
    let of = |suite: Suite| threads.iter().map(move |threads| (suite, *threads));
    Suite::ALL.into_iter().flat_map(of).collect()
}

/// Measures in rounds, in each of which every heap runs each column once, the first heap changing.
fn measure(
    heaps: &[&str],
    columns: &[Column],
    rounds: u32,
    work: Work,
) -> io::Result<Vec<Vec<Cell>>> {
    let mut cells: Vec<Vec<Cell>> = vec![vec![Ok(Vec::new()); columns.len()]; heaps.len()];
    for round in 0..rounds as usize {
        for (column, &(suite, threads)) in columns.iter().enumerate() {
            for turn in 0..heaps.len() {
                let heap = (turn + round) % heaps.len();
                let cell = &mut cells[heap][column];
                if let Ok(runs) = cell {
                    let row = heaps[heap].to_owned();
                    match job::ask(&Job::Threads { row, suite, threads, work }, LONG)? {
                        Ok(run) => runs.push(run),
                        Err(failure) => *cell = Err(failure),
                    }
                }
            }
        }
    }
    Ok(cells)
}

fn failures(heaps: &[&str], columns: &[Column], cells: &[Vec<Cell>]) -> Section {
    let mut section = Section::new("Threads: what failed", "", ["row", "suite", "found"]);
    for (heap, cells) in heaps.iter().zip(cells) {
        for ((suite, threads), cell) in columns.iter().zip(cells) {
            if let Err(failure) = cell {
                let suite = format!("{}, {threads} threads", suite.name());
                let line = [(*heap).to_owned(), suite, format!("the process {failure}")];
                section.lines.push(Line::new(line));
            }
        }
    }
    section
}

/// Runs a suite in this process and answers its figures.
///
/// # Panics
///
/// If the row is for one thread; a job names only those that threads share.
pub(super) fn work(entries: &[Entry], row: &str, suite: Suite, threads: u32, work: Work) {
    let timing = rivals::run(row, suite, threads, work).unwrap_or_else(|| {
        let entry = named(entries, row);
        let run = entry.threads.as_ref().unwrap_or_else(|| panic!("`{row}` is for one thread"));
        run(suite, threads, work)
    });
    job::answer(&Run::of_process(timing));
}
