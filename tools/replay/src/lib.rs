//! Replays recorded allocations over allocators, strategies and peers.
#![expect(
    unsafe_code,
    reason = "replaying calls allocators by hand and asks the system for times and memory"
)]

pub mod advise;
pub mod bench_project;
pub mod books;
pub mod bundled;
#[cfg(unix)]
pub mod check;
mod child;
mod clock;
pub mod convert;
pub mod fleet;
pub mod interrupt;
mod interval;
mod mapped;
pub mod measure;
mod memory;
mod of_heap;
mod our_rows;
mod ours;
mod pass;
mod peers;
mod program;
pub mod random;
pub mod record;
pub mod report;
pub mod results;
pub mod rows;
pub mod sheet;
pub mod show;
mod sources;
pub mod strategies;
pub mod subject;
pub mod suites;
pub mod table;
pub mod threads;
pub mod trace;
mod unfinished;

pub use mapped::Arena;
pub use our_rows::{allocator_row, ours};
pub use pass::verify::{Loss, LossKind, Verified};
