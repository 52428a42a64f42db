//! Shared state: locks, allocators that threads share under a lock, the atomics of the crate.

pub(crate) mod locked;
pub(crate) mod sync;
