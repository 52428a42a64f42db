//! The containers at work, a module for each.

pub(crate) mod handle_heap;
pub(crate) mod hash_map;
pub(crate) mod multi_map;
