//! Wrong frees and stray writes, each in a process, and what became of them.

use std::io;

use loligo_replay::sheet::{Line, Section};
use loligo_tests::misuse::{Verdict, Wrong, commit_on, verdict_of_peer};

use super::{Addition, Setup, row_named};
use crate::entry::{Entry, REGION_BYTES};
use crate::job::{self, Job, SHORT};

/// The rivals that are misused as well.
const RIVALS: [&str; 2] = ["heap", "system"];

const NOTE: &str = "detected: ended with a message; stopped: the system ended it at the write; \
    survived: went on as if nothing were wrong; crashed: ended without a message";

pub(super) fn run(setup: &Setup<'_>) -> io::Result<Addition> {
    let own = setup.entries.iter().map(|entry| (&*entry.name, entry.has_leaks));
    let rows: Vec<(&str, bool)> = own.chain(RIVALS.map(|name| (name, false))).collect();
    let head = ["misuse"].into_iter().chain(rows.iter().map(|(name, _)| *name));
    let mut table = Section::new("Misuse", NOTE, head);
    let mut detected = vec![(0, 0); rows.len()];
    for wrong in Wrong::ALL {
        let mut cells = vec![wrong.heading().to_owned()];
        for ((name, has_leaks), (detected, frees)) in rows.iter().zip(&mut detected) {
            let verdict = if wrong == Wrong::Leak && !has_leaks {
                Verdict::NotApplicable
            } else {
                let job = Job::Misuse { row: (*name).to_owned(), wrong: format!("{wrong:?}") };
                verdict_of_peer(&job::run(&job, SHORT)?)
            };
            if wrong.is_free() {
                *frees += 1;
                *detected += u32::from(verdict == Verdict::Detected);
            }
            cells.push(verdict.to_string());
        }
        table.lines.push(Line::new(cells));
    }
    let clause =
        |(detected, frees): &(u32, u32)| format!("{detected} of {frees} wrong frees detected");
    let clauses = detected.iter().map(clause).collect();
    Ok(Addition { sections: vec![table], clauses, is_wrong: false })
}

/// Does the wrong thing in this process, which may not survive it.
///
/// # Panics
///
/// If there is no such misuse; a job names only those that there are.
pub(super) fn work(entries: &[Entry], row: &str, wrong: &str) {
    let wrong = Wrong::by_name(wrong).unwrap_or_else(|| panic!("no such misuse: {wrong}"));
    match entries.iter().find(|entry| entry.name == row) {
        Some(entry) => (entry.misuse)(wrong),
        None => {
            let driven = row_named(entries, row).drive(REGION_BYTES, &mut |subject| {
                commit_on(wrong, row, subject);
            });
            driven.expect("the system has a region");
        }
    }
}
