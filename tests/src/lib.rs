//! Proofs for allocators: suites, programs, models and planted faults.
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`compose`] | stacks of a base and wrappers, by name |
//! | [`conformance`] | suites for allocators of this family, of `allocator-api2` and `GlobalAlloc`, for id tables, maps, queues, streams, and for subsystems |
//! | [`programs`] | random programs of operations, for proptest, for a fuzzer and for replay |
//! | [`misuse`] | wrong frees in child processes, and what became of them |
//! | [`models`] | a naive allocator, one with planted faults, a backing that refuses on order |
//! | [`shrink`] | a failing program made small, and printed as a test to paste |
//!
//! The oracle under all of them is [`Oracle`]: a shadow map of the live blocks, their contents by
//! seed, and the counters as they must be, checked after every single operation.
#![expect(
    unsafe_code,
    reason = "allocators are driven through their unsafe methods; every block has its argument"
)]

mod attempt;
mod child;
pub mod compose;
pub mod conformance;
mod contents;
mod limits;
pub mod misuse;
pub mod models;
mod oracle;
pub mod programs;
mod region;
mod rule;
pub mod shrink;
#[cfg(feature = "peers")]
mod text_table;
#[cfg(feature = "peers")]
mod workers;

pub use attempt::Maker;
pub use child::{Child, Ended};
pub use limits::Limits;
pub use oracle::{Key, Oracle};
pub use region::Region;
pub use rule::{Rule, Violation};
