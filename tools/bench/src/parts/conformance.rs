//! The checks of the contract, each in a process, so that a crash is the finding of one check.

use std::io;

use loligo_replay::sheet::{Line, Section};
use loligo_tests::conformance::allocator_checks;

use super::{Addition, Setup};
use crate::entry::{Entry, named};
use crate::job::{self, Job, LONG};

/// The check that only those have which report leaks.
const LEAK: &str = "leak";

pub(super) fn run(setup: &Setup<'_>) -> io::Result<Addition> {
    let names = setup.entries.iter().map(|entry| entry.name.clone());
    let head: Vec<String> = ["check".to_owned()].into_iter().chain(names).collect();
    let note = "each on a fresh allocator, the contents of all blocks compared throughout";
    let mut table = Section::new("Conformance", note, head);
    let mut failures = Section::new("What failed", "", ["allocator", "check", "found"]);
    let mut passed = vec![(0, 0); setup.entries.len()];
    for check in allocator_checks().chain([LEAK]) {
        let mut cells = vec![check.to_owned()];
        for (entry, (passed, checks)) in setup.entries.iter().zip(&mut passed) {
            if check == LEAK && !(entry.has_leaks && entry.limits.reports_leaks) {
                cells.push("-".to_owned());
                continue;
            }
            let job = Job::Check { row: entry.name.clone(), check: check.to_owned() };
            let found = match job::ask::<Option<String>>(&job, LONG)? {
                Ok(found) => found,
                Err(failure) => Some(format!("the process {failure}")),
            };
            *checks += 1;
            *passed += u32::from(found.is_none());
            cells.push(if found.is_none() { "passed" } else { "FAILED" }.to_owned());
            if let Some(found) = found {
                let found = found.lines().next().unwrap_or_default();
                failures.lines.push(Line::new([&*entry.name, check, found]));
            }
        }
        if cells.iter().skip(1).any(|cell| cell != "-") {
            table.lines.push(Line::new(cells));
        }
    }
    let is_wrong = !failures.lines.is_empty();
    let clauses = passed.iter().map(|(passed, of)| format!("{passed} of {of} checks passed"));
    let clauses = clauses.collect();
    let mut sections = vec![table];
    sections.extend(Some(failures).filter(|_| is_wrong));
    Ok(Addition { sections, clauses, is_wrong })
}

/// Runs one check in this process and answers what it found.
pub(super) fn work(entries: &[Entry], row: &str, check: &str) {
    let entry = named(entries, row);
    let outcomes = (entry.checks)(&entry.limits, &|name| name == check);
    let broken: Vec<String> = outcomes
        .into_iter()
        .filter_map(|outcome| outcome.result.err().map(|broken| broken.to_string()))
        .collect();
    job::answer(&(!broken.is_empty()).then(|| broken.join("; ")));
}
