//! Functions of scripts that hear the events of one entity.
//!
//! ```text
//! list       | event's type, entity, 0 | event's type, entity, 2 | ..     sorted; the last is a function
//! functions  | on_my_burst | on_hit | ..                                  each name once
//! ```

use core::error::Error;
use core::fmt;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord, GrowError};
use loligo_diagnostics::nearest;
use loligo_entities::Entity;
use loligo_interface::{EventSchema, FieldKind};

use super::World;
use crate::error::SavedGameError;
use crate::memory::SharedAllocator;
use crate::saved::number;

/// The most functions that hear of entities.
pub(super) const FUNCTIONS_MAX: usize = 1024;

/// The most bytes of the name of one.
const NAME_MAX: usize = 64;

/// At least this many are kept of entities that are gone.
const KEPT: usize = 64;

/// The bytes of a listener in a saved game.
const SAVED_BYTES: usize = 12;

/// An event's type, the bits of an entity, and the number of a function.
type Listener = (u32, u32, u32);

/// Which functions hear of which events of which entity.
///
/// # Invariants
///
/// 1. `list` is sorted, and has no listener twice.
/// 2. `ends` ascend, and the last is the length of `names`: texts of UTF-8, one after the other.
/// 3. A listener's function has an end.
pub(crate) struct Listeners<'m> {
    pub(super) list: Array<'m, Listener, SharedAllocator<'m>>,
    names: Array<'m, u8, SharedAllocator<'m>>,
    ends: Array<'m, u32, SharedAllocator<'m>>,
    /// Those of entities that are gone are dropped when there are as many.
    full: usize,
}

impl<'m> Listeners<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            list: Array::new_in(memory),
            names: Array::new_in(memory),
            ends: Array::new_in(memory),
            full: KEPT,
        }
    }

    /// Returns `true` if nobody listens.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the name of a function; the numbers go from 0 on without a gap, and stay.
    pub(crate) fn function(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)? as usize;
        let first = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        core::str::from_utf8(&self.names[first..end]).ok()
    }

    /// Calls `each` with the numbers of the functions that hear of an event: those of each of its
    /// entities, of one that is named twice once.
    pub(crate) fn visit<E>(
        &self,
        schema: &EventSchema,
        event: &EventRecord<'_>,
        each: &mut dyn FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let entities = schema.fields.iter().filter(|field| field.kind == FieldKind::Entity);
        for (at, field) in entities.clone().enumerate() {
            let Some(entity) = event.field::<u32>(field.offset) else { continue };
            let same = |before: &&loligo_interface::EventField| {
                event.field::<u32>(before.offset) == Some(entity)
            };
            if entities.clone().take(at).any(|before| same(&before)) {
                continue;
            }
            for (_, _, function) in &self.list[self.range(schema.kind, entity)] {
                each(*function)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if anybody listens to events of a type.
    pub(crate) fn hear(&self, kind: u32) -> bool {
        let first = self.list.partition_point(|listener| listener.0 < kind);
        self.list.get(first).is_some_and(|listener| listener.0 == kind)
    }

    /// Drops those of entities that are gone, once there are many listeners: O(1) amortised for each.
    pub(super) fn forget(&mut self, is_alive: impl Fn(Entity) -> bool) {
        if self.list.len() >= self.full {
            let is_alive = |bits| Entity::from_bits(bits).is_some_and(&is_alive);
            self.list.retain(|(_, entity, _)| is_alive(*entity));
            self.full = KEPT.max(2 * self.list.len());
        }
    }

    /// Appends the functions, and who listens of the entities that are alive.
    pub(super) fn try_save(
        &self,
        is_alive: impl Fn(Entity) -> bool,
        out: &mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for word in [self.ends.len(), self.names.len()] {
            out.try_extend_from_slice(&(word as u32).to_ne_bytes())?;
        }
        for end in &self.ends {
            out.try_extend_from_slice(&end.to_ne_bytes())?;
        }
        out.try_extend_from_slice(&self.names)?;
        let alive = |bits: u32| Entity::from_bits(bits).is_some_and(&is_alive);
        for (kind, entity, function) in self.list.iter().filter(|(_, entity, _)| alive(*entity)) {
            for word in [kind, entity, function] {
                out.try_extend_from_slice(&word.to_ne_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns what was saved, with the functions that there are already under their numbers.
    pub(super) fn try_load(&self, bytes: &[u8]) -> Result<Self, SavedGameError> {
        let memory = self.list.memory();
        let mut loaded = Self::new_in(memory);
        loaded.names = Array::try_from_slice_in(&self.names, memory)?;
        loaded.ends = Array::try_from_slice_in(&self.ends, memory)?;
        let wrong =
            SavedGameError::File { what: "the section `listeners` is no list of listeners" };
        let (head, rest) = bytes.split_at_checked(8).ok_or(wrong)?;
        let (count, names) = (number(head, 0) as usize, number(head, 4) as usize);
        let (ends, rest) = rest.split_at_checked(count.saturating_mul(4)).ok_or(wrong)?;
        let (names, list) = rest.split_at_checked(names).ok_or(wrong)?;
        let mut numbers = Array::try_with_capacity_in(count, memory)?;
        let mut first = 0;
        for end in ends.chunks_exact(4) {
            let end = number(end, 0) as usize;
            let name = names.get(first..end).and_then(|name| core::str::from_utf8(name).ok());
            numbers.push(loaded.number_of(name.ok_or(wrong)?).map_err(|error| match error {
                ListenError::Grow(error) => SavedGameError::from(error),
                _ => wrong,
            })?);
            first = end;
        }
        if !list.len().is_multiple_of(SAVED_BYTES) {
            return Err(wrong);
        }
        for listener in list.chunks_exact(SAVED_BYTES) {
            let function = *numbers.get(number(listener, 8) as usize).ok_or(wrong)?;
            loaded.add((number(listener, 0), number(listener, 4), function))?;
        }
        Ok(loaded)
    }

    /// Returns the listeners of an entity to events of a type.
    fn range(&self, kind: u32, entity: u32) -> core::ops::Range<usize> {
        let key = |listener: &Listener| (listener.0, listener.1);
        let first = self.list.partition_point(|listener| key(listener) < (kind, entity));
        let count = self.list[first..].partition_point(|listener| key(listener) == (kind, entity));
        first..first + count
    }

    /// Returns the number of a function, which is given one if it has none.
    pub(super) fn number_of(&mut self, name: &str) -> Result<u32, ListenError> {
        let mut numbers = 0..self.ends.len();
        if let Some(number) = numbers.find(|number| self.function(*number) == Some(name)) {
            return Ok(number as u32);
        }
        if name.is_empty() || name.len() > NAME_MAX {
            return Err(ListenError::Name);
        }
        if self.ends.len() >= FUNCTIONS_MAX {
            return Err(ListenError::TooMany);
        }
        self.ends.try_reserve(1)?;
        self.names.try_extend_from_slice(name.as_bytes())?;
        self.ends.push(self.names.len() as u32);
        Ok(self.ends.len() as u32 - 1)
    }

    pub(super) fn add(&mut self, listener: Listener) -> Result<(), GrowError> {
        match self.list.binary_search(&listener) {
            Ok(_) => Ok(()),
            Err(place) => self.list.try_insert(place, listener),
        }
    }

    pub(super) fn remove(&mut self, kind: u32, entity: u32) -> bool {
        let range = self.range(kind, entity);
        let is_any = !range.is_empty();
        drop(self.list.drain(range));
        is_any
    }
}

impl<'m> World<'m> {
    /// Has a function of the scripts called, by its name, with each event of a schema in which a
    /// field names an entity, until [`ignore`](Self::ignore), or until the entity is gone. It may
    /// be called for several events and entities, and several may be called for one.
    ///
    /// It is a name so that a saved game keeps it. In Rust, [`Logic::events`](super::Logic::events)
    /// looks at the field itself.
    ///
    /// # Complexity
    ///
    /// O(listeners + functions).
    ///
    /// # Errors
    ///
    /// [`ListenError`] says what is wrong with the arguments; nothing has changed.
    pub fn listen(
        &mut self,
        entity: Entity,
        event: &str,
        function: &str,
    ) -> Result<(), ListenError> {
        if !self.entities().is_alive(entity) {
            return Err(ListenError::Gone);
        }
        let kind = self.heard_kind(event)?;
        let function = self.listeners.number_of(function)?;
        Ok(self.listeners.add((kind, entity.to_bits(), function))?)
    }

    /// Has no function called any more with the events of a schema in which a field names an entity.
    /// Returns `false` if none was.
    ///
    /// # Complexity
    ///
    /// O(listeners).
    ///
    /// # Errors
    ///
    /// [`ListenError`] if there is no such event, or it has no entity.
    pub fn ignore(&mut self, entity: Entity, event: &str) -> Result<bool, ListenError> {
        let kind = self.heard_kind(event)?;
        Ok(self.listeners.remove(kind, entity.to_bits()))
    }

    #[cfg(feature = "script")]
    pub(crate) const fn listeners(&self) -> &Listeners<'m> {
        &self.listeners
    }

    /// Drops listeners of entities that are gone: after the events that say so.
    pub(crate) fn forget_listeners(&mut self) {
        let Self { listeners, entities, .. } = self;
        listeners.forget(|entity| entities.is_alive(entity));
    }

    /// Returns the type of an event that has an entity.
    fn heard_kind(&self, event: &str) -> Result<u32, ListenError> {
        let Some(schema) = self.schemas().find(|schema| schema.name == event) else {
            let nearest = nearest(event, self.schemas().map(|schema| schema.name));
            return Err(ListenError::Unknown { nearest });
        };
        match schema.fields.iter().any(|field| field.kind == FieldKind::Entity) {
            true => Ok(schema.kind),
            false => Err(ListenError::NoEntity),
        }
    }
}

/// Nobody listens to an event of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListenError {
    /// No event has that name.
    Unknown {
        /// The one that was probably meant.
        nearest: Option<&'static str>,
    },
    /// No field of the event is an entity.
    NoEntity,
    /// The entity is not there.
    Gone,
    /// The name of the function is empty or too long.
    Name,
    /// Too many functions listen.
    TooMany,
    /// There is no memory.
    Grow(GrowError),
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const _: () = assert!(NAME_MAX == 64 && FUNCTIONS_MAX == 1024, "the texts below say so");
        match self {
            Self::Unknown { nearest: Some(nearest) } => {
                write!(f, "there is no such event; did you mean `{nearest}`?")
            }
            Self::Unknown { nearest: None } => f.write_str(
                "there is no such event; name one of the engine or of a subsystem of the game",
            ),
            Self::NoEntity => f.write_str(
                "no field of the event is an entity; define a function with the name of the event",
            ),
            Self::Gone => f.write_str("the entity is gone; ask whether it is alive before"),
            Self::Name => f.write_str("the name of a function has 1 to 64 bytes; give it another"),
            Self::TooMany => f.write_str(
                "1024 functions listen to entities already; let one function serve many entities",
            ),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for ListenError {}

impl From<GrowError> for ListenError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}
