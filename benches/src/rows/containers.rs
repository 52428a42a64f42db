//! The rows of the containers, a module for each.

pub mod arrays;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(arrays::rows());
    rows
}
