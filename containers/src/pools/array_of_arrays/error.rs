//! What can go wrong with a row.

use core::error::Error;
use core::fmt;

use crate::error::GrowError;

/// A row was not changed. Everything is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowError {
    /// The id names no row: its row was removed, or it is of another container.
    Unknown {
        /// The index in the id.
        index: u32,
        /// The generation in the id.
        generation: u32,
    },
    /// There is no room for more elements.
    Grow(GrowError),
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { index, generation } => {
                write!(f, "no row has the index {index} and the generation {generation}")
            }
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for RowError {}

impl From<GrowError> for RowError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

/// What [`ArrayOfArrays::validate`](crate::ArrayOfArrays::validate) found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The index of the row nearest to it; the number of rows where it is none's.
    pub index: u32,
}

impl fmt::Display for RowDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at row {}", self.what, self.index)
    }
}

impl Error for RowDamage {}
