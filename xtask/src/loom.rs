//! `cargo xtask loom`: every interleaving of the models of what several threads share.
//!
//! The models are next to what they model (`shared_*/tests/loom.rs` of a crate) and are only built
//! under `--cfg loom`. A model checker may explore a single interleaving without a word, so each
//! model asserts how many it saw at least, and each structure has a planted fault that must be
//! noticed. Here it is checked that none of that was left out.

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Explores every interleaving of the models of what several threads share, up to a bound of preemptions,
and prints how many there were. Each structure is also run with faults planted, which must be noticed.

Usage: cargo xtask loom [--bound N] [MODEL]

Options:
  --bound N  allows N preemptions at least, which takes longer; the models' own bounds are 2 and 3

With MODEL only the tests whose name begins with `loom_MODEL` are run, such as `shared_pool_growth`.

Example:
  cargo xtask loom shared_frame
";

/// What is modelled. Each needs a model that was explored and a fault that was caught.
const STRUCTURES: [&str; 12] = [
    "page_committed",
    "shared_frame",
    "shared_pool",
    "shared_proxy",
    "shared_table",
    "sound_pipe",
    "sound_stream",
    "tasks_counters",
    "tasks_fork",
    "tasks_queue",
    "tasks_ring",
    "tasks_sleep",
];

/// How each line of the models begins.
const MARK: &str = "loom: ";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a model fails or is missing, [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [bound, number] if bound == "--bound" && number.parse::<u32>().is_ok() => {
            report(&explore("", number)?)
        }
        [help] if ["--help", "-h"].contains(&help.as_str()) => {
            print!("{USAGE}");
            Ok(())
        }
        [model] if !model.starts_with('-') => {
            let lines = explore(model.trim_start_matches("loom_"), "")?;
            lines.iter().for_each(|line| println!("{line}"));
            if lines.is_empty() {
                return Err(Failure::Unable(format!("no model's name begins with `{model}`")));
            }
            Ok(())
        }
        _ => Err(Failure::Unable("name at most one model, or see --help".into())),
    }
}

/// Runs all models and checks that every structure was explored and every kind of check was made.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn check() -> Outcome {
    report(&explore("", "")?)
}

/// Shows the lines and checks that none is missing.
fn report(lines: &[String]) -> Outcome {
    lines.iter().for_each(|line| println!("{line}"));
    complete(lines)
}

/// Runs the models whose test's name begins with `loom_` and `model` and returns what they say, in
/// order of their names.
fn explore(model: &str, bound: &str) -> Result<Vec<String>, Failure> {
    let target = workspace::target().join("loom");
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["test", "--release", "-p", "loligo-allocators", "-p", "loligo-ids"]);
    cargo.args(["-p", "loligo-tasks", "-p", "loligo-sound", "--lib"]);
    cargo.arg("--target-dir").arg(target);
    cargo.arg("--").arg(format!("loom_{model}")).arg("--nocapture");
    cargo.env("RUSTFLAGS", "--cfg loom");
    cargo.env("LOLIGO_LOOM_BOUND", bound);
    // Planted faults end in panics, which would bury the rest, and would be taken for failures.
    cargo.env("RUST_BACKTRACE", "0");
    let what = "the models for release, and all interleavings of each";
    command::announce(&format!("{what}: minutes; the lines come at the end"));
    Ok(said(&command::quiet_output(&mut cargo)?))
}

/// Returns the lines of the models, sorted.
fn said(output: &str) -> Vec<String> {
    let lines = output.lines().filter_map(|line| line.split_once(MARK));
    let mut lines: Vec<_> = lines.map(|(_, line)| line.to_owned()).collect();
    lines.sort();
    lines
}

/// Checks that each structure has a model and a fault that was caught.
fn complete(lines: &[String]) -> Outcome {
    for structure in STRUCTURES {
        let own = lines.iter().filter(|line| line.starts_with(&format!("{structure}::")));
        let (explored, caught) = own.fold((0, 0), |(explored, caught), line| {
            let is_fault = line.contains("the planted ");
            (explored + usize::from(!is_fault), caught + usize::from(is_fault))
        });
        if explored == 0 || caught == 0 {
            return Err(Failure::Found(format!(
                "{structure}: {explored} models were explored and {caught} planted faults caught; \
                 at least one of each is needed"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
