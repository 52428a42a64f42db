//! The rows of the containers, a module for each.

pub mod arrays;
pub mod blob;
mod callbacks;
mod events;
mod handle_heap;
mod hash_map;
mod list_pool;
mod multi_map;
mod open;

use crate::rows::Row;

mod array;
mod ring;
mod sorted;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(blob::rows());
    rows.extend(array::rows());
    rows.extend(ring::rows());
    rows.extend(sorted::rows());
    rows.extend(handle_heap::rows());
    rows.extend(hash_map::rows());
    rows.extend(multi_map::rows());
    rows.extend(callbacks::rows());
    rows.extend(events::rows());
    rows.extend(list_pool::rows());
    rows.extend(arrays::rows());
    rows
    open::rows()
}
