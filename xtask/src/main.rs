//! The automation of the workspace: `cargo xtask COMMAND`.
//!
//! Every check that the project makes is a command here, so that what a server runs is what a
//! person runs. Exit status: 0 all well, 1 something was found, 2 the command could not do its
//! work.
#![forbid(unsafe_code)]

mod advised;
mod bare;
mod bench_programs;
mod ci;
mod command;
mod conformance;
mod coverage;
mod debian;
mod debian_rust;
mod display;
mod examples;
mod faults;
mod features;
mod foreign;
mod fuzz;
mod guests;
mod hostile;
mod loom;
mod misuse;
mod mutants;
mod outcome;
mod outside;
mod packages;
mod parallel;
mod perfetto;
mod planted;
mod player;
mod predictions;
mod project;
mod proofs;
mod registry;
mod sample;
mod sanitize;
mod scoreboard;
mod shrink;
mod smoke;
mod suites;
mod targets;
mod test_programs;
mod tidy;
mod timed;
mod tree;
mod tsan;
mod valgrind;
mod verify;
mod workspace;

use std::process::ExitCode;

use outcome::{Failure, Outcome};

/// A command: its name, what it does, and the function that does it.
type Command = (&'static str, &'static str, fn(&[String]) -> Outcome);

const COMMANDS: &[Command] = &[
    (
        "advised",
        "measures advised strategies, rebuilt from their Rust, against the heap",
        advised::run,
    ),
    (
        "big-endian",
        "plays a sample on a machine whose highest byte comes first",
        targets::content::run,
    ),
    ("tidy", "checks the rules of the house that no lint can hold", tidy::run),
    ("ci", "runs every step of the continuous integration, in order", ci::run),
    (
        "conformance",
        "runs the conformance suites over ours and others' implementations",
        conformance::run,
    ),
    ("coverage", "counts the lines and branches of tier 0 that tests reach", coverage::run),
    ("foreign", "runs the tests of peers over ours, by thin adapters", foreign::run),
    ("fuzz", "runs the fuzz targets under AddressSanitizer, a planted fault first", fuzz::run),
    ("guests", "runs the tests of others' crates over our heap for threads", guests::run),
    ("hostile", "feeds spoiled inputs to all that reads from outside", hostile::run),
    ("loom", "explores every interleaving of what several threads share", loom::run),
    ("misuse", "does each misuse to each allocator, and says what became of it", misuse::run),
    (
        "mutants",
        "changes tier 0 in one place at a time, to see whether a test notices",
        mutants::run,
    ),
    ("outside", "uses each tier-0 crate from a project outside the workspace", outside::run),
    ("perfetto", "has a trace of the courtyard read by Perfetto's own code", perfetto::run),
    (
        "predictions",
        "compares what replays promise of programs with what the programs do",
        predictions::run,
    ),
    (
        "planted",
        "plants faults in a copy of the workspace, which several nets must catch",
        faults::run,
    ),
    (
        "player",
        "builds the program that games are shipped with, with the licences of all in it",
        player::run,
    ),
    (
        "project",
        "writes a project of any number of resources, the same on every machine",
        project::run,
    ),
    (
        "sanitize",
        "runs the allocators under AddressSanitizer, planted faults included",
        sanitize::run,
    ),
    ("scoreboard", "measures our rows beside their peers", scoreboard::run),
    ("shrink", "makes a failing program or trace small and prints it as a test", shrink::run),
    ("suites", "measures programs that heaps are compared by, on 1 to 8 threads", suites::run),
    ("targets", "runs the tests of tier 0 on other machines and systems", targets::run),
    (
        "tsan",
        "runs the tests that start threads under ThreadSanitizer, a planted race first",
        tsan::run,
    ),
    ("valgrind", "runs the allocators under Valgrind, planted faults included", valgrind::run),
    (
        "verify",
        "runs every net in turn and gathers the figures of docs/evidence/verification.md",
        verify::run,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.status())
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", usage());
        return Err(Failure::Unable("name a command".into()));
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        print!("{}", usage());
        return Ok(());
    }
    match COMMANDS.iter().find(|(command, ..)| command == name) {
        Some((_, _, command)) => command(rest),
        None => {
            let known: Vec<_> = COMMANDS.iter().map(|(command, ..)| *command).collect();
            let known = known.join(", ");
            Err(Failure::Unable(format!("no command is called `{name}`; the commands are {known}")))
        }
    }
}

fn usage() -> String {
    let commands: String =
        COMMANDS.iter().map(|(name, what, _)| format!("  {name:<12}{what}\n")).collect();
    format!(
        "\
The automation of the Loligo workspace.

Usage: cargo xtask COMMAND [OPTIONS]

Commands:
{commands}
`cargo xtask COMMAND --help` tells more of each.

Example:
  cargo xtask tidy

Exit status: 0 all well, 1 something was found, 2 the command could not do its work.
"
    )
}
