//! The verdicts as the tree keeps them: what is caught by function, and each mutant that is not.
//!
//! A function is named by the hash of its text, so a line stays true wherever the function goes in
//! its file. Functions of which a mutant has no verdict yet are left out; the verdicts on the others
//! of their mutants stay in the build folder.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::path::Path;

use super::explained::Explained;
use super::site::Mutant;
use super::table;
use super::verdicts::{Key, Verdict, Verdicts};
use super::world::World;
use crate::outcome::Failure;

/// Where it is, from the root.
pub(crate) const FILE: &str = "docs/evidence/mutants.tsv";

const HEADING: &str = "kind\tfile\thash\tmutants";

/// How a line of a file begins: its functions follow, each with how many mutants it has.
const JUDGED: &str = "judged";

/// What is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// How many mutants a function has, by its file and hash.
    functions: BTreeMap<(String, u32), usize>,
    /// Those that are not caught and not explained either.
    others: BTreeMap<Key, Verdict>,
}

/// A line: functions of a file, or one mutant.
enum Row {
    Functions(Vec<((String, u32), usize)>),
    Other(Key, Verdict),
}

impl Record {
    /// Reads the file; if it does not exist, nothing is recorded.
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
        let what =
            "`judged`, a file and its functions, or a verdict, a file, a hash and a mutation";
        let mut record = Self::default();
        for row in table::rows(FILE, HEADING, what, text, read)? {
            match row {
                Row::Functions(list) => record.functions.extend(list),
                Row::Other(key, verdict) => drop(record.others.insert(key, verdict)),
            }
        }
        Ok(record)
    }

    /// Makes the record of the functions whose mutants all have a verdict.
    pub(crate) fn of(world: &World, verdicts: &Verdicts, explained: &Explained) -> Self {
        let mut record = Self::default();
        for ((file, hash), mutants) in by_function(world) {
            let judged: Option<Vec<_>> =
                mutants.iter().map(|&mutant| Some((mutant, verdicts.get(mutant)?))).collect();
            let Some(judged) = judged else { continue };
            record.functions.insert((file.to_owned(), hash), judged.len());
            for (mutant, verdict) in judged {
                let is_implied = match verdict {
                    Verdict::Caught | Verdict::Timeout => true,
                    Verdict::Missed => explained.has(mutant),
                    Verdict::Unreached | Verdict::Unviable => false,
                };
                if !is_implied {
                    record.others.insert(Key::of(mutant), verdict);
                }
            }
        }
        record
    }

    /// Adds what is recorded to `verdicts`, of functions that are as they were.
    pub(crate) fn add_to(&self, verdicts: &mut Verdicts, world: &World, explained: &Explained) {
        for ((file, hash), mutants) in by_function(world) {
            if self.functions.get(&(file.to_owned(), hash)) != Some(&mutants.len()) {
                continue;
            }
            for mutant in mutants {
                let usual = if explained.has(mutant) { Verdict::Missed } else { Verdict::Caught };
                let verdict = self.others.get(&Key::of(mutant)).copied().unwrap_or(usual);
                verdicts.set(mutant, verdict);
            }
        }
    }

    /// Returns how many functions are recorded that are no more as they were.
    pub(crate) fn stale(&self, world: &World) -> usize {
        let now = by_function(world);
        let is_there = |((file, hash), count): (&(String, u32), &usize)| {
            now.get(&(file.as_str(), *hash)).is_some_and(|mutants| mutants.len() == *count)
        };
        self.functions.iter().filter(|&entry| !is_there(entry)).count()
    }

    /// Returns the file's text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEADING}\n");
        let mut last = "";
        for ((file, hash), count) in &self.functions {
            if file != last {
                let end = if last.is_empty() { "" } else { "\n" };
                let _ = write!(text, "{end}{JUDGED}\t{file}\t");
                last = file;
            } else {
                text.push(' ');
            }
            let _ = write!(text, "{hash:08x}:{count}");
        }
        text.push('\n');
        for (key, verdict) in &self.others {
            let _ = writeln!(text, "{}\t{}", verdict.name(), key.shown());
        }
        text
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be written.
    pub(crate) fn save(&self, root: &Path) -> Result<(), Failure> {
        table::save(&root.join(FILE), &self.text())
    }
}

/// Returns the mutants by file and function.
fn by_function(world: &World) -> BTreeMap<(&str, u32), Vec<&Mutant>> {
    let mut functions = BTreeMap::<_, Vec<_>>::new();
    for mutant in world.mutants() {
        functions.entry((mutant.file.as_str(), mutant.hash)).or_default().push(mutant);
    }
    functions
}

fn read(line: &str) -> Option<Row> {
    let parts: Vec<&str> = line.split('\t').collect();
    match parts.as_slice() {
        [JUDGED, file, functions] => {
            let function = |text: &str| {
                let (hash, count) = text.split_once(':')?;
                let hash = u32::from_str_radix(hash, 16).ok()?;
                Some((((*file).to_owned(), hash), count.parse().ok()?))
            };
            functions.split(' ').map(function).collect::<Option<_>>().map(Row::Functions)
        }
        [verdict, file, hash, mutation] => {
            Some(Row::Other(Key::read(file, hash, mutation)?, Verdict::of_name(verdict)?))
        }
        _ => None,
    }
}
