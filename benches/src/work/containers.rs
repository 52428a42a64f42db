//! The containers at work, a module for each.

pub(crate) mod array;
pub(crate) mod arrays;
pub(crate) mod blob;
pub(crate) mod callbacks;
pub(crate) mod events;
pub(crate) mod handle_heap;
pub(crate) mod hash_map;
pub(crate) mod key_values;
pub(crate) mod list_pool;
pub(crate) mod lists_of_ids;
pub(crate) mod multi_map;
pub(crate) mod open;
pub(crate) mod ring;
pub(crate) mod sorted;
