//! Events of single entities, passed to the functions that listen to them.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord, EventStream};
use loligo_diagnostics::Log;
use loligo_ids::IdString64;
use loligo_interface::EventSchema;
use loligo_script::{Callback, Calls, Value};

use super::events::arguments;
use super::{Scripts, note_failure};
use crate::error::EngineError;
use crate::memory::{FrameMemory, SharedAllocator};
use crate::world::{FIELDS_MAX, World};

/// The functions that listen, by their numbers in the world.
pub(super) struct ListeningCallbacks<'m> {
    list: Array<'m, Callback, SharedAllocator<'m>>,
}

impl<'m> ListeningCallbacks<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { list: Array::new_in(memory) }
    }
}

/// A call of a function with an event.
#[derive(Clone, Copy)]
struct Listened<'e> {
    function: Callback,
    schema: &'static EventSchema,
    event: EventRecord<'e>,
}

/// The calls of an update.
struct ListenedCalls<'c> {
    rest: core::slice::Iter<'c, Listened<'c>>,
    arguments: [Value<'static>; FIELDS_MAX],
}

impl Calls for ListenedCalls<'_> {
    fn next_call(&mut self) -> Option<(Callback, &[Value<'_>])> {
        let Listened { function, schema, event } = self.rest.next()?;
        Some((*function, arguments(&mut self.arguments, schema, event)))
    }
}

impl<'m> Scripts<'m> {
    /// Calls the functions that listen to events of one entity, in the order of the events. Who
    /// listens is looked up before the first: what a function changes counts from the next update on.
    pub(super) fn listened(
        &mut self,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        if world.listeners().is_empty() || events.is_empty() {
            return;
        }
        let calls = match self.find_listened(world, events, memory, log) {
            Ok(calls) => calls,
            Err(error) => {
                let why = format_args!("events do not reach functions that listen: {error}");
                return self.note_text(IdString64::new("listen").hash(), &why, log);
            }
        };
        self.limit(|limits| limits.frame);
        let mut calls = ListenedCalls { rest: calls.iter(), arguments: [Value::Nil; FIELDS_MAX] };
        // A function that fails is no reason not to call the others.
        while let before = calls.rest.len()
            && let Err(error) = self.script.call_each(world, &mut calls)
        {
            note_failure(&mut self.failures, &error, log);
            // Without memory to begin a call at all the event is lost.
            if calls.rest.len() == before && calls.rest.next().is_none() {
                return;
            }
        }
    }

    fn find_listened<'f>(
        &mut self,
        world: &World<'m>,
        events: &'f EventStream<'m, SharedAllocator<'m>>,
        memory: &'f FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<Array<'f, Listened<'f>, FrameMemory<'m>>, EngineError> {
        let listeners = world.listeners();
        self.learn_functions(world, log)?;
        let mut calls = Array::new_in(memory);
        // Whether each function was found to be there, or not: asked once an update.
        let mut known: Array<'_, Option<bool>, _> = Array::new_in(memory);
        known.try_resize(self.listening.list.len(), None)?;
        let mut last = (None, None);
        for event in events.iter() {
            if last.0 != Some(event.kind()) {
                let schema = self.events.schema(event.kind());
                last = (Some(event.kind()), schema.filter(|of| listeners.hear(of.kind)));
            }
            let Some(schema) = last.1 else { continue };
            listeners.visit(schema, &event, &mut |number| {
                let (number, list) = (number as usize, &self.listening.list);
                let Some(function) = list.get(number).copied() else { return Ok(()) };
                let is_there = match known[number] {
                    Some(is_there) => is_there,
                    None => self.is_there(world, schema, number, function, log),
                };
                known[number] = Some(is_there);
                match is_there {
                    true => calls.try_push(Listened { function, schema, event }),
                    false => Ok(()),
                }
            })?;
        }
        Ok(calls)
    }

    /// Looks up the functions that have come since the last time.
    fn learn_functions(
        &mut self,
        world: &World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        while let Some(name) = world.listeners().function(self.listening.list.len()) {
            self.listening.list.try_reserve(1)?;
            match self.script.callback(name) {
                Ok(function) => self.listening.list.push(function),
                Err(error) => {
                    note_failure(&mut self.failures, &error, log);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns whether the scripts have a function that listens; where not, the log says so.
    fn is_there(
        &mut self,
        world: &World<'m>,
        schema: &EventSchema,
        number: usize,
        function: Callback,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> bool {
        let is_there = self.is_defined(function, log);
        if !is_there {
            let (event, name) =
                (schema.name, world.listeners().function(number).unwrap_or_default());
            let why = format_args!(
                "an entity has `{name}` called with its events `{event}`, and there is no such function; define it, or \
                 call Event.ignore"
            );
            self.note_text(IdString64::new(name).hash(), &why, log);
        }
        is_there
    }
}
