//! What a game does: called by the engine at fixed places of a frame.

use loligo_containers::EventRecord;

use crate::world::World;

/// The game's own logic. Scripts are one; a program in Rust may be another.
///
/// It is told of everything and holds nothing of the engine: what it changes, it changes in the world that it is given.
/// What happened in subsystems reaches it as events after the update, in the order in which they were written ("Events",
/// Bitsquid blog, 2009-12-11).
pub trait Logic {
    /// The level was spawned: before the first frame, and again after each restart.
    fn start(&mut self, world: &mut World<'_>) {
        let _ = world;
    }

    /// A frame: [`World::step`] tells how far it moves the game on.
    fn update(&mut self, world: &mut World<'_>) {
        let _ = world;
    }

    /// Something has happened: one of the engine's events, such as [`Spawned`](crate::Spawned), or one of the game's.
    fn event(&mut self, world: &mut World<'_>, event: &EventRecord<'_>) {
        let _ = (world, event);
    }

    /// A tool asks for code to be run; the result, or what is wrong, is written to `answer`, and told apart by what is
    /// returned.
    ///
    /// # Errors
    ///
    /// [`core::fmt::Error`] if what is in `answer` says why it could not be run.
    fn run(
        &mut self,
        world: &mut World<'_>,
        code: &str,
        answer: &mut dyn core::fmt::Write,
    ) -> core::fmt::Result {
        let _ = (world, code);
        answer.write_str("the engine runs without scripts")?;
        Err(core::fmt::Error)
    }

    /// The script that the game starts with was compiled anew: `text` is the new one.
    fn reload(&mut self, world: &mut World<'_>, text: &[u8]) {
        let _ = (world, text);
    }
}

/// No logic: what is spawned stays as it is.
impl Logic for () {}
