//! Tests of the shared proxy: its counters under both ways of freeing and from several threads, its
//! budget, and forwarding.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod scripted;
#[cfg(not(loom))]
mod single;
#[cfg(not(loom))]
mod threads;
