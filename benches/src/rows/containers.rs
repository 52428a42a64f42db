//! The rows of the containers, a module for each.

mod list_pool;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(list_pool::rows());
    rows
}
