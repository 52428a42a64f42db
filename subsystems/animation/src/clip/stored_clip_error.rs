//! Why bytes are not a clip.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_resources::DataError;

use super::CLIP_TYPE;

/// Why bytes are not a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredClipError {
    /// They are damaged, or something else.
    Data(DataError),
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for StoredClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for StoredClipError {}

impl From<GrowError> for StoredClipError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl From<DataError> for StoredClipError {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

pub(super) const fn wrong(field: &'static str, must: &'static str, found: u64) -> StoredClipError {
    StoredClipError::Data(DataError::part(CLIP_TYPE, field, must, found))
}
