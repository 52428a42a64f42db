//! Allocators for blocks of one size or of powers of two, and for offsets.

pub(crate) mod buddy;
pub(crate) mod buddy_offsets;
pub(crate) mod heap_offsets;
pub(crate) mod offset_leak;
pub(crate) mod pool;
pub(crate) mod shared_pool;
