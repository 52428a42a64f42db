//! What can be spawned by name: the resources of entities that were loaded.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, SortedMap};
use loligo_entities::{Entity, EntityResource, Pose};
use loligo_ids::IdString64;

use super::World;
use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// A resource of entities, aligned as it must be to be opened.
struct EntityKind<'m> {
    words: Array<'m, u128, SharedAllocator<'m>>,
    bytes: usize,
}

/// The resources of entities, by the hashes of their names. Copies: scripts and logic have the world
/// alone, and loading others moves what is loaded.
pub(crate) struct EntityKinds<'m> {
    kinds: SortedMap<'m, IdString64, EntityKind<'m>, SharedAllocator<'m>>,
}

impl<'m> EntityKinds<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { kinds: SortedMap::new_in(memory) }
    }

    /// Adds a resource, in place of an older one of that name.
    pub(crate) fn put(&mut self, name: IdString64, payload: &[u8]) -> Result<(), EngineError> {
        let mut words = Array::new_in(self.kinds.memory());
        words.try_resize(payload.len().div_ceil(size_of::<u128>()), 0)?;
        bytemuck::cast_slice_mut(&mut words)[..payload.len()].copy_from_slice(payload);
        self.kinds.try_insert(name, EntityKind { words, bytes: payload.len() })?;
        Ok(())
    }

    /// Forgets a resource.
    pub(super) fn remove(&mut self, name: IdString64) {
        self.kinds.remove(&name);
    }

    pub(super) fn open(&self, name: IdString64) -> Option<EntityResource<'_>> {
        let kind = self.kinds.get(&name)?;
        // It was opened before it was added.
        EntityResource::open(&bytemuck::cast_slice(&kind.words)[..kind.bytes]).ok()
    }
}

impl<'m> World<'m> {
    /// Spawns a copy of a resource of entities at a pose, by the hash of the resource's name, and
    /// returns the first of its entities: the one whose descendants the others are. `None` if no such
    /// resource is loaded.
    ///
    /// # Complexity
    ///
    /// O(bytes of the resource).
    ///
    /// # Errors
    ///
    /// [`EngineError`] as [`spawn`](Self::spawn).
    pub fn spawn_named(
        &mut self,
        name: IdString64,
        pose: &Pose,
    ) -> Result<Option<Entity>, EngineError> {
        let Some(count) = self.spawn_all_named(name, core::slice::from_ref(pose))? else {
            return Ok(None);
        };
        // The names of what was spawned last are the last ones.
        let first = self.names.get(self.names.len() - count);
        Ok(first.map(|(_, entity)| *entity))
    }

    /// As [`spawn_named`](Self::spawn_named), a copy for each pose; returns how many entities were
    /// made.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn spawn_all_named(
        &mut self,
        name: IdString64,
        poses: &[Pose],
    ) -> Result<Option<usize>, EngineError> {
        let empty = EntityKinds::new_in(self.kinds.kinds.memory());
        let kinds = core::mem::replace(&mut self.kinds, empty);
        let spawned = kinds.open(name).map(|resource| self.spawn(&resource, poses)).transpose();
        self.kinds = kinds;
        spawned
    }
}
