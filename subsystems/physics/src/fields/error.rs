//! Why a field could not be defined or added.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::IdString64;

/// A field could not be defined or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldsError {
    /// No field of that name is defined.
    Unknown {
        /// The name of the resource, hashed.
        name: IdString64,
    },
    /// The place or the time is not finite, or the rotation has not the length 1.
    Place {
        /// The name of the resource, hashed.
        name: IdString64,
    },
    /// There are as many fields as there are ids, or no memory for another.
    Full,
    /// Saved fields are damaged, or are those of another program; or there is no memory for them.
    Saved {
        /// The byte at which that was found.
        offset: u64,
    },
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for FieldsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "no field {name} is defined; load the resource before adding it")
            }
            Self::Place { name } => write!(
                f,
                "the field {name} was to be added at a place that is not finite; check what moves it"
            ),
            Self::Full => f.write_str("there is no room for another field; remove some"),
            Self::Saved { offset } => write!(
                f,
                "saved fields are damaged at byte {offset}, or another program has saved them; load another \
                 saved game"
            ),
            Self::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for FieldsError {}
