//! Survivors that were looked at one by one, each with the reason why no test can tell it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::site::Mutant;
use super::verdicts::Key;
use crate::outcome::Failure;

/// Where they lie, from the root.
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
    /// Reads the file; where there is none, nothing is explained.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn load(root: &Path) -> Result<Self, Failure> {
        match fs::read_to_string(root.join(FILE)) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::io(&format!("cannot read {FILE}"), &error)),
        }
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let mut explained = Self::default();
        for (index, line) in text.lines().enumerate() {
            if index == 0 && line == HEADING {
                continue;
            }
            let parts: Vec<&str> = line.split('\t').collect();
            let row = match parts.as_slice() {
                [file, _, mutation, hash, reason] if reason.len() >= REASON_MIN => {
                    Key::read(file, hash, mutation).map(|key| (key, (*reason).to_owned()))
                }
                _ => None,
            };
            let (key, reason) = row.ok_or_else(|| {
                let what = "is not a file, function, mutation, hash and a reason in a sentence";
                Failure::Found(format!("{FILE}:{}: `{line}` {what}", index + 1))
            })?;
            explained.reasons.insert(key, reason);
        }
        Ok(explained)
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
