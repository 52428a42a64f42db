//! Packages and levels that come and go while the game runs.
//!
//! What was asked for is there from the frame on in which the world hears of it. That frame is
//! recorded, so that a replay has the same: it waits where it is faster, and holds back what comes
//! earlier.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::Event;
use loligo_diagnostics::log;
use loligo_ids::IdString64;
use loligo_resources::{PACKAGE_TYPE, ResourceKey};

use super::Engine;
use crate::error::EngineError;
use crate::loading::{Owners, Stage};
use crate::world::{LEVEL_TYPE, LogicCalls, Want, WantedLevel};

/// A package or a level that was asked for is there, or cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub(super) struct ContentArrived {
    /// The hash of its type, the lower half first.
    type_hash: [u32; 2],
    /// The hash of its name.
    name: [u32; 2],
}

impl ContentArrived {
    fn new(key: ResourceKey) -> Self {
        let halves = |hash: IdString64| [hash.hash() as u32, (hash.hash() >> 32) as u32];
        Self { type_hash: halves(key.type_hash), name: halves(key.name) }
    }
}

impl<'m> Engine<'_, 'm> {
    /// Loads what the game begins with in addition to its level: its packages, or all that there is.
    pub(super) fn load_first(&mut self) -> Result<(), EngineError> {
        let Self { content, world, .. } = self;
        for package in content.settings.packages.as_deref().unwrap_or_default() {
            world.load_package(package.name)?;
        }
        self.follow_packages()?;
        let Self { content, world, log, worker, .. } = self;
        content.load_all(world, log, worker)?;
        for (_, state) in world.packages_mut().iter_mut() {
            state.is_known = true;
            state.is_loaded =
                state.wanted.is_some_and(|wanted| content.store.stage(wanted) == Stage::Complete);
        }
        Ok(())
    }

    /// Goes on with what is asked for, and lets the world have what has come.
    pub(super) fn stream(&mut self, logic: &mut LogicCalls<'_, 'm>) -> Result<(), EngineError> {
        if self.world.take_preference_changed()
            && let Err(error) = self.follow_preference(logic, &mut |_| {})
        {
            log!(self.log, Error, "{error}; what is preferred is what was preferred before");
        }
        match self.world.take_wanted_level() {
            Some(WantedLevel::Same) => {
                if let Err(error) = self.restart_level(logic) {
                    log!(self.log, Error, "{error}; the game goes on with the level that it has");
                }
            }
            Some(WantedLevel::Other(name)) => self.want_level(name)?,
            None => {}
        }
        if self.world.packages_mut().take_changed() {
            self.follow_packages()?;
        }
        let is_flushed = self.world.packages_mut().take_flushed();
        self.content.stream_textures(&self.log)?;
        self.content.stream_tails(&mut self.world, &self.log);
        if self.awaits_nothing() {
            return Ok(());
        }
        let waits = is_flushed || !self.loads_in_background || self.player.has_arrivals();
        let Self { content, world, log, worker, .. } = self;
        let owners = &mut Owners { world: Some(world), log };
        match waits {
            true => content.finish(owners, worker)?,
            false => content.go_on(owners)?,
        }
        self.announce_packages()?;
        self.change_to_next_level(logic)
    }

    /// Waits for all that is being loaded.
    pub(super) fn finish_loading(&mut self) -> Result<(), EngineError> {
        let Self { content, world, log, worker, .. } = self;
        content.finish(&mut Owners { world: Some(world), log }, worker)
    }

    /// Loads what the world of a saved game had asked for: as when it was saved, it is there in the
    /// next frame.
    pub(super) fn follow_loaded(&mut self) -> Result<(), EngineError> {
        if let Some(WantedLevel::Other(name)) = self.world.wanted_level() {
            self.world.take_wanted_level();
            self.want_level(name)?;
        }
        self.follow_packages()?;
        self.finish_loading()
    }

    /// Returns `true` if all that was asked for is there, and the world knows.
    fn awaits_nothing(&self) -> bool {
        let is_known = |state: &crate::world::PackageState| state.is_known || state.count == 0;
        self.next_level.is_none()
            && self.content.is_idle()
            && self.world.packages().iter().all(|(_, state)| is_known(state))
    }

    /// Wants a level in place of the one that there is.
    fn want_level(&mut self, name: IdString64) -> Result<(), EngineError> {
        let key = ResourceKey { type_hash: IdString64::new(LEVEL_TYPE), name };
        let wanted = self.content.store.acquire(key)?;
        if let Some((_, before)) = self.next_level.replace((key, wanted)) {
            self.content.store.release(before);
        }
        Ok(())
    }

    /// Asks for the packages that the world wants, and gives up those that it does not.
    fn follow_packages(&mut self) -> Result<(), EngineError> {
        let Self { content, world, log, .. } = self;
        let type_hash = IdString64::new(PACKAGE_TYPE);
        let packages = world.packages_mut();
        let followed = packages.iter_mut().try_for_each(|(name, state)| {
            match (state.count, state.wanted) {
                (1.., None) => {
                    let key = ResourceKey { type_hash, name };
                    state.wanted = Some(content.store.acquire(key)?);
                }
                (0, Some(wanted)) => {
                    content.store.release(wanted);
                    *state = crate::world::PackageState::default();
                }
                _ => {}
            }
            Ok::<_, EngineError>(())
        });
        packages.forget_unwanted();
        if followed.is_err() {
            packages.set_changed();
        }
        followed?;
        content.settle(&mut Owners { world: Some(world), log })
    }

    /// Lets the world know of the packages that have come.
    fn announce_packages(&mut self) -> Result<(), EngineError> {
        let Self { content, world, player, .. } = self;
        let type_hash = IdString64::new(PACKAGE_TYPE);
        for (name, state) in world.packages_mut().iter_mut() {
            let (Some(wanted), false) = (state.wanted, state.is_known) else { continue };
            let arrived = ContentArrived::new(ResourceKey { type_hash, name });
            if player.may_arrive(arrived, content.store.is_settled(wanted))? {
                state.is_known = true;
                state.is_loaded = content.store.stage(wanted) == Stage::Complete;
            }
        }
        Ok(())
    }

    /// Changes to the level that is asked for, once it has come.
    fn change_to_next_level(&mut self, logic: &mut LogicCalls<'_, 'm>) -> Result<(), EngineError> {
        let Some((key, wanted)) = self.next_level else { return Ok(()) };
        let is_settled = self.content.store.is_settled(wanted);
        if !self.player.may_arrive(ContentArrived::new(key), is_settled)? {
            return Ok(());
        }
        self.next_level = None;
        if let Err(error) = self.change_level(key, wanted, logic) {
            log!(self.log, Error, "{error}; the game goes on with the level that it has");
        }
        Ok(())
    }

    /// Replaces all entities by those of a level that is wanted, in whose place the old one goes.
    pub(super) fn change_level(
        &mut self,
        level: ResourceKey,
        wanted: Want,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), EngineError> {
        let old = core::mem::replace(&mut self.content.settings.level, level);
        let changed = self.content.check(wanted).and_then(|()| self.restart_level(logic));
        let unwanted = match &changed {
            Ok(()) => self.content.level.replace(wanted),
            Err(_) => {
                self.content.settings.level = old;
                Some(wanted)
            }
        };
        let Self { content, world, log, .. } = self;
        if let Some(unwanted) = unwanted {
            content.store.release(unwanted);
        }
        if changed.is_ok() {
            content.release_saved(..);
        }
        content.settle(&mut Owners { world: Some(world), log })?;
        changed
    }

    /// Logs what models name that is not loaded.
    pub(super) fn log_missing(&mut self) {
        let Self { content, world, log, .. } = self;
        // What could not be loaded was logged then.
        for key in world.missing_mut().iter().filter(|key| content.store.find(**key).is_none()) {
            log!(
                log,
                Error,
                "resource {key}: a model names it, and it is not loaded: a placeholder is in its place; name it in a \
                 package, a level or an entity that is loaded"
            );
        }
        world.missing_mut().clear();
    }
}
