//! The rows of the containers, a module for each.

mod open;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    open::rows()
}
