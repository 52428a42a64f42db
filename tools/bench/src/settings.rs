//! The command line of a program that benches its allocator.

use std::path::PathBuf;

use clap::Parser;

use crate::suite::Work;

/// Compares the allocators of this program with others: conformance, misuse, fill, replay, threads.
#[derive(Clone, Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Settings {
    /// Recordings to replay, .altrace or .altrace.zst; the bundled ones if none is named
    #[arg(value_name = "FILE")]
    pub(crate) traces: Vec<PathBuf>,

    /// Counted rounds of the replay; the suites of threads run in half as many, at least one
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,

    /// Little of everything, in a few seconds: to see that it works. Its times mean nothing
    #[arg(long)]
    pub(crate) quick: bool,

    /// Parts to run, separated by commas; all without it
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub(crate) only: Vec<Part>,

    /// Write the page, bench.html, into this folder
    #[arg(long, value_name = "DIR", default_value = "loligo-report")]
    pub(crate) report: PathBuf,
}

const EXAMPLES: &str = "Examples:
  cargo run --release                                all parts, in some minutes
  cargo run --release -- --quick                     all parts, in some seconds
  cargo run --release -- --only conformance,misuse   what it does, not how fast
  cargo run --release -- game.altrace.zst            a recording of your own

Exit status: 0 all went well, 1 a check failed or contents were lost, 2 it could not be done.";

/// A part of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// The checks of the contract.
    Conformance,
    /// Wrong frees and stray writes.
    Misuse,
    /// Bytes served of a budget, and after a change of size.
    Fill,
    /// Recordings, with contents compared.
    Replay,
    /// Programs of several threads.
    Threads,
}

impl Settings {
    /// Returns `true` if a part is to run.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Returns how much a suite does.
    pub(crate) const fn work(&self) -> Work {
        if self.quick { Work::Little } else { Work::Full }
    }

    /// Returns the bytes that are filled.
    pub(crate) const fn budget_bytes(&self) -> u64 {
        if self.quick { 8 << 20 } else { 64 << 20 }
    }
}
