//! What can go wrong with open structs and arrays.

use core::error::Error;
use core::fmt;

use loligo_ids::IdString32;

use crate::error::GrowError;
use crate::keyed::json::JsonError;
use crate::keyed::open_struct::FieldType;

/// An operation on an open struct or array was refused, and changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpenError {
    /// There was no memory.
    Memory(GrowError),
    /// There is a field of this name already, and it has another type.
    Taken {
        /// The name.
        name: IdString32,
        /// The type that it has.
        has: FieldType,
        /// The type that it was to have.
        wanted: FieldType,
    },
    /// There would be more than [`OPEN_FIELDS_MAX`](crate::OPEN_FIELDS_MAX) fields.
    Fields,
    /// Lists and dictionaries would be in each other more than 32 deep.
    Depth,
    /// Text was not the JSON that was to be read.
    Json(JsonError),
    /// Saved bytes are damaged.
    Damage(OpenDamage),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => error.fmt(f),
            Self::Taken { name, has, wanted } => {
                write!(f, "field #{name} is a {has} and cannot be a {wanted}, too")
            }
            Self::Fields => write!(f, "more than {} fields", crate::OPEN_FIELDS_MAX),
            Self::Depth => f.write_str("values lie more than 32 deep"),
            Self::Json(error) => error.fmt(f),
            Self::Damage(damage) => damage.fmt(f),
        }
    }
}

impl Error for OpenError {}

impl From<GrowError> for OpenError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl From<JsonError> for OpenError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

impl From<OpenDamage> for OpenError {
    fn from(damage: OpenDamage) -> Self {
        Self::Damage(damage)
    }
}

/// What is wrong with the saved bytes of an open struct or array, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenDamage {
    offset: u64,
    reason: &'static str,
}

impl OpenDamage {
    pub(super) const fn new(offset: usize, reason: &'static str) -> Self {
        Self { offset: offset as u64, reason }
    }

    /// Returns the byte of the saved form at which it was seen.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns what is wrong there, in words.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for OpenDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.reason)
    }
}

impl Error for OpenDamage {}
