//! The command line of the suites.

use std::io::{self, Write as _};
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::record::Facts;
use crate::simulation::report::Simulation;
use crate::suites::Suite;
use crate::suites::comparison::Comparison;
use crate::suites::figures::Figures;
use crate::suites::peers::{self, PEERS, Peer, warn_of_absent_heaps};
use crate::suites::recording::window;
use crate::suites::summary::Summary;

/// The command as it is typed.
const COMMAND: &str = "suites";

/// Runs programs of several threads over heaps: ours, the C library's, and other peers.
#[derive(Debug, Parser)]
#[command(
    name = COMMAND,
    after_help = "Example:\n  suites compare larson xmalloc-test --threads 1,2 --rounds 5\n\n\
        Exit status: 0 when all was done, 1 when a heap failed in a suite or a file cannot be used, \
        2 when the command is not understood."
)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Runs one suite over one heap, in this process, and prints a line of figures
    Run {
        /// The suite
        #[arg(value_name = "SUITE")]
        suite: Suite,
        /// The heap; `suites list` prints the names
        #[arg(value_name = "HEAP", value_parser = peers::named)]
        heap: Peer,
        /// Threads; producers, and as many consumers, in xmalloc-test
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
        threads: u32,
        /// Multiplies the work of a thread
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = times())]
        times: u32,
    },
    /// Runs suites over heaps, a process for each run, and prints a table
    Compare {
        /// Suites; all without any
        #[arg(value_name = "SUITE")]
        suites: Vec<Suite>,
        /// Heaps, separated by commas; all without any
        #[arg(long, value_name = "HEAP", value_delimiter = ',', value_parser = peers::named)]
        heaps: Vec<Peer>,
        /// Numbers of threads, separated by commas
        #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2,4")]
        #[arg(value_parser = threads())]
        threads: Vec<u32>,
        /// Rounds, in each of which every heap runs once; the median counts
        #[arg(long, value_name = "N", default_value_t = 5)]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
        /// Multiplies the work of a thread
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = times())]
        times: u32,
    },
    /// Measures all suites over our heap for threads and all peers, in a bounded time
    ///
    /// Prints a row for each suite and number of threads: ours, the best peer, the ratio, peak memory.
    #[command(after_help = "Example:\n  suites summary larson --threads 1,2 --minutes 1")]
    Summary(Summary),
    /// Cuts a window out of a recording of calls, for benches/recordings
    ///
    /// The blocks that are live when the window begins are allocated first.
    #[command(after_help = "Example:\n  \
        suites cut cfrac.altrace cfrac.altrace.zst --after 10000000 --calls 1000000")]
    Cut {
        /// A recording, as `loligo record` writes it
        #[arg(value_name = "FROM")]
        from: PathBuf,
        /// Where to write the window, compressed
        #[arg(value_name = "TO")]
        to: PathBuf,
        /// Calls before the window
        #[arg(long, value_name = "N", default_value_t = 0)]
        after: usize,
        /// Calls of the window
        #[arg(long, value_name = "N", value_parser = calls())]
        calls: u64,
    },
    /// Computes what a foreign free costs, by cores, and prints a table
    ///
    /// A model of caches in virtual time; no clock is read. `benches/src/simulation.rs` states what
    /// it leaves out.
    #[command(after_help = "Example:\n  suites simulate xmalloc-test --cores 2,16,64 --touch")]
    Simulate(Simulation),
    /// Prints the names of the suites and of the heaps
    List,
}

/// Runs the command with the program's arguments, without its name.
#[must_use]
pub fn run(arguments: &[String]) -> ExitCode {
    let name = COMMAND.to_owned();
    let all = core::iter::once(&name).chain(arguments);
    let parsed = Arguments::command()
        .try_get_matches_from(all)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let action = match parsed {
        Ok(parsed) => parsed.action,
        Err(error) => {
            // An error that cannot be printed cannot be reported.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match action {
        Action::Run { suite, heap, threads, times } => run_here(suite, heap, threads, times),
        Action::Compare { suites, heaps, threads, rounds, times } => {
            let suites = if suites.is_empty() { Suite::ALL.to_vec() } else { suites };
            let heaps = if heaps.is_empty() { PEERS.to_vec() } else { heaps };
            compare(&Comparison { suites, heaps, threads, rounds, times }, arguments)
        }
        Action::Summary(summary) => summary.run(arguments, &mut |line| print(line)),
        Action::Cut { from, to, after, calls } => cut(&from, &to, after, calls as usize),
        Action::Simulate(simulation) => {
            simulation.print(&mut |line| print(line));
            Ok(())
        }
        Action::List => {
            list();
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{COMMAND}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn threads() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=100)
}

fn times() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=1000)
}

fn calls() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..)
}

/// Runs a suite in this process and prints the line of figures.
fn run_here(suite: Suite, heap: Peer, threads: u32, times: u32) -> Result<(), String> {
    // The other threads would wait forever for one that panicked.
    let print_panic = panic::take_hook();
    panic::set_hook(Box::new(move |information| {
        print_panic(information);
        process::exit(1);
    }));
    let timing = (heap.run)(suite, threads, times)?;
    let figures = Figures::of_process(timing)?;
    let (suite, heap) = (suite.name(), heap.name);
    print(&format!("suite {suite} heap {heap} threads {threads} {figures}"));
    Ok(())
}

/// Prints the facts of the run and the table.
fn compare(comparison: &Comparison, arguments: &[String]) -> Result<(), String> {
    let rounds = format!("{}, heaps in turns, each in a new process", comparison.rounds);
    print(&Facts::collect(COMMAND, arguments, rounds).text());
    warn_of_absent_heaps();
    print(&comparison.head());
    comparison.measure(&mut |row| print(row))
}

/// Writes a window of a recording and prints what it has.
fn cut(from: &Path, to: &Path, after: usize, calls: usize) -> Result<(), String> {
    let live = window::cut(from, to, after, calls)?;
    print(&format!("{}: {calls} calls after {after}, {live} blocks live before", to.display()));
    Ok(())
}

fn list() {
    let suites: Vec<_> = Suite::ALL.iter().map(|suite| suite.name()).collect();
    let heaps: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
    print(&format!("suites: {}\nheaps: {}", suites.join(", "), heaps.join(", ")));
}

/// Writes a line to standard output. Nobody may read on, as in `suites list | head -1`, which is no
/// error.
fn print(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

#[cfg(test)]
mod tests;
