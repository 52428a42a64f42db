//! What a rule found, and where.

use core::fmt;

/// One broken rule at one place. Findings sort by place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, from the root.
    pub(crate) path: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The rule's short name.
    pub(crate) rule: &'static str,
    /// What is wrong and what to do.
    pub(crate) what: String,
    /// Whether it fails the check.
    pub(crate) weight: Weight,
}

/// Whether a finding fails the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It does.
    Broken,
    /// It is said, and no more.
    Warning,
}

impl Finding {
    /// Makes a finding that fails the check.
    pub(crate) fn new(rule: &'static str, path: &str, line: usize, what: String) -> Self {
        Self { path: path.to_owned(), line, rule, what, weight: Weight::Broken }
    }

    /// Makes a finding that only warns.
    pub(crate) fn warning(rule: &'static str, path: &str, line: usize, what: String) -> Self {
        Self { weight: Weight::Warning, ..Self::new(rule, path, line, what) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.weight {
            Weight::Broken => "",
            Weight::Warning => "warning: ",
        };
        write!(f, "{}:{}: {mark}{}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// Returns the number of the line that contains byte `offset` of `text`, counted from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Returns the number of the first line that holds `needle`; 1 where none does.
pub(crate) fn line_of(text: &str, needle: &str) -> usize {
    text.find(needle).map_or(1, |offset| line_at(text, offset))
}

/// Returns the number of the first line that states the key `name` of a manifest; 1 where none
/// does.
pub(crate) fn line_of_key(text: &str, name: &str) -> usize {
    let states = |line: &str| {
        line.trim_start()
            .trim_start_matches('"')
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']))
    };
    text.lines().position(states).map_or(1, |index| index + 1)
}
