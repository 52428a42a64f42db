//! Events that reach scripts: one by one, or all of a kind in one call.

use loligo_allocators::{AllocError, Arena as _};
use loligo_containers::{Event, EventRecord, EventStream};
use loligo_diagnostics::Log;
use loligo_ids::IdString64;
use loligo_script::{Callback, ScriptError, Value, View};

use super::{ENTITY, Scripts, callbacks};
use crate::memory::{FrameMemory, SharedAllocator};
use crate::world::{Removed, ResourceChanged, Spawned, World};

/// A kind of events that scripts hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Spawned,
    Removed,
    ResourceChanged,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Spawned, Self::Removed, Self::ResourceChanged];
}

/// The functions that scripts have for events.
pub(super) struct EventCallbacks {
    /// For each event, by kind.
    each: [Callback; Kind::ALL.len()],
    /// For all events of a kind.
    all: [Callback; Kind::ALL.len()],
    /// Of which kinds all events were passed in one call, and none is passed by itself.
    are_passed: [bool; Kind::ALL.len()],
}

impl EventCallbacks {
    pub(super) fn try_new<'m>(
        find: &mut impl FnMut(&str) -> Result<Callback, ScriptError<'m>>,
    ) -> Result<Self, ScriptError<'m>> {
        let mut three = |[spawned, removed, changed]: [&str; 3]| {
            Ok::<_, ScriptError<'m>>([find(spawned)?, find(removed)?, find(changed)?])
        };
        let (each, all) = (three(callbacks::EVENTS)?, three(callbacks::EVENTS_ALL)?);
        Ok(Self { each, all, are_passed: [false; Kind::ALL.len()] })
    }
}

impl<'m> Scripts<'m> {
    /// Passes the events of each kind for which the scripts have such a function in one call.
    pub(crate) fn events(
        &mut self,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.events.are_passed = [false; Kind::ALL.len()];
        if events.is_empty() {
            return;
        }
        for kind in Kind::ALL {
            let all = self.events.all[kind as usize];
            match self.script.is_defined(all) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    self.note(Err::<(), _>(error), log);
                    continue;
                }
            }
            self.events.are_passed[kind as usize] = true;
            self.limit(|limits| limits.frame);
            match self.pass_all(kind, all, world, events, memory) {
                Ok(called) => self.note(called, log),
                Err(error) => {
                    let name = callbacks::EVENTS_ALL[kind as usize];
                    let why = format_args!("`{name}` was not called: {error}");
                    self.note_text(IdString64::new(name).hash(), &why, log);
                }
            }
        }
        self.print(world, log);
    }

    fn pass_all(
        &mut self,
        kind: Kind,
        all: Callback,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
    ) -> Result<Result<bool, ScriptError<'m>>, AllocError> {
        Ok(match kind {
            Kind::Spawned => {
                let counts = column(events, memory, |event: Spawned| f64::from(event.count))?;
                if counts.is_empty() {
                    return Ok(Ok(false));
                }
                self.script.call_batch(world, all, &mut [View::Numbers(counts)], &[])
            }
            Kind::Removed => {
                let ids = column(events, memory, |event: Removed| event.entity)?;
                if ids.is_empty() {
                    return Ok(Ok(false));
                }
                let counts = column(events, memory, |event: Removed| f64::from(event.count))?;
                let views = &mut [View::Ids(ENTITY, ids), View::Numbers(counts)];
                self.script.call_batch(world, all, views, &[])
            }
            Kind::ResourceChanged => {
                let count = events.of::<ResourceChanged>().count();
                if count == 0 {
                    return Ok(Ok(false));
                }
                self.script.call(world, all, &[Value::Number(count as f64)])
            }
        })
    }

    /// Calls what a script has for an event, unless it was passed with all of its kind.
    pub(crate) fn event(
        &mut self,
        world: &mut World<'m>,
        event: &EventRecord<'_>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let kind = match event.kind() {
            Spawned::TYPE => Kind::Spawned,
            Removed::TYPE => Kind::Removed,
            ResourceChanged::TYPE => Kind::ResourceChanged,
            _ => return,
        };
        if self.events.are_passed[kind as usize] {
            return;
        }
        self.limit(|limits| limits.frame);
        let callback = self.events.each[kind as usize];
        let called = match kind {
            Kind::Spawned => {
                let Some(Spawned { count }) = event.get() else { return };
                self.script.call(world, callback, &[Value::Number(count.into())])
            }
            Kind::Removed => {
                let Some(Removed { entity, count }) = event.get() else { return };
                let arguments = [Value::Id(ENTITY, entity), Value::Number(count.into())];
                self.script.call(world, callback, &arguments)
            }
            Kind::ResourceChanged => self.script.call(world, callback, &[]),
        };
        self.note(called, log);
    }
}

/// Copies a number of each event of a type.
fn column<'f, 'm, E: Event, T: Copy + Default>(
    events: &EventStream<'m, SharedAllocator<'m>>,
    memory: &'f FrameMemory<'m>,
    number: impl Fn(E) -> T,
) -> Result<&'f [T], AllocError> {
    let mut of_kind = events.of::<E>();
    let count = events.of::<E>().count();
    let next = |_| of_kind.next().map(&number).unwrap_or_default();
    Ok(memory.try_alloc_slice_fill_with(count, next)?)
}
