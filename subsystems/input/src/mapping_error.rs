//! Why bytes are not a mapping.

use core::error::Error;
use core::fmt;

use loligo_containers::{BlobError, GrowError};

/// A mapping was not loaded. The one of before is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MappingError {
    /// The bytes are not a blob of that type.
    Blob(BlobError),
    /// A part of it is not as it must be.
    Part {
        /// The field.
        field: &'static str,
        /// The element, from 0 on.
        index: u32,
        /// What it must be.
        must: &'static str,
    },
    /// There is no memory.
    Grow(GrowError),
}

impl MappingError {
    pub(crate) const fn part(field: &'static str, index: usize, must: &'static str) -> Self {
        Self::Part { field, index: index as u32, must }
    }
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => write!(f, "no compiled input: {error}; recompile it"),
            Self::Part { field, index, must } => {
                write!(f, "no compiled input: `{field}` {index} must be {must}; recompile it")
            }
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for MappingError {}

impl From<GrowError> for MappingError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}
