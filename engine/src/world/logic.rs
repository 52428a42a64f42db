//! What a game does: called by the engine at fixed places of a frame.

use loligo_containers::{EventReader, EventRecord};

use crate::memory::FrameMemory;
use crate::world::World;

/// The logic of a game that is written in Rust, in addition to its scripts, or in place of them.
///
/// It is called after the scripts, receives all events and holds nothing of the engine: what it
/// changes, it changes in the world that it is given. What happened in subsystems reaches it as
/// events after the update, in the order in which they were written ("Events", Bitsquid blog,
/// 2009-12-11). What dies with the frame has its memory from [`FrameMemory`]: nothing is freed, and
/// from the second frame on nothing is allocated either.
///
/// # Examples
///
/// ```
/// use loligo_allocators::Arena;
/// use loligo_engine::{FrameMemory, Logic, World};
///
/// /// Turns every other entity that has a model.
/// struct Turning;
///
/// impl<'m> Logic<'m> for Turning {
///     fn update(&mut self, world: &mut World<'m>, memory: &FrameMemory<'m>) {
///         // A copy, since the world is changed meanwhile. It dies with the frame.
///         let seen = memory.alloc_slice_copy(world.models());
///         for entity in seen.iter().step_by(2) {
///             let turned = glam::Quat::from_rotation_z(world.now() as f32 * 1e-9);
///             world.transforms_mut().set_rotation(*entity, turned);
///         }
///     }
/// }
/// ```
pub trait Logic<'m> {
    /// The level was spawned: before the first frame, and again after each restart.
    fn start(&mut self, world: &mut World<'m>, memory: &FrameMemory<'m>) {
        let _ = (world, memory);
    }

    /// A frame: [`World::step`] says how far it moves the game on.
    fn update(&mut self, world: &mut World<'m>, memory: &FrameMemory<'m>) {
        let _ = (world, memory);
    }

    /// Something has happened: one of the engine's events, such as [`Spawned`](crate::Spawned), or
    /// one of the game's.
    fn event(&mut self, world: &mut World<'m>, event: &EventRecord<'_>, memory: &FrameMemory<'m>) {
        let _ = (world, event, memory);
    }

    /// Several events, in the order in which they happened: calls [`event`](Self::event) with each.
    /// A logic that is interested in a few types asks for these in place of that, as by
    /// [`EventReader::of`]. An update calls this as often as it must so that
    /// commands that follow from events come between those of the logic, as a rule once.
    fn events(&mut self, world: &mut World<'m>, events: EventReader<'_>, memory: &FrameMemory<'m>) {
        events.iter().for_each(|event| self.event(world, &event, memory));
    }
}

/// No logic: what is spawned stays as it is.
impl Logic<'_> for () {}

/// The logic of a game, and the memory that its calls are given.
pub(crate) struct LogicCalls<'c, 'm> {
    pub(crate) logic: &'c mut dyn Logic<'m>,
    pub(crate) memory: &'c FrameMemory<'m>,
}

impl<'m> LogicCalls<'_, 'm> {
    pub(crate) fn start(&mut self, world: &mut World<'m>) {
        self.logic.start(world, self.memory);
    }

    pub(crate) fn update(&mut self, world: &mut World<'m>) {
        self.logic.update(world, self.memory);
    }

    pub(crate) fn events(&mut self, world: &mut World<'m>, events: EventReader<'_>) {
        self.logic.events(world, events, self.memory);
    }
}
