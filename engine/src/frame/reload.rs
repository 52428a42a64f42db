//! Resources that were compiled again while the game runs: each goes to its user, or is an error.

use core::fmt;

use loligo_containers::Array;
use loligo_diagnostics::{context, contexts, log};
use loligo_ids::IdString64;
use loligo_resources::{OpenError, PreferenceOrder, Reloaded, ResourceKey, Resources};

use super::Engine;
use crate::error::EngineError;
use crate::loading::Owners;
use crate::memory::{FrameMemory, Library, Room, SharedAllocator, memory_of};
use crate::options::{GameSettings, SETTINGS};
use crate::time_step::GameClock;
use crate::world::{Logic, LogicCalls, ResourceChanged};

/// Is called with each thing that went wrong.
type Say<'s> = dyn FnMut(&dyn fmt::Display) + 's;

impl<'m> Engine<'_, 'm> {
    /// Swaps what was compiled again since it was loaded, and notifies all users. Returns how many
    /// resources were swapped; what cannot be used stays as it was, and the log says why.
    ///
    /// # Complexity
    ///
    /// O(resources in the data folder + bytes of what has changed + models, for a mesh or a
    /// material).
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, or the table of resources cannot be read.
    pub fn reload(&mut self, logic: &mut dyn Logic<'m>) -> Result<usize, EngineError> {
        self.with_frame_memory(logic, |engine, logic| engine.reload_saying(logic, &mut |_| {}))
    }

    /// As [`reload`](Self::reload); `say` is called for what could not be replaced.
    pub(super) fn reload_saying(
        &mut self,
        logic: &mut LogicCalls<'_, 'm>,
        say: &mut Say<'_>,
    ) -> Result<usize, EngineError> {
        context!("When reloading resources of frame", self.frame);
        self.swap(logic, say, |resources, owner| resources.reload(owner))
    }

    /// Prefers properties of resources, the strongest first, and swaps what is loaded in another
    /// variant than is wanted now: textures, sounds, texts. A level that has variants begins again.
    /// Returns how many resources were swapped; what cannot be used stays as it was, and the log
    /// says why.
    ///
    /// Saved games and recordings do not have what is preferred: it is the player's.
    ///
    /// # Complexity
    ///
    /// O(loaded resources + bytes of what is swapped).
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn prefer(
        &mut self,
        order: PreferenceOrder,
        logic: &mut dyn Logic<'m>,
    ) -> Result<usize, EngineError> {
        self.world.prefer(order);
        self.world.take_preference_changed();
        let follow = |engine: &mut Self, logic: &mut LogicCalls<'_, 'm>| {
            engine.follow_preference(logic, &mut |_| {})
        };
        self.with_frame_memory(logic, follow)
    }

    /// Has the resources follow what the world prefers; where that fails, both are as before. `say` is
    /// called for what could not be replaced.
    pub(super) fn follow_preference(
        &mut self,
        logic: &mut LogicCalls<'_, 'm>,
        say: &mut Say<'_>,
    ) -> Result<usize, EngineError> {
        context!("When following preferences of frame", self.frame);
        let order = *self.world.preferred();
        let swapped = self.swap(logic, say, |resources, owner| {
            Ok(resources.try_set_preference_order(order.hashes(), owner)?)
        });
        match &swapped {
            Ok(count) => {
                let names = order.as_str();
                log!(self.log, Info, "preferred are now `{names}`: {count} resources swapped");
                self.content.settings.prefer = order;
            }
            Err(_) if *self.content.resources.preference_order() != *order.hashes() => {
                self.world.note_preferred(self.content.settings.prefer);
            }
            Err(_) => self.content.settings.prefer = order,
        }
        swapped
    }

    /// Swaps resources by `act`, and notifies all users of those that have changed.
    fn swap(
        &mut self,
        logic: &mut LogicCalls<'_, 'm>,
        say: &mut Say<'_>,
        act: impl FnOnce(
            &mut Resources<'_, SharedAllocator<'m>>,
            &mut dyn FnMut(Reloaded<'_>),
        ) -> Result<usize, OpenError>,
    ) -> Result<usize, EngineError> {
        let mut changed: Array<'_, ResourceKey, _> = Array::new_in(logic.memory);
        let mut grown = Ok(());
        let Self { content, log, .. } = self;
        let mut owner = |what: Reloaded<'_>| match what {
            Reloaded::Changed { new, .. } => {
                log!(log, Info, "reloaded {}", new.debug_name());
                if let Err(error) = changed.try_push(new.key()) {
                    grown = Err(error);
                }
            }
            Reloaded::Failed { kept, error } => {
                log!(log, Error, "{} stays as it was: {error}", kept.debug_name());
                say(&format_args!("{} stays as it was: {error}", kept.debug_name()));
            }
        };
        // Paths are on the global heap.
        let swapped = Library::Std.run(|| act(&mut content.resources, &mut owner))?;
        grown?;
        self.content.retry()?;
        self.content.load_all(&mut self.world, &self.log, self.worker)?;
        self.take_in_scripts(&changed, logic.memory, say)?;
        let failed = self.script_failure_count();
        for key in &*changed {
            // What is wrong with one resource keeps no other from being taken in.
            if let Err(error) = self.take_in(*key, logic) {
                log!(self.log, Error, "{error}; the game goes on with what it had\n{}", contexts());
                say(&format_args!("{error}; the game goes on with what it had"));
            }
        }
        if swapped > 0 {
            self.warn_of_unseen_layers();
        }
        let failed = self.script_failure_count() - failed;
        if failed > 0 {
            say(&format_args!("scripts failed {failed} times meanwhile; the log says where"));
        }
        Ok(swapped)
    }

    #[cfg(feature = "script")]
    fn script_failure_count(&self) -> u64 {
        self.script_failures().count
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn script_failure_count(&self) -> u64 {
        0
    }

    /// Notifies the users of a resource that it was replaced.
    fn take_in(
        &mut self,
        key: ResourceKey,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), EngineError> {
        if key == SETTINGS {
            self.take_in_settings(logic)?;
        } else if key == self.content.settings.level {
            self.renew(key)?;
            self.restart_level(logic)?;
        } else if key == self.content.settings.frame {
            self.take_in_frame()?;
        } else if self.is_script(key) {
            // Scripts were taken in before, all together.
        } else if self.renew(key)? {
            // Its users have it.
        } else {
            return Err(EngineError::AtStart { key, setting: None });
        }
        let halves = |hash: IdString64| [hash.hash() as u32, (hash.hash() >> 32) as u32];
        let event = ResourceChanged { type_hash: halves(key.type_hash), name: halves(key.name) };
        self.world.send(event)
    }

    /// Uses a resource that has changed; returns whether anybody wanted it.
    fn renew(&mut self, key: ResourceKey) -> Result<bool, EngineError> {
        let Self { content, world, log, worker, .. } = self;
        content.renew(key, &mut Owners { world: Some(world), log }, worker)
    }

    /// Replaces all entities by those of the level.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the level names what cannot be loaded, or there is no memory; the
    /// entities that were there stay.
    pub fn restart(&mut self, logic: &mut dyn Logic<'m>) -> Result<(), EngineError> {
        self.with_frame_memory(logic, Self::restart_level)
    }

    /// As [`restart`](Self::restart), in a frame.
    pub(super) fn restart_level(
        &mut self,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), EngineError> {
        let Self { content, world, .. } = self;
        world.replace_all(|world| content.spawn(world))?;
        self.start(logic);
        self.warn_of_no_camera();
        Ok(())
    }

    /// Applies the game's settings as far as that is possible while it runs: its time step, its
    /// materials and its level. What else has changed is an error.
    fn take_in_settings(&mut self, logic: &mut LogicCalls<'_, 'm>) -> Result<(), EngineError> {
        let engine = memory_of(&self.memory, Room::Engine);
        let Self { content, world, log, worker, .. } = self;
        let payload = content.resources.get(SETTINGS).map_or(&[][..], |game| game.payload());
        let new = GameSettings::try_read_in(payload, engine)?;
        if new.time_step != content.settings.time_step {
            content.settings.time_step = new.time_step;
            if !self.has_own_step {
                self.clock = GameClock::new(new.time_step);
            }
        }
        if new.prefer != content.settings.prefer && !self.has_own_preference {
            // With the next frame.
            world.prefer(new.prefer);
        }
        if *new.materials != *content.settings.materials {
            content.replace_materials(&new.materials)?;
            content.finish(&mut Owners { world: Some(world), log }, worker)?;
            content.settings.materials = new.materials;
        }
        if new.level != content.settings.level {
            let Self { content, world, log, worker, .. } = self;
            let owners = &mut Owners { world: Some(world), log };
            let wanted = content.want_now(new.level, owners, worker)?;
            self.change_level(new.level, wanted, logic)?;
        }
        let old = &self.content.settings;
        for (is_same, setting) in [
            (*new.title == *old.title, "title"),
            (new.frame == old.frame, "frame"),
            (new.script.as_deref() == old.script.as_deref(), "script"),
            (new.window == old.window, "window"),
            (new.memory == old.memory, "memory"),
            (new.packages.as_deref() == old.packages.as_deref(), "packages"),
        ] {
            if !is_same {
                return Err(EngineError::AtStart { key: SETTINGS, setting: Some(setting) });
            }
        }
        Ok(())
    }

    #[cfg(feature = "script")]
    fn is_script(&self, key: ResourceKey) -> bool {
        self.scripts.is_some() && crate::world::Modules::is_script(key)
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn is_script(&self, _: ResourceKey) -> bool {
        false
    }

    /// Updates the texts of scripts that were added or have changed, and then loads those that have
    /// changed, or could not be loaded the last time: one may require another.
    #[cfg(feature = "script")]
    fn take_in_scripts(
        &mut self,
        changed: &[ResourceKey],
        memory: &FrameMemory<'m>,
        say: &mut Say<'_>,
    ) -> Result<(), EngineError> {
        let Self { content, world, scripts, log, .. } = self;
        let Some(scripts) = scripts else { return Ok(()) };
        content.update_scripts(world, changed, memory)?;
        scripts.reload(world, changed, memory, log, say)
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "with scripts it may fail")]
    fn take_in_scripts(
        &mut self,
        _: &[ResourceKey],
        _: &FrameMemory<'m>,
        _: &mut Say<'_>,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Has frames drawn by a new description, if it is one: what is wrong with it was said when it
    /// was compiled.
    fn take_in_frame(&mut self) -> Result<(), EngineError> {
        let Self { content, world, log, worker, .. } = self;
        content.replace_frame()?;
        content.finish(&mut Owners { world: Some(world), log }, worker)?;
        world.learn_views(content.views())?;
        world.refresh_layers(&content.assets, |layer| content.layer(layer))
    }
}
