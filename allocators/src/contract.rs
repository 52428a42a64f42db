//! The allocator contract: the trait, its counters, and the reports of leaks and misuse.

pub(crate) mod allocator;
#[cfg(all(feature = "stacks", unix))]
pub(crate) mod last_memory;
pub(crate) mod leak;
pub(crate) mod make;
pub(crate) mod misuse;
pub(crate) mod stats;
