//! `cargo xtask scoreboard`: our rows beside their peers, measured in one run.

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Measures the rows of the scoreboard interleaved with their peers, in one run, and prints for each:
row, ours, best peer and its name, ratio, target, goal, reached or not.

Usage: cargo xtask scoreboard [--json FILE] [ROW...]

Options:
  --json FILE  writes the rows to FILE as well

Without ROW all rows are measured, which takes some minutes; ROW is a row's name or how it begins.

Example:
  cargo xtask scoreboard --json scoreboard.json pool/churn64 frame
";

/// Runs the command, which is a program of the crate `loligo-benches`.
///
/// # Errors
///
/// [`Failure::Unable`] on bad arguments, else as the program ends.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{USAGE}");
        return Ok(());
    }
    check(arguments)?;
    // A path given on the command line is meant from where the person stands.
    let here = std::env::current_dir()
        .map_err(|error| Failure::io("cannot find the current folder", &error))?;
    let manifest = workspace::root().join("Cargo.toml");
    let mut cargo = command::cargo(&here);
    cargo
        .args(["run", "--quiet", "--release", "--manifest-path"])
        .arg(manifest);
    cargo.args(["--package", "loligo-benches", "--bin", "scoreboard", "--"]);
    command::run(cargo.args(arguments))
}

/// Refuses what the program would refuse, before it is built.
fn check(arguments: &[String]) -> Outcome {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--json" {
            if rest.next().is_none() {
                return Err(Failure::Unable("--json needs the name of a file".into()));
            }
        } else if argument.starts_with('-') {
            return Err(Failure::Unable(format!(
                "scoreboard has no option `{argument}`; see `cargo xtask scoreboard --help`"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
