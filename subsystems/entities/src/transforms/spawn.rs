//! Transforms as components: made in batches, removed with all below.

use loligo_allocators::Allocator;

use super::{DEPTH_MAX, LinkError, Transforms};
use crate::component::{Batch, ComponentError, ComponentManager, ComponentType};
use crate::entity::Entity;
use crate::pose::Pose;

impl<A: Allocator + ?Sized> Transforms<'_, A> {
    /// Makes the instances of a batch one by one, and counts them.
    fn spawn_counted(
        &mut self,
        batch: &Batch<'_>,
        poses: &[[u32; Pose::WORDS]],
        done: &mut usize,
    ) -> Result<(), ComponentError> {
        for copy in 0..batch.copies() {
            let at = batch.pose(copy);
            let is_plain = *at == Pose::IDENTITY;
            for (instance, (entity, words)) in batch.owners(copy).zip(poses).enumerate() {
                let mut pose = Pose::from_words(words);
                let parent = batch.parent(copy, instance);
                if parent.is_none() && !is_plain {
                    pose = at.place(&pose);
                }
                self.insert(entity, parent, &pose)
                    .map_err(|error| refused(error, batch.first() + instance))?;
                *done += 1;
            }
        }
        Ok(())
    }
}

/// Returns the error of a faulty resource, or of missing memory.
fn refused(error: LinkError, instance: usize) -> ComponentError {
    const _: () = assert!(DEPTH_MAX == 64, "the message below says so");
    match error {
        LinkError::Grow(error) => ComponentError::Grow(error),
        LinkError::TooDeep { .. } => {
            ComponentError::data(instance, "a tree has more than 64 levels")
        }
        _ => ComponentError::data(instance, "the parent has no transform"),
    }
}

impl<A: Allocator + ?Sized> ComponentManager for Transforms<'_, A> {
    fn component(&self) -> ComponentType {
        ComponentType::TRANSFORM
    }

    /// The data of an instance are the words of its [`Pose`]. A parent that has no transform is a
    /// fault.
    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (poses, rest) = batch.data().as_chunks();
        if !rest.is_empty() || poses.len() != batch.total() {
            return Err(ComponentError::data(batch.total(), "there are poses for another number"));
        }
        let poses = &poses[batch.first()..];
        let mut done = 0;
        let result = self.spawn_counted(batch, poses, &mut done);
        if result.is_err() {
            // Removing a root also removes its descendants.
            for copy in (0..batch.copies()).rev() {
                let made = done.saturating_sub(copy * batch.len()).min(batch.len());
                for index in batch.indices()[..made].iter().rev() {
                    self.remove(&[batch.entity(copy, *index as usize)]);
                }
            }
        }
        result
    }

    /// Removes the transforms of entities, and of all their descendants.
    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities.iter().rev() {
            if self.contains(*entity) {
                self.remove_tree(entity.index());
            }
        }
    }

    fn takes_parts(&self) -> bool {
        true
    }

    fn followers(&self, entities: &[Entity], add: &mut dyn FnMut(Entity)) {
        for entity in entities {
            self.children(*entity).for_each(&mut *add);
        }
    }
}
