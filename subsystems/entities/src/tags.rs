//! Tags: hashes that entities carry, and which entities carry one.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), which asks how to
//! keep a short list of tags for each entity without a block for each, and leaves out the lookup
//! from a tag to its entities. Changes:
//!
//! - The tags of an entity are a list of a [`ListPool`], as they are few and seldom more than a
//!   node holds; the entities of a tag are a row of an [`ArrayOfArrays`]: a slice, whatever their
//!   number.
//! - A tag in an entity's list knows its place in the tag's row, so removing it does not search.

mod data;
mod error;
mod saved;

pub use error::TagError;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{
    Array, ArrayOfArrays, GrowError, HashMap, List, ListDamage, ListIter, ListPool, RowDamage,
    RowId,
};
use loligo_ids::IdString32;

use crate::dense::Dense;
use crate::entity::Entity;
use crate::error::Damage;

/// The most entities that may carry the same tag.
pub const ENTITIES_OF_TAG_MAX: usize = 1 << 18;

/// How many tags are in a node: most entities carry one or two.
const TOGETHER: usize = 2;

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
/// lists of entities | goblin: enemy, 0 | door: locked, 0; wood, 1 | table: wood, 0 |      tag, place in its row
/// rows of tags      | enemy: goblin | locked: door | wood: table, door |
/// ```
///
/// # Complexity
///
/// All entities of a tag: O(1), a slice. The tags of an entity: O(tags). Adding a tag O(its own
/// tags) amortised, removing one O(tags of two entities).
///
/// # Memory
///
/// Nothing while empty. Then for each entity with tags 17 bytes, and its tags, 28 bytes for two of
/// them; for each tag 8 bytes, 17 in a hash map, and 4 for each entity,
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
/// 1. There are as many lists as entities in `dense`; the list of each is alive and not empty.
/// 2. What an entity carries is at its place in the row of its tag, and there are no more entities
///    in these rows.
/// 3. No entity carries a tag twice.
pub struct Tags<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    dense: Dense<'a, A>,
    lists: Array<'a, List<Carried>, A>,
    carried: ListPool<'a, Carried, A, TOGETHER>,
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
            lists: Array::new_in(memory),
            carried: ListPool::new_in(memory),
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

    /// Returns `true` if any entity carries a tag, or has carried it: `false` of a name that is
    /// misspelt.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn is_known(&self, tag: IdString32) -> bool {
        self.tags.contains_key(&tag)
    }

    /// Returns the tags of an entity, in no order.
    pub fn tags(&self, entity: Entity) -> impl Iterator<Item = IdString32> {
        self.carried_by(entity).into_iter().flatten().map(|carried| carried.tag)
    }

    /// Returns `true` if an entity carries a tag. O(its tags).
    #[must_use]
    pub fn has(&self, entity: Entity, tag: IdString32) -> bool {
        self.carried_by(entity).into_iter().flatten().any(|carried| carried.tag == tag)
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
        let list = self.list_of(entity)?;
        if let Err(error) = self.push(list, entity, tag) {
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
        let Some(list) = self.dense.place(entity).map(|place| self.lists[place]) else {
            return false;
        };
        let Some(at) = self.carried.position(list, |carried| carried.tag == tag) else {
            return false;
        };
        if let Some(carried) = self.carried.swap_remove(list, at) {
            self.leave(carried);
        }
        if self.carried.is_empty(list) {
            self.remove_one(entity);
        }
        true
    }

    /// Returns all entities that carry tags.
    #[must_use]
    pub fn owners(&self) -> &[Entity] {
        self.dense.entities()
    }

    /// Returns how many entities carry tags.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Returns `true` if no entity carries any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Returns how many bytes the lists and rows take, room for more included; the hash map and the
    /// places of slots not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.carried.stats().bytes as usize
            + self.entities.bytes()
            + self.lists.capacity() * size_of::<u32>()
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
        let row = |damage: RowDamage| Damage::new(damage.what, damage.index);
        let list = |damage: ListDamage| Damage::new(damage.what, damage.list);
        self.carried.validate().map_err(list)?;
        self.entities.validate().map_err(row)?;
        let lists = self.lists.len();
        if lists != self.dense.entities().len() || lists != self.carried.lists_len() {
            return Err(Damage::new("lists and entities differ in number", lists as u32));
        }
        let mut count = 0;
        for (entity, list) in self.dense.entities().iter().zip(&*self.lists) {
            let damage = |what| Damage::new(what, entity.index());
            if self.carried.is_empty(*list) {
                return Err(damage("an entity has no list of tags, or an empty one"));
            }
            for (at, one) in self.carried.iter(*list).enumerate() {
                count += 1;
                if self.tags.get(&one.tag) != Some(&one.row)
                    || self.entities.row(one.row).and_then(|row| row.get(one.place as usize))
                        != Some(entity)
                {
                    return Err(damage("a tag does not know its entity"));
                }
                if self.carried.iter(*list).take(at).any(|other| other.tag == one.tag) {
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

    fn carried_by(&self, entity: Entity) -> Option<ListIter<'_, Carried, TOGETHER>> {
        self.dense.place(entity).map(|place| self.carried.iter(self.lists[place]))
    }

    /// Returns the list of an entity, which it is given if it has none.
    fn list_of(&mut self, entity: Entity) -> Result<List<Carried>, GrowError> {
        if let Some(place) = self.dense.place(entity) {
            return Ok(self.lists[place]);
        }
        self.dense.reserve_one(entity)?;
        self.lists.try_reserve(1)?;
        if let Some(stale) = self.dense.stale(entity) {
            self.remove_one(stale);
        }
        let list = self.carried.try_create()?;
        self.dense.push(entity);
        self.lists.push(list);
        Ok(list)
    }

    /// Gives an entity a tag that it does not carry.
    fn push(
        &mut self,
        list: List<Carried>,
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
        self.entities.try_push(of_tag, entity).map_err(error::grow_row)?;
        let carried = Carried { tag, row: of_tag, place: place as u32 };
        if let Err(refused) = self.carried.try_push(list, carried) {
            self.entities.pop(of_tag);
            return Err(error::grow_list(refused).into());
        }
        Ok(())
    }

    /// Takes an entity out of the row of a tag that it carried until now.
    fn leave(&mut self, carried: Carried) {
        self.entities.swap_remove(carried.row, carried.place as usize);
        let Some(moved) = self.entities[carried.row].get(carried.place as usize) else { return };
        let Some(place) = self.dense.place(*moved) else { return };
        let same = |other: &Carried| other.row == carried.row;
        if let Some(other) = self.carried.find_mut(self.lists[place], same) {
            other.place = carried.place;
        }
    }

    /// Takes all tags from an entity.
    fn remove_one(&mut self, entity: Entity) {
        let Some(place) = self.dense.place(entity) else { return };
        let list = self.lists[place];
        // The last first: what was spawned last leaves as if it had never been.
        while let Some(carried) = self.carried.pop(list) {
            self.leave(carried);
        }
        self.carried.destroy(list);
        self.dense.remove(entity);
        self.lists.swap_remove(place);
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
