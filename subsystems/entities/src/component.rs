//! What a manager of components is to the manager of entities.
//!
//! After Niklas Frykholm, "Building a Data-Oriented Entity System (Part 4: Entity Resources)"
//! (2014), whose spawn function gets all instances of a component type at once. Changes:
//!
//! - A manager is a trait, not a function, since it must also be able to take back what it made.
//! - Data are words of 32 bits, with a length that was checked.
//! - One call may make many copies of a resource.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::{IdString32, InsertError};

use crate::entity::Entity;
use crate::pose::Pose;
use crate::resource::{EntityResource, NO_PARENT, ResourcePart};

/// What a component type is called, and when its instances are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentType {
    /// The hash of the name that sources of resources call it by.
    pub name: IdString32,
    /// Types of lower order are spawned first, and removed last; those of the same order by the
    /// hash of their name.
    pub order: i32,
}

impl ComponentType {
    /// Transforms, before all that asks where an entity is: [`Transforms`](crate::Transforms).
    pub const TRANSFORM: Self = Self::new("transform", 0);

    /// Tags: [`Tags`](crate::Tags).
    pub const TAG: Self = Self::new("tag", 100);

    /// Data: [`Data`](crate::Data).
    pub const DATA: Self = Self::new("data", 200);

    /// Returns the type of a name and an order.
    #[must_use]
    pub const fn new(name: &str, order: i32) -> Self {
        Self { name: IdString32::new(name), order }
    }
}

/// Keeps all components of a type, for all entities that have one.
///
/// A manager receives all entities of a spawn in one call. It keeps components only: which entities
/// exist is known to the manager of entities.
pub trait ComponentManager {
    /// Returns the type of the components.
    fn component(&self) -> ComponentType;

    /// Makes the components of a batch. None of its entities has one yet.
    ///
    /// # Errors
    ///
    /// [`ComponentError`] if there is no memory or the data are wrong. All is as it was then.
    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError>;

    /// Removes the components of entities, from the last entity to the first. Entities that have
    /// none are passed over. Allocates nothing.
    fn remove(&mut self, entities: &[Entity]);

    /// Returns `true` if it makes only some components of a batch's data where only some are asked
    /// for: those from [`Batch::first`] on, of [`Batch::total`]. A resource that has components of
    /// a manager that cannot is spawned whole.
    fn takes_parts(&self) -> bool {
        false
    }

    /// Names entities that go when `entities` go: their children. `add` may be called twice for
    /// one. Most components know of none.
    fn followers(&self, entities: &[Entity], add: &mut dyn FnMut(Entity)) {
        let _ = (entities, add);
    }
}

/// All instances of a component type that are to be made at once.
///
/// ```text
/// entities  | a0 b0 c0 | a1 b1 c1 | ..     the resource's entities, copy after copy
/// indices   | 0 2 |                        which entities of each copy have the component: a and c
/// data      | data of a, data of c |       the same for each copy
/// parents   | none 0 0 |                   by index, for each entity of a copy
/// names     | a b c |                      hashed, for each entity of a copy
/// poses     | pose of copy 0 | pose of copy 1 | ..
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    entities: &'b [Entity],
    per_copy: usize,
    poses: &'b [Pose],
    parents: &'b [u32],
    names: &'b [u32],
    indices: &'b [u32],
    data: &'b [u32],
    /// How many components come before the first, and how many `data` are for.
    first: usize,
    total: usize,
    /// The entities before the first, and the parent of those that have none.
    earlier: &'b [Entity],
    root: Option<Entity>,
}

/// Which entities of a resource are made: all of them, or some after others that were made before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'w> {
    pub(crate) earlier: &'w [Entity],
    pub(crate) count: usize,
    pub(crate) root: Option<Entity>,
}

impl<'b> Batch<'b> {
    /// Makes a batch of the components of a part whose entities are in a window. The parts fit
    /// together, as an opened resource has them.
    pub(crate) fn new(
        entities: &'b [Entity],
        poses: &'b [Pose],
        resource: &EntityResource<'b>,
        part: &ResourcePart<'b>,
        window: &Window<'b>,
    ) -> Self {
        let Window { earlier, count, root } = *window;
        let (parents, names) = (resource.parents(), resource.names());
        let before = |end: usize| part.entities.partition_point(|index| (*index as usize) < end);
        let whole = earlier.is_empty() && count == parents.len();
        let (first, end) = match whole {
            true => (0, part.entities.len()),
            false => (before(earlier.len()), before(earlier.len() + count)),
        };
        let (indices, total) = (&part.entities[first..end], part.entities.len());
        let data = part.data;
        Self {
            entities,
            per_copy: count,
            poses,
            parents,
            names,
            indices,
            data,
            first,
            total,
            earlier,
            root,
        }
    }

    /// Returns how many components each copy has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns `true` if there is no component.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.indices.is_empty() || self.poses.is_empty()
    }

    /// Returns how many copies of the resource are made.
    #[must_use]
    pub const fn copies(&self) -> usize {
        self.poses.len()
    }

    /// Returns the data of all components of a copy, as the type's compiler packed them. They are
    /// the same for all copies. Only their number of words was checked.
    #[must_use]
    pub const fn data(&self) -> &'b [u32] {
        self.data
    }

    /// Returns how many components come before the first of this batch in [`data`](Self::data): 0,
    /// unless the manager [takes parts](ComponentManager::takes_parts).
    #[must_use]
    pub const fn first(&self) -> usize {
        self.first
    }

    /// Returns how many components [`data`](Self::data) are for: [`len`](Self::len), unless the
    /// manager [takes parts](ComponentManager::takes_parts).
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Returns which entities of the resource get a component, ascending.
    #[must_use]
    pub const fn indices(&self) -> &'b [u32] {
        self.indices
    }

    /// Returns the entities of a copy that get a component, in the order of the data.
    ///
    /// # Panics
    ///
    /// If there is no such copy.
    #[inline]
    pub fn owners(&self, copy: usize) -> impl ExactSizeIterator<Item = Entity> + use<'b> {
        let (entities, base) = (self.copy(copy), self.earlier.len());
        self.indices.iter().map(move |index| entities[*index as usize - base])
    }

    /// Returns the entities of all copies that get a component, if those are all that there are: a
    /// slice to be copied.
    #[must_use]
    pub fn all_owners(&self) -> Option<&'b [Entity]> {
        // The indices ascend, so as many as there are entities are all of them.
        (self.indices.len() == self.per_copy).then_some(self.entities)
    }

    /// Returns the parent of the entity that gets component `instance` of a copy.
    ///
    /// # Panics
    ///
    /// If there is no such copy or instance.
    #[inline]
    #[must_use]
    pub fn parent(&self, copy: usize, instance: usize) -> Option<Entity> {
        match self.parents[self.indices[instance] as usize] {
            NO_PARENT => self.root,
            parent => Some(match self.earlier.get(parent as usize) {
                Some(earlier) => *earlier,
                None => self.entity(copy, parent as usize),
            }),
        }
    }

    /// Returns an entity of a copy by its index in the resource.
    ///
    /// # Panics
    ///
    /// If there is no such copy or entity.
    #[inline]
    #[must_use]
    pub fn entity(&self, copy: usize, index: usize) -> Entity {
        self.copy(copy)[index - self.earlier.len()]
    }

    /// Returns the entity with a name, hashed, that is nearest to the one that gets component
    /// `instance` of a copy: below that entity first, then below its parent, and so on, since a level
    /// may have the same names several times. `None` if there is none, or it is not made yet.
    ///
    /// # Complexity
    ///
    /// O(entities of the resource x depth²).
    ///
    /// # Panics
    ///
    /// If there is no such copy or instance.
    #[must_use]
    pub fn find(&self, copy: usize, instance: usize, name: IdString32) -> Option<Entity> {
        let named = |index: &usize| self.names[*index] == name.hash();
        let parent = |index: u32| self.parents.get(index as usize).copied().unwrap_or(NO_PARENT);
        let mut top = self.indices[instance];
        let index = loop {
            let is_below = |index: &usize| {
                let mut at = *index as u32;
                while at != top && at != NO_PARENT {
                    at = parent(at);
                }
                at == top
            };
            // Without a top all are below it.
            let found = (0..self.names.len()).filter(named).find(is_below);
            match found {
                Some(index) => break index,
                None if top == NO_PARENT => return None,
                None => top = parent(top),
            }
        };
        match self.earlier.get(index) {
            Some(earlier) => Some(*earlier),
            None => self.copy(copy).get(index - self.earlier.len()).copied(),
        }
    }

    /// Returns where a copy was asked to be.
    ///
    /// # Panics
    ///
    /// If there is no such copy.
    #[must_use]
    pub fn pose(&self, copy: usize) -> &'b Pose {
        &self.poses[copy]
    }

    /// Returns the entities of a copy.
    #[inline]
    fn copy(&self, copy: usize) -> &'b [Entity] {
        &self.entities[copy * self.per_copy..][..self.per_copy]
    }
}

/// Components were not made. All is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentError {
    /// There is no memory for them, or they are too many.
    Grow(GrowError),
    /// A table of ids could not grow.
    Ids(InsertError),
    /// The resource's data are not those of this type.
    Data(DataError),
}

/// What is wrong with the data of a component type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataError {
    /// Which instance it is about, or how many there are if it is about none.
    pub instance: u32,
    /// What is wrong, in words.
    pub what: &'static str,
}

impl ComponentError {
    /// Returns the error of data that are wrong.
    #[must_use]
    pub const fn data(instance: usize, what: &'static str) -> Self {
        Self::Data(DataError { instance: instance as u32, what })
    }
}

impl fmt::Display for ComponentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grow(error) => error.fmt(f),
            Self::Ids(error) => error.fmt(f),
            Self::Data(DataError { instance, what }) => {
                write!(f, "{what}, at instance {instance}; compile the resource again")
            }
        }
    }
}

impl Error for ComponentError {}

impl From<GrowError> for ComponentError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl From<InsertError> for ComponentError {
    fn from(error: InsertError) -> Self {
        Self::Ids(error)
    }
}
