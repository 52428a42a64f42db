//! Which entities there are, and how they come and go.
//!
//! After Niklas Frykholm, "Building a Data-Oriented Entity System (Part 4: Entity Resources)"
//! (2014): all entities of a resource are made first, then all components of the first type, then
//! all of the next. Changes:
//!
//! - What fails is taken back, so nothing is there in half.
//! - One call makes many copies of a resource, each with a pose.
//! - Unspawning goes the other way, in batches, too, and cannot fail.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::{HoleTable, InsertError, Lifo, Retire};

use crate::component::{Batch, Window};
use crate::components::Components;
use crate::entity::Entity;
use crate::error::{Damage, SpawnError};
use crate::pose::Pose;
use crate::resource::EntityResource;
use crate::saved::LoadError;

/// What is to be done with components of a type that no manager is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are passed over: their entities are made without them.
    Skip,
    /// The spawn is refused.
    Refuse,
}

/// All entities of a world: which ids are alive.
///
/// # Complexity
///
/// Spawning is O(entities) here, and what the managers take; so is destroying. Asking whether an
/// entity is alive is O(1).
///
/// # Memory
///
/// Nothing while empty. Then 8 bytes and a bit for each entity (4 of them to the next power of
/// two), 4 for each that was ever alive at the same time, from which entities to be removed are
/// gathered, so that removal needs no memory, and 4 for each entity of the largest spawn.
///
/// # Examples
///
/// See the crate's page.
///
/// # Invariants
///
/// 1. There is room in `doomed` for every entity that is alive.
pub struct Entities<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    table: HoleTable<'a, (), Entity, Lifo, Retire, A>,
    /// What the last spawn made.
    made: Array<'a, Entity, A>,
    /// What is being removed. Empty but within `destroy`.
    doomed: Array<'a, Entity, A>,
}

impl<'a> Entities<'a> {
    /// Returns a world without entities, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Entities<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        Self {
            table: HoleTable::new_in(memory),
            made: Array::new_in(memory),
            doomed: Array::new_in(memory),
        }
    }

    /// Makes an entity without components.
    ///
    /// # Complexity
    ///
    /// O(1) amortised.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] if there is no memory or no id; nothing has changed.
    pub fn create(&mut self) -> Result<Entity, SpawnError> {
        self.doomed.try_reserve(self.table.len() + 1)?;
        Ok(self.table.insert(())?)
    }

    /// Spawns a copy of a resource for each pose: first all entities, then for each component type
    /// one call to its manager. Returns the entities copy after copy, each in the order of the
    /// resource.
    ///
    /// A pose is where the entities without a parent are put, on top of where the resource puts
    /// them.
    ///
    /// # Complexity
    ///
    /// O(entities), and what the managers take.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] if there is no memory or no id, if the resource has components of a type that
    /// no manager is for and those are to be refused, or if a manager refuses. All is as it was
    /// then: what other managers made was removed again. Only the ids of entities that were there
    /// for a moment are not given out again.
    pub fn spawn(
        &mut self,
        resource: &EntityResource<'_>,
        poses: &[Pose],
        components: &mut Components<'_, '_>,
        unknown: Unknown,
    ) -> Result<&[Entity], SpawnError> {
        let window = Window { earlier: &[], count: resource.len(), root: None };
        self.spawn_window(resource, &window, poses, components, unknown)
    }

    /// Spawns some entities of a resource, after those before them, which were spawned already: so
    /// that a large resource comes piece by piece. Returns them, in the order of the resource.
    ///
    /// `earlier` are the entities before, as many as the resource has: the parents of those that
    /// are made now are alive. Those without a parent are children of `root`.
    ///
    /// All managers of its components have to [take parts](Components::take_parts).
    ///
    /// # Complexity
    ///
    /// O(entities), and what the managers take.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Self::spawn).
    ///
    /// # Panics
    ///
    /// If the resource has fewer than `count` entities after the earlier ones.
    pub fn spawn_part(
        &mut self,
        resource: &EntityResource<'_>,
        earlier: &[Entity],
        count: usize,
        root: Entity,
        components: &mut Components<'_, '_>,
    ) -> Result<&[Entity], SpawnError> {
        let all = resource.len();
        assert!(count <= all && earlier.len() <= all - count, "{count} more of {all} entities");
        let window = Window { earlier, count, root: Some(root) };
        let poses = core::slice::from_ref(&Pose::IDENTITY);
        self.spawn_window(resource, &window, poses, components, Unknown::Refuse)
    }

    fn spawn_window(
        &mut self,
        resource: &EntityResource<'_>,
        window: &Window<'_>,
        poses: &[Pose],
        components: &mut Components<'_, '_>,
        unknown: Unknown,
    ) -> Result<&[Entity], SpawnError> {
        if unknown == Unknown::Refuse
            && let Some(component) = components.unknown(resource)
        {
            return Err(SpawnError::Unknown { component });
        }
        self.make(window.count, poses.len())?;
        for at in 0..components.managers().len() {
            let component = components.component(at).name;
            let Some(part) = resource.part(component) else { continue };
            let batch = Batch::new(&self.made, poses, resource, &part, window);
            if batch.is_empty() {
                continue;
            }
            let managers = components.managers();
            if let Err(error) = managers[at].spawn(&batch) {
                for earlier in managers[..at].iter_mut().rev() {
                    earlier.remove(&self.made);
                }
                self.unmake();
                return Err(SpawnError::Component { component, error });
            }
        }
        Ok(&self.made)
    }

    /// Removes entities, their descendants ([`followers`](crate::ComponentManager::followers)), and
    /// the components of all of them: for each component type one call to its manager. Returns how
    /// many entities that were.
    ///
    /// Entities that are gone are passed over. Give all managers of the world: a manager that is
    /// left out keeps its component until the entity's slot is used again.
    ///
    /// # Complexity
    ///
    /// O(entities removed), and what the managers take. Allocates nothing and cannot fail.
    pub fn destroy(&mut self, entities: &[Entity], components: &mut Components<'_, '_>) -> usize {
        let Self { table, doomed, .. } = self;
        // An entity leaves the table when it is put on the list, so it is there once, and there is
        // room for it.
        let mut add = |doomed: &mut Array<'_, Entity, A>, entity: Entity| {
            if table.remove(entity).is_some() {
                doomed.push(entity);
            }
        };
        entities.iter().for_each(|entity| add(doomed, *entity));
        let mut done = 0;
        while done < doomed.len() {
            let end = doomed.len();
            for manager in components.managers().iter() {
                // The list grows while its entities are asked for followers, so they are copied to
                // the stack in pieces.
                let mut from = done;
                while from < end {
                    let mut piece = [doomed[from]; PIECE];
                    let count = PIECE.min(end - from);
                    piece[..count].copy_from_slice(&doomed[from..from + count]);
                    manager.followers(&piece[..count], &mut |entity| add(doomed, entity));
                    from += count;
                }
            }
            done = end;
        }
        for manager in components.managers().iter_mut().rev() {
            manager.remove(doomed);
        }
        let count = doomed.len();
        doomed.clear();
        count
    }

    /// Returns `true` if an entity is there. O(1).
    #[inline]
    #[must_use]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.table.contains(entity)
    }

    /// Returns how many entities there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns `true` if there is no entity.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns all entities, in the order of their slots. O(slots / 64 + entities).
    pub fn iter(&self) -> impl Iterator<Item = Entity> {
        self.table.ids()
    }

    /// Appends all ids to `out`, those that are free included, for [`try_load`](Self::try_load).
    ///
    /// # Complexity
    ///
    /// O(slots).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        let first = out.len();
        out.try_resize(first + self.table.saved_len(), 0)?;
        // It is as long as was said.
        let _ = self.table.save(&mut out[first..]);
        Ok(())
    }

    /// Returns the entities that were saved: the same are alive, and the same ids are made next.
    ///
    /// # Complexity
    ///
    /// O(slots).
    ///
    /// # Errors
    ///
    /// [`LoadError`] says what is wrong with the bytes, or that there is no memory.
    pub fn try_load(bytes: &[u8], memory: &'a A) -> Result<Self, LoadError> {
        let table = HoleTable::restore_in(bytes, memory)
            .map_err(|error| LoadError::wrong(error.what, error.offset as usize))?;
        let mut doomed = Array::new_in(memory);
        doomed.try_reserve(table.len())?;
        Ok(Self { table, made: Array::new_in(memory), doomed })
    }

    /// Checks that the structure is whole. O(slots).
    ///
    /// # Errors
    ///
    /// [`Damage`] names the first thing that is wrong.
    pub fn validate(&self) -> Result<(), Damage> {
        self.table.validate().map_err(|damage| Damage::new(damage.what, damage.index as u32))?;
        if self.doomed.capacity() < self.table.len() {
            return Err(Damage::new("there is no room to remove all entities", 0));
        }
        Ok(())
    }

    /// Makes `copies` times `count` entities, or none.
    fn make(&mut self, count: usize, copies: usize) -> Result<(), SpawnError> {
        let Some(total) = count.checked_mul(copies) else {
            let limit = self.table.limit() as u64;
            return Err(SpawnError::Grow(GrowError::Length { wanted: u64::MAX, limit }));
        };
        self.made.clear();
        self.made.try_reserve(total)?;
        self.table.reserve(total)?;
        self.doomed.try_reserve(self.table.len() + total)?;
        let made = &mut self.made;
        let done: Result<usize, InsertError> =
            self.table.insert_batch(core::iter::repeat_n((), total), |entity| made.push(entity));
        if let Err(error) = done {
            self.unmake();
            return Err(error.into());
        }
        Ok(())
    }

    /// Takes back what `make` made, the last first, so that the free slots are in the order in
    /// which they were.
    fn unmake(&mut self) {
        self.table.remove_batch(self.made.iter().rev().copied());
        self.made.clear();
    }
}

/// How many entities are asked about at once.
const PIECE: usize = 64;

impl<A: Allocator + ?Sized> fmt::Debug for Entities<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entities").field("len", &self.len()).finish_non_exhaustive()
    }
}
