//! Commands, and the wires by which events become commands.

use core::fmt;

use bytemuck::NoUninit;
use loligo_containers::{Event, EventRecord, EventStream, GrowError};

use crate::subsystem::SubsystemMemory;

/// What subsystems are asked for: records like those of events, each passed to the subsystems
/// that [obey](crate::Subsystem::obeys) its type.
pub struct Commands<'c, 'm> {
    stream: &'c mut EventStream<'m, SubsystemMemory<'m>>,
}

impl<'c, 'm> Commands<'c, 'm> {
    /// Returns the commands that are appended to a stream.
    pub const fn new(stream: &'c mut EventStream<'m, SubsystemMemory<'m>>) -> Self {
        Self { stream }
    }

    /// Appends a command.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn send<E: Event>(&mut self, command: E) -> Result<(), GrowError> {
        self.stream.try_push(command)
    }

    /// Appends a command with items after it, as many as it wants.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn send_with_tail<E: Event, T: NoUninit>(
        &mut self,
        command: E,
        tail: &[T],
    ) -> Result<(), GrowError> {
        self.stream.try_push_with_tail(command, tail)
    }
}

impl fmt::Debug for Commands<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.fmt(f)
    }
}

/// What the events of one subsystem mean to another: neither knows of it.
///
/// # Examples
///
/// ```
/// use bytemuck::{AnyBitPattern, NoUninit};
/// use loligo_containers::Event;
/// use loligo_interface::Wire;
///
/// /// Of the animation.
/// #[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
/// #[repr(C)]
/// struct FootDown {
///     entity: u32,
/// }
///
/// /// Of the sound.
/// #[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
/// #[repr(C)]
/// struct Play {
///     entity: u32,
///     sound: u32,
/// }
///
/// const STEP: u32 = 1;
/// const FOOTSTEPS: Wire = Wire {
///     from: FootDown::TYPE,
///     to: |event, commands| match event.get() {
///         Some(FootDown { entity }) => commands.send(Play { entity, sound: STEP }),
///         None => Ok(()),
///     },
/// };
/// assert_eq!(FOOTSTEPS.from, FootDown::TYPE);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// The type of the events.
    pub from: u32,
    /// Appends the commands that follow from an event.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub to: fn(&EventRecord<'_>, &mut Commands<'_, '_>) -> Result<(), GrowError>,
}
