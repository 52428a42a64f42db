//! Suites: programs that are used to compare heaps, most of several threads, over any `GlobalAlloc`.
//!
//! Each is written after a program of mimalloc-bench (D. Leijen, commit ce5784f); its module names
//! the authors, the rules and our changes. A run does a fixed number of operations, so no clock
//! decides what is allocated. A suite is compiled for each heap, so no heap has a virtual call that
//! another has not.
//!
//! # Examples
//!
//! ```
//! use loligo_replay::suites::Xmalloc;
//!
//! let timing = Xmalloc::new(1, 2).run(&std::alloc::System);
//! assert_eq!(timing.operations, 2 * 4096);
//! ```

use core::time::Duration;

pub mod counting;
mod larson;
mod mstress;
mod pointers;
mod rptest;
mod shared_heap;
mod xmalloc;

pub use larson::Larson;
pub use mstress::Mstress;
pub use rptest::Rptest;
pub use shared_heap::{SharedHeap, refused, words};
pub use xmalloc::Xmalloc;

/// What a run counted and took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Operations, which are determined by the parameters; each suite says what one is.
    pub operations: u64,
    /// The time on the wall, threads started and joined included.
    pub elapsed: Duration,
    /// Memory of the suite itself that is not from the heap under test, where it is not small.
    pub own_kib: u64,
}

#[cfg(test)]
mod tests;
