//! The parts of a comparison: each has what it does in a child, and the tables of all answers.

mod conformance;
mod fill;
mod misuse;
mod replay;
mod threads;

use std::io;

use loligo_replay::results::Kind;
use loligo_replay::rows::{self, Row};
use loligo_replay::sheet::Section;

use crate::entry::Entry;
use crate::job::Job;
use crate::progress::say;
use crate::rivals;
use crate::settings::{Part, Settings};
use crate::source::Source;

pub(crate) use replay::traces;

/// What was found so far.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) sections: Vec<Section>,
    /// A name and a sentence each.
    pub(crate) findings: Vec<(String, String)>,
    /// Whether an allocator of the person did something wrong.
    pub(crate) is_wrong: bool,
}

/// What is known when a part begins.
pub(crate) struct Setup<'a> {
    pub(crate) entries: &'a [Entry],
    pub(crate) settings: &'a Settings,
    pub(crate) traces: &'a [Source],
}

/// What one part adds: its tables, and for each allocator of the person a clause.
#[derive(Default)]
pub(crate) struct Addition {
    pub(crate) sections: Vec<Section>,
    pub(crate) clauses: Vec<String>,
    pub(crate) is_wrong: bool,
}

/// The work of a part.
type Work = fn(&Setup<'_>) -> io::Result<Addition>;

const PARTS: [(Part, &str, Work); 5] = [
    (Part::Conformance, "conformance: each check in a process", conformance::run),
    (Part::Misuse, "misuse: each wrong use in a process", misuse::run),
    (Part::Fill, "fill: a budget filled and refilled, over all rows", fill::run),
    (Part::Replay, "replay: recordings over all rows, contents compared first", replay::run),
    (Part::Threads, "threads: suites over all rows that threads share", threads::run),
];

/// Runs all parts that are wanted.
///
/// # Errors
///
/// In words, if the system starts no process.
pub(crate) fn all(
    entries: &[Entry],
    settings: &Settings,
    traces: &[Source],
) -> Result<Found, String> {
    let setup = Setup { entries, settings, traces };
    let mut found = Found::default();
    let mut clauses: Vec<Vec<String>> = entries.iter().map(|_| Vec::new()).collect();
    for (part, what, work) in PARTS {
        if !settings.wants(part) {
            continue;
        }
        say(what);
        let addition = work(&setup).map_err(|error| format!("cannot start a process: {error}"))?;
        found.sections.extend(addition.sections);
        found.is_wrong |= addition.is_wrong;
        for (clauses, clause) in clauses.iter_mut().zip(addition.clauses) {
            clauses.extend(Some(clause).filter(|clause| !clause.is_empty()));
        }
    }
    for (entry, clauses) in entries.iter().zip(clauses) {
        found.findings.push((entry.name.clone(), format!("{}.", clauses.join("; "))));
    }
    Ok(found)
}

/// Does the job of a child.
pub(crate) fn work(entries: &[Entry], job: &Job) {
    match job {
        Job::Check { row, check } => conformance::work(entries, row, check),
        Job::Misuse { row, wrong } => misuse::work(entries, row, wrong),
        Job::Fill { row, budget_bytes } => fill::work(entries, row, *budget_bytes),
        Job::Verify { row, trace } => replay::verify(entries, row, trace),
        Job::Replay { rows, trace, rounds } => replay::work(entries, rows, trace, *rounds),
        Job::Threads { row, suite, threads, work } => {
            threads::work(entries, row, *suite, *threads, *work);
        }
    }
}

/// Returns the names that no allocator of the person can have.
pub(crate) fn rival_names() -> Vec<String> {
    let peers = rows::PEER_NAMES.iter().map(|name| (*name).to_owned());
    let ours = rivals::rows().into_iter().filter(|row| row.kind() != Kind::Peer);
    peers.chain(ours.map(|row| row.name().to_owned())).chain(["null".to_owned()]).collect()
}

/// Returns the row of this name, the person's or a rival's.
///
/// # Panics
///
/// If there is none; a job names only those that there are.
fn row_named(entries: &[Entry], name: &str) -> Row {
    if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
        return (entry.row)();
    }
    let rival = rivals::rows().into_iter().find(|row| row.name() == name);
    rival.unwrap_or_else(|| panic!("no row `{name}`"))
}

/// Returns the names of all rows for one thread, the person's first, and whether it is one.
fn all_names(entries: &[Entry]) -> Vec<(String, bool)> {
    let own = entries.iter().map(|entry| (entry.name.clone(), true));
    own.chain(rivals::rows().into_iter().map(|row| (row.name().to_owned(), false))).collect()
}
