//! `cargo xtask fuzz`: every fuzz target in turn, under AddressSanitizer, steered by coverage.
//!
//! The targets are built as cargo-fuzz builds them, which is not needed here: a nightly toolchain
//! and a C++ compiler are enough.

mod keep;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod totals;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::parallel;
use crate::workspace;

use report::Report;
use run::{Asked, Run};
use totals::Totals;

const USAGE: &str = "\
Runs fuzz targets under AddressSanitizer, as many at a time as there are processors, each from the inputs
in fuzz/corpus and from those that earlier runs found, and prints of each: executions, coverage before and
after, inputs, findings. First a target with a planted fault must fail, or nothing that follows would prove
anything.

The targets that are farthest from their goal come first: an hour for heap, trace, blob, sjson, key_values,
resource_file and render_sources, ten minutes for the others. What each has done in all runs is added to
docs/evidence/fuzzing.md after each run.

Needs the nightly toolchain (`rustup toolchain install nightly`), a C++ compiler and Linux on x86-64; is
skipped without.

Usage: cargo xtask fuzz [--minutes N] [--seconds N] [--keep] [--list] [TARGET...]

Options:
  --minutes N  the time for all targets together, 5 if it is not given
  --seconds N  the time for each target, instead
  --keep       runs none: puts the fewest inputs that reach what all found inputs do into fuzz/corpus
  --list       lists the targets and runs none

What fails is written to target/xtask/fuzz/findings, with the command that does it again.

Example:
  cargo xtask fuzz --minutes 10 heap buddy
";

/// The target whose fault must be found.
const CANARY: &str = "canary";

/// The most executions that the canary may take: it takes some thousands.
const CANARY_RUNS: u32 = 200_000;

/// The executions of each target in a check: most make some hundred a second.
const CHECK_RUNS: u32 = 1_500;

/// The seconds in which time is shared among targets.
const PIECE: u64 = 30;

/// The machine that it is set up for.
pub(crate) const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Coverage of branches and comparisons, as libFuzzer reads it, and the sanitizer. `fuzzing` lets
/// damaged checksums pass, which no fuzzer would get past.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Zsanitizer=address --cfg fuzzing --cfg loligo_asan";

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    time: Time,
    keep: bool,
    list: bool,
    help: bool,
    targets: Vec<String>,
}

/// How long targets are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// All together.
    Minutes(u32),
    /// Each.
    Seconds(u32),
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a target fails, or the planted fault is not found.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    let known = targets()?;
    if request.list {
        known.iter().for_each(|target| println!("{target}"));
        return Ok(());
    }
    let all = wanted(&[], known.clone())?;
    let wanted = wanted(&request.targets, known)?;
    let Some(programs) = programs()? else { return Ok(()) };
    if request.keep {
        return keep_inputs(&wanted, &programs);
    }
    let mut totals = Totals::read(&all)?;
    let shares: Vec<(String, u64)> = match request.time {
        Time::Minutes(minutes) => {
            let seconds = u64::from(minutes) * 60 * parallel::workers() as u64;
            totals.share(&wanted, seconds, PIECE)
        }
        Time::Seconds(seconds) => {
            wanted.into_iter().map(|target| (target, u64::from(seconds))).collect()
        }
    };
    let asked = |(target, seconds): &(String, u64)| {
        let end = format!("-max_total_time={seconds}");
        // What was tried before is not tried again, and 0 would be drawn by the clock.
        let seed = (totals.executions(target) % u64::from(u32::MAX)) as u32 + 1;
        (target.clone(), Asked { end, seed })
    };
    let asked: Vec<_> = shares.iter().map(asked).collect();
    fuzz(&asked, &programs, "corpus", &mut |run| {
        totals.add(run);
        totals.write()
    })
}

/// Puts the inputs that are worth it into `fuzz/corpus`.
fn keep_inputs(targets: &[String], programs: &Path) -> Outcome {
    let found = folder().join("corpus");
    command::announce(&format!(
        "{} targets, each a line when its inputs are merged",
        targets.len()
    ));
    let (mut inputs, mut bytes) = (0, 0);
    println!("{:<16}{:>9}{:>9}{:>10}", "target", "inputs", "bytes", "left out");
    let merge = |target: &String| keep::keep(target, programs, &found.join(target));
    parallel::each(targets, merge, |kept| {
        println!("{:<16}{:>9}{:>9}{:>10}", kept.target, kept.inputs, kept.bytes, kept.left_out);
        inputs += kept.inputs;
        bytes += kept.bytes;
    })?;
    println!("{inputs} inputs of {bytes} bytes are in fuzz/corpus");
    Ok(())
}

/// Runs every target some times from the committed inputs alone: a step of the continuous
/// integration, which tries the same each time and does not depend on the clock.
pub(crate) fn check() -> Outcome {
    // What an earlier run found would change what this one tries.
    let _ = std::fs::remove_dir_all(folder().join("once"));
    let Some(programs) = programs()? else { return Ok(()) };
    let asked = Asked { end: format!("-runs={CHECK_RUNS}"), seed: 1 };
    let all = wanted(&[], targets()?)?.into_iter().map(|target| (target, asked.clone()));
    fuzz(&all.collect::<Vec<_>>(), &programs, "once", &mut |_| Ok(()))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request {
        time: Time::Minutes(5),
        keep: false,
        list: false,
        help: false,
        targets: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--minutes" => request.time = Time::Minutes(number(argument, rest.next())?),
            "--seconds" => request.time = Time::Seconds(number(argument, rest.next())?),
            "--keep" => request.keep = true,
            "--list" => request.list = true,
            "--help" | "-h" => request.help = true,
            option if option.starts_with('-') => {
                return Err(Failure::Unable(format!(
                    "fuzz takes no argument `{option}`; see `cargo xtask fuzz --help`"
                )));
            }
            target => request.targets.push(target.to_owned()),
        }
    }
    Ok(request)
}

fn number(option: &str, value: Option<&String>) -> Result<u32, Failure> {
    let number = value.and_then(|value| value.parse().ok()).filter(|&number: &u32| number > 0);
    number.ok_or_else(|| Failure::Unable(format!("{option} takes a number from 1 on")))
}

/// Returns the names of the targets, which are those of the files.
fn targets() -> Result<Vec<String>, Failure> {
    let folder = workspace::root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| Failure::io(&format!("cannot list {}", folder.display()), &error))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::io("cannot list a folder", &error))?.path();
        if let (Some(name), Some("rs")) =
            (path.file_stem(), path.extension().and_then(|e| e.to_str()))
        {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Picks the targets that were asked for: all but the canary if none was.
fn wanted(asked: &[String], known: Vec<String>) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = asked.iter().find(|name| !known.contains(name)) {
        let known = known.join(", ");
        return Err(Failure::Unable(format!("no target is called `{unknown}`; there are {known}")));
    }
    let is_wanted = |name: &String| name != CANARY && (asked.is_empty() || asked.contains(name));
    Ok(known.into_iter().filter(is_wanted).collect())
}

/// Returns where the programs of the targets are, once they are built; `None`, with a note printed,
/// where they cannot be.
fn programs() -> Result<Option<PathBuf>, Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: the fuzzer is set up for {TRIPLE} alone");
        return Ok(None);
    }
    if !command::has_nightly() {
        println!("skipped: no nightly (`rustup toolchain install nightly --profile minimal`)");
        return Ok(None);
    }
    if !command::answers("c++") {
        println!("skipped: no C++ compiler, which builds the fuzzer");
        return Ok(None);
    }
    build(&folder()).map(Some)
}

/// Returns the folder of what is built and found.
fn folder() -> PathBuf {
    workspace::target().join("xtask/fuzz")
}

/// Runs the canary and then targets, each as it is asked for; `note` is called after each.
fn fuzz(
    targets: &[(String, Asked)],
    programs: &Path,
    found: &str,
    note: &mut dyn FnMut(&Run) -> Outcome,
) -> Outcome {
    let folder = folder();
    let found = folder.join(found);
    let run = |target: &str, asked: &Asked| Run::of(target, programs, &folder, &found, asked);
    command::announce("the target with a planted fault, which must fail");
    let canary = run(CANARY, &Asked { end: format!("-runs={CANARY_RUNS}"), seed: 1 })?;
    match &canary.finding {
        Some(_) => println!("the planted fault is found after {} executions", canary.executions),
        None => {
            let what = "the planted fault of the target `canary` is not found";
            return Err(Failure::Found(format!("{what} in {CANARY_RUNS} executions")));
        }
    }
    let workers = parallel::workers();
    command::announce(&format!(
        "{} targets, {workers} at a time; each prints a line at its end",
        targets.len()
    ));
    let mut report = Report::default();
    let mut noted = Ok(());
    parallel::each(
        targets,
        |(target, asked)| run(target, asked),
        |run| {
            if noted.is_ok() {
                noted = note(&run);
            }
            report.add(run);
        },
    )?;
    noted?;
    report.finish()
}

/// Builds all targets and returns where they are.
fn build(folder: &Path) -> Result<PathBuf, Failure> {
    // A build for a sanitizer and coverage shares nothing with any other.
    command::build(
        &mut builder(&workspace::root(), folder),
        "the fuzz targets with the sanitizer",
    )?;
    Ok(folder.join(TRIPLE).join("release"))
}

/// Returns the nightly toolchain's Cargo, which builds the targets of the workspace at `root` into
/// `folder`.
pub(crate) fn builder(root: &Path, folder: &Path) -> Command {
    let mut cargo: Command = command::without_cargo_variables("rustup");
    cargo.args(["run", "nightly", "cargo", "build", "--release", "--locked"]);
    cargo.args(["--target", TRIPLE]).current_dir(root.join("fuzz"));
    cargo.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", folder);
    cargo
}
