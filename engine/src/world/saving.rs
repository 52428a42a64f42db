//! The world as bytes, and from bytes: all of it, or nothing has changed.

use loligo_containers::{Array, EventReader, EventStream, GrowError};
use loligo_entities::{Data, Entities, Entity, LoadError, Plain, Tags, Transforms};
use loligo_ids::{IdString32, IdString64};

use super::components::{CAMERA, PARAMETERS, SUN, WEIGHTS};
use super::joined::Joined;
use super::levels::ComingLevels;
use super::listeners::Listeners;
use super::managers::Managers;
use super::objects::Objects;
use super::packages::Packages;
use super::stages::Stages;
use super::views::Views;
use super::{WantedLevel, World};
use crate::error::SavedGameError;
use crate::memory::SharedAllocator;
use crate::saved::{SaveWriter, SavedGame, long, number};

/// The version of the sections of the world and its managers.
const VERSION: u32 = 2;

/// The bytes of the section `world` before the names.
const WORLD: usize = 44;

/// The bytes of a name.
const NAME: usize = 8;

type Bytes<'m> = Array<'m, u8, SharedAllocator<'m>>;

/// What the section `world` says.
struct Times {
    now: u64,
    step: u64,
    frame: u64,
    wanted_level: Option<WantedLevel>,
}

/// A world that was read, to be put in the place of the old one.
pub(crate) struct LoadedWorld<'m> {
    entities: Entities<'m, SharedAllocator<'m>>,
    managers: Managers<'m>,
    events: EventStream<'m, SharedAllocator<'m>>,
    commands: EventStream<'m, SharedAllocator<'m>>,
    names: Array<'m, (IdString32, Entity), SharedAllocator<'m>>,
    views: Views<'m>,
    stages: Stages<'m>,
    times: Times,
    level: IdString64,
    packages: Packages<'m>,
    coming: ComingLevels<'m>,
    listeners: Listeners<'m>,
}

impl<'m> LoadedWorld<'m> {
    /// Returns the name of the level that it was saved in.
    pub(crate) const fn level(&self) -> IdString64 {
        self.level
    }

    /// Returns the models, whose meshes and materials are to be loaded before it is used.
    pub(crate) fn models(&self) -> &[crate::world::components::Model] {
        self.managers.models.values()
    }
}

impl<'m> World<'m> {
    /// Appends sections of all that is in the world.
    pub(crate) fn save(
        &self,
        level: IdString64,
        next_level: Option<IdString64>,
        writer: &mut SaveWriter<'_, 'm>,
    ) -> Result<(), SavedGameError> {
        let Managers { transforms, tags, data, models, parameters, weights, cameras, suns, lights } =
            &self.managers;
        writer.section("world", VERSION, |out| self.save_times(level, next_level, out))?;
        writer.section("views", VERSION, |out| self.views.try_save(out))?;
        writer.section("stages", VERSION, |out| self.stages.try_save(self.entities.iter(), out))?;
        writer.section("packages", VERSION, |out| self.packages.try_save(out))?;
        writer.section("levels", VERSION, |out| self.coming.try_save(out))?;
        writer.section("entities", VERSION, |out| self.entities.try_save(out))?;
        writer.section("transforms", VERSION, |out| transforms.try_save(out))?;
        writer.section("tags", VERSION, |out| tags.try_save(out))?;
        writer.section("data", VERSION, |out| data.try_save(out))?;
        writer.section("models", VERSION, |out| models.try_save(out))?;
        writer.section("parameters", VERSION, |out| parameters.try_save(out))?;
        writer.section("weights", VERSION, |out| weights.try_save(out))?;
        writer.section("cameras", VERSION, |out| cameras.try_save(out))?;
        writer.section("suns", VERSION, |out| suns.try_save(out))?;
        writer.section("lights", VERSION, |out| lights.try_save(out))?;
        let events = self.events.as_bytes();
        writer.section("events", VERSION, |out| out.try_extend_from_slice(events))?;
        let alive = |entity| self.entities.is_alive(entity);
        writer.section("listeners", VERSION, |out| self.listeners.try_save(alive, out))?;
        let commands = self.joined.commands();
        writer.section("commands", VERSION, |out| out.try_extend_from_slice(commands))?;
        for (name, subsystem) in self.joined.all() {
            let saved = writer.section(name, subsystem.state_version(), |out| subsystem.save(out));
            saved.map_err(|error| SavedGameError::Subsystem { section: name, error })?;
        }
        Ok(())
    }

    fn save_times(
        &self,
        level: IdString64,
        next_level: Option<IdString64>,
        out: &mut Bytes<'m>,
    ) -> Result<(), GrowError> {
        for time in [self.now, self.step, self.frame, level.hash()] {
            out.try_extend_from_slice(&time.to_ne_bytes())?;
        }
        let wanted = self.wanted_level.or(next_level.map(WantedLevel::Other));
        let (kind, name) = match wanted {
            None => (0_u32, 0),
            Some(WantedLevel::Same) => (1, 0),
            Some(WantedLevel::Other(name)) => (2, name.hash()),
        };
        out.try_extend_from_slice(&kind.to_ne_bytes())?;
        out.try_extend_from_slice(&name.to_ne_bytes())?;
        for (name, entity) in &self.names {
            out.try_extend_from_slice(&name.hash().to_ne_bytes())?;
            out.try_extend_from_slice(&entity.to_bits().to_ne_bytes())?;
        }
        Ok(())
    }

    /// Reads a world. Nothing has changed yet.
    pub(crate) fn read(&self, game: &SavedGame<'_>) -> Result<LoadedWorld<'m>, SavedGameError> {
        let memory = self.names.memory();
        let section = |name| game.section(name, VERSION);
        let (times, level, names) = self.read_times(section("world")?)?;
        let entities = part("entities", Entities::try_load(section("entities")?, memory))?;
        let managers = Managers {
            transforms: part("transforms", Transforms::try_load(section("transforms")?, memory))?,
            tags: part("tags", Tags::try_load(section("tags")?, memory))?,
            data: part("data", Data::try_load(section("data")?, memory))?,
            models: part("models", Objects::try_load(section("models")?, memory))?,
            parameters: part(
                "parameters",
                Plain::try_load(PARAMETERS, section("parameters")?, memory),
            )?,
            weights: part("weights", Plain::try_load(WEIGHTS, section("weights")?, memory))?,
            cameras: part("cameras", Plain::try_load(CAMERA, section("cameras")?, memory))?,
            suns: part("suns", Plain::try_load(SUN, section("suns")?, memory))?,
            lights: part("lights", Objects::try_load(section("lights")?, memory))?,
        };
        if !managers.owners().all(|owner| entities.is_alive(owner)) {
            let what = "a component is of an entity that is not there";
            return Err(SavedGameError::File { what });
        }
        let events = stream(section("events")?, memory)?;
        let commands = stream(section("commands")?, memory)?;
        let packages = Packages::try_load(section("packages")?, memory)?;
        let views = self.views.try_load(section("views")?)?;
        let stages = section("stages")?;
        let stages = Stages::try_load(stages, |entity| entities.is_alive(entity), memory)?;
        let listeners = self.listeners.try_load(section("listeners")?)?;
        let coming = ComingLevels::try_load(section("levels")?, memory)?;
        Ok(LoadedWorld {
            entities,
            managers,
            events,
            commands,
            names,
            views,
            stages,
            times,
            level,
            packages,
            coming,
            listeners,
        })
    }

    #[expect(clippy::type_complexity, reason = "the three parts of a section")]
    fn read_times(
        &self,
        bytes: &[u8],
    ) -> Result<
        (Times, IdString64, Array<'m, (IdString32, Entity), SharedAllocator<'m>>),
        SavedGameError,
    > {
        let wrong = SavedGameError::File { what: "the section `world` is of another length" };
        let (head, rest) = bytes.split_at_checked(WORLD).ok_or(wrong)?;
        if !rest.len().is_multiple_of(NAME) {
            return Err(wrong);
        }
        let mut names = Array::try_with_capacity_in(rest.len() / NAME, self.names.memory())?;
        for name in rest.chunks_exact(NAME) {
            let entity = Entity::from_bits(number(name, 4));
            let entity = entity.ok_or(SavedGameError::File { what: "a name is of no entity" })?;
            names.push((IdString32::from_hash(number(name, 0)), entity));
        }
        let wanted_level = match number(head, 32) {
            0 => None,
            1 => Some(WantedLevel::Same),
            _ => Some(WantedLevel::Other(IdString64::from_hash(long(head, 36)))),
        };
        let (now, step, frame) = (long(head, 0), long(head, 8), long(head, 16));
        let times = Times { now, step, frame, wanted_level };
        Ok((times, IdString64::from_hash(long(head, 24)), names))
    }

    /// Puts a world that was read, and what was saved of subsystems, in the place of what is there:
    /// all of it, or nothing has changed.
    pub(crate) fn replace(
        &mut self,
        mut loaded: LoadedWorld<'m>,
        game: &SavedGame<'_>,
    ) -> Result<(), SavedGameError> {
        loaded.managers.models.take_over(&self.managers.models)?;
        loaded.managers.lights.take_over(&self.managers.lights)?;
        self.joined.load(game)?;
        self.packages.try_become(&loaded.packages)?;
        let LoadedWorld {
            entities,
            managers,
            events,
            commands,
            names,
            mut views,
            stages,
            times,
            ..
        } = loaded;
        self.entities = entities;
        self.managers = managers;
        self.events = events;
        self.joined.set_commands(commands);
        self.names = names;
        self.coming.become_saved(loaded.coming);
        self.listeners = loaded.listeners;
        self.wanted_level = times.wanted_level;
        self.views.take_controls(&mut views);
        self.stages = stages;
        self.now = times.now;
        self.step = times.step;
        self.frame = times.frame;
        // The render thread hears of all of it.
        self.is_behind = true;
        Ok(())
    }
}

impl<'m> Joined<'m> {
    /// Loads all subsystems; where one of them cannot be, all are as they were.
    fn load(&mut self, game: &SavedGame<'_>) -> Result<(), SavedGameError> {
        // What is there now.
        let mut before = Array::new_in(self.commands_memory());
        let mut writer = SaveWriter::try_new(&mut before)?;
        for (name, subsystem) in self.all() {
            let saved = writer.section(name, subsystem.state_version(), |out| subsystem.save(out));
            saved.map_err(|error| SavedGameError::Subsystem { section: name, error })?;
        }
        writer.finish();
        let loaded = self.load_each(game);
        if loaded.is_err() {
            // It was just saved, and there was memory for it.
            let _ = SavedGame::open(&before).and_then(|before| self.load_each(&before));
        }
        loaded
    }

    fn load_each(&mut self, game: &SavedGame<'_>) -> Result<(), SavedGameError> {
        self.each(|name, subsystem| {
            let bytes = game.section(name, subsystem.state_version())?;
            let loaded = subsystem.load(bytes);
            loaded.map_err(|error| SavedGameError::Subsystem { section: name, error })
        })
    }
}

fn part<T>(section: &'static str, loaded: Result<T, LoadError>) -> Result<T, SavedGameError> {
    loaded.map_err(|error| SavedGameError::Manager { section, error })
}

/// Copies a stream of events.
fn stream<'m>(
    bytes: &[u8],
    memory: &'m SharedAllocator<'m>,
) -> Result<EventStream<'m, SharedAllocator<'m>>, SavedGameError> {
    let what = "its events are no events";
    let reader = EventReader::open(bytes).map_err(|_| SavedGameError::File { what })?;
    let mut stream = EventStream::new_in(memory);
    stream.try_append(reader)?;
    Ok(stream)
}
