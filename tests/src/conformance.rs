//! Suites that hold an implementation to the contract of its trait.
//!
//! Each suite is a list of named checks. Each check gets a new implementation from the maker that
//! is passed in, and ends with everything freed. Each suite has two forms: one panics with all that
//! was found, for a test, and one returns the outcomes, for a table.
//!
//! | suite | for |
//! |---|---|
//! | [`allocator()`], [`exhaustion()`] | allocators of this family |
//! | [`global_alloc()`], `allocator_api2_02`, `allocator_api2_03`, `allocator_api2_04` | anybody's allocators |
//! | [`id_table()`] | slot maps, arenas with generations, slabs: [`IdTable`] |
//! | [`map()`] | hashed and sorted maps: [`Map`] |
//! | [`queue()`] | queues, bounded or growing: [`Queue`] |
//! | [`stream()`] | streams of events: [`Stream`] |
//! | [`subsystem()`] | all that takes its memory from an allocator passed in |

mod allocator;
#[cfg(feature = "replay")]
mod driven;
mod exhaustion;
mod foreign;
#[cfg(feature = "allocator-api2-02")]
mod foreign_02;
#[cfg(feature = "allocator-api2-03")]
mod foreign_03;
#[cfg(feature = "allocator-api2-04")]
mod foreign_04;
mod global;
mod id_table;
mod map;
mod queue;
mod run;
mod stream;
mod subsystem;
#[cfg(feature = "peers")]
pub mod table;
mod token;
mod verdict;

use core::fmt;

use crate::rule::Violation;

pub use allocator::{allocator, allocator_checks, allocator_outcomes, some_allocator_outcomes};
#[cfg(feature = "replay")]
pub use driven::with_subject;
pub use exhaustion::{exhaustion, exhaustion_outcome};
#[cfg(feature = "allocator-api2-02")]
pub use foreign_02::{
    allocator_api2_02, allocator_api2_02_outcomes, some_allocator_api2_02_outcomes,
};
#[cfg(feature = "allocator-api2-03")]
pub use foreign_03::{
    allocator_api2_03, allocator_api2_03_outcomes, some_allocator_api2_03_outcomes,
};
#[cfg(feature = "allocator-api2-04")]
pub use foreign_04::{
    allocator_api2_04, allocator_api2_04_outcomes, some_allocator_api2_04_outcomes,
};
pub use global::{global_alloc, global_alloc_outcomes, some_global_alloc_outcomes};
pub use id_table::{IdTable, TableLimits, id_table, id_table_outcomes};
pub use map::{Map, MapLimits, map, map_outcomes};
pub use queue::{Queue, QueueLimits, queue, queue_outcomes};
pub use run::Wanted;
pub use stream::{Stream, StreamLimits, stream, stream_outcomes};
pub use subsystem::{
    Watch, Watched, subsystem, subsystem_guarded, subsystem_guarded_outcomes, subsystem_outcomes,
    subsystem_sampled_outcomes,
};
pub use token::{MapKey, Token};
pub use verdict::Verdict;

/// What one check of a suite came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The check's name.
    pub check: &'static str,
    /// What was found.
    pub result: Result<(), Violation>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            Ok(()) => write!(f, "{}: passed", self.check),
            Err(broken) => write!(f, "{}: {broken}", self.check),
        }
    }
}

/// Panics with every check that failed, if one did.
fn assert_all(outcomes: &[Outcome]) {
    let failed: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.result.is_err())
        .map(|outcome| format!("\n  {outcome}"))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} checks failed:{}",
        failed.len(),
        outcomes.len(),
        failed.concat()
    );
}
