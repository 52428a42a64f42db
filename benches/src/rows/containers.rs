//! The rows of the containers, a module for each.

pub mod key_values;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(key_values::rows());
    rows
}
