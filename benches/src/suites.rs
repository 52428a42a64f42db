//! Suites: programs that are used to compare heaps, most of several threads, over any `GlobalAlloc`.
//!
//! ```sh
//! alias suites='cargo run --profile measured -p loligo-benches --features peers-all --bin suites --'
//! suites compare                            # all suites, heaps and 1, 2, 4 threads
//! suites compare larson --threads 2         # one of each
//! suites run larson mimalloc --threads 2    # one heap in this process: a line of figures
//! suites simulate                           # what a foreign free costs, by cores, in a model
//! ```
//!
//! Each suite is written after a program of mimalloc-bench (D. Leijen, commit ce5784f); its module
//! in `loligo_replay::suites` names the authors, the rules and our changes; cfrac and espresso are
//! replayed recordings. A run does a fixed number of operations, so no clock decides what is
//! allocated. A suite is compiled for each heap of `peers`, and each heap is measured in another
//! process, since peak memory is a figure of the process.

use core::alloc::GlobalAlloc;

use clap::ValueEnum;
use loligo_replay::suites::{Larson, Mstress, Rptest, Timing, Xmalloc};

use crate::suites::recording::Recording;
use crate::suites::replay::Replay;

pub mod command;
mod comparison;
mod figures;
mod peers;
mod recording;
mod replay;
mod summary;

/// A suite, by the name of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// Threads replace random blocks of 8 to 999 bytes, and are replaced.
    Larson,
    /// Producers allocate batches of 64-byte blocks that consumers free.
    XmallocTest,
    /// Blocks up to megabytes; threads exchange some.
    Mstress,
    /// Blocks of 8 to 16 000 bytes; threads free parcels of each other.
    Rptest,
    /// The recorded calls of a program that factors a number: small blocks that live shortly.
    Cfrac,
    /// The recorded calls of a program that minimises logic functions: blocks up to 38 KiB.
    Espresso,
}

impl Suite {
    /// All suites.
    pub(crate) const ALL: [Self; 6] =
        [Self::Larson, Self::XmallocTest, Self::Mstress, Self::Rptest, Self::Cfrac, Self::Espresso];

    /// Returns the name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Larson => "larson",
            Self::XmallocTest => "xmalloc-test",
            Self::Mstress => "mstress",
            Self::Rptest => "rptest",
            Self::Cfrac => "cfrac",
            Self::Espresso => "espresso",
        }
    }

    /// Runs the suite; `times` multiplies the work of a thread. With 1 a run on one thread takes a
    /// tenth of a second to a second.
    ///
    /// # Errors
    ///
    /// A sentence if a recording cannot be read or the system does not let memory be measured.
    pub(crate) fn run<A: GlobalAlloc + Sync>(
        self,
        heap: &A,
        threads: u32,
        times: u32,
    ) -> Result<Timing, String> {
        Ok(match self {
            Self::Larson => Larson::new(threads, 25 * times).run(heap),
            Self::XmallocTest => Xmalloc::new(threads, 2000 * times).run(heap),
            Self::Mstress => Mstress::new(threads, 100 * times).run(heap),
            Self::Rptest => Rptest::new(threads, 20 * times).run(heap),
            Self::Cfrac => Replay::new(Recording::cfrac, threads, 20 * times)?.run(heap),
            Self::Espresso => Replay::new(Recording::espresso, threads, 20 * times)?.run(heap),
        })
    }
}

#[cfg(test)]
mod tests;
