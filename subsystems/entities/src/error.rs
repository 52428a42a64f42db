//! What can go wrong with a spawn, and with a structure.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::{IdString32, InsertError};

use crate::component::ComponentError;

/// Entities were not spawned. All is as it was; no entity is there in half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnError {
    /// There are no ids for them.
    Ids(InsertError),
    /// There is no memory for the lists of entities.
    Grow(GrowError),
    /// The resource has components of a type that no manager is for, and such were to be refused.
    Unknown {
        /// The type's name, hashed.
        component: IdString32,
    },
    /// A manager could not make its components.
    Component {
        /// The type's name, hashed.
        component: IdString32,
        /// What it met with.
        error: ComponentError,
    },
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ids(error) => error.fmt(f),
            Self::Grow(error) => error.fmt(f),
            Self::Unknown { component } => write!(
                f,
                "the resource has components of type {component}, for which there is no manager; \
                 add one, or have unknown types skipped"
            ),
            Self::Component { component, error } => {
                write!(f, "components of type {component}: {error}")
            }
        }
    }
}

impl Error for SpawnError {}

impl From<InsertError> for SpawnError {
    fn from(error: InsertError) -> Self {
        Self::Ids(error)
    }
}

impl From<GrowError> for SpawnError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

/// The damage that a `validate` found: an error in this crate, or memory that other code wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The slot of the entity nearest to it.
    pub slot: u32,
}

impl Damage {
    pub(crate) const fn new(what: &'static str, slot: u32) -> Self {
        Self { what, slot }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at the entity of slot {}", self.what, self.slot)
    }
}

impl Error for Damage {}
