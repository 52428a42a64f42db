//! Which entities have a component, and where it is in the manager's arrays.
//!
//! A sparse set: one array by the entity's slot, one without gaps, each leading into the other.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::component::Batch;
use crate::entity::Entity;
use crate::error::Damage;
use crate::saved::{LoadError, SavedBytes, put_count, put_entities};

/// Leads nowhere.
pub(crate) const NONE: u32 = u32::MAX;

/// Entities without gaps, and a place for each by its slot.
///
/// ```text
/// places    | 1 | none | 0 | ..     4 bytes a slot, up to the highest that ever had a component
/// entities  | slot 2 | slot 0 |     4 bytes a component; the manager's columns run parallel
/// ```
///
/// # Invariants
///
/// 1. The place of the slot of `entities[p]` is p, for each p. Every other place is `NONE`.
pub(crate) struct Dense<'a, A: Allocator + ?Sized> {
    places: Array<'a, u32, A>,
    entities: Array<'a, Entity, A>,
}

impl<'a, A: Allocator + ?Sized> Dense<'a, A> {
    pub(crate) const fn new(memory: &'a A) -> Self {
        Self { places: Array::new_in(memory), entities: Array::new_in(memory) }
    }

    pub(crate) fn memory(&self) -> &'a A {
        self.entities.memory()
    }

    /// Returns the entities, in the order of the columns.
    #[inline]
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    pub(crate) fn capacity(&self) -> usize {
        self.entities.capacity()
    }

    /// Returns where the component of an entity is.
    #[inline]
    pub(crate) fn place(&self, entity: Entity) -> Option<usize> {
        let place = *self.places.get(entity.index() as usize)? as usize;
        (self.entities.get(place) == Some(&entity)).then_some(place)
    }

    /// Returns the entity that has a component in the slot of another: one that is gone, and whose
    /// component was never removed.
    #[inline]
    pub(crate) fn stale(&self, entity: Entity) -> Option<Entity> {
        let place = *self.places.get(entity.index() as usize)?;
        if place == NONE {
            return None;
        }
        self.entities.get(place as usize).copied().filter(|other| *other != entity)
    }

    /// Makes room for an entity.
    pub(crate) fn reserve_one(&mut self, entity: Entity) -> Result<(), GrowError> {
        self.entities.try_reserve(1)?;
        self.reserve_slots(entity.index() as usize + 1)
    }

    /// Makes room for the entities of a batch.
    pub(crate) fn reserve(&mut self, batch: &Batch<'_>) -> Result<(), GrowError> {
        self.entities.try_reserve(batch.len() * batch.copies())?;
        let highest = match batch.all_owners() {
            Some(all) => all.iter().map(|entity| entity.index()).max(),
            None => (0..batch.copies())
                .filter_map(|copy| batch.owners(copy).map(|entity| entity.index()).max())
                .max(),
        };
        self.reserve_slots(highest.map_or(0, |slot| slot as usize + 1))
    }

    fn reserve_slots(&mut self, slots: usize) -> Result<(), GrowError> {
        if slots > self.places.len() {
            self.places.try_resize(slots, NONE)?;
        }
        Ok(())
    }

    /// Appends an entity that has no place and for which there is room.
    #[inline]
    pub(crate) fn push(&mut self, entity: Entity) {
        self.places[entity.index() as usize] = self.entities.len() as u32;
        self.entities.push(entity);
    }

    /// Appends the entities of a batch, for which there is room, copy after copy.
    pub(crate) fn extend(&mut self, batch: &Batch<'_>) {
        if let Some(all) = batch.all_owners() {
            let first = self.entities.len() as u32;
            self.entities.extend_from_slice(all);
            for (place, entity) in (first..).zip(all) {
                self.places[entity.index() as usize] = place;
            }
            return;
        }
        for copy in 0..batch.copies() {
            batch.owners(copy).for_each(|entity| self.push(entity));
        }
    }

    /// Removes an entity and returns where it was. The last one has that place now: columns do the
    /// same.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<usize> {
        let place = self.place(entity)?;
        self.places[entity.index() as usize] = NONE;
        self.entities.swap_remove(place);
        if let Some(moved) = self.entities.get(place) {
            self.places[moved.index() as usize] = place as u32;
        }
        Some(place)
    }

    /// Appends the entities.
    pub(crate) fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        put_count(self.entities.len(), out)?;
        put_entities(&self.entities, out)
    }

    /// Reads the entities.
    pub(crate) fn try_load(from: &mut SavedBytes<'_>, memory: &'a A) -> Result<Self, LoadError> {
        let at = from.offset();
        let count = from.count(size_of::<Entity>())?;
        let mut dense = Self::new(memory);
        let entities = from.entities(count, memory)?;
        let slots = entities.iter().map(|entity| entity.index() as usize + 1).max();
        dense.reserve_slots(slots.unwrap_or(0))?;
        for (place, entity) in entities.iter().enumerate() {
            let slot = &mut dense.places[entity.index() as usize];
            if *slot != NONE {
                return Err(LoadError::wrong("two entities have one slot", at));
            }
            *slot = place as u32;
        }
        dense.entities = entities;
        Ok(dense)
    }

    pub(crate) fn validate(&self) -> Result<(), Damage> {
        for (place, entity) in self.entities.iter().enumerate() {
            if self.place(*entity) != Some(place) {
                return Err(Damage::new("a component is not where its place says", entity.index()));
            }
        }
        let placed = self.places.iter().filter(|place| **place != NONE).count();
        if placed != self.entities.len() {
            return Err(Damage::new("a place leads to no component", placed as u32));
        }
        Ok(())
    }
}
