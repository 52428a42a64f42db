//! What is wrong with a compiled resource.

use core::error::Error;
use core::fmt;

use loligo_containers::BlobError;

/// Why bytes are not a resource of the type that they were opened as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataError {
    /// The type that was expected, such as `clip` or `mesh`.
    pub type_name: &'static str,
    /// What is wrong.
    pub kind: DataErrorKind,
}

/// What is wrong with the bytes of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataErrorKind {
    /// They are not a blob of that type.
    Blob(BlobError),
    /// A part of it is not as it must be.
    Part {
        /// The field.
        field: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is, or the index of the element that is not so.
        found: u64,
    },
}

impl DataError {
    /// Says that they are not a blob of the type.
    #[must_use]
    pub const fn blob(type_name: &'static str, error: BlobError) -> Self {
        Self { type_name, kind: DataErrorKind::Blob(error) }
    }

    /// Says that a part is not as it must be.
    #[must_use]
    pub const fn part(
        type_name: &'static str,
        field: &'static str,
        must: &'static str,
        found: u64,
    ) -> Self {
        Self { type_name, kind: DataErrorKind::Part { field, must, found } }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no compiled {}: ", self.type_name)?;
        match self.kind {
            DataErrorKind::Blob(error) => write!(f, "{error}")?,
            DataErrorKind::Part { field, must, found } => {
                write!(f, "`{field}` must be {must}, and is {found}")?;
            }
        }
        f.write_str("; recompile it")
    }
}

impl Error for DataError {}
