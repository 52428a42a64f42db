//! Tags: hashes that entities carry, and which entities carry one.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), which asks how to
//! keep a short list of tags for each entity without a block for each, and leaves out the lookup
//! from a tag to its entities. Changes:
//!
//! - Both directions are an [`ArrayOfArrays`]: a row for each entity, a row for each tag. The
//!   latter is a slice of entities, whatever their number.
//! - A tag in an entity's row knows its place in the tag's row, so removing it does not search.

mod data;
mod error;

pub use error::TagError;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, ArrayOfArrays, GrowError, HashMap, RowId};
use loligo_ids::IdString32;

use crate::dense::Dense;
use crate::entity::Entity;
use crate::error::Damage;

/// The most entities that may carry the same tag.
pub const ENTITIES_OF_TAG_MAX: usize = 1 << 18;

/// A tag that an entity carries.
#[derive(Clone, Copy)]
struct Carried {
    tag: IdString32,
    /// The row of the tag's entities, and the place there of the one that carries it.
    row: RowId<Entity>,
    place: u32,
}

/// The tags of entities: hashed words such as `enemy` or `door`, any number for each.
///
/// ```text
/// rows of entities | goblin: enemy, 0 | door: locked, 0; wood, 1 | table: wood, 0 |      tag, place in its row
/// rows of tags     | enemy: goblin | locked: door | wood: table, door |
/// ```
///
/// # Complexity
///
/// All entities of a tag: O(1), a slice. The tags of an entity: O(1). Adding a tag O(its own tags)
/// amortised, removing one O(tags of two entities).
///
/// # Memory
///
/// Nothing while empty. Then for each entity with tags 16 bytes, and its tags, of 12 bytes each, in
/// a row of a power of two of them; for each tag 8 bytes, 17 in a hash map, and 4 for each entity,
/// to a power of two. A tag keeps its row when no entity carries it any more. At most
/// [`ENTITIES_OF_TAG_MAX`] entities carry the same tag.
///
/// # When not to use it
///
/// For a property that changes every frame: that is a component.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::{Entities, Tags};
/// use loligo_ids::id32;
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let mut entities: Entities = Entities::new(&MEMORY);
/// let mut tags: Tags = Tags::new(&MEMORY);
/// let [table, door] = [entities.create()?, entities.create()?];
/// tags.try_add(table, id32!("wood"))?;
/// tags.try_add(door, id32!("wood"))?;
/// tags.try_add(door, id32!("locked"))?;
///
/// assert_eq!(tags.entities(id32!("wood")), [table, door]);
/// assert!(tags.has(door, id32!("locked")));
/// tags.remove_tag(door, id32!("locked"));
/// assert!(tags.entities(id32!("locked")).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. There are as many rows as entities in `dense`; the row of each is alive.
/// 2. What an entity carries is at its place in the row of its tag, and there are no more entities
///    in these rows.
/// 3. No entity carries a tag twice.
pub struct Tags<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    dense: Dense<'a, A>,
    rows: Array<'a, RowId<Carried>, A>,
    carried: ArrayOfArrays<'a, Carried, A>,
    tags: HashMap<'a, IdString32, RowId<Entity>, loligo_containers::BuildKeyHasher, A>,
    entities: ArrayOfArrays<'a, Entity, A>,
}

impl<'a> Tags<'a> {
    /// Returns a manager without tags, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Tags<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            dense: Dense::new(memory),
            rows: Array::new_in(memory),
            carried: ArrayOfArrays::new_in(memory),
            tags: HashMap::new_in(memory),
            entities: ArrayOfArrays::new_in(memory),
        }
    }

    /// Returns the entities that carry a tag, in no order.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn entities(&self, tag: IdString32) -> &[Entity] {
        self.tags.get(&tag).and_then(|row| self.entities.row(*row)).unwrap_or_default()
    }

    /// Returns the tags of an entity, in no order.
    pub fn tags(&self, entity: Entity) -> impl ExactSizeIterator<Item = IdString32> {
        self.carried_by(entity).iter().map(|carried| carried.tag)
    }

    /// Returns `true` if an entity carries a tag. O(its tags).
    #[must_use]
    pub fn has(&self, entity: Entity, tag: IdString32) -> bool {
        self.carried_by(entity).iter().any(|carried| carried.tag == tag)
    }

    /// Gives an entity a tag, and returns whether it had none such.
    ///
    /// # Complexity
    ///
    /// O(its tags) amortised.
    ///
    /// # Errors
    ///
    /// [`TagError`] if there is no memory, or too many entities carry the tag; nothing has changed.
    pub fn try_add(&mut self, entity: Entity, tag: IdString32) -> Result<bool, TagError> {
        if self.has(entity, tag) {
            return Ok(false);
        }
        let is_new = self.dense.place(entity).is_none();
        let row = self.row_of(entity)?;
        if let Err(error) = self.push(row, entity, tag) {
            if is_new {
                self.remove_one(entity);
            }
            return Err(error);
        }
        Ok(true)
    }

    /// Takes a tag from an entity, and returns whether it carried it.
    ///
    /// # Complexity
    ///
    /// O(tags of it, and of one other entity with the tag). Allocates nothing.
    pub fn remove_tag(&mut self, entity: Entity, tag: IdString32) -> bool {
        let Some(row) = self.dense.place(entity).map(|place| self.rows[place]) else {
            return false;
        };
        let Some(at) = self.carried[row].iter().position(|carried| carried.tag == tag) else {
            return false;
        };
        if let Some(carried) = self.carried.swap_remove(row, at) {
            self.leave(carried);
        }
        if self.carried[row].is_empty() {
            self.remove_one(entity);
        }
        true
    }

    /// Returns how many entities carry tags.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if no entity carries any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns how many bytes the rows take, room for more included; the hash map and the places of
    /// slots not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.carried.bytes() + self.entities.bytes() + self.rows.capacity() * size_of::<u32>()
    }

    /// Checks that the structure is whole.
    ///
    /// # Complexity
    ///
    /// O(slots + tags of all entities, those of one squared).
    ///
    /// # Errors
    ///
    /// [`Damage`] names the first thing that is wrong.
    pub fn validate(&self) -> Result<(), Damage> {
        self.dense.validate()?;
        let row = |damage: loligo_containers::RowDamage| Damage::new(damage.what, damage.index);
        self.carried.validate().map_err(row)?;
        self.entities.validate().map_err(row)?;
        if self.rows.len() != self.dense.entities().len() || self.rows.len() != self.carried.len() {
            return Err(Damage::new("rows and entities differ in number", self.rows.len() as u32));
        }
        let mut count = 0;
        for (entity, row) in self.dense.entities().iter().zip(&*self.rows) {
            let damage = |what| Damage::new(what, entity.index());
            let carried = self.carried.row(*row).ok_or(damage("an entity has no row of tags"))?;
            count += carried.len();
            for (at, one) in carried.iter().enumerate() {
                if self.tags.get(&one.tag) != Some(&one.row)
                    || self.entities.row(one.row).and_then(|row| row.get(one.place as usize))
                        != Some(entity)
                {
                    return Err(damage("a tag does not know its entity"));
                }
                if carried[..at].iter().any(|other| other.tag == one.tag) {
                    return Err(damage("an entity carries a tag twice"));
                }
            }
        }
        let known: usize = self.entities.iter().map(|(_, row)| row.len()).sum();
        if known != count {
            return Err(Damage::new("a tag knows an entity that does not carry it", known as u32));
        }
        Ok(())
    }

    fn carried_by(&self, entity: Entity) -> &[Carried] {
        let row = self.dense.place(entity).and_then(|place| self.carried.row(self.rows[place]));
        row.unwrap_or_default()
    }

    /// Returns the row of an entity, which it is given if it has none.
    fn row_of(&mut self, entity: Entity) -> Result<RowId<Carried>, GrowError> {
        if let Some(place) = self.dense.place(entity) {
            return Ok(self.rows[place]);
        }
        self.dense.reserve_one(entity)?;
        self.rows.try_reserve(1)?;
        if let Some(stale) = self.dense.stale(entity) {
            self.remove_one(stale);
        }
        let row = self.carried.try_add_row()?;
        self.dense.push(entity);
        self.rows.push(row);
        Ok(row)
    }

    /// Gives an entity a tag that it does not carry.
    fn push(
        &mut self,
        row: RowId<Carried>,
        entity: Entity,
        tag: IdString32,
    ) -> Result<(), TagError> {
        let of_tag = match self.tags.get(&tag) {
            Some(row) => *row,
            None => {
                self.tags.try_reserve(1)?;
                let row = self.entities.try_add_row()?;
                self.tags.insert(tag, row);
                row
            }
        };
        let place = self.entities[of_tag].len();
        if place >= ENTITIES_OF_TAG_MAX {
            return Err(TagError::TooMany { tag });
        }
        self.entities.try_push(of_tag, entity).map_err(error::grow)?;
        let carried = Carried { tag, row: of_tag, place: place as u32 };
        if let Err(refused) = self.carried.try_push(row, carried) {
            self.entities.pop(of_tag);
            return Err(error::grow(refused).into());
        }
        Ok(())
    }

    /// Takes an entity out of the row of a tag that it carried until now.
    fn leave(&mut self, carried: Carried) {
        self.entities.swap_remove(carried.row, carried.place as usize);
        let Some(moved) = self.entities[carried.row].get(carried.place as usize) else { return };
        let Some(place) = self.dense.place(*moved) else { return };
        let tags = &mut self.carried[self.rows[place]];
        if let Some(other) = tags.iter_mut().find(|other| other.row == carried.row) {
            other.place = carried.place;
        }
    }

    /// Takes all tags from an entity.
    fn remove_one(&mut self, entity: Entity) {
        let Some(place) = self.dense.place(entity) else { return };
        let row = self.rows[place];
        // The last first: what was spawned last leaves as if it had never been.
        while let Some(carried) = self.carried.pop(row) {
            self.leave(carried);
        }
        self.carried.remove_row(row);
        self.dense.remove(entity);
        self.rows.swap_remove(place);
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Tags<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tags")
            .field("entities", &self.len())
            .field("tags", &self.tags.len())
            .finish_non_exhaustive()
    }
}
