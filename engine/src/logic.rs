//! What a game does: called by the engine at fixed places of a frame.

use loligo_containers::EventRecord;

use crate::world::World;

/// The logic of a game that is written in Rust, in addition to its scripts, or in place of them.
///
/// It is called after the scripts, receives all events and holds nothing of the engine: what it
/// changes, it changes in the world that it is given. What happened in subsystems reaches it as
/// events after the update, in the order in which they were written ("Events", Bitsquid blog,
/// 2009-12-11).
pub trait Logic<'m> {
    /// The level was spawned: before the first frame, and again after each restart.
    fn start(&mut self, world: &mut World<'m>) {
        let _ = world;
    }

    /// A frame: [`World::step`] says how far it moves the game on.
    fn update(&mut self, world: &mut World<'m>) {
        let _ = world;
    }

    /// Something has happened: one of the engine's events, such as [`Spawned`](crate::Spawned), or
    /// one of the game's.
    fn event(&mut self, world: &mut World<'m>, event: &EventRecord<'_>) {
        let _ = (world, event);
    }
}

/// No logic: what is spawned stays as it is.
impl Logic<'_> for () {}
