//! Benchmarks against peers, and the scoreboard: every row of the table of figures, measured
//! interleaved with the peers in one run.
//!
//! ```sh
//! cargo xtask scoreboard                          # all rows, under two minutes
//! cargo xtask scoreboard pool/churn64 heap/trace/ # some, by name or by how the names begin
//! cargo xtask scoreboard --record benches/record  # all, kept as a dated record
//! cargo bench -p loligo-benches --bench pool      # the same workloads as criterion groups
//! ```
//!
//! A workload is written once, under `work`, and compiled for each allocator that it drives: ours
//! through [`Allocator`](loligo_allocators::Allocator), peers through what they offer, called by
//! name. So it is with the tables that give objects ids. What a row measures and what it is to
//! reach is in [`rows`], how it is judged in [`outcome`]. The peers jemalloc and snmalloc need the
//! feature `peers-all`, because they need a C++ compiler and cmake, and so does C++ `std::map`;
//! rows that need them stay open without it.
//!
//! Programs of several threads are in [`suites`], with a command to compare heaps by them and one to
//! simulate what they cost on more cores than a machine has.
#![expect(unsafe_code, reason = "allocating by hand, frees included, is what is measured")]

mod absent;
pub mod array_forms;
mod blocks;
mod callgrind;
mod clock;
pub mod contender;
mod counted;
mod id_table;
mod memory;
pub mod outcome;
mod peers;
mod random;
pub mod record;
pub mod replayed;
pub mod rows;
pub mod scoreboard;
mod simulation;
pub mod suites;
pub mod table;
pub mod traces;
mod uncounted;
mod work;

pub use work::engine::shows::{ManyResources, SavedParts};
