//! Data: keys and values of any kind, for each entity its own.
//!
//! After Niklas Frykholm, "Allocation Adventures 1: The DataComponent" (2015), whose store is
//! [`loligo_containers::KeyValues`]; this is the component around it. Changes:
//!
//! - All stores are in one block, a [`KeyValuesSet`].
//! - Entities of a resource that have the same data share them there, and a spawn reads them once.

mod spawn;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{
    Array, GrowError, KeyValues, KeyValuesRef, KeyValuesSet, KeyValuesSetError, StoreId, Value,
};
use loligo_ids::IdString32;

use crate::dense::Dense;
use crate::entity::Entity;
use crate::error::Damage;
use crate::saved::{LoadError, SavedBytes, put_count};

/// Data of entities, such as the character sheets of a game: keys with bools, numbers, texts and
/// arrays of numbers.
///
/// An entity gets a copy of what its resource says, which has inherited what it does not say
/// itself; what the game changes is the entity's own.
///
/// # Complexity
///
/// That of a [`KeyValuesSet`], and two loads to find the store.
///
/// # Memory
///
/// Nothing while empty. Then 8 bytes for each entity with data, 4 for each slot, and the size of
/// the set: 8 bytes a store and 9 a key, plus texts and arrays.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::path_key;
/// use loligo_entities::{Data, Entities};
/// use loligo_ids::id32;
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let mut entities: Entities = Entities::new(&MEMORY);
/// let mut data: Data = Data::new(&MEMORY);
/// let neo = entities.create()?;
/// data.try_set(neo, id32!("name"), "The One")?;
/// data.try_set(neo, path_key(&["stats", "health"]), 100.0)?;
/// assert_eq!(data.get(neo).and_then(|sheet| sheet.get_str(id32!("name"))), Some("The One"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. There are as many stores as entities, all alive, and no other in the set.
pub struct Data<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    dense: Dense<'a, A>,
    stores: Array<'a, StoreId, A>,
    set: KeyValuesSet<'a, A>,
}

impl<'a> Data<'a> {
    /// Returns a manager without data, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Data<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            dense: Dense::new(memory),
            stores: Array::new_in(memory),
            set: KeyValuesSet::new_in(memory),
        }
    }

    /// Returns the data of an entity, to be read. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<KeyValuesRef<'_>> {
        self.set.get(self.stores[self.dense.place(entity)?])
    }

    /// Sets the value of a key of an entity, which gets data if it had none.
    ///
    /// # Complexity
    ///
    /// As [`KeyValuesSet::try_set`].
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_set<'v>(
        &mut self,
        entity: Entity,
        key: IdString32,
        value: impl Into<Value<'v>>,
    ) -> Result<(), GrowError> {
        let Some(place) = self.dense.place(entity) else {
            let store = KeyValues::new_in(self.dense.memory());
            self.insert(entity, store.view())?;
            let done = self.try_set(entity, key, value);
            if done.is_err() {
                self.remove_one(entity);
            }
            return done;
        };
        self.set.try_set(self.stores[place], key, value).map_err(|error| match error {
            KeyValuesSetError::Grow(error) => error,
            KeyValuesSetError::NoStore => unreachable!("the store of an entity is there"),
        })
    }

    /// Removes a key of an entity, and returns whether there was one.
    ///
    /// # Complexity
    ///
    /// As [`KeyValuesSet::remove_key`]. Allocates nothing.
    pub fn remove_key(&mut self, entity: Entity, key: IdString32) -> bool {
        let Some(place) = self.dense.place(entity) else { return false };
        self.set.remove_key(self.stores[place], key)
    }

    /// Returns all entities that have data.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        self.dense.entities()
    }

    /// Returns how many bytes the data take, room for more and garbage included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.set.bytes() + self.stores.capacity() * size_of::<StoreId>()
    }

    /// Appends all data to `out`, in the machine's order, for [`try_load`](Self::try_load).
    ///
    /// # Complexity
    ///
    /// O(keys and values).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        self.dense.try_save(out)?;
        for store in &self.stores {
            // The store of an entity is there.
            let Some(store) = self.set.get(*store) else { continue };
            let copy = KeyValues::try_from_ref_in(store, self.dense.memory())?;
            put_count(copy.as_bytes().len(), out)?;
            out.try_extend_from_slice(copy.as_bytes())?;
        }
        Ok(())
    }

    /// Returns a manager of what was saved. Which of the entities are alive, it does not know.
    ///
    /// # Complexity
    ///
    /// O(slots + bytes).
    ///
    /// # Errors
    ///
    /// [`LoadError`] says what is wrong with the bytes, or that there is no memory.
    pub fn try_load(bytes: &[u8], memory: &'a A) -> Result<Self, LoadError> {
        let mut from = SavedBytes::new(bytes);
        let dense = Dense::try_load(&mut from, memory)?;
        let mut data = Self { dense, ..Self::new_in(memory) };
        data.stores.try_reserve(data.dense.entities().len())?;
        for _ in 0..data.dense.entities().len() {
            let at = from.offset();
            let count = from.count(1)?;
            let whole = count.is_multiple_of(4).then_some(count / 4);
            let words = whole.ok_or(LoadError::wrong("data are not whole words", at))?;
            // Copied, so that they are where words may be.
            let words: Array<'_, u32, A> = from.column(words, memory)?;
            let store = KeyValuesRef::open(bytemuck::cast_slice(&words))
                .map_err(|error| LoadError::wrong(error.reason, at))?;
            let store = data.set.try_insert(store)?;
            data.stores.push(store);
        }
        from.end()?;
        Ok(data)
    }

    /// Checks that the structure is whole. O(slots + bytes).
    ///
    /// # Errors
    ///
    /// [`Damage`] names the first thing that is wrong.
    pub fn validate(&self) -> Result<(), Damage> {
        self.dense.validate()?;
        if self.set.validate().is_err() {
            return Err(Damage::new("the set of stores is damaged", self.stores.len() as u32));
        }
        for (entity, store) in self.dense.entities().iter().zip(&*self.stores) {
            if !self.set.contains(*store) {
                return Err(Damage::new("an entity has no store", entity.index()));
            }
        }
        let counts = [self.dense.entities().len(), self.set.len()];
        if counts != [self.stores.len(); 2] {
            return Err(Damage::new("stores and entities differ in number", counts[1] as u32));
        }
        Ok(())
    }

    /// Gives an entity that has no data a copy of some.
    fn insert(&mut self, entity: Entity, store: KeyValuesRef<'_>) -> Result<(), GrowError> {
        self.dense.reserve_one(entity)?;
        self.stores.try_reserve(1)?;
        if let Some(stale) = self.dense.stale(entity) {
            self.remove_one(stale);
        }
        let store = self.set.try_insert(store)?;
        self.dense.push(entity);
        self.stores.push(store);
        Ok(())
    }

    fn remove_one(&mut self, entity: Entity) {
        if let Some(place) = self.dense.remove(entity) {
            self.set.remove(self.stores.swap_remove(place));
        }
    }
}

/// As a map from entities to their data.
impl<A: Allocator + ?Sized> fmt::Debug for Data<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |entity: &Entity| (*entity, self.get(*entity));
        f.debug_map().entries(self.entities().iter().map(of)).finish()
    }
}
