//! Survivors that were looked at one by one, each with the reason why no test can detect it.

use std::collections::BTreeMap;
use std::path::Path;

use super::site::Mutant;
use super::table;
use super::verdicts::Key;
use crate::outcome::Failure;

/// The path of the table, from the root.
pub(crate) const FILE: &str = "tests/mutants-explained.tsv";

const HEADING: &str = "file\tfunction\tmutation\thash\treason";

/// The shortest reason that is one.
const REASON_MIN: usize = 20;

/// The explanations. One lapses when its function changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Explained {
    reasons: BTreeMap<Key, String>,
}

impl Explained {
    /// Reads the file; if it does not exist, nothing is explained.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn load(root: &Path) -> Result<Self, Failure> {
        table::load(root, FILE, Self::parse)
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let what = "a file, function, mutation, hash and a reason in a sentence";
        let read = |line: &str| match line.split('\t').collect::<Vec<_>>().as_slice() {
            [file, _, mutation, hash, reason] if reason.len() >= REASON_MIN => {
                Key::read(file, hash, mutation).map(|key| (key, (*reason).to_owned()))
            }
            _ => None,
        };
        let rows = table::rows(FILE, HEADING, what, text, read)?;
        Ok(Self { reasons: rows.into_iter().collect() })
    }

    pub(crate) fn reason(&self, mutant: &Mutant) -> Option<&str> {
        self.reasons.get(&Key::of(mutant)).map(String::as_str)
    }

    pub(crate) fn has(&self, mutant: &Mutant) -> bool {
        self.reason(mutant).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.reasons.len()
    }
}
