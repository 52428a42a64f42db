//! A line of the file: a step, the hash of what it depends on, what it counted, its seconds, the
//! commit.

use std::collections::BTreeMap;

use crate::mutants::table;
use crate::outcome::Failure;

const HEADING: &str = "step\thash\tcounts\tseconds\tcommit";

/// What is kept of a step that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Of all that the step depends on.
    pub(super) hash: u64,
    /// What it counted, as it is written.
    pub(super) counts: String,
    /// How long it took.
    pub(super) seconds: u64,
    /// What was checked out.
    pub(super) commit: String,
}

impl Line {
    /// Returns the line as a sentence.
    pub(super) fn shown(&self) -> String {
        format!("unchanged since {}: {}, {} s", self.commit, self.counts, self.seconds)
    }
}

/// Reads the lines of a text by their steps.
///
/// # Errors
///
/// [`Failure::Found`] with the first line that cannot be read.
pub(super) fn read(file: &str, text: &str) -> Result<BTreeMap<String, Line>, Failure> {
    let what = "a step, a hash, counts, seconds and a commit";
    let rows = table::rows(file, HEADING, what, text, |line| {
        let [step, hash, counts, seconds, commit] = line.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let hash = u64::from_str_radix(hash, 16).ok()?;
        let (counts, commit) = (counts.to_owned(), commit.to_owned());
        Some((step.to_owned(), Line { hash, counts, seconds: seconds.parse().ok()?, commit }))
    })?;
    Ok(rows.into_iter().collect())
}

/// Returns the text of the lines.
pub(super) fn text(lines: &BTreeMap<String, Line>) -> String {
    let mut text = format!("{HEADING}\n");
    for (step, line) in lines {
        let Line { hash, counts, seconds, commit } = line;
        text += &format!("{step}\t{hash:016x}\t{counts}\t{seconds}\t{commit}\n");
    }
    text
}
