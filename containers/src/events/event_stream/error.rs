//! What can be wrong with a stream of events.

use core::error::Error;
use core::fmt;

/// The bytes are not a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventError {
    /// Where the record begins that is wrong, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub kind: EventErrorKind,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventErrorKind {
    /// The stream ends within the header.
    Header {
        /// The bytes that are left for it.
        left: u64,
    },
    /// The stream ends before the payload does.
    Payload {
        /// The size that the header states.
        size: u32,
        /// The bytes that are left after the header.
        left: u64,
    },
    /// The bytes that fill the last word are not zero.
    Filling,
    /// An event of a known type has another size.
    Size {
        /// The size that the header states.
        size: u32,
        /// The size that it should have.
        expected: u32,
    },
    /// An event of a known type has bits that none can have.
    Bits,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the event at byte {} ", self.offset)?;
        match self.kind {
            EventErrorKind::Header { left } => {
                write!(f, "has {left} bytes left for its header, which is 8")
            }
            EventErrorKind::Payload { size, left } => {
                write!(f, "says that it is {size} bytes long where {left} are left")
            }
            EventErrorKind::Filling => f.write_str("is filled up with bytes that are not zero"),
            EventErrorKind::Size { size, expected } => {
                write!(f, "is {size} bytes long; those of its type are {expected}")
            }
            EventErrorKind::Bits => f.write_str("has bits that none of its type can have"),
        }
    }
}

impl Error for EventError {}
