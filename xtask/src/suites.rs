//! `cargo xtask suites`: programs that heaps are compared by, over our heap for threads and peers.

use crate::bench_programs::program;
use crate::outcome::{Failure, Outcome};

const USAGE: &str = "\
Runs larson, xmalloc-test, mstress, rptest, cfrac and espresso over our heap for threads and over all
peers, on 1, 2, 4 and 8 threads, and prints for each: ours, best peer and its name, the ratio, and the
peak memory of ours and of glibc. Times are medians over rounds; each run is a process.

Usage: cargo xtask suites [--record DIR] [--threads N,N] [--rounds N] [--minutes N] [SUITE...]

Options:
  --record DIR   writes DATE-COMMIT-suites.txt, with machine, flags, commit and command, to DIR
  --threads N,N  numbers of threads
  --rounds N     rounds at most, 5 without it
  --minutes N    begins no round that would not end within N minutes, 10 without it

jemalloc and snmalloc are among the peers where make and a C++ compiler are found. The numbers are of
use on a machine that does nothing else meanwhile.

Example:
  cargo xtask suites larson cfrac --threads 1,2 --rounds 1

Exit status: 0 when all was measured, 1 when a heap failed in a suite, 2 when the command is not
understood or the program cannot be built.
";

/// The exit status of the program when a run failed.
const RUN_FAILED: i32 = 1;

/// The exit status of Cargo when it cannot build, which the program never has.
const NOT_BUILT: i32 = 101;

/// Builds the program of the crate `loligo-benches` and runs it.
///
/// # Errors
///
/// [`Failure::Found`] if a heap failed, [`Failure::Unable`] if the program cannot be built or does
/// not understand its arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let mut cargo = program("suites")?;
    cargo.arg("summary").args(arguments);
    let status = cargo.status().map_err(|error| Failure::io("cannot run cargo", &error))?;
    outcome(status.code())
}

/// Returns the outcome for the exit status of Cargo, which is that of the program if it was built.
fn outcome(code: Option<i32>) -> Outcome {
    match code {
        Some(0) => Ok(()),
        Some(RUN_FAILED) => Err(Failure::Found("a run failed; its message is above".into())),
        Some(NOT_BUILT) => Err(Failure::Unable(
            "loligo-benches cannot be built; the compiler's message is above".into(),
        )),
        Some(code) => Err(Failure::Unable(format!("the suites ended with exit status {code}"))),
        None => Err(Failure::Unable("the suites were ended by a signal".into())),
    }
}

#[cfg(test)]
mod tests;
