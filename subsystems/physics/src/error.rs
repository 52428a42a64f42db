//! What a physics world refuses.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::InsertError;

/// Why a world refuses a call. Nothing has changed, unless the call says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PhysicsError {
    /// The id names nothing: what it named was destroyed, or it is of another world.
    Unknown {
        /// `actor`, `joint` or `vehicle`.
        what: &'static str,
    },
    /// A number is not what it must be.
    Number {
        /// Which one.
        what: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is; of several the first that is not so.
        found: f32,
    },
    /// A shape of an actor cannot be made.
    Shape {
        /// Its index among the shapes of the actor.
        shape: u32,
        /// What is wrong, and what to do.
        reason: &'static str,
    },
    /// The call is not for an actor of this kind.
    Kind {
        /// What the call does.
        what: &'static str,
        /// What it is for.
        must: &'static str,
    },
    /// There are as many as ids can name.
    Full {
        /// `actors`, `joints` or `vehicles`.
        what: &'static str,
        /// The most that there can be.
        limit: u64,
    },
    /// There is no memory.
    Memory {
        /// The bytes that were asked for.
        bytes: u64,
    },
}

impl PhysicsError {
    pub(crate) fn insert(what: &'static str, error: InsertError) -> Self {
        match error {
            InsertError::Memory { bytes, .. } => Self::Memory { bytes },
            InsertError::Full { limit, .. } => Self::Full { what, limit },
            _ => Self::Full { what, limit: u64::MAX },
        }
    }

    /// Places a shape's error at the shape.
    pub(crate) fn at_shape(self, index: usize) -> Self {
        match self {
            Self::Shape { reason, .. } => Self::Shape { shape: index as u32, reason },
            other => other,
        }
    }
}

impl From<GrowError> for PhysicsError {
    fn from(error: GrowError) -> Self {
        match error {
            GrowError::Memory { bytes, .. } => Self::Memory { bytes },
            GrowError::Length { limit, .. } => Self::Full { what: "elements of a list", limit },
        }
    }
}

impl fmt::Display for PhysicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unknown { what } => {
                write!(f, "the id names no {what} of this world; it was destroyed, so drop its id")
            }
            Self::Number { what, must, found } => {
                write!(f, "{what} must be {must}, and is {found}; correct the number")
            }
            Self::Shape { shape, reason } => write!(f, "shape {shape} of the actor: {reason}"),
            Self::Kind { what, must } => {
                write!(f, "{what} is for {must}; choose that kind when the actor is created")
            }
            Self::Full { what, limit } => {
                write!(f, "there are {limit} {what}, which is the most; destroy some")
            }
            Self::Memory { bytes } => {
                write!(
                    f,
                    "the allocator has no memory for {bytes} bytes; free blocks, or give it more"
                )
            }
        }
    }
}

impl Error for PhysicsError {}
