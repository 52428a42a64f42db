//! Tags as components.
//!
//! ```text
//! counts  | 2 | 1 | ..            how many tags each instance has
//! tags    | a b | c | ..          hashes, instance after instance
//! ```

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use super::{TagError, Tags};
use crate::component::{Batch, ComponentError, ComponentManager, ComponentType};
use crate::entity::Entity;

/// What is wrong with offsets that lead out of the data.
const OUTSIDE: &str = "its tags are outside of the data";

impl<A: Allocator + ?Sized> Tags<'_, A> {
    /// Gives the entities of one copy their tags.
    fn spawn_copy(
        &mut self,
        batch: &Batch<'_>,
        copy: usize,
        counts: &[u32],
        mut tags: &[u32],
    ) -> Result<(), ComponentError> {
        let (first, total) = (batch.first(), batch.total());
        // Those of a part before have their tags.
        let add = |sum: usize, count: &u32| sum.saturating_add(*count as usize);
        let skipped = counts[..first].iter().fold(0, add);
        let outside = ComponentError::data(first, OUTSIDE);
        tags = tags.get(skipped..).ok_or(outside)?;
        for (instance, (entity, count)) in (first..).zip(batch.owners(copy).zip(&counts[first..])) {
            let Some((own, rest)) = tags.split_at_checked(*count as usize) else {
                return Err(ComponentError::data(instance, OUTSIDE));
            };
            tags = rest;
            for tag in own {
                self.try_add(entity, IdString32::from_hash(*tag)).map_err(|error| match error {
                    TagError::Grow(error) => ComponentError::Grow(error),
                    TagError::TooMany { .. } => {
                        ComponentError::data(instance, "too many entities carry one of its tags")
                    }
                })?;
            }
        }
        if tags.is_empty() || first + batch.len() < total {
            return Ok(());
        }
        Err(ComponentError::data(total, "there are more tags than instances have"))
    }
}

impl<A: Allocator + ?Sized> ComponentManager for Tags<'_, A> {
    fn component(&self) -> ComponentType {
        ComponentType::TAG
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let Some((counts, tags)) = batch.data().split_at_checked(batch.total()) else {
            return Err(ComponentError::data(
                batch.total(),
                "there are fewer counts than instances",
            ));
        };
        self.dense.reserve(batch)?;
        self.lists.try_reserve(batch.len() * batch.copies())?;
        for copy in 0..batch.copies() {
            if let Err(error) = self.spawn_copy(batch, copy, counts, tags) {
                for made in (0..=copy).rev() {
                    let indices = batch.indices().iter().rev();
                    indices.for_each(|index| self.remove_one(batch.entity(made, *index as usize)));
                }
                return Err(error);
            }
        }
        Ok(())
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
