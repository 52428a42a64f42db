//! Many arrays, lists or blocks in memory that they share.

pub(crate) mod array_of_arrays;
pub(crate) mod handle_heap;
pub(crate) mod list_pool;
