//! A check in its own process: what it writes, and what is read from how it ends.

use core::fmt;

use crate::child::Ended;

use super::Outcome;

/// The line of a check that was passed.
const PASSED: &str = "the check was passed";
/// What is before the reason why a check was not.
const FAILED: &str = "the check failed: ";

/// What became of a check that ran in its own process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was passed.
    Passed,
    /// It was not, for that reason.
    Failed(String),
    /// The process ended in another way.
    Crashed,
    /// The process did not end in time.
    Hangs,
}

impl Verdict {
    /// Writes what a check came to, in the process that made it, for [`of`](Self::of) to read.
    pub fn tell(outcome: &Outcome) {
        match &outcome.result {
            Ok(()) => println!("{PASSED}"),
            Err(broken) => println!("{FAILED}{broken}"),
        }
    }

    /// Reads from the end of that process what became of the check.
    #[must_use]
    pub fn of(ended: &Ended) -> Self {
        let reason = ended.stdout.split(FAILED).nth(1);
        match (ended.status, reason) {
            (None, _) => Self::Hangs,
            (Some(status), Some(reason)) if status.success() => {
                Self::Failed(reason.trim().to_owned())
            }
            (Some(status), None) if status.success() && ended.stdout.contains(PASSED) => {
                Self::Passed
            }
            _ => Self::Crashed,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Crashed => "crashed",
            Self::Hangs => "hangs",
        })
    }
}
