//! The rows of the containers, a module for each.

mod callbacks;
mod events;

use crate::rows::Row;

/// Returns the rows of the containers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(callbacks::rows());
    rows.extend(events::rows());
    rows
}
