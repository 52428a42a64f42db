//! What a cache did in a compile.

use core::time::Duration;

/// What a cache did in a compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// How many resources came from it.
    pub hits: u64,
    /// How many were looked for and not found.
    pub misses: u64,
    /// How many were written to it.
    pub written: u64,
    /// Bytes that were read from the store.
    pub bytes_read: u64,
    /// Bytes that were written to the store.
    pub bytes_written: u64,
    /// How long the hits had taken to compile, on one thread.
    pub saved: Duration,
    /// How long the threads waited for the store.
    pub waited: Duration,
    /// How many entries were damaged or wrong; their resources were recompiled.
    pub damaged: u64,
}
