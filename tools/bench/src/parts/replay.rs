//! Recordings over the person's allocators and all rivals, contents compared first: an allocator
//! that lost a block is not timed.

use std::io;

use loligo_replay::bundled::bundled;
use loligo_replay::measure::{Measured, Options, measure};
use loligo_replay::results::{Kind, RowResult, TraceResult};
use loligo_replay::rows::Row;
use loligo_replay::sheet::{Line, Section};

use super::{Addition, Setup, all_names, row_named};
use crate::entry::Entry;
use crate::figures::decimal;
use crate::job::{self, Job, LONG};
use crate::progress::say;
use crate::rivals::{self, BASELINE};
use crate::settings::Settings;
use crate::source::Source;

/// The bundled recordings of a quick run.
const QUICK: [&str; 2] = ["git-log", "sqlite"];

/// Returns the recordings that the command line names; files are read once, so that a damaged one
/// is refused before the work starts.
///
/// # Errors
///
/// In words, what is wrong with one.
pub(crate) fn traces(settings: &Settings) -> Result<Vec<Source>, String> {
    if !settings.traces.is_empty() {
        let files: Vec<Source> = settings.traces.iter().cloned().map(Source::File).collect();
        for file in &files {
            file.open()?;
        }
        return Ok(files);
    }
    Ok(match settings.quick {
        true => QUICK.map(|name| Source::Beginning(name.to_owned())).to_vec(),
        false => bundled().iter().map(|one| Source::Bundled(one.name.to_owned())).collect(),
    })
}

pub(super) fn run(setup: &Setup<'_>) -> io::Result<Addition> {
    let mut faults = Section::new("Contents", "", ["allocator", "recording", "found"]);
    let mut results = Vec::new();
    for (index, trace) in setup.traces.iter().enumerate() {
        say(&format!("  recording {} of {}", index + 1, setup.traces.len()));
        let mut rows = Vec::new();
        for entry in setup.entries {
            let row = entry.name.clone();
            let job = Job::Verify { row: row.clone(), trace: trace.clone() };
            let lost = match job::ask::<Vec<String>>(&job, LONG)? {
                Ok(lost) => lost,
                Err(failure) => vec![format!("the process {failure}")],
            };
            if lost.is_empty() {
                rows.push(row.clone());
            }
            for lost in lost {
                faults.lines.push(Line::new([row.clone(), label(trace), lost]));
            }
        }
        let job = Job::Replay { rows, trace: trace.clone(), rounds: setup.settings.rounds };
        match job::ask::<TraceResult>(&job, LONG)? {
            Ok(result) => results.push(result),
            Err(failure) => {
                let line = ["all rows".to_owned(), label(trace), format!("the process {failure}")];
                faults.lines.push(Line::new(line));
            }
        }
    }
    let is_wrong = !faults.lines.is_empty();
    let clauses = setup.entries.iter().map(|entry| clause(&entry.name, &results)).collect();
    let mut sections = tables(setup.entries, &results);
    sections.extend(Some(faults).filter(|_| is_wrong));
    Ok(Addition { sections, clauses, is_wrong })
}

/// Returns the name of a recording for a reader.
fn label(trace: &Source) -> String {
    match trace {
        Source::Bundled(name) | Source::Beginning(name) => name.clone(),
        Source::File(path) => path.display().to_string(),
    }
}

/// A table: its heading, its note, and what is in the cell of a row.
type Figure = (&'static str, &'static str, fn(&RowResult) -> String);

fn tables(entries: &[Entry], results: &[TraceResult]) -> Vec<Section> {
    let names = results.iter().map(|result| result.name.clone());
    let head: Vec<String> = ["row".to_owned()].into_iter().chain(names).collect();
    let time = "CPU time of an event, ns, the median of the rounds. A row that refused requests or \
        was stopped at its time limit is marked !";
    let memory = "peak of resident bytes divided by the peak of live bytes, in a process that \
        touches every page";
    let worst = "the longest operation, ns: the least of the rounds for each, then the most";
    let figures: [Figure; 3] = [
        ("Replay: time", time, |row| decimal(row.ns_per_event.map(|ns| ns.median), 2) + mark(row)),
        ("Replay: memory", memory, |row| decimal(row.memory_ratio, 3)),
        ("Replay: worst call", worst, |row| decimal(row.worst_ns, 0)),
    ];
    let table = |(heading, note, figure): Figure| {
        let mut table = Section::new(heading, note, head.clone());
        for (name, is_own) in all_names(entries) {
            let cell = |result: &TraceResult| {
                let row = result.rows.iter().find(|row| row.name == name);
                row.map_or_else(|| "-".to_owned(), figure)
            };
            let line = [name.clone()].into_iter().chain(results.iter().map(cell));
            table.lines.push(Line::new(line).marked(is_own));
        }
        table
    };
    figures.map(table).to_vec()
}

fn mark(row: &RowResult) -> &'static str {
    if is_whole(row) { "" } else { " !" }
}

/// Returns `true` if the row served the whole recording.
fn is_whole(row: &RowResult) -> bool {
    !row.capped && row.refused.is_none_or(|refused| refused == 0)
}

/// Returns how an allocator compares, in a clause.
fn clause(name: &str, results: &[TraceResult]) -> String {
    let mut ratios = Vec::new();
    let (mut quickest, mut worst_ns) = (0, 0.0_f64);
    for result in results {
        let whole = |row: &&RowResult| is_whole(row) && row.kind != Kind::Loop;
        let time = |row: &RowResult| row.ns_per_event.map_or(f64::INFINITY, |ns| ns.median);
        let named = |name: &str| result.rows.iter().filter(whole).find(|row| row.name == name);
        if let (Some(own), Some(heap)) = (named(name), named(BASELINE)) {
            ratios.push(time(own) / time(heap));
            worst_ns = worst_ns.max(own.worst_ns.unwrap_or(0.0));
        }
        let best = result.rows.iter().filter(whole).min_by(|a, b| time(a).total_cmp(&time(b)));
        quickest += u32::from(best.is_some_and(|row| row.name == name));
    }
    if ratios.is_empty() {
        return "served no recording whole".to_owned();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    format!(
        "{mean:.2} of the time of `{BASELINE}` over {} recordings, the quickest on {quickest}; worst \
         call {worst_ns:.0} ns",
        ratios.len()
    )
}

/// Replays with contents compared, in this process, and answers what was lost.
///
/// # Panics
///
/// If the recording cannot be read, or the system refuses what the replayer needs.
pub(super) fn verify(entries: &[Entry], row: &str, trace: &Source) {
    let options = Options { worst_rounds: 0, memory: false, verify: true, ..quick_options(1) };
    let measured = measure_rows(&[row_named(entries, row)], trace, &options);
    let found = measured.verified.iter().flatten();
    let lost: Vec<String> =
        found.flat_map(|found| &found.losses).map(ToString::to_string).collect();
    job::answer(&lost);
}

/// Replays over all rows in this process and answers the figures.
///
/// # Panics
///
/// As [`verify`].
pub(super) fn work(entries: &[Entry], own: &[String], trace: &Source, rounds: u32) {
    let own = own.iter().map(|name| row_named(entries, name));
    let rows: Vec<Row> = [Row::null()].into_iter().chain(own).chain(rivals::rows()).collect();
    job::answer(&measure_rows(&rows, trace, &quick_options(rounds)).result);
}

fn quick_options(rounds: u32) -> Options {
    Options { rounds, worst_rounds: rounds, ..Options::default() }
}

fn measure_rows(rows: &[Row], trace: &Source, options: &Options) -> Measured {
    let trace = trace.open().unwrap_or_else(|error| panic!("{error}"));
    let measured = measure(&[trace], rows, options, &mut |_| {});
    let mut measured = measured.unwrap_or_else(|error| panic!("{error}"));
    measured.pop().expect("one recording has one result")
}
