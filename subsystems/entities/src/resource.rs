//! A resource of entities: one blob, grouped by component type, read in place.
//!
//! After Niklas Frykholm, "Building a Data-Oriented Entity System (Part 4: Entity Resources)"
//! (2014). Changes:
//!
//! - It is a blob of `loligo-containers`, so its parts are found by offsets and were checked once,
//!   on opening.
//! - Parents come before their children, so a tree is built in one walk and cannot be a ring.
//! - Entities have names, so that a program finds the one that it wants.
//! - Component types are sorted by name; the order of spawning is the managers'. Their data are in
//!   the order that the compilers were given, which is the same.
//!
//! # Layout
//!
//! ```text
//! blob header          48 bytes
//! root      | parents: offset, count | names | parts |                     24 bytes
//! parents   | none | 0 | 0 | ..                                            4 bytes an entity
//! names     | hash of the name | ..                                        4 bytes an entity
//! parts     | type's name, entities: offset, count, data: offset, count |  20 bytes a component type
//! entities  | 0 2 ..                                                       4 bytes a component, for each type
//! data      | words of the type's own ..                                   for each type
//! ```

mod error;
mod kept;

pub use error::{EntitiesError, ResourceError};
pub use kept::KeptResource;

use core::fmt;

use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_ids::{IdString32, TableId};

use crate::entity::Entity;

use kept::PartPlaces;

/// The most entities that a resource may have: as many as there may be in a world.
pub const ENTITIES_MAX: usize = 1 << Entity::INDEX_BITS;

/// The parent of an entity that has none.
pub const NO_PARENT: u32 = u32::MAX;

blob_struct! {
    /// Components of one type.
    pub struct Part {
        pub name: u32,
        pub entities: BlobArray<u32>,
        pub data: BlobArray<u32>,
    }
}

blob_struct! {
    /// The root.
    pub struct Root {
        pub parents: BlobArray<u32>,
        pub names: BlobArray<u32>,
        pub parts: BlobArray<Part>,
    }
}

/// An opened resource: an entity with its children, or a level, which is many of them.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and believes no length. Reading is free.
///
/// # Memory
///
/// The bytes are borrowed and used in place: 120 at least, 8 an entity, 20 a component type, and
/// for each component 4 and its data. The object is a few slices.
///
/// # Examples
///
/// See the crate's page.
///
/// # Invariants
///
/// 1. There is a name for each entity that there is a parent for, and at most [`ENTITIES_MAX`] of
///    them.
/// 2. A parent is [`NO_PARENT`] or the index of an entity before.
/// 3. Parts are sorted by name, and no name comes twice.
/// 4. The entities of a part ascend, and are entities of the resource.
#[derive(Clone, Copy)]
pub struct EntityResource<'b> {
    bytes: &'b [u8],
    parents: &'b [u32],
    names: &'b [u32],
    parts: Parts<'b>,
}

/// The components, type after type.
#[derive(Clone, Copy)]
enum Parts<'b> {
    InBlob(Blob<'b, Root>, &'b [Part]),
    Found { places: &'b [PartPlaces], words: &'b [u32] },
}

impl<'b> Parts<'b> {
    #[inline]
    const fn len(&self) -> usize {
        match self {
            Self::InBlob(_, parts) => parts.len(),
            Self::Found { places, .. } => places.len(),
        }
    }

    #[inline]
    fn at(&self, at: usize) -> ResourcePart<'b> {
        match self {
            Self::InBlob(blob, parts) => read(blob, &parts[at]),
            Self::Found { places, words } => places[at].of(words),
        }
    }

    #[inline]
    fn find(&self, component: IdString32) -> Option<usize> {
        match self {
            Self::InBlob(_, parts) => {
                parts.binary_search_by_key(&component.hash(), |part| part.name)
            }
            Self::Found { places, .. } => {
                places.binary_search_by_key(&component, |part| part.component)
            }
        }
        .ok()
    }
}

/// All components of one type in a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourcePart<'b> {
    /// The type's name, hashed.
    pub component: IdString32,
    /// The indices of the entities that have one, ascending.
    pub entities: &'b [u32],
    /// The data of all of them, as the type's compiler packed them.
    pub data: &'b [u32],
}

impl<'b> EntityResource<'b> {
    /// Opens a resource that was compiled. The bytes must be at a multiple of 16, as those of a
    /// mapped file do.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] says what is wrong and where. Data of components are checked by their
    /// managers, when they are spawned.
    pub fn open(bytes: &'b [u8]) -> Result<Self, ResourceError> {
        let blob: Blob<'_, Root> = Blob::open(bytes).map_err(ResourceError::Blob)?;
        let root = blob.root();
        let resource = Self {
            bytes,
            parents: blob.array(&root.parents),
            names: blob.array(&root.names),
            parts: Parts::InBlob(blob, blob.array(&root.parts)),
        };
        resource.check().map_err(ResourceError::Entities)?;
        Ok(resource)
    }

    /// Returns how many entities there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns `true` if there is no entity.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the index of each entity's parent, or [`NO_PARENT`].
    #[must_use]
    pub const fn parents(&self) -> &'b [u32] {
        self.parents
    }

    /// Returns the name of each entity, hashed.
    #[must_use]
    pub const fn names(&self) -> &'b [u32] {
        self.names
    }

    /// Returns the index of the first entity of a name. That of an entity's only root is empty.
    ///
    /// # Complexity
    ///
    /// O(entities).
    #[must_use]
    pub fn find(&self, name: IdString32) -> Option<usize> {
        self.names.iter().position(|hash| *hash == name.hash())
    }

    /// Returns the name of an entity, hashed.
    #[must_use]
    pub fn name(&self, index: usize) -> Option<IdString32> {
        self.names.get(index).map(|hash| IdString32::from_hash(*hash))
    }

    /// Returns the components, type after type, in the order of the hashes of their names.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = ResourcePart<'b>> + use<'b> {
        let parts = self.parts;
        (0..parts.len()).map(move |at| parts.at(at))
    }

    /// Returns the components of a type. O(log types).
    #[inline]
    #[must_use]
    pub fn part(&self, component: IdString32) -> Option<ResourcePart<'b>> {
        self.parts.find(component).map(|at| self.parts.at(at))
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Checks the invariants.
    fn check(&self) -> Result<(), EntitiesError> {
        let (count, names) = (self.len(), self.names.len());
        if count > ENTITIES_MAX {
            return Err(EntitiesError::TooMany { count });
        }
        if names != count {
            return Err(EntitiesError::Names { count, names });
        }
        for (entity, &parent) in (0..).zip(self.parents) {
            if parent != NO_PARENT && parent >= entity {
                return Err(EntitiesError::Parent { entity, parent });
            }
        }
        let mut last = None;
        for part in self.parts() {
            if last.is_some_and(|last| last >= part.component) {
                return Err(EntitiesError::Order { component: part.component });
            }
            last = Some(part.component);
            let ascend = part.entities.is_sorted_by(|a, b| a < b);
            if !ascend || part.entities.last().is_some_and(|index| *index as usize >= count) {
                return Err(EntitiesError::Owners { component: part.component });
            }
        }
        Ok(())
    }
}

fn read<'b>(blob: &Blob<'b, Root>, part: &Part) -> ResourcePart<'b> {
    ResourcePart {
        component: IdString32::from_hash(part.name),
        entities: blob.array(&part.entities),
        data: blob.array(&part.data),
    }
}

impl fmt::Debug for EntityResource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityResource")
            .field("entities", &self.len())
            .field("parts", &self.parts().len())
            .finish_non_exhaustive()
    }
}
