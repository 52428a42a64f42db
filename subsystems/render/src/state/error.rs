//! What can go wrong where state is recorded and where it is applied.

use core::error::Error;
use core::fmt;

use loligo_containers::{EventErrorKind, GrowError};

use crate::frame::STAGES_MAX;
use loligo_ids::InsertError;

/// A message could not be recorded. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordError {
    /// There is no handle left, or no memory for one.
    Handles(InsertError),
    /// There is no memory for the message.
    Memory(GrowError),
    /// The handle names no object, or one of another kind.
    NoObject {
        /// Its bits.
        handle: u32,
    },
    /// The mesh has flags that there are not.
    Flags {
        /// Its flags.
        flags: u32,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handles(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::NoObject { handle } => {
                write!(
                    f,
                    "the handle {handle:#010x} names no object of this kind; was it destroyed?"
                )
            }
            Self::Flags { flags } => {
                write!(f, "the flags {flags:#x} have bits that mean nothing; use MESH_HIDDEN or 0")
            }
        }
    }
}

impl Error for RecordError {}

impl From<InsertError> for RecordError {
    fn from(error: InsertError) -> Self {
        Self::Handles(error)
    }
}

impl From<GrowError> for RecordError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// A stream could not be applied. The world is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateError {
    /// Where the message begins, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub kind: StateErrorKind,
}

/// What is wrong with a message, or with the stream as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateErrorKind {
    /// It is not a message: the stream ends within it, say.
    Framing(EventErrorKind),
    /// There is no message of this type.
    Type {
        /// The number of the type.
        kind: u32,
    },
    /// Messages of this type have another size.
    Size {
        /// Its size.
        size: u32,
        /// Theirs.
        expected: u32,
    },
    /// There is no stage of that number.
    Stage {
        /// The number.
        stage: u32,
    },
    /// The flags have bits that mean nothing.
    Flags {
        /// The flags.
        flags: u32,
    },
    /// These are not the bits of a handle, or the world has none of that index.
    Handle {
        /// The bits.
        handle: u32,
        /// How many indices the world has.
        limit: u32,
    },
    /// The handle names no object.
    NoObject {
        /// The handle's bits.
        handle: u32,
    },
    /// The handle names an object of another kind.
    Kind {
        /// The handle's bits.
        handle: u32,
    },
    /// An object is created where another one still is.
    Taken {
        /// The handle's bits.
        handle: u32,
        /// The other's.
        by: u32,
    },
    /// The stream is for another world.
    World {
        /// The number of that world.
        is_for: u32,
        /// The number of this one.
        world: u32,
    },
    /// The stream is not the next one.
    Sequence {
        /// Its number.
        number: u64,
        /// The next one's.
        next: u64,
    },
    /// The world has no memory for what the stream creates.
    Memory(GrowError),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the message at byte {} ", self.offset)?;
        match self.kind {
            StateErrorKind::Framing(kind) => {
                write!(f, "is damaged ({kind:?}); apply what a recorder wrote, whole")
            }
            StateErrorKind::Type { kind } => {
                write!(f, "is of type {kind:#010x}, which there is not")
            }
            StateErrorKind::Size { size, expected } => {
                write!(f, "is {size} bytes long; those of its type are {expected}")
            }
            StateErrorKind::Flags { flags } => {
                write!(f, "sets flags {flags:#x}, which there are not")
            }
            StateErrorKind::Stage { stage } => {
                write!(f, "is about stage {stage}; the last is {}", STAGES_MAX - 1)
            }
            StateErrorKind::Handle { handle, limit } => {
                write!(f, "names {handle:#010x}, which is no handle of a world for {limit} objects")
            }
            StateErrorKind::NoObject { handle } => {
                write!(f, "names {handle:#010x}, which is no object; was a stream left out?")
            }
            StateErrorKind::Kind { handle } => {
                write!(f, "names {handle:#010x}, which is an object of another kind")
            }
            StateErrorKind::Taken { handle, by } => {
                write!(f, "creates {handle:#010x} in the place of {by:#010x}, which is still there")
            }
            StateErrorKind::World { is_for, world } => {
                write!(f, "is for world {is_for} and was given to world {world}")
            }
            StateErrorKind::Sequence { number, next } => {
                write!(f, "is of stream {number} where {next} is next; apply all in their order")
            }
            StateErrorKind::Memory(error) => write!(f, "finds no room: {error}"),
        }
    }
}

impl Error for StateError {}
