//! Replay of recorded allocations.
