//! Data as components.
//!
//! ```text
//! head     | stores: count | place, words | place, words | ..     places in words from the first store on
//! which    | 0 | 0 | 1 | ..                                       the store of each instance
//! stores   | a store of key-values in place | another | ..
//! ```

use loligo_allocators::Allocator;
use loligo_containers::{KeyValuesRef, KeyValuesSetError, StoreId};

use super::Data;
use crate::component::{Batch, ComponentError, ComponentManager, ComponentType};
use crate::entity::Entity;

/// The data of a type, in parts whose lengths were checked.
struct Parts<'d> {
    places: &'d [[u32; 2]],
    which: &'d [u32],
    stores: &'d [u32],
}

impl<'d> Parts<'d> {
    fn new(data: &'d [u32], instances: usize) -> Option<Self> {
        let (count, rest) = data.split_first()?;
        let (places, rest) = rest.split_at_checked((*count as usize).checked_mul(2)?)?;
        let (which, stores) = rest.split_at_checked(instances)?;
        Some(Self { places: places.as_chunks().0, which, stores })
    }

    /// Returns a store.
    fn store(&self, instance: usize) -> Result<KeyValuesRef<'d>, ComponentError> {
        let error = |what| ComponentError::data(instance, what);
        let [place, words] = *self
            .places
            .get(self.which[instance] as usize)
            .ok_or(error("there is no such store"))?;
        let bytes = (place as usize)
            .checked_add(words as usize)
            .and_then(|end| self.stores.get(place as usize..end))
            .ok_or(error("its store lies behind the data"))?;
        KeyValuesRef::open(bytemuck::cast_slice(bytes)).map_err(|damaged| error(damaged.reason))
    }
}

impl<A: Allocator + ?Sized> Data<'_, A> {
    fn spawn_parts(&mut self, batch: &Batch<'_>, parts: &Parts<'_>) -> Result<(), ComponentError> {
        for copy in 0..batch.copies() {
            // The last store that was opened, by its number: neighbours often share one.
            let mut last: Option<(u32, StoreId)> = None;
            for (instance, entity) in batch.owners(copy).enumerate() {
                let instance = batch.first() + instance;
                let which = parts.which[instance];
                let store = match last {
                    Some((number, store)) if number == which => {
                        self.set.try_duplicate(store).map_err(|error| match error {
                            KeyValuesSetError::Grow(error) => error,
                            KeyValuesSetError::NoStore => unreachable!("it was just made"),
                        })?
                    }
                    _ => self.set.try_insert(parts.store(instance)?)?,
                };
                last = Some((which, store));
                if let Some(stale) = self.dense.stale(entity) {
                    self.remove_one(stale);
                }
                self.dense.push(entity);
                self.stores.push(store);
            }
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized> ComponentManager for Data<'_, A> {
    fn component(&self) -> ComponentType {
        ComponentType::DATA
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let Some(parts) = Parts::new(batch.data(), batch.total()) else {
            return Err(ComponentError::data(batch.len(), "the data end within their head"));
        };
        self.dense.reserve(batch)?;
        self.stores.try_reserve(batch.len() * batch.copies())?;
        let result = self.spawn_parts(batch, &parts);
        if result.is_err() {
            for copy in (0..batch.copies()).rev() {
                let indices = batch.indices().iter().rev();
                indices.for_each(|index| self.remove_one(batch.entity(copy, *index as usize)));
            }
        }
        result
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities.iter().rev() {
            self.remove_one(*entity);
        }
    }

    fn takes_parts(&self) -> bool {
        true
    }
}
