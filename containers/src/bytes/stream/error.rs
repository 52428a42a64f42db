//! What can go wrong in reading and writing.

use core::error::Error;
use core::fmt;

use crate::error::GrowError;

/// A value could not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamError {
    /// Where in the stream the value begins, in bytes.
    pub offset: u64,
    /// The innermost field that has a name.
    pub field: Option<&'static str>,
    /// What is wrong.
    pub kind: StreamErrorKind,
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The stream ends before the value does.
    Ends {
        /// The bytes that it takes.
        needed: u64,
        /// The bytes that are left.
        left: u64,
    },
    /// More elements are claimed than can be there.
    Length {
        /// The elements that are claimed.
        claimed: u32,
        /// The bytes that are left for them.
        left: u64,
    },
    /// An array is too long for its length to be written.
    TooLong,
    /// Elements take no bytes, so their length could not be checked.
    NoBytes,
    /// A byte that should be 0 or 1.
    Bool(u8),
    /// A number that is not a character.
    Char(u32),
    /// A number that no id can be.
    Id(u64),
    /// Bytes that are not UTF-8.
    Text,
    /// A choice that there is not.
    Choice {
        /// Its place.
        place: u32,
        /// How many there are.
        choices: u32,
    },
    /// Arrays are nested too deep.
    Depth {
        /// How deep they may be nested.
        limit: u32,
    },
    /// The bytes are of another format.
    Format {
        /// The number that they begin with.
        found: u32,
        /// The number of the format.
        expected: u32,
    },
    /// The bytes are of a version that is not known.
    Version {
        /// The version that they state.
        found: u32,
        /// The newest that is known.
        newest: u32,
    },
    /// Something follows where the stream should end.
    Trailing {
        /// The bytes that follow.
        left: u64,
    },
    /// There is no memory for it.
    Memory(GrowError),
    /// The program refuses it, for this reason.
    Refused(&'static str),
}

impl StreamError {
    /// Gives the error a field's name, unless it has that of a field within.
    #[cold]
    pub(super) const fn in_field(self, name: &'static str) -> Self {
        match self.field {
            None => Self { field: Some(name), ..self },
            Some(_) => self,
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "`{field}` at ")?;
        }
        write!(f, "byte {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for StreamErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends { needed, left } => {
                write!(f, "{needed} bytes are needed where {left} are left")
            }
            Self::Length { claimed, left } => {
                write!(f, "{claimed} elements are claimed where {left} bytes are left")
            }
            Self::TooLong => write!(f, "there are more elements than {}", u32::MAX),
            Self::NoBytes => {
                f.write_str("the elements take no bytes, so they could not be counted")
            }
            Self::Bool(byte) => write!(f, "{byte} is neither 0 nor 1"),
            Self::Char(number) => write!(f, "{number:#x} is no character"),
            Self::Id(bits) => write!(f, "{bits:#x} is no id"),
            Self::Text => f.write_str("the text is no UTF-8"),
            Self::Choice { place, choices } => {
                write!(f, "{place} is none of the {choices} choices")
            }
            Self::Depth { limit } => write!(f, "arrays lie more than {limit} deep in arrays"),
            Self::Format { found, expected } => {
                write!(f, "the format is {found:08x} and not {expected:08x}")
            }
            Self::Version { found, newest } => {
                write!(f, "the version is {found}; those up to {newest} are known")
            }
            Self::Trailing { left } => write!(f, "{left} bytes follow where the end should be"),
            Self::Memory(error) => fmt::Display::fmt(error, f),
            Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl Error for StreamError {}
