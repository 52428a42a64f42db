//! What is done in child processes: an allocator under test may abort, crash or hang, and each
//! measurement begins with a fresh heap.

use core::fmt;
use core::time::Duration;
use std::io;

use loligo_tests::{Child, Ended};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::suite::{Suite, Work};

/// One job; rows and recordings are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Job {
    /// One check of the suite; answers `Option<String>`, what was found.
    Check { row: String, check: String },
    /// One misuse, by the name of `Wrong`; does not answer.
    Misuse { row: String, wrong: String },
    /// Fills and refills a budget; answers [`Fill`](crate::figures::Fill).
    Fill { row: String, budget_bytes: u64 },
    /// Replays a recording and compares contents; answers what was lost, as `Vec<String>`.
    Verify { row: String, trace: Source },
    /// Replays a recording over these rows of the person and all rivals; answers `TraceResult`.
    Replay { rows: Vec<String>, trace: Source, rounds: u32 },
    /// Runs a suite; answers [`Run`](crate::figures::Run).
    Threads { row: String, suite: Suite, threads: u32, work: Work },
}

/// How long a job may take that should take an instant.
pub(crate) const SHORT: Duration = Duration::from_secs(30);

/// How long a job may take that measures.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// What the line of an answer begins with: the allocator under test may print as well.
const ANSWER: &str = "loligo bench answers: ";

/// How a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It did not end in time.
    Hung,
    /// The process ended without an answer; the last line that it wrote to standard error.
    Died(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hung => f.write_str("did not end in time"),
            Self::Died(last) => f.write_str(last),
        }
    }
}

/// Returns the job of this process, if it was started for one.
///
/// # Panics
///
/// If the job is not one that this version starts.
pub(crate) fn of_this_process() -> Option<Job> {
    let job = Child::program().job()?;
    Some(serde_json::from_str(&job).unwrap_or_else(|error| panic!("no such job: {job}: {error}")))
}

/// Answers as a child.
///
/// # Panics
///
/// If the answer is not JSON, which the types of answers rule out.
pub(crate) fn answer(answer: &impl Serialize) {
    let answer = serde_json::to_string(answer).expect("answers are plain data");
    println!("\n{ANSWER}{answer}");
}

/// Starts a process for the job and returns how it ended.
///
/// # Errors
///
/// The system's, if it starts no process.
pub(crate) fn run(job: &Job, limit: Duration) -> io::Result<Ended> {
    let job = serde_json::to_string(job).map_err(io::Error::from)?;
    Child::program().within(limit).run(&job)
}

/// Starts a process for the job and returns its answer.
///
/// # Errors
///
/// The system's, if it starts no process.
pub(crate) fn ask<T: DeserializeOwned>(
    job: &Job,
    limit: Duration,
) -> io::Result<Result<T, Failure>> {
    let ended = run(job, limit)?;
    let line = ended.stdout.lines().rev().find_map(|line| line.strip_prefix(ANSWER));
    let answer = line.and_then(|line| serde_json::from_str(line).ok());
    Ok(match answer {
        Some(answer) if ended.succeeded() => Ok(answer),
        _ if ended.status.is_none() => Err(Failure::Hung),
        _ => Err(Failure::Died(last_words(&ended))),
    })
}

/// Returns how a process ended, with the first line of what it said.
fn last_words(ended: &Ended) -> String {
    /// Longer messages are cut.
    const LETTERS_MAX: usize = 160;
    let said = ended.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    // The line after it says where a panic was; the panic's own text is the one to show.
    let said: Vec<&str> = said.collect();
    let panicked = said.iter().position(|line| line.contains("panicked at"));
    let line = match panicked {
        Some(at) => said.get(at + 1),
        None => said.first(),
    };
    let line: String = line.copied().unwrap_or_default().chars().take(LETTERS_MAX).collect();
    let status = ended.status.map(|status| status.to_string()).unwrap_or_default();
    if line.is_empty() { format!("died: {status}") } else { format!("died: {status}: {line}") }
}
