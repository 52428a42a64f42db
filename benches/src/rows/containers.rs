//! The rows of the containers, a module for each.

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    Vec::new()
}
