//! The subsystems that have joined by a row: stepped in their order, each known by its name alone.

use bytemuck::NoUninit;
use glam::Affine3A;
use loligo_allocators::SharedRef;
use loligo_containers::{Array, Event, EventReader, EventRecord, EventStream, GrowError};
use loligo_diagnostics::{Log, log};
use loligo_entities::{ComponentManager, Entity};
use loligo_ids::IdString64;
use loligo_interface::{
    Commands, EventSchema, Frame, MadeSubsystem, MadeThread, Phase, ResourceChange, Subsystem,
    SubsystemError, SubsystemRow, TailRead, Wire,
};
use loligo_monitor::{Name, current};
use loligo_resources::{Resource, ResourceKey};

use crate::error::EngineError;
use crate::memory::SharedAllocator;
use crate::subsystems::{BUILT_IN, BuiltIn};

/// A subsystem that has joined by a row.
struct Member<'m> {
    name: &'static str,
    made: MadeSubsystem<'m>,
    has_drawer: bool,
}

/// All subsystems that are stepped: the engine's own, and those that have joined by a row, in the
/// order of the rows.
pub(crate) struct Joined<'m> {
    built_in: BuiltIn<'m>,
    members: Array<'m, Member<'m>, SharedAllocator<'m>>,
    /// The fault of each that was logged last: one that comes in each frame is logged once.
    logged: Array<'m, Option<SubsystemError>, SharedAllocator<'m>>,
    /// The name of each in the monitor, if there is one.
    scopes: Array<'m, Option<Name>, SharedAllocator<'m>>,
    wires: Array<'m, Wire, SharedAllocator<'m>>,
    /// What they are asked for, and an empty stream in exchange.
    commands: [EventStream<'m, SharedAllocator<'m>>; 2],
    /// What has moved in this frame, if any of them hears of it.
    moved: (Array<'m, Entity, SharedAllocator<'m>>, Array<'m, Affine3A, SharedAllocator<'m>>),
    hear_of_moves: bool,
    /// Whether any of them has managers of components.
    have_managers: bool,
}

/// A subsystem, and the number of its place.
type Placed<'s, 'm> = (usize, &'static str, &'s mut (dyn Subsystem<'m> + 'm));

impl<'m> Joined<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            built_in: BuiltIn::none(),
            members: Array::new_in(memory),
            logged: Array::new_in(memory),
            scopes: Array::new_in(memory),
            wires: Array::new_in(memory),
            commands: [EventStream::new_in(memory), EventStream::new_in(memory)],
            moved: (Array::new_in(memory), Array::new_in(memory)),
            hear_of_moves: false,
            have_managers: false,
        }
    }

    /// Adds the engine's own.
    pub(super) fn begin(&mut self, built_in: BuiltIn<'m>) -> Result<(), GrowError> {
        self.built_in = built_in;
        for subsystem in self.built_in.all_mut().into_iter().filter_map(|(_, own)| own) {
            subsystem.managers(&mut |_| self.have_managers = true);
            self.hear_of_moves |= subsystem.hears_of_moves();
        }
        for (name, _) in self.built_in.all() {
            self.scopes.try_push(scope_name(name))?;
        }
        self.logged.try_resize(BUILT_IN, None)
    }

    /// Makes the subsystem of a row, which is not here yet.
    pub(super) fn join(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'m>,
    ) -> Result<(), EngineError> {
        let name = row.name();
        let mut made = row.make(memory).map_err(|error| EngineError::Subsystem { name, error })?;
        made.managers(&mut |_| self.have_managers = true);
        self.hear_of_moves |= made.hears_of_moves();
        self.logged.try_push(None)?;
        self.scopes.try_push(scope_name(name))?;
        self.members.try_push(Member { name, made, has_drawer: row.has_drawer() })?;
        Ok(())
    }

    pub(super) fn connect(&mut self, wires: &[Wire]) -> Result<(), GrowError> {
        self.wires.try_extend_from_slice(wires)
    }

    pub(super) const fn built_in(&self) -> &BuiltIn<'m> {
        &self.built_in
    }

    pub(super) const fn built_in_mut(&mut self) -> &mut BuiltIn<'m> {
        &mut self.built_in
    }

    /// Returns `true` if any of them has managers.
    pub(super) const fn has_managers(&self) -> bool {
        self.have_managers
    }

    /// Calls `each` with the managers of all of them.
    pub(super) fn managers<'s>(
        &'s mut self,
        each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's)),
    ) {
        let Self { built_in, members, .. } = self;
        all_mut(built_in, members).for_each(|(_, _, subsystem)| subsystem.managers(each));
    }

    /// Calls `each` with what they have run on separate threads, by their names, or with why there is none.
    pub(super) fn threads(
        &mut self,
        each: &mut dyn FnMut(&'static str, Result<MadeThread<'m>, SubsystemError>),
    ) {
        let Self { built_in, members, .. } = self;
        for (_, name, subsystem) in all_mut(built_in, members) {
            if let Some(made) = subsystem.thread().transpose() {
                each(name, made);
            }
        }
    }

    /// Lets all of them know whether tools look at their tables.
    #[cfg(feature = "tool-server")]
    pub(super) fn set_reported(&mut self, is_reported: bool) {
        let Self { built_in, members, .. } = self;
        all_mut(built_in, members)
            .for_each(|(_, _, subsystem)| subsystem.set_reported(is_reported));
    }

    /// Returns all of them, by their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &(dyn Subsystem<'m> + 'm))> {
        let members = self.members.iter().map(|member| (member.name, &*member.made));
        let built_in = self.built_in.all().into_iter();
        built_in.filter_map(|(name, own)| Some((name, own?))).chain(members)
    }

    /// Returns what events of theirs consist of.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &'static EventSchema> {
        self.all().flat_map(|(_, subsystem)| subsystem.schemas())
    }

    /// Returns what commands of theirs consist of that scripts may send.
    pub(crate) fn command_schemas(&self) -> impl Iterator<Item = &'static EventSchema> {
        self.all().flat_map(|(_, subsystem)| subsystem.commands())
    }

    /// Returns `true` if one of them owns resources of a type.
    pub(crate) fn owns(&self, type_hash: IdString64) -> bool {
        self.all().any(|(_, subsystem)| owns(subsystem, type_hash))
    }

    /// Hands a resource to its owner. What it cannot use is logged.
    pub(crate) fn take_resource(
        &mut self,
        resource: &Resource<'_>,
        is_changed: bool,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let key = resource.key();
        let Self { built_in, members, .. } = self;
        let mut all = all_mut(built_in, members);
        let found = all.find(|(_, _, subsystem)| owns(&**subsystem, key.type_hash));
        let Some((_, owner, subsystem)) = found else { return };
        let change = ResourceChange {
            type_hash: key.type_hash,
            name: key.name,
            debug_name: resource.debug_name(),
            payload: resource.payload(),
            is_changed,
        };
        if let Err(error) = subsystem.resource(&change) {
            let name = resource.debug_name();
            log!(log, Error, "subsystem `{owner}`: resource {name} {key}: {error}");
        }
    }

    /// Lets the owner of a resource give it up.
    pub(crate) fn drop_resource(&mut self, key: ResourceKey) {
        let Self { built_in, members, .. } = self;
        let mut all = all_mut(built_in, members);
        let found = all.find(|(_, _, subsystem)| owns(&**subsystem, key.type_hash));
        if let Some((_, _, subsystem)) = found {
            subsystem.drop_resource(key.type_hash, key.name);
        }
    }

    /// Calls `ask` with the parts of files that they want, until that returns `false`.
    pub(super) fn tails(&mut self, ask: &mut dyn FnMut(&TailRead) -> bool) {
        let mut is_room = true;
        for (_, _, subsystem) in all_mut(&mut self.built_in, &mut self.members) {
            if is_room {
                subsystem.tails(&mut |read| {
                    is_room = ask(read);
                    is_room
                });
            }
        }
    }

    /// Hands a part of a file to its owner; `None` if it cannot be had. What it cannot use is logged.
    pub(super) fn take_tail(
        &mut self,
        read: &TailRead,
        bytes: Option<&[u8]>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let Self { built_in, members, logged, .. } = self;
        let mut all = all_mut(built_in, members);
        let found = all.find(|(_, _, subsystem)| owns(&**subsystem, read.type_hash));
        if let Some((at, name, subsystem)) = found {
            note(subsystem.take_tail(read, bytes), name, &mut logged[at], log);
        }
    }

    /// Steps all of them.
    pub(super) fn step(
        &mut self,
        phase: Phase,
        frame: &mut Frame<'_>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let Self { built_in, members, logged, scopes, .. } = self;
        for (at, name, subsystem) in all_mut(built_in, members) {
            let _scope = scopes.get(at).copied().flatten().map(current::scope);
            note(subsystem.step(phase, frame), name, &mut logged[at], log);
        }
    }

    /// Appends what has happened in them to a stream.
    pub(super) fn gather(
        &mut self,
        all: &mut EventStream<'m, SharedAllocator<'m>>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let Self { built_in, members, logged, .. } = self;
        for (at, name, subsystem) in all_mut(built_in, members) {
            let Some(events) = subsystem.events() else { continue };
            // What there is no memory for now is passed on with the next.
            let passed = all.try_append(events.reader());
            if passed.is_ok() {
                events.clear();
            }
            note(passed.map_err(SubsystemError::from), name, &mut logged[at], log);
        }
    }

    /// Splits events after the first from which a command may follow: those up to it, it, and those
    /// after it. O(events before it), O(1) without wires.
    pub(super) fn until_wired<'e>(
        &self,
        events: EventReader<'e>,
    ) -> (EventReader<'e>, Option<EventRecord<'e>>, EventReader<'e>) {
        if self.wires.is_empty() {
            return (events, None, EventReader::default());
        }
        events.split_after(|event| self.wires.iter().any(|wire| wire.from == event.kind()))
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

    /// Takes what subsystems send to their drawers, in the order of their rows, in exchange for empty
    /// streams: all, or nothing where there is no memory.
    pub(crate) fn exchange_drawn(
        &mut self,
        out: &mut Array<'m, EventStream<'m, SharedAllocator<'m>>, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        let memory = self.commands_memory();
        for member in self.members.iter_mut().filter(|member| member.has_drawer).skip(out.len()) {
            // A stream stays in the memory of its subsystem.
            let memory = member.made.drawn().map_or(memory, |drawn| drawn.memory());
            out.try_push(EventStream::new_in(memory))?;
        }
        let drawn = self.members.iter_mut().filter(|member| member.has_drawer);
        for (member, empty) in drawn.zip(&mut *out) {
            if let Some(drawn) = member.made.drawn() {
                core::mem::swap(drawn, empty);
            }
        }
        Ok(())
    }

    /// Drops what subsystems send to their drawers, where nothing is drawn.
    pub(crate) fn forget_drawn(&mut self) {
        for member in self.members.iter_mut().filter(|member| member.has_drawer) {
            if let Some(drawn) = member.made.drawn() {
                drawn.clear();
            }
        }
    }

    /// Appends a command.
    pub(super) fn send<E: Event>(&mut self, command: E) -> Result<(), GrowError> {
        self.commands[0].try_push(command)
    }

    /// Appends a command with items after it.
    pub(super) fn send_with_tail<E: Event, T: NoUninit>(
        &mut self,
        command: E,
        tail: &[T],
    ) -> Result<(), GrowError> {
        self.commands[0].try_push_with_tail(command, tail)
    }

    /// Appends a command whose type is known by its number alone.
    pub(super) fn send_bytes(&mut self, kind: u32, command: &[u8]) -> Result<(), GrowError> {
        self.commands[0].try_push_bytes(kind, command)
    }

    /// Returns the commands that wait.
    pub(super) fn commands(&self) -> &[u8] {
        self.commands[0].as_bytes()
    }

    pub(super) fn set_commands(&mut self, commands: EventStream<'m, SharedAllocator<'m>>) {
        self.commands[0] = commands;
    }

    pub(super) const fn commands_memory(&self) -> SharedRef<'m> {
        self.commands[0].memory()
    }

    /// Calls `act` with each of them, until it fails.
    pub(super) fn each<E>(
        &mut self,
        mut act: impl FnMut(&'static str, &mut (dyn Subsystem<'m> + 'm)) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { built_in, members, .. } = self;
        let mut all = all_mut(built_in, members);
        all.try_for_each(|(_, name, subsystem)| act(name, subsystem))
    }

    /// Passes all commands to all of them. What they ask for meanwhile comes with the next.
    pub(super) fn obey(&mut self, log: &Log<'_, SharedAllocator<'m>>) {
        self.commands.swap(0, 1);
        let empty = EventStream::new_in(self.commands[1].memory());
        let mut commands = core::mem::replace(&mut self.commands[1], empty);
        self.pass(commands.reader(), log);
        commands.clear();
        self.commands[1] = commands;
    }

    /// Passes records to those of them that may know them, as commands.
    pub(super) fn pass(&mut self, commands: EventReader<'_>, log: &Log<'_, SharedAllocator<'m>>) {
        let Self { built_in, members, logged, .. } = self;
        let mut rest = commands.iter();
        // By rows of one type, of which there may be a hundred thousand.
        while let Some(kind) = rest.clone().next().map(|command| command.kind()) {
            let count = rest.clone().take_while(|command| command.kind() == kind).count();
            for (at, name, subsystem) in all_mut(built_in, members) {
                if subsystem.obeys(kind) {
                    for command in rest.clone().take(count) {
                        note(subsystem.command(&command), name, &mut logged[at], log);
                    }
                }
            }
            let _ = rest.nth(count - 1);
        }
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
        let Self { built_in, members, moved: (entities, matrices), .. } = self;
        let count = entities.len();
        for (_, _, subsystem) in all_mut(built_in, members) {
            if count > 0 && subsystem.hears_of_moves() {
                subsystem.moved(entities, &matrices[..count]);
            }
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
        let built_in = self.built_in.all().map(|(_, own)| own).into_iter();
        let members = self.members.iter().map(|member| Some(&*member.made));
        built_in.chain(members).enumerate().flat_map(|(place, subsystem)| {
            let functions = subsystem.into_iter().flat_map(|subsystem| subsystem.functions());
            functions.enumerate().map(move |(at, of)| ((place << FUNCTION_BITS | at) as u32, of))
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
        let subsystem = match place.checked_sub(BUILT_IN) {
            Some(place) => self.members.get_mut(place).map(|member| &mut *member.made),
            None => self.built_in.all_mut().into_iter().nth(place).and_then(|(_, own)| own),
        };
        match subsystem {
            Some(subsystem) => subsystem.call(at, call),
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

/// Returns all subsystems, with the numbers of their places.
fn all_mut<'s, 'm>(
    built_in: &'s mut BuiltIn<'m>,
    members: &'s mut [Member<'m>],
) -> impl Iterator<Item = Placed<'s, 'm>> {
    let own = built_in.all_mut().into_iter().enumerate();
    let own = own.filter_map(|(at, (name, own))| Some((at, name, own?)));
    let members = (BUILT_IN..).zip(members);
    own.chain(members.map(|(at, member)| (at, member.name, &mut *member.made)))
}

/// Returns the name of a subsystem in the monitor. Without memory for it, its steps are not seen.
fn scope_name(name: &str) -> Option<Name> {
    current::try_name(name).ok().flatten()
}

fn owns(subsystem: &dyn Subsystem<'_>, type_hash: IdString64) -> bool {
    subsystem.resource_types().iter().any(|name| IdString64::new(name) == type_hash)
}

/// Logs a fault, unless it is the one that was logged last.
fn note(
    done: Result<(), SubsystemError>,
    name: &str,
    logged: &mut Option<SubsystemError>,
    log: &Log<'_, SharedAllocator<'_>>,
) {
    let Err(error) = done else { return };
    if *logged != Some(error) {
        *logged = Some(error);
        log!(log, Error, "subsystem `{name}`: {error}");
    }
}
