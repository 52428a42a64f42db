//! Shared state: locks, allocators that threads share under a lock, the atomics of the crate.

#[cfg(target_os = "linux")]
pub(crate) mod fork;
pub(crate) mod global;
#[cfg(feature = "std")]
pub(crate) mod hand_over;
pub(crate) mod locked;
pub(crate) mod sync;
