//! What can be spawned by name: the resources of entities that were loaded.

use loligo_allocators::SharedRef;
#[cfg(feature = "script")]
use loligo_containers::Array;
use loligo_containers::SortedMap;
use loligo_entities::{Entity, EntityResource, KeptResource, Pose};
use loligo_ids::IdString64;

use super::World;
use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// The resources of entities, by the hashes of their names. Copies: scripts and logic have the world
/// alone, and loading others moves what is loaded.
pub(crate) struct EntityKinds<'m> {
    kinds: SortedMap<'m, IdString64, KeptResource<'m, SharedAllocator<'m>>, SharedAllocator<'m>>,
    /// Where scripts spawn many; kept for the room that it has.
    #[cfg(feature = "script")]
    poses: Array<'m, Pose, SharedAllocator<'m>>,
}

impl<'m> EntityKinds<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            kinds: SortedMap::new_in(memory),
            #[cfg(feature = "script")]
            poses: Array::new_in(memory),
        }
    }

    /// Adds a resource, in place of an older one of that name.
    pub(crate) fn put(&mut self, name: IdString64, payload: &[u8]) -> Result<(), EngineError> {
        let resource = EntityResource::open(payload)?;
        let kept = KeptResource::try_new_in(&resource, self.kinds.memory())?;
        self.kinds.try_insert(name, kept)?;
        Ok(())
    }

    /// Forgets a resource.
    pub(super) fn remove(&mut self, name: IdString64) {
        self.kinds.remove(&name);
    }

    pub(super) fn get(&self, name: IdString64) -> Option<EntityResource<'_>> {
        self.kinds.get(&name).map(KeptResource::resource)
    }
}

impl<'m> World<'m> {
    /// Spawns a copy of a resource of entities at a pose, by the hash of the resource's name, and
    /// returns the first of its entities: the one whose descendants the others are. `None` if no such
    /// resource is loaded.
    ///
    /// # Complexity
    ///
    /// O(entities of the resource), and what their managers take.
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
        let spawned = kinds.get(name).map(|resource| self.spawn(&resource, poses)).transpose();
        self.kinds = kinds;
        spawned
    }

    /// Returns an empty list for poses, to be put back.
    #[cfg(feature = "script")]
    pub(crate) const fn take_poses(&mut self) -> Array<'m, Pose, SharedAllocator<'m>> {
        let empty = Array::new_in(self.names.memory());
        core::mem::replace(&mut self.kinds.poses, empty)
    }

    #[cfg(feature = "script")]
    pub(crate) fn put_back_poses(&mut self, mut poses: Array<'m, Pose, SharedAllocator<'m>>) {
        poses.clear();
        self.kinds.poses = poses;
    }
}
