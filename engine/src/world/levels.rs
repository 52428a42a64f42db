//! Levels that are spawned in addition to what is there: some of their entities in each frame.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_diagnostics::{Log, log};
use loligo_entities::{Entity, EntityResource, NO_PARENT, Pose, SpawnError};
use loligo_ids::IdString64;

use super::kinds::EntityKinds;
use super::{LevelSpawned, NO_NAME, Spawned, World};
use crate::error::{EngineError, SavedGameError};
use crate::memory::SharedAllocator;
use crate::saved::{long, number};

/// The bytes of a level in a saved game, before its entities.
const SAVED_BYTES: usize = 20;

/// A level of which entities are still to come.
struct ComingLevel<'m> {
    name: IdString64,
    /// The entity that all others are below.
    root: Entity,
    /// How many entities the level has.
    len: u32,
    /// Those that have come, in the order of the level. The place of one whose parent was gone
    /// before is that of an entity that is gone.
    made: Array<'m, Entity, SharedAllocator<'m>>,
}

/// The levels that are being spawned, in the order in which they were asked for.
///
/// # Invariants
///
/// 1. A frame makes no entity of a level while one that was asked for earlier lacks some.
pub(crate) struct ComingLevels<'m> {
    list: Array<'m, ComingLevel<'m>, SharedAllocator<'m>>,
    /// The most entities of a frame, and how many of them are left.
    per_frame: usize,
    left: usize,
}

impl<'m> ComingLevels<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { list: Array::new_in(memory), per_frame: usize::MAX, left: usize::MAX }
    }

    /// Sets the most entities of a frame.
    pub(super) fn set_per_frame(&mut self, count: u32) {
        // With none at all no level would ever be there.
        self.per_frame = count.max(1) as usize;
        self.left = self.per_frame;
    }

    #[cfg(all(test, feature = "compile"))]
    pub(super) fn list_is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Begins a frame.
    pub(super) const fn begin(&mut self) {
        self.left = self.per_frame;
    }

    /// Appends which levels lack entities, and which of them have come.
    pub(super) fn try_save(
        &self,
        out: &mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for level in &self.list {
            out.try_extend_from_slice(&level.name.hash().to_ne_bytes())?;
            for word in [level.root.to_bits(), level.len, level.made.len() as u32] {
                out.try_extend_from_slice(&word.to_ne_bytes())?;
            }
            for entity in &level.made {
                out.try_extend_from_slice(&entity.to_bits().to_ne_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns what was saved.
    pub(super) fn try_load(
        mut bytes: &[u8],
        memory: SharedRef<'m>,
    ) -> Result<Self, SavedGameError> {
        let mut levels = Self::new_in(memory);
        let wrong = SavedGameError::File { what: "the section `levels` is of another length" };
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_at_checked(SAVED_BYTES).ok_or(wrong)?;
            let (len, count) = (number(head, 12), number(head, 16));
            let size = (count as usize).checked_mul(size_of::<u32>());
            let (ids, rest) = size.and_then(|size| rest.split_at_checked(size)).ok_or(wrong)?;
            bytes = rest;
            let entity = |bytes, at| {
                let what = "a level that is being spawned has an entity that is none";
                Entity::from_bits(number(bytes, at)).ok_or(SavedGameError::File { what })
            };
            let mut made = Array::try_with_capacity_in(count.min(len) as usize, memory)?;
            for id in ids.chunks_exact(size_of::<u32>()) {
                made.try_push(entity(id, 0)?)?;
            }
            if count > len {
                return Err(SavedGameError::File { what: "a level has more entities than it has" });
            }
            let name = IdString64::from_hash(long(head, 0));
            levels.list.try_push(ComingLevel { name, root: entity(head, 8)?, len, made })?;
        }
        Ok(levels)
    }

    /// Goes on with levels that were saved.
    pub(super) fn become_saved(&mut self, saved: Self) {
        self.list = saved.list;
    }
}

impl<'m> World<'m> {
    /// Spawns a level at a pose, in addition to what is there, by the hash of its name. Returns the
    /// entity that all of it is a child of: with it the level moves, and goes. `None` if no such
    /// level is loaded.
    ///
    /// The entities come in the order of the level, parents before their children, at most
    /// [`spawns_per_frame`](crate::EngineOptions::spawns_per_frame) in a frame, for all levels
    /// together: those of a small level at once. When all are there, the event [`LevelSpawned`] says
    /// so. Until then the root can be moved; its destruction, or that of any entity below it, also
    /// ends what would have come below.
    ///
    /// A level with components of a subsystem that [takes no
    /// parts](loligo_entities::ComponentManager::takes_parts) comes whole.
    ///
    /// # Complexity
    ///
    /// O(entities of the level, but at most those of a frame).
    ///
    /// # Errors
    ///
    /// [`EngineError`] as [`spawn`](Self::spawn). What fails in a later frame is logged, and the level
    /// is removed.
    pub fn spawn_level(
        &mut self,
        name: IdString64,
        pose: &Pose,
    ) -> Result<Option<Entity>, EngineError> {
        let levels = self.take_levels();
        let level = levels.get(name);
        let spawned = level.map(|level| self.begin_level(name, &level, pose)).transpose();
        self.levels = levels;
        spawned
    }

    /// Sets the most entities of levels that are spawned in a frame.
    pub(crate) fn set_spawns_per_frame(&mut self, count: u32) {
        self.coming.set_per_frame(count);
    }

    /// Spawns what the frame may of the levels that lack entities.
    pub(crate) fn go_on_with_levels(&mut self, log: &Log<'_, SharedAllocator<'m>>) {
        if self.coming.list.is_empty() {
            return;
        }
        let levels = self.take_levels();
        while self.coming.left > 0 && !self.coming.list.is_empty() {
            self.coming.left -= self.go_on_at(0, &levels, self.coming.left, log);
        }
        self.levels = levels;
    }

    /// Spawns all that the levels of a name lack, before it is another or is not there any more. Those
    /// of a saved game whose level is not loaded yet wait for it.
    pub(super) fn finish_level(&mut self, name: IdString64, log: &Log<'_, SharedAllocator<'m>>) {
        let is_it = |level: &ComingLevel<'_>| level.name == name;
        let levels = self.take_levels();
        let is_loaded = levels.get(name).is_some();
        while is_loaded && let Some(at) = self.coming.list.iter().position(is_it) {
            self.go_on_at(at, &levels, usize::MAX, log);
        }
        self.levels = levels;
    }

    fn take_levels(&mut self) -> EntityKinds<'m> {
        let empty = EntityKinds::new_in(self.names.memory());
        core::mem::replace(&mut self.levels, empty)
    }

    /// Makes the root of a level, and what the frame may of the rest.
    fn begin_level(
        &mut self,
        name: IdString64,
        level: &EntityResource<'_>,
        pose: &Pose,
    ) -> Result<Entity, EngineError> {
        let Self { managers, joined, coming, .. } = self;
        let unknown = managers.together(joined, |components| components.unknown(level));
        if let Ok(Some(component)) = unknown {
            return Err(SpawnError::Unknown { component }.into());
        }
        let memory = coming.list.memory();
        coming.list.try_reserve(1)?;
        let is_first = coming.list.is_empty();
        let root = self.entities.create()?;
        let coming =
            ComingLevel { name, root, len: level.len() as u32, made: Array::new_in(memory) };
        let placed = self.managers.transforms.try_insert(root, None, *pose);
        let begun = placed.map_err(EngineError::from).map(|()| self.coming.list.push(coming));
        let spawned = begun.and_then(|()| match is_first {
            true => self.spawn_more(0, level, self.coming.left),
            false => Ok(0),
        });
        match spawned {
            Ok(count) => self.coming.left -= count,
            Err(error) => {
                self.coming.list.retain(|level| level.root != root);
                self.remove(&[root]);
                return Err(error);
            }
        }
        Ok(root)
    }

    /// Spawns at most as many entities of the level at a place in the list. Returns how many: less only
    /// if the level is not in the list any more.
    fn go_on_at(
        &mut self,
        at: usize,
        levels: &EntityKinds<'m>,
        count_max: usize,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> usize {
        let ComingLevel { name, root, len, .. } = self.coming.list[at];
        let level = levels.get(name).filter(|level| level.len() == len as usize);
        let wrong = match level {
            _ if !self.entities.is_alive(root) => None,
            Some(level) => match self.spawn_more(at, &level, count_max) {
                Ok(count) => return count,
                Err(error) => {
                    log!(
                        log,
                        Error,
                        "level #{name} is removed: not all of it could be spawned: {error}"
                    );
                    self.destroy(root).err()
                }
            },
            None => {
                log!(
                    log,
                    Error,
                    "level #{name} stays as it is: it was saved while it was being spawned, and is another now, or \
                     not loaded; load a package that has it before the game is saved"
                );
                None
            }
        };
        if let Some(error) = wrong {
            log!(log, Error, "{error}");
        }
        self.coming.list.remove(at);
        0
    }

    /// As [`go_on_at`](Self::go_on_at), of a level whose root is there.
    fn spawn_more(
        &mut self,
        at: usize,
        level: &EntityResource<'_>,
        count_max: usize,
    ) -> Result<usize, EngineError> {
        let empty = Array::new_in(self.names.memory());
        let mut made = core::mem::replace(&mut self.coming.list[at].made, empty);
        let root = self.coming.list[at].root;
        let first = made.len();
        let spawned = self.spawn_some(level, root, &mut made, count_max);
        let count = made.len() - first;
        self.coming.list[at].made = made;
        spawned?;
        if self.coming.list[at].made.len() == level.len() {
            self.events.try_push(LevelSpawned { entity: root.to_bits() })?;
            self.coming.list.remove(at);
        }
        // Of one that comes whole it may have been more.
        Ok(count.min(count_max))
    }

    /// Spawns some of a level, below its root.
    fn spawn_some(
        &mut self,
        level: &EntityResource<'_>,
        root: Entity,
        made: &mut Array<'m, Entity, SharedAllocator<'m>>,
        count_max: usize,
    ) -> Result<(), EngineError> {
        let Self { managers, joined, .. } = self;
        let take_parts = managers.together(joined, |components| components.take_parts(level));
        let end = match take_parts {
            Ok(false) => level.len(),
            _ => level.len().min(made.len().saturating_add(count_max)),
        };
        let parents = &level.parents()[..end];
        while let first = made.len()
            && first < end
        {
            // What was destroyed meanwhile, all that would have been below it goes with.
            let is_there = |parent: &&u32| match **parent {
                NO_PARENT => true,
                parent => {
                    made.get(parent as usize).is_none_or(|parent| self.entities.is_alive(*parent))
                }
            };
            match parents[first..].iter().take_while(is_there).count() {
                0 => made.try_push(made[parents[first] as usize])?,
                count => self.spawn_run(level, root, made, count)?,
            }
        }
        Ok(())
    }

    /// Spawns a number of entities whose parents are there, or are among them.
    fn spawn_run(
        &mut self,
        level: &EntityResource<'_>,
        root: Entity,
        made: &mut Array<'m, Entity, SharedAllocator<'m>>,
        count: usize,
    ) -> Result<(), EngineError> {
        self.forget_names();
        let (first, before) = (self.names.len(), made.len());
        self.names.try_reserve(count)?;
        made.try_reserve(count)?;
        let Self { managers, joined, entities, names, .. } = self;
        let spawned = managers.together(joined, |components| {
            let new = entities.spawn_part(level, made, count, root, components)?;
            made.extend_from_slice(new);
            for (at, entity) in (before..).zip(new) {
                names.push((level.name(at).unwrap_or(NO_NAME), *entity));
            }
            Ok::<_, SpawnError>(())
        });
        spawned.unwrap_or(Ok(()))?;
        let placed = self
            .put_on_stage_of(first, root)
            .and_then(|()| self.place_from(first, root))
            .and_then(|()| Ok(self.events.try_push(Spawned { count: count as u32 })?));
        placed.inspect_err(|_| {
            self.take_back(first);
            made.truncate(before);
        })
    }

    /// Puts all entities that were spawned last, from the name of a number on, onto the stage of
    /// another.
    fn put_on_stage_of(&mut self, first: usize, root: Entity) -> Result<(), EngineError> {
        let Self { stages, names, .. } = self;
        let stage = stages.of(root);
        Ok(names[first..].iter().try_for_each(|(_, entity)| stages.try_set(*entity, stage))?)
    }

    /// Gives all entities that were spawned last, from the name of a number on, a transform below
    /// another, if they have none: so that they go with the others.
    fn place_from(&mut self, first: usize, root: Entity) -> Result<(), EngineError> {
        let Self { managers, names, .. } = self;
        for (_, entity) in &names[first..] {
            if !managers.transforms.contains(*entity) {
                managers.transforms.try_insert(*entity, Some(root), Pose::IDENTITY)?;
            }
        }
        Ok(())
    }
}
