//! Every suite over implementations of ours and of other crates, each check in its own process, as
//! a table.

mod allocators;
mod findings;
mod id_tables;
mod maps;
mod queues;
mod streams;
mod versions;

use core::cell::RefCell;
use core::time::Duration;
use std::io;

use crate::child::Child;
use crate::text_table::text_table;
use crate::workers::on_each;

use super::run::Wanted;
use super::{Outcome, Verdict};

pub use findings::{Finding, Reproduced};

/// How long a check may take before it counts as hanging: most take milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

/// What a job begins with that reproduces a finding.
const REPRODUCE: &str = "reproduce";

/// What implementations are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Allocators.
    Allocators,
    /// Tables that give their objects ids.
    IdTables,
    /// Maps from keys to values.
    Maps,
    /// Queues.
    Queues,
    /// Streams of events.
    Streams,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 5] =
        [Self::Allocators, Self::IdTables, Self::Maps, Self::Queues, Self::Streams];

    /// Returns the word that denotes it on the page.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allocators => "allocators",
            Self::IdTables => "id-tables",
            Self::Maps => "maps",
            Self::Queues => "queues",
            Self::Streams => "streams",
        }
    }
}

/// Whose an implementation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of this family; it must pass.
    Ours,
    /// Another crate's, or the standard library's.
    Peer,
    /// Wrong on purpose; it must not pass.
    Planted,
}

/// An implementation of the table.
struct Subject {
    family: Family,
    name: String,
    whose: Whose,
    /// Its crate and how the crate's version begins, where it is one of the registry.
    package: Option<(&'static str, &'static str)>,
    run: Box<dyn Fn(Wanted<'_>) -> Vec<Outcome>>,
}

impl Subject {
    fn new(
        family: Family,
        name: impl Into<String>,
        whose: Whose,
        package: Option<(&'static str, &'static str)>,
        run: impl Fn(Wanted<'_>) -> Vec<Outcome> + 'static,
    ) -> Self {
        Self { family, name: name.into(), whose, package, run: Box::new(run) }
    }

    /// The names of its checks.
    fn checks(&self) -> Vec<String> {
        let names = RefCell::new(Vec::new());
        (self.run)(&|check| {
            names.borrow_mut().push(check.to_owned());
            false
        });
        names.into_inner()
    }
}

/// What became of each check of one implementation.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is.
    pub family: Family,
    /// Its name.
    pub name: String,
    /// Its version, where it has its own.
    pub version: String,
    /// Whose it is.
    pub whose: Whose,
    /// The checks by name.
    pub verdicts: Vec<(String, Verdict)>,
}

impl Line {
    /// Returns the checks that were not passed.
    pub fn not_passed(&self) -> impl Iterator<Item = (&str, &Verdict)> {
        let verdicts = self.verdicts.iter().map(|(check, verdict)| (check.as_str(), verdict));
        verdicts.filter(|(_, verdict)| **verdict != Verdict::Passed)
    }

    /// Returns the checks that were not passed and that no finding explains.
    pub fn unexplained(&self) -> impl Iterator<Item = (&str, &Verdict)> {
        self.not_passed().filter(|(check, _)| Finding::on(&self.name, check).is_none())
    }
}

/// All implementations, family by family, ours first.
fn subjects(ours_only: bool) -> Vec<Subject> {
    let mut subjects = allocators::subjects();
    subjects.extend(id_tables::subjects());
    subjects.extend(maps::subjects());
    subjects.extend(queues::subjects());
    subjects.extend(streams::subjects());
    subjects.retain(|subject| !ours_only || subject.whose != Whose::Peer);
    subjects
}

const fn child() -> Child {
    Child::program().within(LIMIT)
}

/// Does the job of this process, if it was started for one.
///
/// # Panics
///
/// If the job names no implementation, or what it reproduces panics.
pub fn work() {
    let Some(job) = child().job() else { return };
    let parts: Vec<&str> = job.split('\t').collect();
    match parts[..] {
        [REPRODUCE, name] => findings::reproduce(name),
        [family, name, check] => {
            let all = subjects(false);
            let subject = all
                .iter()
                .find(|subject| subject.family.word() == family && subject.name == name)
                .unwrap_or_else(|| panic!("no such implementation: {name}"));
            match &(subject.run)(&|other| other == check)[..] {
                [outcome] => Verdict::tell(outcome),
                other => panic!("{} checks of {name} are called {check}", other.len()),
            }
        }
        _ => panic!("no such job: {job}"),
    }
    std::process::exit(0);
}

/// Runs every check of every implementation, each in its own process, several at a time.
/// `ours_only` leaves the peers out. [`work`] must be called first in `main`.
///
/// # Errors
///
/// The system's, if it cannot start a process.
pub fn run(ours_only: bool) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut jobs = Vec::new();
    for subject in subjects(ours_only) {
        for check in subject.checks() {
            jobs.push((lines.len(), subject.family, subject.name.clone(), check));
        }
        let version = subject.package.map(|(name, begins)| versions::of(name, begins));
        lines.push(Line {
            family: subject.family,
            name: subject.name,
            version: version.unwrap_or_default(),
            whose: subject.whose,
            verdicts: Vec::new(),
        });
    }
    let verdicts = on_each(&jobs, |(_, family, name, check)| {
        Ok(Verdict::of(&child().run(&format!("{}\t{name}\t{check}", family.word()))?))
    })?;
    for ((line, _, _, check), verdict) in jobs.into_iter().zip(verdicts) {
        lines[line].verdicts.push((check, verdict));
    }
    Ok(lines)
}

/// Runs every reproducer and says what it shows now.
///
/// # Errors
///
/// The system's, if it cannot start a process.
pub fn reproduce_all() -> io::Result<Vec<(&'static Finding, Reproduced)>> {
    let found = on_each(Finding::ALL, |finding| {
        let ended = child().run(&format!("{REPRODUCE}\t{}", finding.reproducer))?;
        Ok(Reproduced::read(finding, &ended))
    })?;
    Ok(Finding::ALL.iter().zip(found).collect())
}

/// Returns the lines of a family as an aligned table of text.
#[must_use]
pub fn table(lines: &[Line], family: Family) -> String {
    let mut rows =
        vec![["implementation", "version", "passed", "not passed"].map(str::to_owned).to_vec()];
    for line in lines.iter().filter(|line| line.family == family) {
        let not_passed: Vec<String> = line
            .not_passed()
            .map(|(check, verdict)| match Finding::on(&line.name, check) {
                Some(finding) => format!("{check}: {verdict} ({})", finding.number()),
                None => format!("{check}: {verdict}"),
            })
            .collect();
        let passed = line.verdicts.len() - not_passed.len();
        let whose = if line.whose == Whose::Planted { " (wrong on purpose)" } else { "" };
        rows.push(vec![
            format!("{}{whose}", line.name),
            line.version.clone(),
            format!("{passed} of {}", line.verdicts.len()),
            not_passed.join(", "),
        ]);
    }
    text_table(&rows)
}
