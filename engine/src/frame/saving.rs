//! A game that is saved and loaded between two frames.

use loligo_containers::Array;
use loligo_diagnostics::context;
use loligo_resources::ResourceKey;

use super::Engine;
use crate::error::EngineError;
#[cfg(feature = "script")]
use crate::error::SavedGameError;
use crate::loading::Owners;
use crate::memory::{Room, SharedAllocator, memory_of};
use crate::saved::{SaveRequest, SaveWriter, SavedGame};

impl<'m> Engine<'_, 'm> {
    /// Returns the whole game as bytes, to be called between two frames: the world, each subsystem,
    /// and of scripts what their function `on_save` returns.
    ///
    /// # Complexity
    ///
    /// O(what there is).
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, or `on_save` fails or returns what cannot be kept.
    pub fn save(&mut self) -> Result<Array<'m, u8, SharedAllocator<'m>>, EngineError> {
        context!("When saving the game in frame", self.world.frame());
        // What is being loaded is there in the next frame, of this game and of the saved one.
        self.finish_loading()?;
        let mut out = Array::new_in(memory_of(&self.memory, Room::Engine));
        let state = self.save_scripts()?;
        let mut writer = SaveWriter::try_new(&mut out)?;
        let next = self.next_level.map(|(key, _)| key.name);
        self.world.save(self.content.settings.level.name, next, &mut writer)?;
        writer.section("script", SCRIPT_VERSION, |out| out.try_extend_from_slice(&state))?;
        writer.finish();
        Ok(out)
    }

    /// Goes on with a game that was saved, from its next frame on. It calls `on_load` of the scripts
    /// with what `on_save` returned, and `start` of nobody.
    ///
    /// # Complexity
    ///
    /// O(bytes, and what there is).
    ///
    /// # Errors
    ///
    /// [`EngineError`] says what is wrong with the bytes, what they name that cannot be loaded, or
    /// that there is no memory; then the game is as it was. If `on_load` fails, the log says why, and
    /// the game is the loaded one.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        context!("When loading a saved game of bytes", bytes.len());
        let game = SavedGame::open(bytes)?;
        let state = game.section("script", SCRIPT_VERSION)?;
        let loaded = self.world.read(&game)?;
        let type_hash = self.content.settings.level.type_hash;
        let level = ResourceKey { type_hash, name: loaded.level() };
        let Self { content, world, log, worker, .. } = self;
        let owners = &mut Owners { world: Some(world), log };
        let wanted = content.want_now(level, owners, worker)?;
        let held = content.saved.len();
        let models = content.want_models(loaded.models());
        let models = models.and_then(|()| content.finish(owners, worker));
        let replaced = models.and_then(|()| Ok(self.world.replace(loaded, &game)?));
        let Self { content, world, log, worker, .. } = self;
        let replaced = replaced.and_then(|()| {
            content.want_needs(world)?;
            content.finish(&mut Owners { world: Some(world), log }, worker)
        });
        match &replaced {
            Ok(()) => {
                content.settings.level = level;
                let old = content.level.replace(wanted);
                old.into_iter().for_each(|old| content.store.release(old));
                content.release_saved(..held);
            }
            Err(_) => {
                content.store.release(wanted);
                content.release_saved(held..);
            }
        }
        content.settle(&mut Owners { world: Some(world), log })?;
        replaced?;
        if let Some((_, wanted)) = self.next_level.take() {
            self.content.store.release(wanted);
        }
        self.follow_loaded()?;
        // An earlier game may have had fewer frames than this one.
        self.first_frame = (self.world.frame() + 1).wrapping_sub(self.frame);
        self.is_begun = true;
        self.load_scripts_state(state);
        Ok(())
    }

    /// Returns what the game has asked for since it was asked last: a program looks after each
    /// frame, and saves or loads.
    pub const fn take_save_request(&mut self) -> Option<SaveRequest> {
        self.world.take_save_request()
    }

    /// Returns hashes of the state of each subsystem, always in the same order: 0 for one that has
    /// none. Two runs that are the same have the same.
    pub fn state_hashes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.world.state_hashes()
    }

    #[cfg(feature = "script")]
    fn save_scripts(&mut self) -> Result<Array<'m, u8, SharedAllocator<'m>>, EngineError> {
        let Self { scripts, world, log, memory, .. } = self;
        match scripts {
            Some(scripts) => Ok(scripts.save(world, log).ok_or(SavedGameError::Script)?),
            None => Ok(Array::new_in(memory_of(memory, Room::Engine))),
        }
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unnecessary_wraps, reason = "with scripts it may fail")]
    fn save_scripts(&mut self) -> Result<Array<'m, u8, SharedAllocator<'m>>, EngineError> {
        Ok(Array::new_in(memory_of(&self.memory, Room::Engine)))
    }

    #[cfg(feature = "script")]
    fn load_scripts_state(&mut self, state: &[u8]) {
        if let Some(scripts) = &mut self.scripts {
            scripts.load_state(&mut self.world, state, &self.log);
        }
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn load_scripts_state(&mut self, _: &[u8]) {}
}

/// The version of what scripts keep.
const SCRIPT_VERSION: u32 = 1;
