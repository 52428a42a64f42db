//! `cargo xtask scoreboard`: our rows compared with their peers, measured in one run.

use crate::bench_programs::program;
use crate::outcome::{Failure, Outcome};

const USAGE: &str = "\
Measures the rows of the scoreboard interleaved with their peers, in one run, and prints for each:
row, ours, best peer and its name, ratio, target, goal, reached or not.

Usage: cargo xtask scoreboard [--json FILE] [--record DIR] [--rounds N] [--list] [ROW...]

Options:
  --json FILE   writes the rows to FILE as well
  --record DIR  writes a dated record of the run, with machine, flags and commit, to DIR
  --rounds N    rounds of each row, 9 at the least
  --list        lists the rows and measures nothing

Without ROW all rows are measured, which takes about a minute after the build; ROW is a row's name or
how it begins. jemalloc and snmalloc are among the peers where make and a C++ compiler are found.

Example:
  cargo xtask scoreboard --json scoreboard.json pool/churn64 frame
";

/// Runs the command, which is a program of the crate `loligo-benches`.
///
/// # Errors
///
/// [`Failure::Unable`] if the program cannot be built, else as the program ends.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let mut cargo = program("scoreboard")?;
    cargo.args(arguments);
    let status = cargo.status().map_err(|error| Failure::io("cannot run cargo", &error))?;
    if status.success() { Ok(()) } else { Err(Failure::Unable(format!("it ended with {status}"))) }
}
