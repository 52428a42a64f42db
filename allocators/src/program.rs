//! The memory of a whole program: global allocators, recordings, an overview, bridges.

#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
pub(crate) mod bridge;
mod debug;
#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
pub(crate) mod from_allocator_api2;
pub(crate) mod from_global;
#[cfg(feature = "std")]
pub(crate) mod global_guard;
#[cfg(any(unix, windows))]
pub(crate) mod global_memory;
#[cfg(any(unix, windows))]
pub(crate) mod memory_globals;
pub(crate) mod overview;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod recording;
