//! The automation of the workspace: `cargo xtask COMMAND`.
//!
//! Every check that the project makes is a command here, so that what a server runs is what a person
//! runs. Exit status: 0 all well, 1 something was found, 2 the command could not do its work.
#![forbid(unsafe_code)]

mod bare;
mod ci;
mod command;
mod features;
mod fuzz;
mod loom;
mod misuse;
mod outcome;
mod outside;
mod packages;
mod planted;
mod sanitize;
mod scoreboard;
mod shrink;
mod smoke;
mod tidy;
mod tree;
mod valgrind;
mod workspace;

use std::process::ExitCode;

use outcome::{Failure, Outcome};

const USAGE: &str = "\
The automation of the Loligo workspace.

Usage: cargo xtask COMMAND [OPTIONS]

Commands:
  tidy        checks the rules of the house that no lint can hold
  ci          runs every step of the continuous integration, in order
  misuse      does each misuse to each allocator, and tells what became of it
  fuzz        runs the fuzz targets under AddressSanitizer, a planted fault first
  loom        explores every interleaving of what several threads share
  scoreboard  measures our rows beside their peers
  outside     uses each tier-0 crate from a project outside the workspace
  shrink      makes a failing program or trace small and prints it as a test
  sanitize    runs the allocators under AddressSanitizer, planted faults included
  valgrind    runs the allocators under Valgrind, planted faults included

`cargo xtask COMMAND --help` tells more of each.

Example:
  cargo xtask tidy

Exit status: 0 all well, 1 something was found, 2 the command could not do its work.
";

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
    let Some((command, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Err(Failure::Unable("name a command".into()));
    };
    match command.as_str() {
        "tidy" => tidy::run(rest),
        "ci" => ci::run(rest),
        "misuse" => misuse::run(rest),
        "fuzz" => fuzz::run(rest),
        "loom" => loom::run(rest),
        "scoreboard" => scoreboard::run(rest),
        "shrink" => shrink::run(rest),
        "outside" => outside::run(rest),
        "sanitize" => sanitize::run(rest),
        "valgrind" => valgrind::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::Unable(format!(
            "no command is called `{other}`; the commands are tidy, ci, fuzz, loom, misuse, \
             scoreboard, shrink, outside, sanitize, valgrind"
        ))),
    }
}
