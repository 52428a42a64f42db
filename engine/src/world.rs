//! The world: entities with all their components, and what of them is drawn.
//!
//! After "State reflection" by the makers of Stingray: the world records what becomes of its render
//! objects, and the thread that renders hears of nothing else. Events go into a stream that the
//! layer above reads after the update ("Events", Bitsquid blog, 2009-12-11).

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::{Array, Event, EventStream};
#[cfg(feature = "script")]
use loligo_entities::ComponentType;
use loligo_entities::{
    Data, Entities, Entity, EntityResource, Pose, SpawnError, Tags, Transforms, Unknown,
};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{EventSchema, event_schema};
use loligo_render::StateRecorder;
use loligo_resources::{PreferenceOrder, ResourceKey};

use crate::error::EngineError;
use crate::memory::{Memory, Room, SharedAllocator, memory_of};
use crate::saved::SaveRequest;

mod components;
mod graphs;
mod hashes;
mod joined;
mod kinds;
mod levels;
mod listeners;
mod logic;
mod managers;
#[cfg(feature = "script")]
mod modules;
mod objects;
mod packages;
mod reflection;
mod saving;
mod scene_view;
mod stages;
mod steps;
mod styles;
#[cfg(all(test, feature = "compile"))]
mod tests;
mod views;

pub use components::{
    CAMERA, Camera, LIGHT, MODEL, Model, PARAMETERS, PointLight, SUN, Sun, WEIGHTS,
};
pub(crate) use components::{ENTITY_TYPE, LEVEL_TYPE};
use joined::Joined;
use kinds::EntityKinds;
use levels::ComingLevels;
pub use listeners::ListenError;
use listeners::Listeners;
pub use logic::Logic;
pub(crate) use logic::LogicCalls;
use managers::Managers;
#[cfg(feature = "script")]
pub(crate) use modules::{LUA, Modules};
pub(crate) use objects::{OBJECTS_MAX, WORLD};
use packages::Packages;
pub(crate) use packages::{PackageState, Want};
#[cfg(feature = "script")]
pub(crate) use reflection::{NO_TARGET, NOT_LOADED};
pub(crate) use scene_view::SceneView;
use stages::Stages;
pub(crate) use steps::EVENT_BYTES_MAX;
#[cfg(feature = "script")]
pub(crate) use steps::FIELDS_MAX;
use styles::Styles;
pub(crate) use views::FrameView;
use views::Views;

/// The number of entities per call when all are removed.
const CLEARED: usize = 256;

/// At least this many names are kept of entities that are gone.
const NAMES_KEPT: usize = 1024;

/// The name of an entity that has none.
const NO_NAME: IdString32 = IdString32::new("");

/// Entities were spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct Spawned {
    /// How many.
    pub count: u32,
}

/// An entity was removed, and with it what hung on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct Removed {
    /// The bits of the entity that was to be removed.
    pub entity: u32,
    /// How many went.
    pub count: u32,
}

/// All entities of a level that was asked for with [`World::spawn_level`] are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct LevelSpawned {
    /// The bits of the entity that all of it is below.
    pub entity: u32,
}

/// A resource that is loaded was recompiled and swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct ResourceChanged {
    /// The hash of its type, the lower half first.
    pub type_hash: [u32; 2],
    /// The hash of its name.
    pub name: [u32; 2],
}

/// Returns what the engine's own events consist of.
#[must_use]
pub const fn event_schemas() -> &'static [EventSchema] {
    &SCHEMAS
}

/// What the engine's own events consist of.
const SCHEMAS: [EventSchema; 4] = [
    event_schema!(Spawned, "spawned", "entities were spawned", { count: Count }),
    event_schema!(
        Removed, "removed", "an entity was removed, and with it what hung on it",
        { entity: Entity, count: Count }
    ),
    event_schema!(
        LevelSpawned, "level_spawned", "all of a level that was spawned in addition is there",
        { entity: Entity }
    ),
    event_schema!(ResourceChanged, "resource_changed", "a resource was recompiled and swapped", {}),
];

/// A level that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedLevel {
    /// The one that there is, from the beginning.
    Same,
    /// Another, by the hash of its name.
    Other(IdString64),
}

/// All entities of a game and their components. What the game's logic changes, it changes here.
///
/// # Complexity
///
/// Moving an entity is O(1); the update at the end of a frame is O(entities that moved, and their
/// descendants).
///
/// # Memory
///
/// That of its managers, from the memory passed in. A frame in which nothing is spawned allocates
/// nothing.
pub struct World<'m> {
    entities: Entities<'m, SharedAllocator<'m>>,
    managers: Managers<'m>,
    /// The subsystems that joined by a row.
    joined: Joined<'m>,
    /// What can be spawned by name.
    kinds: EntityKinds<'m>,
    /// The level that is asked for, if one is.
    wanted_level: Option<WantedLevel>,
    /// Which properties of resources are preferred, and whether that is to be followed yet.
    preferred: PreferenceOrder,
    is_preference_changed: bool,
    /// What is asked of the program that runs the game.
    wanted_save: Option<SaveRequest>,
    /// The levels that can be spawned by name.
    levels: EntityKinds<'m>,
    /// Those that are being spawned.
    coming: ComingLevels<'m>,
    /// What packages the game wants.
    packages: Packages<'m>,
    /// Whether a model may be drawn by placeholders, and what models name that is not loaded.
    has_placeholders: bool,
    missing: Array<'m, ResourceKey, SharedAllocator<'m>>,
    /// The materials that models may be given.
    styles: Styles<'m, SharedAllocator<'m>>,
    /// None where rendering is left out.
    recorder: Option<StateRecorder<'m, SharedAllocator<'m>>>,
    /// Whether the recorder has missed something for lack of memory.
    is_behind: bool,
    events: EventStream<'m, SharedAllocator<'m>>,
    /// Functions of scripts that hear of single entities.
    listeners: Listeners<'m>,
    /// The names of the entities of the level, in the order in which they were spawned.
    names: Array<'m, (IdString32, Entity), SharedAllocator<'m>>,
    /// What the game has said of the views of the frame.
    views: Views<'m>,
    /// What was asked of the graphs in this update, a line each.
    graph_lines: Array<'m, u8, SharedAllocator<'m>>,
    /// The stages of entities.
    stages: Stages<'m>,
    /// The game's time in nanoseconds, and how far this frame moves it on.
    now: u64,
    step: u64,
    frame: u64,
    is_over: bool,
    #[cfg(feature = "script")]
    pub(crate) modules: Modules<'m>,
}

impl<'m> World<'m> {
    /// Returns an empty world. What is drawn is recorded where `is_drawn`.
    pub(crate) fn new_in(is_drawn: bool, memory: &Memory<'m>) -> Self {
        let render = memory_of(memory, Room::Render);
        #[cfg(feature = "script")]
        let modules = Modules::new_in(memory_of(memory, Room::Script));
        let memory = memory_of(memory, Room::Entities);
        Self {
            entities: Entities::new_in(memory),
            managers: Managers::new_in(memory),
            joined: Joined::new_in(memory),
            kinds: EntityKinds::new_in(memory),
            levels: EntityKinds::new_in(memory),
            coming: ComingLevels::new_in(memory),
            packages: Packages::new_in(memory),
            has_placeholders: false,
            missing: Array::new_in(memory),
            wanted_level: None,
            preferred: PreferenceOrder::EMPTY,
            is_preference_changed: false,
            wanted_save: None,
            styles: Styles::new_in(render),
            recorder: is_drawn.then(|| StateRecorder::new_in(WORLD, OBJECTS_MAX, render)),
            is_behind: false,
            events: EventStream::new_in(memory),
            listeners: Listeners::new_in(memory),
            names: Array::new_in(memory),
            views: Views::new_in(memory),
            graph_lines: Array::new_in(memory),
            stages: Stages::new_in(memory),
            now: 0,
            step: 0,
            frame: 0,
            is_over: false,
            #[cfg(feature = "script")]
            modules,
        }
    }

    /// Returns the entities: which there are.
    #[must_use]
    pub const fn entities(&self) -> &Entities<'m, SharedAllocator<'m>> {
        &self.entities
    }

    /// Returns the transforms.
    #[must_use]
    pub const fn transforms(&self) -> &Transforms<'m, SharedAllocator<'m>> {
        &self.managers.transforms
    }

    /// Returns the transforms, to be changed; render objects follow when the frame ends.
    pub const fn transforms_mut(&mut self) -> &mut Transforms<'m, SharedAllocator<'m>> {
        &mut self.managers.transforms
    }

    /// Returns the tags.
    #[must_use]
    pub const fn tags(&self) -> &Tags<'m, SharedAllocator<'m>> {
        &self.managers.tags
    }

    /// Returns the tags, to be changed.
    pub const fn tags_mut(&mut self) -> &mut Tags<'m, SharedAllocator<'m>> {
        &mut self.managers.tags
    }

    /// Returns the data of entities.
    #[must_use]
    pub const fn data(&self) -> &Data<'m, SharedAllocator<'m>> {
        &self.managers.data
    }

    /// Returns the data of entities, to be changed.
    pub const fn data_mut(&mut self) -> &mut Data<'m, SharedAllocator<'m>> {
        &mut self.managers.data
    }

    /// Returns what an entity looks like.
    #[must_use]
    pub fn model(&self, entity: Entity) -> Option<&Model> {
        self.managers.models.get(entity)
    }

    /// Returns the entities that have a model.
    #[must_use]
    pub fn models(&self) -> &[Entity] {
        self.managers.models.entities()
    }

    /// Returns the camera of an entity.
    #[must_use]
    pub fn camera_of(&self, entity: Entity) -> Option<&Camera> {
        self.managers.cameras.get(entity)
    }

    /// Returns the camera of an entity, to be changed.
    pub fn camera_of_mut(&mut self, entity: Entity) -> Option<&mut Camera> {
        self.managers.cameras.get_mut(entity)
    }

    /// Calls `each` with the entities that have a component, some at a time.
    #[cfg(feature = "script")]
    pub(crate) fn visit_owners(&self, component: ComponentType, each: &mut dyn FnMut(&[Entity])) {
        self.managers.visit_owners(component, each);
    }

    /// Returns the sun, if there is one, and its entity.
    #[must_use]
    pub fn sun(&self) -> Option<(Entity, &Sun)> {
        self.managers.suns.entities().first().copied().zip(self.managers.suns.values().first())
    }

    /// Returns the sun, to be changed.
    pub fn sun_mut(&mut self) -> Option<&mut Sun> {
        self.managers.suns.values_mut().first_mut()
    }

    /// Returns the first entity of that name that is alive, in the order in which they were
    /// spawned. O(names).
    #[must_use]
    pub fn find(&self, name: IdString32) -> Option<Entity> {
        let is_it =
            |(own, entity): &&(IdString32, Entity)| *own == name && self.entities.is_alive(*entity);
        self.names.iter().find(is_it).map(|(_, entity)| *entity)
    }

    /// Returns the game's time in nanoseconds.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Returns how far an update moves the game on, in nanoseconds: the one that runs, or the last.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// Returns the number of the frame, from 0 on.
    #[must_use]
    pub const fn frame(&self) -> u64 {
        self.frame
    }

    /// Ends the game after this frame.
    pub const fn end_game(&mut self) {
        self.is_over = true;
    }

    /// Returns `true` if the game ends after this frame.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Asks for a level in place of all entities that are there, by the hash of its name; it begins
    /// with the next frame. One that cannot be loaded is logged, and the game goes on with the old.
    pub const fn load_level(&mut self, name: IdString64) {
        self.wanted_level = Some(WantedLevel::Other(name));
    }

    /// Prefers properties of resources, in place of those before: a language, and whatever else has
    /// variants. What is loaded in another variant than is wanted then is swapped before the next
    /// frame.
    pub const fn prefer(&mut self, order: PreferenceOrder) {
        self.preferred = order;
        self.is_preference_changed = true;
    }

    /// Returns which properties of resources are preferred.
    #[must_use]
    pub const fn preferred(&self) -> &PreferenceOrder {
        &self.preferred
    }

    /// As [`prefer`](Self::prefer), of an order that is followed already.
    pub(crate) const fn note_preferred(&mut self, order: PreferenceOrder) {
        self.preferred = order;
        self.is_preference_changed = false;
    }

    pub(crate) const fn take_preference_changed(&mut self) -> bool {
        core::mem::replace(&mut self.is_preference_changed, false)
    }

    /// Asks the program that runs the game to save it or to load another: see
    /// [`Engine::take_save_request`](crate::Engine::take_save_request).
    pub const fn request_save(&mut self, request: SaveRequest) {
        self.wanted_save = Some(request);
    }

    pub(crate) const fn take_save_request(&mut self) -> Option<SaveRequest> {
        self.wanted_save.take()
    }

    /// Asks for the level to begin again, with the next frame.
    pub const fn restart_level(&mut self) {
        self.wanted_level = Some(WantedLevel::Same);
    }

    pub(crate) const fn wanted_level(&self) -> Option<WantedLevel> {
        self.wanted_level
    }

    pub(crate) const fn take_wanted_level(&mut self) -> Option<WantedLevel> {
        self.wanted_level.take()
    }

    /// Appends an event of the game's own to the stream.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn send<E: Event>(&mut self, event: E) -> Result<(), EngineError> {
        Ok(self.events.try_push(event)?)
    }

    /// Spawns a copy of a resource for each pose. Returns how many entities were made.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, or a component of a type that the engine has no
    /// manager for; then no entity was created, none was named, and no event was sent.
    pub fn spawn(
        &mut self,
        resource: &EntityResource<'_>,
        poses: &[Pose],
    ) -> Result<usize, EngineError> {
        if poses.is_empty() {
            return Ok(0);
        }
        self.forget_names();
        let first = self.names.len();
        self.names.try_reserve(resource.len().saturating_mul(poses.len()))?;
        let Self { managers, joined, entities, names, stages, .. } = self;
        let spawned = managers.together(joined, |components| {
            let made = entities.spawn(resource, poses, components, Unknown::Refuse)?;
            stages.forget(made);
            for copy in made.chunks_exact(resource.len().max(1)) {
                for (at, entity) in copy.iter().enumerate() {
                    names.push((resource.name(at).unwrap_or(NO_NAME), *entity));
                }
            }
            Ok::<_, SpawnError>(made.len())
        });
        let count = spawned.unwrap_or(Ok(0))?;
        if let Err(error) = self.events.try_push(Spawned { count: count as u32 }) {
            self.take_back(first);
            return Err(error.into());
        }
        Ok(count)
    }

    /// Removes an entity and its descendants. Returns how many entities that were.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory for the event; it is removed all the same.
    pub fn destroy(&mut self, entity: Entity) -> Result<usize, EngineError> {
        let count = self.remove(&[entity]);
        if count > 0 {
            let event = Removed { entity: entity.to_bits(), count: count as u32 };
            self.events.try_push(event)?;
        }
        Ok(count)
    }

    /// Spawns what `spawn` does in place of all entities that are there: they are removed once it
    /// has succeeded, and stay where it has not.
    pub(crate) fn replace_all(
        &mut self,
        spawn: impl FnOnce(&mut Self) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let memory = self.names.memory();
        let mut old = Array::try_with_capacity_in(self.entities.len(), memory)?;
        for entity in self.entities.iter() {
            old.try_push(entity)?;
        }
        spawn(self)?;
        for some in old.chunks(CLEARED) {
            self.remove(some);
        }
        self.forget_dead_names();
        Ok(())
    }

    /// Drops the names of entities that are gone, once they are most of the list: O(1) amortised
    /// for each entity spawned.
    fn forget_names(&mut self) {
        if self.names.len() > 2 * self.entities.len() + NAMES_KEPT {
            self.forget_dead_names();
        }
    }

    fn forget_dead_names(&mut self) {
        let Self { names, entities, .. } = self;
        names.retain(|(_, entity)| entities.is_alive(*entity));
    }

    /// Removes the entities whose names are in the list from index `first` on, and the names.
    fn take_back(&mut self, first: usize) {
        while self.names.len() > first {
            let from = first.max(self.names.len().saturating_sub(CLEARED));
            let mut some = [None; CLEARED];
            let last = self.names[from..].iter().rev();
            some.iter_mut().zip(last).for_each(|(place, (_, one))| *place = Some(*one));
            self.remove_some(&some);
            self.names.truncate(from);
        }
    }

    /// Removes some entities, of which the first is there.
    fn remove_some(&mut self, some: &[Option<Entity>; CLEARED]) {
        // One that is named twice is removed once.
        let Some(first) = some[0] else { return };
        self.remove(&some.map(|entity| entity.unwrap_or(first)));
    }

    fn remove(&mut self, entities: &[Entity]) -> usize {
        let Self { managers, joined, entities: all, .. } = self;
        managers.together(joined, |components| all.destroy(entities, components)).unwrap_or(0)
    }

    /// Begins a frame.
    pub(crate) const fn begin(&mut self, frame: u64) {
        self.frame = frame;
        self.coming.begin();
    }

    /// Begins an update that moves the game on by `step` nanoseconds.
    pub(crate) const fn advance(&mut self, step: u64) {
        self.step = step;
        self.now = self.now.saturating_add(step);
    }

    /// Returns the events since the last frame's, in exchange for an empty stream.
    pub(crate) const fn take_events(
        &mut self,
        empty: EventStream<'m, SharedAllocator<'m>>,
    ) -> EventStream<'m, SharedAllocator<'m>> {
        core::mem::replace(&mut self.events, empty)
    }

    pub(crate) const fn recorder(&mut self) -> Option<&mut StateRecorder<'m, SharedAllocator<'m>>> {
        self.recorder.as_mut()
    }
}

impl core::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("World")
            .field("entities", &self.entities.len())
            .field("models", &self.managers.models.entities().len())
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}
