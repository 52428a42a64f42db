//! `cargo xtask scoreboard`: our rows compared with their peers, measured in one run.

use crate::bench_programs::program;
use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

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

/// The row that measures the program `loligo` itself.
const OF_LOLIGO: &str = "compiler/seen/100k";

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
    if measures_loligo(arguments) {
        let mut cargo = command::cargo(&workspace::root());
        cargo.args([
            "build",
            "--profile",
            "measured",
            "--package",
            "loligo-cli",
            "--bin",
            "loligo",
        ]);
        command::build(&mut cargo, "the program that a row measures")?;
    }
    let mut cargo = program("scoreboard")?;
    cargo.args(arguments);
    let status = cargo.status().map_err(|error| Failure::io("cannot run cargo", &error))?;
    if status.success() { Ok(()) } else { Err(Failure::Unable(format!("it ended with {status}"))) }
}

/// Returns whether a row is measured that needs `loligo` next to the scoreboard.
fn measures_loligo(arguments: &[String]) -> bool {
    let mut rows = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--list" => return false,
            "--json" | "--record" | "--rounds" => _ = rest.next(),
            row => rows.push(row),
        }
    }
    rows.is_empty() || rows.iter().any(|row| OF_LOLIGO.starts_with(row))
}

#[cfg(test)]
mod tests {
    use super::measures_loligo;

    #[test]
    fn the_program_is_built_where_a_row_measures_it() {
        let is_built = |line: &str| {
            measures_loligo(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        for line in ["", "--json compiler.json", "compiler", "pool compiler/seen --rounds 9"] {
            assert!(is_built(line), "{line}");
        }
        for line in ["--list", "pool", "--record compiler pool", "compiler/edited"] {
            assert!(!is_built(line), "{line}");
        }
    }
}
