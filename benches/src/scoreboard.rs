//! The command line of the scoreboard.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{fmt, fs, io};

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::callgrind::Counted;
use crate::counted;
use crate::outcome::Scoreboard;
use crate::record::{self, Facts};
use crate::replayed::Replayed;
use crate::rows;
use crate::table::Table;
use crate::traces::Traces;

/// The least rounds that a row counts by.
const ROUNDS_MIN: i64 = 9;

/// Measures our allocators against their peers, interleaved in one run, and prints for each row:
/// ours, the best peer and its name, the ratio, target and goal, and whether the target is reached.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask scoreboard",
    after_help = "Example:\n  cargo xtask scoreboard --json scoreboard.json pool/ frame/32\n\n\
        Exit status: 0 when the rows were measured, reached or not; 2 when they could not be."
)]
struct Arguments {
    /// Rows to measure, by name or by how their names begin; all without any
    #[arg(value_name = "ROW")]
    rows: Vec<String>,
    /// Writes the rows to FILE as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a dated record into DIR: the JSON, and machine, flags, commit and command as text
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Rounds that are counted, at least 9; one more warms up
    #[arg(long, value_name = "N", default_value_t = 21)]
    #[arg(value_parser = clap::value_parser!(u32).range(ROUNDS_MIN..))]
    rounds: u32,
    /// Prints the names of the rows and ends
    #[arg(long)]
    list: bool,
    /// Runs a workload for callgrind and ends
    #[arg(long, hide = true)]
    counted: Option<Counted>,
    /// How long the workload for callgrind is
    #[arg(long, hide = true, default_value_t = 1)]
    times: u32,
}

/// Runs the command with the program's arguments, without its name.
#[must_use]
pub fn run(arguments: &[String]) -> ExitCode {
    let name = "scoreboard".to_owned();
    let all = core::iter::once(&name).chain(arguments);
    let parsed = Arguments::command()
        .try_get_matches_from(all)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // An error that cannot be printed cannot be reported.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if let Some(counted) = parsed.counted {
        counted::run(counted, parsed.times);
        return ExitCode::SUCCESS;
    }
    match measure(&parsed, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("scoreboard: {why}");
            ExitCode::from(2)
        }
    }
}

fn measure(parsed: &Arguments, arguments: &[String]) -> Result<(), String> {
    let mut replayed = Replayed::new(Traces::find());
    let rows = rows::all(&replayed.traces().names());
    let rows = rows::select(rows, &parsed.rows).map_err(|unknown| unknown.to_string())?;
    if parsed.list {
        for row in rows {
            print(format_args!("{}", row.name()));
        }
        return Ok(());
    }
    for place in parsed.json.iter().chain(&parsed.record) {
        check_place(place)?;
    }
    eprintln!("traces: {}", replayed.traces().note());
    let table = Table::new(rows.iter().map(rows::Row::name));
    let mut printed = table.head();
    print(format_args!("{printed}"));
    let mut scoreboard = Scoreboard::default();
    let started = Instant::now();
    for row in &rows {
        let outcome = row.measure(parsed.rounds, &mut replayed);
        let line = table.row(&outcome);
        print(format_args!("{line}"));
        printed.push('\n');
        printed.push_str(&line);
        scoreboard.rows.push(outcome);
    }
    let reached = scoreboard.rows.iter().filter(|row| row.reached).count();
    let (count, seconds) = (rows.len(), started.elapsed().as_secs());
    print(format_args!("{reached} of {count} rows reached, measured in {seconds} s"));
    printed.push('\n');
    save(parsed, arguments, &scoreboard, &printed, &replayed)
}

/// Writes a line to standard output. Nobody may read on, as in `scoreboard --list | head`, which is
/// no error.
fn print(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Writes what was asked for: the JSON, the record.
fn save(
    parsed: &Arguments,
    arguments: &[String],
    scoreboard: &Scoreboard,
    table: &str,
    replayed: &Replayed,
) -> Result<(), String> {
    let mut json = serde_json::to_string_pretty(scoreboard).map_err(|error| error.to_string())?;
    json.push('\n');
    if let Some(file) = &parsed.json {
        let failed = |error| format!("cannot write {}: {error}", file.display());
        fs::write(file, &json).map_err(failed)?;
    }
    if let Some(folder) = &parsed.record {
        let rounds = format!("{}, on {}", parsed.rounds, replayed.traces().note());
        let facts = Facts::collect("cargo xtask scoreboard", arguments, rounds);
        let failed = |error| format!("cannot write into {}: {error}", folder.display());
        let text = record::write(folder, &json, &facts, table).map_err(failed)?;
        print(format_args!("record: {}", text.display()));
    }
    Ok(())
}

/// Says before the work, which takes minutes, that a file would have no folder to be in.
pub(crate) fn check_place(place: &Path) -> Result<(), String> {
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() {
        Ok(())
    } else {
        Err(format!(
            "there is no folder {} for {}; make it first",
            folder.display(),
            place.display()
        ))
    }
}

#[cfg(test)]
mod tests;
