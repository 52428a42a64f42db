//! Allocators for blocks of one size, or of powers of two.

pub(crate) mod buddy;
pub(crate) mod buddy_offsets;
pub(crate) mod pool;
pub(crate) mod shared_pool;
