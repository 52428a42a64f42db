//! The memory of a whole program: global allocators, recordings, an overview, bridges.

#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
pub(crate) mod bridge;
#[cfg(feature = "std")]
pub(crate) mod global_guard;
#[cfg(target_os = "linux")]
pub(crate) mod global_memory;
#[cfg(target_os = "linux")]
pub(crate) mod memory_globals;
pub(crate) mod overview;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod recording;
