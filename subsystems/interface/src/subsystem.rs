//! What an engine asks of a subsystem.

use glam::Affine3A;
use loligo_allocators::{Allocator, Own};
use loligo_containers::{Array, EventRecord, EventStream};
use loligo_entities::{ComponentManager, Entity};
use loligo_ids::IdString64;

use crate::error::SubsystemError;
use crate::frame::Frame;
use crate::phase::Phase;
use crate::report::Report;
use crate::resource_change::ResourceChange;
use crate::schema::EventSchema;
use crate::side_thread::SideThread;
use crate::tail_read::TailRead;

/// The memory of a subsystem: an allocator with the subsystem's name, which all threads may use.
pub type SubsystemMemory<'m> = dyn Allocator + Sync + 'm;

/// A thread's work, in the memory of its subsystem.
pub type MadeThread<'m> = Own<'m, dyn SideThread + 'm, SubsystemMemory<'m>>;

/// A part of an engine that knows no other. Each method has an empty default: a subsystem says what
/// it has, and takes what it wants.
///
/// What crosses to others is data: events that have happened, which all may read by their schemas,
/// and commands, which may come from anyone. Nobody is called back.
///
/// # Threads
///
/// It is stepped by the main thread, and may be anywhere between two steps.
pub trait Subsystem<'m>: Send {
    /// Calls `each` with its managers of components.
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        let _ = each;
    }

    /// Returns the types of resources that it owns. Those that a game wants are handed to it before
    /// the first level, or when a package is loaded.
    fn resource_types(&self) -> &'static [&'static str] {
        &[]
    }

    /// Takes a resource of one of its types, in place of an older one of that name.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if it cannot be used. What was there stays.
    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        let _ = change;
        Ok(())
    }

    /// Gives up a resource of one of its types, by the hashes of its type and its name: it is not
    /// loaded any more.
    fn drop_resource(&mut self, type_hash: IdString64, name: IdString64) {
        let _ = (type_hash, name);
    }

    /// Calls `ask` with the parts of its resources' files that it wants to be read, until that returns `false`: then
    /// as many are under way as can be. Each that was taken is handed to [`take_tail`](Self::take_tail).
    fn tails(&mut self, ask: &mut dyn FnMut(&TailRead) -> bool) {
        let _ = ask;
    }

    /// Takes a part of a file that it has asked for; `None` if it could not be read, which the engine has said. The
    /// bytes are not checked, and may be of a file that has replaced the one that was loaded.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if they are wrong, or there is no memory.
    fn take_tail(&mut self, read: &TailRead, bytes: Option<&[u8]>) -> Result<(), SubsystemError> {
        let _ = (read, bytes);
        Ok(())
    }

    /// Calls `each` with the types and names of the resources that its components need now: a saved
    /// game that was loaded wants them.
    fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        let _ = each;
    }

    /// Works for a phase of a frame.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`]: it could not do all of it.
    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let _ = (phase, frame);
        Ok(())
    }

    /// Returns `true` if [`moved`](Self::moved) is to be called.
    fn hears_of_moves(&self) -> bool {
        false
    }

    /// Takes notice of what has moved since the last frame, in one call between [`Phase::Pose`] and
    /// [`Phase::Listen`].
    fn moved(&mut self, entities: &[Entity], matrices: &[Affine3A]) {
        let _ = (entities, matrices);
    }

    /// Returns what its events consist of.
    fn schemas(&self) -> &'static [EventSchema] {
        &[]
    }

    /// Returns what of its commands scripts may send. One that has no schema here is for Rust alone.
    fn commands(&self) -> &'static [EventSchema] {
        &[]
    }

    /// Returns what has happened since it was asked last. The engine passes it on and empties it.
    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        None
    }

    /// Returns the messages for its drawer, at the end of a frame. The engine passes them on whole,
    /// and gives an empty stream back; where nothing is drawn it empties them.
    fn drawn(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        None
    }

    /// Returns `true` if it may know commands of a type. The others are not passed to it: it is asked
    /// once for commands in a row that are of one type, and what is sent by the thousand costs those that
    /// have no use for it nothing.
    fn obeys(&self, kind: u32) -> bool {
        let _ = kind;
        true
    }

    /// Returns what is to run on a separate thread as long as the engine does. It is asked once, after the
    /// first level was loaded, and only where devices of the machine may be used.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if it cannot be made: the game goes on without.
    fn thread(&mut self) -> Result<Option<MadeThread<'m>>, SubsystemError> {
        Ok(None)
    }

    /// Does what it is asked for, if it knows the command.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if it cannot.
    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        let _ = command;
        Ok(())
    }

    /// Is called when tools begin to look at its tables, and when the last of them has ended: what only
    /// [`report`](Self::report) needs is gathered in between.
    fn set_reported(&mut self, is_reported: bool) {
        let _ = is_reported;
    }

    /// Writes tables of what is in it, for tools.
    fn report(&self, out: &mut dyn Report) {
        let _ = out;
    }

    /// Returns a hash of its state, by which two runs are compared; 0 if it has none that a game
    /// depends on.
    fn state_hash(&self) -> u64 {
        0
    }

    /// Returns the version of what [`save`](Self::save) writes. What was saved by another version is
    /// refused.
    fn state_version(&self) -> u32 {
        0
    }

    /// Appends its state, with the components of its managers: all that it needs to go on as if
    /// nothing had happened.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        let _ = out;
        Ok(())
    }

    /// Replaces its state by one that was saved: all of it, or nothing has changed.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if the bytes are not what it saved, or there is no memory.
    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        match state {
            [] => Ok(()),
            _ => Err(SubsystemError::Wrong {
                what: "there is a state, and it keeps none",
                remedy: "load it with the program that saved it",
            }),
        }
    }

    /// Returns the functions that scripts call.
    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [SubsystemFunction] {
        &[]
    }

    /// Runs the function of a number in [`functions`](Self::functions).
    ///
    /// # Errors
    ///
    /// [`ArgumentError`](loligo_script::ArgumentError): it refuses, and the call knows why.
    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        let _ = function;
        Err(call.refuse(format_args!("the subsystem has no such function")))
    }
}

/// A function of a subsystem that scripts call.
#[cfg(feature = "script")]
#[derive(Clone, Copy, Debug)]
pub struct SubsystemFunction {
    /// The table and the function in it: `Sound.play`.
    pub name: &'static str,
    /// What it takes.
    pub arguments: &'static [loligo_script::Kind],
    /// What it returns.
    pub results: &'static [loligo_script::Kind],
    /// A sentence for people.
    pub help: &'static str,
}
