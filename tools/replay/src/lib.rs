//! Replays recorded allocations over allocators, strategies and peers.
#![expect(
    unsafe_code,
    reason = "replaying calls allocators by hand and asks the system for times and memory"
)]

pub mod bundled;
pub mod results;
pub mod trace;
