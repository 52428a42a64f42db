//! Events that reach scripts: one by one, or all of a kind in one call. Which there are, and what
//! each consists of, schemas say.

use loligo_allocators::{AllocError, Arena as _, SharedRef};
use loligo_containers::{Array, EventRecord, EventRecords, EventStream, GrowError};
use loligo_diagnostics::Log;
use loligo_ids::IdString64;
use loligo_interface::{ENTITY, EventField, EventSchema, FieldKind, FieldValue};
use loligo_script::{Callback, Calls, Script, ScriptError, VIEWS_MAX, Value, View};

use super::{Scripts, callbacks, note_failure};
use crate::error::EngineError;
use crate::memory::{FrameMemory, SharedAllocator};
use crate::world::{FIELDS_MAX, World};

const _: () = assert!(FIELDS_MAX <= VIEWS_MAX, "a column for each number");

/// Events of a schema, and the functions that scripts have for them.
#[derive(Clone, Copy)]
struct Heard {
    schema: &'static EventSchema,
    /// For each event.
    each: Callback,
    /// For all events of the update.
    all: Callback,
    /// Whether the scripts have `each` in this update, and not all were passed in one call.
    is_wanted: bool,
}

/// The events that scripts can hear of, sorted by their types.
pub(super) struct EventCallbacks<'m> {
    list: Array<'m, Heard, SharedAllocator<'m>>,
}

impl<'m> EventCallbacks<'m> {
    /// Returns an empty list with room for `count`.
    pub(super) fn try_new_in(count: usize, memory: SharedRef<'m>) -> Result<Self, GrowError> {
        Ok(Self { list: Array::try_with_capacity_in(count, memory)? })
    }

    /// Adds the events of a schema, for which there is room.
    pub(super) fn add(
        &mut self,
        schema: &'static EventSchema,
        script: &mut Script<'m, World<'m>>,
    ) -> Result<(), ScriptError<'m>> {
        let each = script.callback(schema.name)?;
        let mut name = [0; callbacks::NAME_BYTES_MAX];
        let all = script.callback(callbacks::name_of_all(schema.name, &mut name))?;
        self.list.push(Heard { schema, each, all, is_wanted: false });
        self.list.sort_unstable_by_key(|heard| heard.schema.kind);
        Ok(())
    }
}

impl EventCallbacks<'_> {
    /// Returns the schema of events of a type.
    pub(super) fn schema(&self, kind: u32) -> Option<&'static EventSchema> {
        let place = self.list.binary_search_by_key(&kind, |of| of.schema.kind);
        Some(self.list[place.ok()?].schema)
    }
}

/// The calls of the functions that scripts have for each event.
struct EventCalls<'e> {
    list: &'e [Heard],
    events: EventRecords<'e>,
    /// The type of the event before, and what hears of it: most follow one of their type.
    last: Option<(u32, Option<&'e Heard>)>,
    arguments: [Value<'static>; FIELDS_MAX],
    /// How many there were.
    count: usize,
}

impl Calls for EventCalls<'_> {
    #[inline]
    fn next_call(&mut self) -> Option<(Callback, &[Value<'_>])> {
        loop {
            let event = self.events.next()?;
            let heard = match self.last {
                Some((kind, heard)) if kind == event.kind() => heard,
                _ => {
                    let place = self.list.binary_search_by_key(&event.kind(), |of| of.schema.kind);
                    let heard = place.ok().map(|place| &self.list[place]).filter(|of| of.is_wanted);
                    self.last = Some((event.kind(), heard));
                    heard
                }
            };
            let Some(Heard { schema, each, .. }) = heard else { continue };
            self.count += 1;
            return Some((*each, arguments(&mut self.arguments, schema, &event)));
        }
    }
}

impl<'m> Scripts<'m> {
    /// Passes events to scripts: first those of each kind for which they have a function for all of
    /// a kind, then all others in their order, then those of entities to which a function listens. A
    /// function that a script defines meanwhile is called from the next update on.
    pub(crate) fn events(
        &mut self,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let mut is_any_wanted = false;
        for place in 0..self.events.list.len() {
            let is_wanted = !events.is_empty()
                && !self.events_at(place, world, events, memory, log)
                && self.is_defined(self.events.list[place].each, log);
            self.events.list[place].is_wanted = is_wanted;
            is_any_wanted |= is_wanted;
        }
        if is_any_wanted {
            self.each_event(world, events, log);
        }
        self.listened(world, events, memory, log);
        if !events.is_empty() {
            self.print(world, log);
        }
    }

    /// Passes the events that were not passed with all of their kind.
    fn each_event(
        &mut self,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.limit(|limits| limits.frame);
        let Self { script, events: EventCallbacks { list }, failures, .. } = self;
        let mut calls = EventCalls {
            list,
            events: events.iter(),
            last: None,
            arguments: [Value::Nil; FIELDS_MAX],
            count: 0,
        };
        // A function that fails is no reason not to call those for the events after.
        while let before = calls.count
            && let Err(error) = script.call_each(world, &mut calls)
        {
            note_failure(failures, &error, log);
            // Without memory to begin a call at all the event is lost.
            if calls.count == before && calls.next_call().is_none() {
                return;
            }
        }
    }

    /// Passes all events of a kind in one call; `false` if the scripts have no function for that.
    fn events_at(
        &mut self,
        place: usize,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> bool {
        let Heard { schema, all, .. } = self.events.list[place];
        if !self.is_defined(all, log) {
            return false;
        }
        self.limit(|limits| limits.frame);
        match self.pass_all(schema, all, world, events, memory) {
            Ok(called) => self.note(called, log),
            Err(error) => {
                let name = schema.name;
                let why = format_args!("`{name}_all` was not called: {error}");
                self.note_text(IdString64::new(name).hash(), &why, log);
            }
        }
        true
    }

    pub(super) fn is_defined(
        &mut self,
        callback: Callback,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> bool {
        let is_defined = self.script.is_defined(callback);
        let is = matches!(is_defined, Ok(true));
        self.note(is_defined, log);
        is
    }

    fn pass_all(
        &mut self,
        schema: &EventSchema,
        all: Callback,
        world: &mut World<'m>,
        events: &EventStream<'m, SharedAllocator<'m>>,
        memory: &FrameMemory<'m>,
    ) -> Result<Result<bool, ScriptError<'m>>, EngineError> {
        let of_kind = || events.iter().filter(|event| event.kind() == schema.kind);
        let count = of_kind().count();
        if count == 0 {
            return Ok(Ok(false));
        }
        if schema.fields.is_empty() {
            return Ok(self.script.call(world, all, &[Value::Number(count as f64)]));
        }
        let mut views = Array::new_in(memory);
        for field in schema.fields {
            add_columns(&mut views, field, count, of_kind, memory)?;
        }
        Ok(self.script.call_batch(world, all, &mut views, &[]))
    }
}

/// Returns the fields of an event as scripts get them.
#[inline]
pub(super) fn arguments<'a>(
    place: &'a mut [Value<'static>; FIELDS_MAX],
    schema: &EventSchema,
    event: &EventRecord<'_>,
) -> &'a [Value<'static>] {
    for (argument, field) in place.iter_mut().zip(schema.fields) {
        *argument = value(field.read(event));
    }
    &place[..schema.fields.len().min(FIELDS_MAX)]
}

/// Returns a field as scripts get it; `nil` where an event is too short for it.
fn value(field: Option<FieldValue>) -> Value<'static> {
    match field {
        Some(FieldValue::Number(number)) => Value::Number(number),
        Some(FieldValue::Bool(is)) => Value::Bool(is),
        Some(FieldValue::Entity(Some(entity))) => Value::Id(ENTITY, entity.to_bits()),
        Some(FieldValue::Vector3(vector)) => Value::Vector3(vector.into()),
        _ => Value::Nil,
    }
}

/// Copies a field of events, as views of one number each.
fn add_columns<'f, 'm, 'e, E: Iterator<Item = EventRecord<'e>>>(
    views: &mut Array<'f, View<'f>, FrameMemory<'m>>,
    field: &EventField,
    count: usize,
    events: impl Fn() -> E,
    memory: &'f FrameMemory<'m>,
) -> Result<(), EngineError> {
    match field.kind {
        FieldKind::Entity => {
            let bits = |event: EventRecord<'_>| event.field(field.offset);
            views.try_push(View::Ids(ENTITY, column(events(), bits, count, memory)?))?;
        }
        FieldKind::Vector3 => {
            for axis in 0..3 {
                let offset = field.offset + axis * size_of::<f32>();
                let number = |event: EventRecord<'_>| event.field(offset);
                views.try_push(View::Floats(column(events(), number, count, memory)?))?;
            }
        }
        _ => {
            let number = |event: EventRecord<'_>| match field.read(&event)? {
                FieldValue::Number(number) => Some(number),
                FieldValue::Bool(is) => Some(f64::from(u8::from(is))),
                _ => None,
            };
            views.try_push(View::Numbers(column(events(), number, count, memory)?))?;
        }
    }
    Ok(())
}

/// Copies a number of each event; 0 where an event is too short for it.
fn column<'f, 'm, 'e, T: Copy + Default>(
    mut events: impl Iterator<Item = EventRecord<'e>>,
    number: impl Fn(EventRecord<'e>) -> Option<T>,
    count: usize,
    memory: &'f FrameMemory<'m>,
) -> Result<&'f [T], AllocError> {
    let next = |_| events.next().and_then(&number).unwrap_or_default();
    Ok(memory.try_alloc_slice_fill_with(count, next)?)
}
