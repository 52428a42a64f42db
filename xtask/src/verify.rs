//! `cargo xtask verify`: every net in turn, and what they amount to in figures.

mod asked;
mod figures;
mod page;
pub(crate) mod read;
mod steps;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::time::Instant;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

use figures::{Figures, Run};
use steps::{STEPS, Step};

pub(crate) use figures::PATH as FIGURES;
pub(crate) use page::PATH as PAGE;

const USAGE: &str = "\
Runs every net in turn, with the seconds of each: tests, small worlds, random programs, loom, misuse,
sanitizers, Valgrind, fuzzing. What they tell in figures is kept in tests/verification.tsv with the command
that gave it, the day and the commit, and docs/evidence/verification.md is written from what is kept.

Usage: cargo xtask verify [--long] [--minutes N] [--list] [--page] [STEP...]

Options:
  --long       adds what takes longer: ThreadSanitizer, the tests of others' crates over our heap and those of peers over
               our types, coverage, all planted faults and not those alone whose verdicts are missing, judging mutants and not
               their summary alone; more random programs; loom with one more preemption; fuzzing for as
               long as is told
  --minutes N  the minutes of fuzzing, and those of mutants, in a long run; 60 unless told
  --list       lists the steps and runs none
  --page       writes the page from the figures that are kept, and runs nothing

With STEP only those are run. A step that fails does not stop the others; its figures are those of before.

Example:
  cargo xtask verify loom misuse
";

/// What the arguments ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    long: bool,
    minutes: u32,
    list: bool,
    page: bool,
    help: bool,
    only: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a step fails, [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    if request.list {
        for step in STEPS {
            let when = if step.long { "long" } else { "" };
            println!("{:<10}{when:<6}{}", step.name, step.what);
        }
        return Ok(());
    }
    let mut figures = Figures::read(&kept());
    let outcome = if request.page { Ok(()) } else { run_steps(&request, &mut figures) };
    write(PAGE, &page::text(&figures))?;
    println!("written to {PAGE}");
    outcome
}

/// Returns the page as the figures that are kept give it.
pub(crate) fn regenerated(tree: &Tree) -> String {
    page::text(&Figures::read(tree.text(FIGURES).unwrap_or_default()))
}

fn kept() -> String {
    // The file does not exist before the first run.
    std::fs::read_to_string(workspace::root().join(FIGURES)).unwrap_or_default()
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request {
        long: false,
        minutes: 60,
        list: false,
        page: false,
        help: false,
        only: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--long" => request.long = true,
            "--list" => request.list = true,
            "--page" => request.page = true,
            "--help" | "-h" => request.help = true,
            "--minutes" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                request.minutes = number
                    .filter(|&minutes| minutes > 0)
                    .ok_or_else(|| Failure::Unable("--minutes takes a number from 1 on".into()))?;
            }
            name => request.only.push(step_name(name)?),
        }
    }
    Ok(request)
}

fn step_name(name: &str) -> Result<String, Failure> {
    if STEPS.iter().any(|step| step.name == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
    Err(Failure::Unable(format!("no step is called `{name}`; the steps are {}", known.join(", "))))
}

/// Runs the steps that are asked for, and keeps their figures as each ends.
fn run_steps(request: &Request, figures: &mut Figures) -> Outcome {
    let begin = Instant::now();
    let mut failed = Vec::new();
    let mut times = Vec::new();
    for step in STEPS {
        let wanted = if request.only.is_empty() {
            request.long || !step.long
        } else {
            request.only.iter().any(|name| name == step.name)
        };
        if !wanted {
            continue;
        }
        println!("\n== {}: {}", step.name, step.what);
        let step_begin = Instant::now();
        let outcome = run_step(step, request, figures);
        let time = step_begin.elapsed();
        times.push((step.name, time));
        match outcome {
            Ok(()) => println!("== {}: ok, {:.1} s", step.name, time.as_secs_f64()),
            Err(failure) => {
                println!("== {}: FAILED after {:.1} s: {failure}", step.name, time.as_secs_f64());
                failed.push(step.name);
            }
        }
        write(FIGURES, &figures.text())?;
    }
    println!();
    times.iter().for_each(|(name, time)| println!("{name:<10}{:>9.1} s", time.as_secs_f64()));
    let seconds = begin.elapsed().as_secs_f64();
    if failed.is_empty() {
        println!("verify: {} steps ok, {seconds:.1} s in all", times.len());
        return Ok(());
    }
    let failed = failed.join(", ");
    Err(Failure::Found(format!("verify: FAILED in {failed}, {seconds:.1} s in all")))
}

/// Runs the commands of a step, their output shown, and reads it.
fn run_step(step: &Step, request: &Request, figures: &mut Figures) -> Outcome {
    let begin = Instant::now();
    let mut said = String::new();
    let asked = (step.command)(request);
    let Some(mut command) = asked::command(&asked) else {
        return Err(Failure::Unable("the step names no command".into()));
    };
    println!("$ {}", asked.join(" "));
    let succeeded = command::tee(&mut command, &mut said)?;
    if !succeeded && said.contains("no command is called `") {
        println!("skipped: `{}` is not there yet", asked.join(" "));
        return Ok(());
    }
    if !succeeded {
        return Err(Failure::Found(format!("`{}` failed", asked.join(" "))));
    }
    if let Some(skipped) = said.lines().find(|line| line.starts_with("skipped: ")) {
        println!("{skipped}; the figures stay those of before");
        return Ok(());
    }
    let rows = (step.read)(&said);
    if rows.is_empty() {
        return Err(Failure::Found(format!("`{}` prints no figure", asked.join(" "))));
    }
    figures.keep(step.name, &Run::now(asked.join(" "), begin.elapsed()), rows);
    Ok(())
}

fn write(path: &str, text: &str) -> Outcome {
    std::fs::write(workspace::root().join(path), text)
        .map_err(|error| Failure::io(&format!("cannot write {path}"), &error))
}

/// Returns whole seconds, at least one.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}
