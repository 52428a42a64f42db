//! What keeps a subsystem from doing its work.

use core::error::Error;
use core::fmt;

use loligo_allocators::AllocError;
use loligo_containers::GrowError;

/// A subsystem could not do something. The engine logs it with the subsystem's name, and goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubsystemError {
    /// There is no memory.
    Grow(GrowError),
    /// There is no memory for a block.
    Memory(AllocError),
    /// What it was given is wrong.
    Wrong {
        /// What is wrong.
        what: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
}

impl fmt::Display for SubsystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grow(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::Wrong { what, remedy } => write!(f, "{what}; {remedy}"),
        }
    }
}

impl Error for SubsystemError {}

impl From<GrowError> for SubsystemError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl From<AllocError> for SubsystemError {
    fn from(error: AllocError) -> Self {
        Self::Memory(error)
    }
}
