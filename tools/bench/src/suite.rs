//! The programs that heaps are compared by, over any shared allocator.

use core::alloc::GlobalAlloc;

use loligo_replay::suites::{Larson, Mstress, Rptest, Timing, Xmalloc};
use serde::{Deserialize, Serialize};

/// A program, by the name of the one that it is written after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Suite {
    /// Threads replace random blocks of 8 to 999 bytes, and are replaced.
    Larson,
    /// Producers allocate batches of 64-byte blocks that consumers free.
    XmallocTest,
    /// Blocks up to megabytes; threads exchange some.
    Mstress,
    /// Blocks of 8 to 16 000 bytes; threads free parcels of each other.
    Rptest,
}

/// How much a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    /// A tenth of a second to a second for each thread.
    Full,
    /// As little as shows that it works.
    Little,
}

impl Suite {
    /// All programs.
    pub(crate) const ALL: [Self; 4] =
        [Self::Larson, Self::XmallocTest, Self::Mstress, Self::Rptest];

    /// Returns the name for a reader.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Larson => "larson",
            Self::XmallocTest => "xmalloc-test",
            Self::Mstress => "mstress",
            Self::Rptest => "rptest",
        }
    }

    /// Runs it.
    pub(crate) fn run<A: GlobalAlloc + Sync>(self, heap: &A, threads: u32, work: Work) -> Timing {
        match (self, work) {
            (Self::Larson, Work::Full) => Larson::new(threads, 25).run(heap),
            (Self::Larson, Work::Little) => {
                Larson { blocks: 50, rounds: 20, ..Larson::new(threads, 2) }.run(heap)
            }
            (Self::XmallocTest, Work::Full) => Xmalloc::new(threads, 2000).run(heap),
            (Self::XmallocTest, Work::Little) => Xmalloc::new(threads, 2).run(heap),
            (Self::Mstress, Work::Full) => Mstress::new(threads, 100).run(heap),
            (Self::Mstress, Work::Little) => {
                Mstress { scale: 3, ..Mstress::new(threads, 1) }.run(heap)
            }
            (Self::Rptest, Work::Full) => Rptest::new(threads, 20).run(heap),
            (Self::Rptest, Work::Little) => {
                Rptest { loops: 20, ..Rptest::new(threads, 1) }.run(heap)
            }
        }
    }
}
