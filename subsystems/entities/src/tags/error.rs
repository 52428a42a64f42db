//! Why an entity was not given a tag.

use core::error::Error;
use core::fmt;

use loligo_containers::{GrowError, ListError, RowError};
use loligo_ids::IdString32;

use super::ENTITIES_OF_TAG_MAX;

/// An entity was not given a tag. All is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagError {
    /// As many entities as may carry the tag.
    TooMany {
        /// The tag.
        tag: IdString32,
    },
    /// There is no memory.
    Grow(GrowError),
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { tag } => write!(
                f,
                "{ENTITIES_OF_TAG_MAX} entities carry the tag {tag}, which is the most; make what \
                 nearly all have a component"
            ),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for TagError {}

impl From<GrowError> for TagError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

/// Returns why a row that is there did not grow.
pub(super) fn grow_row(error: RowError) -> GrowError {
    match error {
        RowError::Grow(error) => error,
        RowError::Unknown { .. } => unreachable!("the row is there: {error}"),
    }
}

/// Returns why a list that is there did not grow.
pub(super) fn grow_list(error: ListError) -> GrowError {
    match error {
        ListError::Grow(error) => error,
        ListError::Gone => unreachable!("the list is there: {error}"),
    }
}
