//! Why an entity was not given a transform, or not linked.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;

use super::DEPTH_MAX;
use crate::entity::Entity;

/// A transform was not made or not linked. All is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// The entity has a transform already.
    Taken {
        /// The entity.
        entity: Entity,
    },
    /// The entity has no transform.
    Missing {
        /// The entity.
        entity: Entity,
    },
    /// The parent has no transform.
    NoParent {
        /// The parent.
        parent: Entity,
    },
    /// The parent is the entity itself, or a descendant of it.
    Ring {
        /// The entity.
        entity: Entity,
        /// The parent that it was to have.
        parent: Entity,
    },
    /// The tree would have more levels than it may.
    TooDeep {
        /// How many it would have.
        levels: usize,
    },
    /// There is no memory.
    Grow(GrowError),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { entity } => write!(f, "{entity:?} has a transform already; set its pose"),
            Self::Missing { entity } => write!(f, "{entity:?} has no transform; insert one first"),
            Self::NoParent { parent } => {
                write!(f, "the parent {parent:?} has no transform; insert that one first")
            }
            Self::Ring { entity, parent } => {
                write!(f, "{entity:?} cannot hang on {parent:?}, which hangs on it")
            }
            Self::TooDeep { levels } => write!(
                f,
                "a tree of {levels} levels, where there may be {DEPTH_MAX}; hang things on what is \
                 nearer to the root"
            ),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for LinkError {}

impl From<GrowError> for LinkError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}
