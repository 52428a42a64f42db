//! Tests of the shared frame: its cursor and bits, wrong frees, and threads that meet.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

#[cfg(not(loom))]
mod edges;
#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod single;
#[cfg(not(loom))]
mod threads;
