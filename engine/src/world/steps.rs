//! What the world does with the subsystems that joined by a row: where each is stepped, what it
//! hears of and what is asked of it.

use bytemuck::NoUninit;
use glam::Affine3A;
use loligo_containers::{Event, EventReader, EventRecord};
use loligo_diagnostics::Log;
use loligo_entities::{Entity, Pose, Transforms};
use loligo_input::{Input, InputSubsystem};
#[cfg(feature = "tool-server")]
use loligo_interface::Report;
#[cfg(feature = "script")]
use loligo_interface::SubsystemFunction;
use loligo_interface::{
    EventSchema, FieldKind, Frame, MadeThread, Phase, Places, SubsystemError, SubsystemRow,
    Viewpoint, Wire,
};
use loligo_tasks::Worker;

use super::joined::Joined;
use super::{SCHEMAS, World};
use crate::error::EngineError;
use crate::memory::{Memory, SharedAllocator};
use crate::subsystems::BuiltIn;

/// The most fields of an event that scripts hear of.
pub(crate) const FIELDS_MAX: usize = 8;

/// The most bytes of an event or a command with a schema.
pub(crate) const EVENT_BYTES_MAX: usize = 128;

/// The most bytes of the name of an event.
const NAME_MAX: usize = 48;

/// The names of functions that the engine calls for other reasons than events, and of those of the
/// table `Event` that send none.
const TAKEN: [&str; 6] = ["start", "update", "on_save", "on_load", "listen", "ignore"];

/// Takes the name of a subsystem, and what writes its tables.
#[cfg(feature = "tool-server")]
pub(crate) type WriteTables<'w> = dyn FnMut(&'static str, &dyn Fn(&mut dyn Report)) + 'w;

impl<'m> World<'m> {
    /// Adds the engine's own subsystems.
    pub(crate) fn add_built_in(&mut self, built_in: BuiltIn<'m>) -> Result<(), EngineError> {
        Ok(self.joined.begin(built_in)?)
    }

    /// Returns what the player does in this frame; `None` where the subsystem `input` is left out.
    #[must_use]
    pub fn input(&self) -> Option<&Input<'m, SharedAllocator<'m>>> {
        self.joined.built_in().input.as_ref().map(InputSubsystem::input)
    }

    /// Returns it, to switch contexts.
    pub fn input_mut(&mut self) -> Option<&mut Input<'m, SharedAllocator<'m>>> {
        self.joined.built_in_mut().input.as_mut().map(InputSubsystem::input_mut)
    }

    /// Returns the functions that scripts call of the subsystems that are there.
    #[cfg(feature = "script")]
    pub fn subsystem_functions(&self) -> impl Iterator<Item = &'static SubsystemFunction> {
        self.joined.functions().map(|(_, function)| function)
    }

    /// Passes what the player did to the subsystems.
    pub(crate) fn play(&mut self, done: EventReader<'_>, log: &Log<'_, SharedAllocator<'m>>) {
        self.joined.pass(done, log);
    }

    /// Makes the subsystems of rows, each in the memory of a place.
    pub(crate) fn join<'r>(
        &mut self,
        rows: impl Iterator<Item = (usize, &'r SubsystemRow)>,
        wires: &[Wire],
        memory: &Memory<'m>,
    ) -> Result<(), EngineError> {
        for (place, row) in rows {
            self.joined.join(row, memory.at(place))?;
            let clash = self.managers.clash(&mut self.joined);
            if let Some(what) = clash.or_else(|| self.schema_clash()) {
                return Err(EngineError::Rows { name: row.name(), what });
            }
        }
        Ok(self.joined.connect(wires)?)
    }

    /// Calls `each` with what subsystems have run on separate threads, by their names, or with why there is none.
    pub(crate) fn threads(
        &mut self,
        each: &mut dyn FnMut(&'static str, Result<MadeThread<'m>, SubsystemError>),
    ) {
        self.joined.threads(each);
    }

    /// Lets subsystems know whether tools look at their tables.
    #[cfg(feature = "tool-server")]
    pub(crate) fn set_reported(&mut self, is_reported: bool) {
        self.joined.set_reported(is_reported);
    }

    /// Calls `each` with the name of each subsystem, and what writes its tables.
    #[cfg(feature = "tool-server")]
    pub(crate) fn report(&self, each: &mut WriteTables<'_>) {
        for (name, subsystem) in self.joined.all() {
            each(name, &|out: &mut dyn Report| subsystem.report(out));
        }
    }

    /// Adds wires.
    pub(crate) fn connect(&mut self, wires: &[Wire]) -> Result<(), EngineError> {
        Ok(self.joined.connect(wires)?)
    }

    /// Asks subsystems for something: those that know the command do it, after the events of this
    /// update.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn command<E: Event>(&mut self, command: E) -> Result<(), EngineError> {
        Ok(self.joined.send(command)?)
    }

    /// As [`command`](Self::command), for many things at once: the items follow the command.
    ///
    /// # Errors
    ///
    /// As [`command`](Self::command).
    pub fn command_with_tail<E: Event, T: NoUninit>(
        &mut self,
        command: E,
        tail: &[T],
    ) -> Result<(), EngineError> {
        Ok(self.joined.send_with_tail(command, tail)?)
    }

    /// As [`command`](Self::command), of a type that is known by its number alone.
    pub(crate) fn command_bytes(&mut self, kind: u32, command: &[u8]) -> Result<(), EngineError> {
        Ok(self.joined.send_bytes(kind, command)?)
    }

    /// As [`send`](Self::send), of a type that is known by its number alone.
    #[cfg(feature = "script")]
    pub(crate) fn send_bytes(&mut self, kind: u32, event: &[u8]) -> Result<(), EngineError> {
        Ok(self.events.try_push_bytes(kind, event)?)
    }

    /// Returns what all events consist of that anyone may hear of.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &'static EventSchema> {
        SCHEMAS.iter().chain(self.joined.schemas())
    }

    /// Returns what is wrong with the schemas of subsystems.
    fn schema_clash(&self) -> Option<&'static str> {
        let is_like = |one: &EventSchema, other: &EventSchema| {
            one.kind == other.kind || one.name == other.name
        };
        for (at, schema) in self.joined.command_schemas().enumerate() {
            if self.joined.command_schemas().take(at).any(|other| is_like(other, schema)) {
                return Some("another command has the type or the name of one of its commands");
            }
        }
        for (at, schema) in self.schemas().enumerate() {
            if self.schemas().take(at).any(|other| is_like(other, schema)) {
                return Some("another event has the type or the name of one of its events");
            }
            if TAKEN.contains(&schema.name) {
                return Some(
                    "`start`, `update`, `on_save`, `on_load`, `listen` and `ignore` are no names of events",
                );
            }
        }
        self.schemas().chain(self.joined.command_schemas()).find_map(wrong_schema)
    }

    pub(crate) const fn joined(&self) -> &Joined<'m> {
        &self.joined
    }

    pub(crate) const fn joined_mut(&mut self) -> &mut Joined<'m> {
        &mut self.joined
    }

    /// Steps the subsystems, and takes what has happened in them.
    pub(crate) fn step_all(
        &mut self,
        phase: Phase,
        worker: &Worker<'_>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.step_seen(phase, &[], worker, log);
    }

    /// As [`step_all`](Self::step_all), of a frame that is seen from views.
    pub(crate) fn step_seen(
        &mut self,
        phase: Phase,
        views: &[Viewpoint],
        worker: &Worker<'_>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let Self { joined, managers, events, frame, now, step, .. } = self;
        let places = &mut Placed(&mut managers.transforms);
        let mut frame = Frame { number: *frame, now: *now, step: *step, worker, places, views };
        joined.step(phase, &mut frame, log);
        joined.gather(events, log);
    }

    /// Splits events after the first from which a command may follow: those up to it, it, and those
    /// after it.
    pub(crate) fn until_wired<'e>(
        &self,
        events: EventReader<'e>,
    ) -> (EventReader<'e>, Option<EventRecord<'e>>, EventReader<'e>) {
        self.joined.until_wired(events)
    }

    /// Appends the commands that follow from an event.
    pub(crate) fn follow(&mut self, event: &EventRecord<'_>, log: &Log<'_, SharedAllocator<'m>>) {
        self.joined.follow(event, log);
    }

    /// Passes commands to the subsystems.
    pub(crate) fn obey(&mut self, log: &Log<'_, SharedAllocator<'m>>) {
        self.joined.obey(log);
    }
}

/// Transforms, as subsystems see them.
struct Placed<'t, 'm>(&'t mut Transforms<'m, SharedAllocator<'m>>);

impl Places for Placed<'_, '_> {
    fn pose(&self, entity: Entity) -> Option<Pose> {
        self.0.pose(entity)
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.0.parent(entity)
    }

    fn matrix(&self, entity: Entity) -> Option<Affine3A> {
        self.0.world(entity).copied()
    }

    fn set_poses(&mut self, entities: &[Entity], poses: &[Pose]) {
        assert_eq!(entities.len(), poses.len(), "a pose for each entity");
        for (entity, pose) in entities.iter().zip(poses) {
            self.0.set_pose(*entity, pose);
        }
    }
}

/// Returns what is wrong with what an event or a command consists of.
fn wrong_schema(schema: &EventSchema) -> Option<&'static str> {
    let is_name = |byte: u8| byte == b'_' || byte.is_ascii_lowercase();
    if !schema.name.bytes().all(is_name) || !(1..=NAME_MAX).contains(&schema.name.len()) {
        return Some("the name of an event is made of a to z and _, 48 at the most");
    }
    let numbers = schema.fields.iter().filter(|field| field.kind != FieldKind::Text);
    let numbers = numbers.map(|field| field.kind.bytes() / 4).sum::<usize>();
    if schema.fields.len() > FIELDS_MAX || numbers > 2 * FIELDS_MAX {
        return Some("an event has more than 8 fields or 16 numbers");
    }
    (schema.bytes > EVENT_BYTES_MAX).then_some("an event that scripts send has more than 128 bytes")
}
