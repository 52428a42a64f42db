//! The rows of the containers, a module for each.

mod array;
mod arrays;
mod blob;
mod callbacks;
mod events;
mod handle_heap;
mod hash_map;
mod key_values;
mod list_pool;
mod multi_map;
mod open;
mod ring;
mod sorted;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = array::rows();
    rows.extend(ring::rows());
    rows.extend(hash_map::rows());
    rows.extend(multi_map::rows());
    rows.extend(sorted::rows());
    rows.extend(list_pool::rows());
    rows.extend(arrays::rows());
    rows.extend(handle_heap::rows());
    rows.extend(key_values::rows());
    rows.extend(events::rows());
    rows.extend(callbacks::rows());
    rows.extend(open::rows());
    rows.extend(blob::rows());
    rows
}
