//! What became of each mutant, kept in the build folder so that several sittings add up; what the
//! tree keeps is [`super::record`].

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::path::Path;

use super::site::Mutant;
use super::table;
use crate::outcome::Failure;

/// Where the verdicts are, in the folder of the copy.
pub(crate) const FILE: &str = "verdicts.tsv";

const HEADING: &str = "file\tline\tmutation\tverdict\thash";

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// A test failed.
    Caught,
    /// A test did not end, which is as good.
    Timeout,
    /// Every test that reaches it passed, within the budget of time.
    Missed,
    /// No test reaches it.
    Unreached,
    /// It is not a program: it does not compile.
    Unviable,
}

impl Verdict {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Caught, "caught"),
        (Self::Timeout, "timeout"),
        (Self::Missed, "missed"),
        (Self::Unreached, "unreached"),
        (Self::Unviable, "unviable"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(verdict, _)| *verdict)
    }

    /// Whether the mutant lives on.
    pub(crate) fn survives(self) -> bool {
        matches!(self, Self::Missed | Self::Unreached)
    }
}

/// Identifies a mutant: its file, the hash of its function, its mutation. A function that changes
/// has new mutants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    file: String,
    hash: u32,
    mutation: String,
}

impl Key {
    pub(crate) fn of(mutant: &Mutant) -> Self {
        Self { file: mutant.file.clone(), hash: mutant.hash, mutation: mutant.mutation.clone() }
    }

    /// Makes a key of its parts as they are written.
    pub(crate) fn read(file: &str, hash: &str, mutation: &str) -> Option<Self> {
        let hash = u32::from_str_radix(hash, 16).ok()?;
        Some(Self { file: file.to_owned(), hash, mutation: mutation.to_owned() })
    }

    /// Returns its parts as they are written.
    pub(crate) fn shown(&self) -> String {
        format!("{}\t{:08x}\t{}", self.file, self.hash, self.mutation)
    }
}

/// The verdicts by mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdicts {
    rows: BTreeMap<Key, Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    line: usize,
    verdict: Verdict,
}

impl Verdicts {
    /// Reads the file; if it does not exist, there are no verdicts.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn load(home: &Path) -> Result<Self, Failure> {
        table::load(home, FILE, Self::parse)
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it is damaged.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let what = "a file, line, mutation, verdict and hash";
        let rows = table::rows(FILE, HEADING, what, text, read_row)?;
        Ok(Self { rows: rows.into_iter().collect() })
    }

    /// Returns the file's text: by file, line and mutation.
    pub(crate) fn text(&self) -> String {
        let mut rows: Vec<(&Key, &Row)> = self.rows.iter().collect();
        rows.sort_by_key(|(key, row)| (&key.file, row.line, &key.mutation, key.hash));
        let mut text = format!("{HEADING}\n");
        for (key, row) in rows {
            let Row { line, verdict } = row;
            let Key { file, hash, mutation } = key;
            let verdict = verdict.name();
            let _ = writeln!(text, "{file}\t{line}\t{mutation}\t{verdict}\t{hash:08x}");
        }
        text
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be written.
    pub(crate) fn save(&self, home: &Path) -> Result<(), Failure> {
        table::save(&home.join(FILE), &self.text())
    }

    pub(crate) fn set(&mut self, mutant: &Mutant, verdict: Verdict) {
        let row = Row { line: mutant.line, verdict };
        self.rows.insert(Key::of(mutant), row);
    }

    pub(crate) fn get(&self, mutant: &Mutant) -> Option<Verdict> {
        self.rows.get(&Key::of(mutant)).map(|row| row.verdict)
    }

    /// Drops the rows of mutants that are no more, gives the rest their lines, and returns how many
    /// were dropped.
    pub(crate) fn keep<'a>(&mut self, mutants: impl Iterator<Item = &'a Mutant>) -> usize {
        let mut kept = BTreeMap::new();
        for mutant in mutants {
            if let Some((key, mut row)) = self.rows.remove_entry(&Key::of(mutant)) {
                row.line = mutant.line;
                kept.insert(key, row);
            }
        }
        core::mem::replace(&mut self.rows, kept).len()
    }
}

fn read_row(line: &str) -> Option<(Key, Row)> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [file, line, mutation, verdict, hash] = parts.as_slice() else {
        return None;
    };
    let row = Row { line: line.parse().ok()?, verdict: Verdict::of_name(verdict)? };
    Some((Key::read(file, hash, mutation)?, row))
}
