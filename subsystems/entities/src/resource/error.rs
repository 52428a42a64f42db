//! Why bytes are not a resource of entities.

use core::error::Error;
use core::fmt;

use loligo_containers::BlobError;
use loligo_ids::IdString32;

use super::{ENTITIES_MAX, NO_PARENT};

/// The bytes are not a resource of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceError {
    /// They are not a blob, or one of another kind.
    Blob(BlobError),
    /// The blob is whole, but what it says of its entities is wrong.
    Entities(EntitiesError),
}

/// What is wrong with a resource's entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntitiesError {
    /// There are more than there may be.
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// There is another number of names.
    Names {
        /// How many entities there are.
        count: usize,
        /// How many names.
        names: usize,
    },
    /// A parent does not come before its child.
    Parent {
        /// The child's index.
        entity: u32,
        /// The parent's.
        parent: u32,
    },
    /// Component types are not sorted, or one comes twice.
    Order {
        /// The name of the second one, hashed.
        component: IdString32,
    },
    /// The entities of a component type do not ascend, or one is not there.
    Owners {
        /// The name of the type, hashed.
        component: IdString32,
    },
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => write!(f, "no resource of entities: {error}"),
            Self::Entities(error) => {
                write!(f, "no resource of entities: {error}; compile it again")
            }
        }
    }
}

impl Error for ResourceError {}

impl fmt::Display for EntitiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { count } => {
                write!(f, "it has {count} entities where there may be {ENTITIES_MAX}")
            }
            Self::Names { count, names } => {
                write!(f, "it has {names} names for {count} entities")
            }
            Self::Parent { entity, parent } => write!(
                f,
                "the parent of entity {entity} is {parent}, which is neither {NO_PARENT} nor \
                 an entity before it"
            ),
            Self::Order { component } => {
                write!(f, "component type {component} comes twice or out of order")
            }
            Self::Owners { component } => write!(
                f,
                "the entities with a component of type {component} do not ascend or are not there"
            ),
        }
    }
}

impl Error for EntitiesError {}
