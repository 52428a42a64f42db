//! Tests of what all threads share.

#[cfg(loom)]
mod loom;
