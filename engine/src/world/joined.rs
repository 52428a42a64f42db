//! The subsystems that have joined by a row: stepped in their order, each known by its name alone.

use glam::Affine3A;
use loligo_allocators::SharedRef;
use loligo_containers::{Array, Event, EventRecord, EventStream, GrowError};
use loligo_diagnostics::{Log, log};
use loligo_entities::{ComponentManager, Entity};
use loligo_ids::IdString64;
use loligo_interface::{
    Commands, EventSchema, Frame, MadeSubsystem, Phase, ResourceChange, SubsystemError,
    SubsystemRow, Wire,
};
use loligo_resources::Resource;

use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// A subsystem that has joined.
struct Member<'m> {
    name: &'static str,
    made: MadeSubsystem<'m>,
    hears_of_moves: bool,
    /// The error that was logged last: one that comes in each frame is logged once.
    logged: Option<SubsystemError>,
}

/// All subsystems that have joined, in the order of their rows.
pub(crate) struct Joined<'m> {
    members: Array<'m, Member<'m>, SharedAllocator<'m>>,
    wires: Array<'m, Wire, SharedAllocator<'m>>,
    /// What they are asked for, and an empty stream in exchange.
    commands: [EventStream<'m, SharedAllocator<'m>>; 2],
    /// What has moved in this frame, if any of them hears of it.
    moved: (Array<'m, Entity, SharedAllocator<'m>>, Array<'m, Affine3A, SharedAllocator<'m>>),
    hear_of_moves: bool,
}

impl<'m> Joined<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            members: Array::new_in(memory),
            wires: Array::new_in(memory),
            commands: [EventStream::new_in(memory), EventStream::new_in(memory)],
            moved: (Array::new_in(memory), Array::new_in(memory)),
            hear_of_moves: false,
        }
    }

    /// Makes the subsystem of a row, which is not here yet.
    pub(super) fn join(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'m>,
    ) -> Result<(), EngineError> {
        let name = row.name;
        let made = (row.make)(memory).map_err(|error| EngineError::Subsystem { name, error })?;
        let hears_of_moves = made.hears_of_moves();
        self.hear_of_moves |= hears_of_moves;
        self.members.try_push(Member { name, made, hears_of_moves, logged: None })?;
        Ok(())
    }

    pub(super) fn connect(&mut self, wires: &[Wire]) -> Result<(), GrowError> {
        self.wires.try_extend_from_slice(wires)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Calls `each` with the managers of all of them.
    pub(super) fn managers<'s>(
        &'s mut self,
        each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's)),
    ) {
        self.members.iter_mut().for_each(|member| member.made.managers(each));
    }

    /// Calls `each` with what events of theirs consist of.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &'static EventSchema> {
        self.members.iter().flat_map(|member| member.made.schemas())
    }

    /// Returns `true` if one of them owns resources of a type.
    pub(crate) fn owns(&self, type_hash: IdString64) -> bool {
        self.members.iter().any(|member| member.owns(type_hash))
    }

    /// Hands a resource to its owner; `false` if it could not use it, which was logged.
    pub(crate) fn take_resource(
        &mut self,
        resource: &Resource<'_>,
        is_changed: bool,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> bool {
        let key = resource.key();
        let Some(owner) = self.members.iter_mut().find(|member| member.owns(key.type_hash)) else {
            return false;
        };
        let change = ResourceChange {
            type_hash: key.type_hash,
            name: key.name,
            debug_name: resource.debug_name(),
            payload: resource.payload(),
            is_changed,
        };
        let taken = owner.made.resource(&change);
        if let Err(error) = &taken {
            let (owner, name) = (owner.name, resource.debug_name());
            log!(log, Error, "subsystem `{owner}`: resource {name} {key}: {error}");
        }
        taken.is_ok()
    }

    /// Steps all of them.
    pub(super) fn step(
        &mut self,
        phase: Phase,
        frame: &mut Frame<'_>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        for member in &mut self.members {
            let stepped = member.made.step(phase, frame);
            member.note(stepped, log);
        }
    }

    /// Appends what has happened in them to a stream.
    pub(super) fn gather(
        &mut self,
        all: &mut EventStream<'m, SharedAllocator<'m>>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        for member in &mut self.members {
            let Some(events) = member.made.events() else { continue };
            // What there is no memory for now is passed on with the next.
            let passed = all.try_append(events.reader());
            if passed.is_ok() {
                events.clear();
            }
            member.note(passed.map_err(SubsystemError::from), log);
        }
    }

    /// Appends the commands that follow from an event.
    pub(super) fn follow(&mut self, event: &EventRecord<'_>, log: &Log<'_, SharedAllocator<'m>>) {
        let Self { wires, commands, .. } = self;
        for wire in wires.iter().filter(|wire| wire.from == event.kind()) {
            if let Err(error) = (wire.to)(event, &mut Commands::new(&mut commands[0])) {
                log!(log, Error, "a command that follows from an event is lost: {error}");
            }
        }
    }

    /// Appends a command.
    pub(super) fn send<E: Event>(&mut self, command: E) -> Result<(), GrowError> {
        self.commands[0].try_push(command)
    }

    /// Passes all commands to all of them. What they ask for meanwhile comes with the next.
    pub(super) fn obey(&mut self, log: &Log<'_, SharedAllocator<'m>>) {
        self.commands.swap(0, 1);
        let Self { members, commands, .. } = self;
        for command in commands[1].iter() {
            for member in &mut *members {
                let done = member.made.command(&command);
                member.note(done, log);
            }
        }
        self.commands[1].clear();
    }

    /// Returns what notes that an entity has moved, if any of them hears of it.
    pub(super) fn moved(
        &mut self,
    ) -> Option<impl FnMut(Entity, &Affine3A) -> Result<(), GrowError> + use<'_, 'm>> {
        let Self { moved: (entities, matrices), hear_of_moves, .. } = self;
        hear_of_moves.then_some(|entity, matrix: &Affine3A| {
            matrices.try_push(*matrix)?;
            entities.try_push(entity)
        })
    }

    /// Passes on what has moved.
    pub(crate) fn pass_moved(&mut self) {
        let Self { members, moved: (entities, matrices), .. } = self;
        let count = entities.len();
        for member in members.iter_mut().filter(|member| member.hears_of_moves && count > 0) {
            member.made.moved(entities, &matrices[..count]);
        }
        entities.clear();
        matrices.clear();
    }

    /// Calls `each` with the functions for scripts: the number under which [`call`](Self::call)
    /// knows each.
    #[cfg(feature = "script")]
    pub(crate) fn functions(
        &self,
    ) -> impl Iterator<Item = (u32, &'static loligo_interface::SubsystemFunction)> {
        self.members.iter().enumerate().flat_map(|(place, member)| {
            let functions = member.made.functions().iter().enumerate();
            functions.map(move |(at, function)| ((place << FUNCTION_BITS | at) as u32, function))
        })
    }

    /// Runs a function for a script.
    #[cfg(feature = "script")]
    pub(crate) fn call(
        &mut self,
        number: u32,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        let (place, at) = (number as usize >> FUNCTION_BITS, number as usize % FUNCTIONS_MAX);
        match self.members.get_mut(place) {
            Some(member) => member.made.call(at, call),
            None => Err(call.refuse(format_args!("its subsystem is not there"))),
        }
    }
}

/// The number of a function of a subsystem has as many bits.
#[cfg(feature = "script")]
const FUNCTION_BITS: u32 = 16;

/// As many functions as a subsystem may have.
#[cfg(feature = "script")]
const FUNCTIONS_MAX: usize = 1 << FUNCTION_BITS;

impl Member<'_> {
    fn owns(&self, type_hash: IdString64) -> bool {
        self.made.resource_types().iter().any(|name| IdString64::new(name) == type_hash)
    }

    fn note(&mut self, done: Result<(), SubsystemError>, log: &Log<'_, SharedAllocator<'_>>) {
        let Err(error) = done else { return };
        if self.logged != Some(error) {
            self.logged = Some(error);
            log!(log, Error, "subsystem `{}`: {error}", self.name);
        }
    }
}
