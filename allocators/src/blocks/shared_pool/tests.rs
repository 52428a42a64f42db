//! Tests of the shared pool: its bits and levels, growth, wrong frees, and threads that meet.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

#[cfg(not(loom))]
mod books;
#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod search;
#[cfg(not(loom))]
mod single;
#[cfg(not(loom))]
mod threads;
