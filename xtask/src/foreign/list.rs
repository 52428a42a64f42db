//! The lists of tests that ours do not pass, and the comparison with what a run gives.

use core::fmt;
use std::collections::BTreeSet;

use super::results::Results;

/// Why a test does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Ours does something else, on purpose.
    Other,
    /// The test is of a private part of the peer, which has no counterpart.
    Private,
    /// Ours has no means to do what the test does.
    NotExpressible,
}

impl Class {
    const ALL: [Self; 3] = [Self::Other, Self::Private, Self::NotExpressible];

    /// Returns the name in the lists and on the page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Private => "private",
            Self::NotExpressible => "not-expressible",
        }
    }
}

/// How a listed test shows that it does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failing {
    /// It is not compiled.
    Build,
    /// It fails.
    Run,
}

/// A listed test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) test: String,
    pub(super) class: Class,
    pub(super) failing: Failing,
    pub(super) reason: String,
}

/// The list of a peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
}

/// Returns the path of the list of a peer.
pub(super) fn path(peer: &str) -> String {
    format!("tests/foreign/lists/{peer}.tsv")
}

impl List {
    /// Reads a list: lines of four fields separated by tabs, and comments after `#`.
    ///
    /// # Errors
    ///
    /// The number of the first line that is no entry or that names a test a second time.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut entries: Vec<Entry> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let number = index + 1;
            let entry = entry(line).ok_or_else(|| {
                format!("line {number} is not `test, class, build or run, reason`")
            })?;
            if entries.iter().any(|other| other.test == entry.test) {
                return Err(format!("line {number} lists `{}` a second time", entry.test));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// Returns the listed tests that are not compiled.
    pub(super) fn unbuilt(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.failing == Failing::Build)
    }

    /// Compares a run with the list, and returns what is not as listed.
    pub(super) fn judge(&self, results: &Results) -> Vec<String> {
        let mut problems = Vec::new();
        let listed: BTreeSet<&str> = self.entries.iter().map(|entry| &*entry.test).collect();
        for test in &results.failed {
            if !listed.contains(&**test) {
                problems.push(format!("`{test}` fails and is not listed"));
            }
        }
        for Entry { test, failing, .. } in &self.entries {
            let (fails, passes) = match failing {
                Failing::Build => (&results.unbuilt, "is compiled"),
                Failing::Run => (&results.failed, "passes"),
            };
            if fails.contains(test) {
                continue;
            }
            if results.passed.contains(test) || results.built.contains(test) {
                problems.push(format!("`{test}` is listed and {passes}"));
            } else {
                problems.push(format!("`{test}` is listed and does not exist"));
            }
        }
        problems
    }

    /// Returns how many tests of a class there are.
    pub(super) fn count(&self, class: Class) -> usize {
        self.entries.iter().filter(|entry| entry.class == class).count()
    }

    /// Returns the line of figures of a peer.
    pub(super) fn counts(&self, passed: usize) -> impl fmt::Display {
        let [other, private, missing] = Class::ALL.map(|class| self.count(class));
        format!(
            "{passed} tests passed, {other} of other semantics, {private} of private parts, \
             {missing} not expressible"
        )
    }
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, class, failing, reason] = fields[..] else { return None };
    let class = Class::ALL.into_iter().find(|known| known.name() == class)?;
    let failing = match failing {
        "build" => Failing::Build,
        "run" => Failing::Run,
        _ => return None,
    };
    let is_stated = !test.is_empty() && !reason.trim().is_empty();
    is_stated.then(|| Entry { test: test.into(), class, failing, reason: reason.into() })
}
