//! Resources that were compiled anew while the game runs.

use loligo_containers::Array;
use loligo_diagnostics::{context, contexts, log};
use loligo_ids::IdString64;
use loligo_render::FrameDescription;
use loligo_resources::{Reloaded, ResourceKey};

use super::Engine;
use crate::boot::room;
use crate::error::EngineError;
use crate::logic::Logic;
use crate::world::ResourceChanged;

impl<'m> Engine<'_, 'm> {
    /// Swaps what was compiled anew since it was loaded, and tells all who use it. Returns how many resources were
    /// swapped; what cannot be used stays as it was, and the log says why.
    ///
    /// # Complexity
    ///
    /// O(resources in the data folder + bytes of what has changed + models, for a mesh or a material).
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, or the table of resources cannot be read.
    pub fn reload(&mut self, logic: &mut dyn Logic<'m>) -> Result<usize, EngineError> {
        context!("When reloading resources of frame", self.frame);
        let mut changed: Array<'_, ResourceKey, _> = Array::new_in(room(&self.memory, "engine"));
        let mut grown = Ok(());
        let Self { content, log, .. } = self;
        let swapped = content.resources.reload(&mut |what| match what {
            Reloaded::Changed { new, .. } => {
                log!(log, Info, "reloaded {}", new.debug_name());
                if let Err(error) = changed.try_push(new.key()) {
                    grown = Err(error);
                }
            }
            Reloaded::Failed { kept, error } => {
                log!(log, Error, "{} stays as it was: {error}", kept.debug_name());
            }
        })?;
        grown?;
        for key in &*changed {
            // What is wrong with one resource keeps no other from being taken in.
            if let Err(error) = self.take_in(*key, logic) {
                log!(self.log, Error, "{error}; the game goes on with what it had\n{}", contexts());
            }
        }
        Ok(swapped)
    }

    /// Tells who uses a resource that it is another now.
    fn take_in(&mut self, key: ResourceKey, logic: &mut dyn Logic<'m>) -> Result<(), EngineError> {
        if key == self.content.settings.level {
            self.restart(logic)?;
        } else if key == self.content.settings.frame {
            self.take_in_frame()?;
        } else if self.take_in_script(key)? {
            // It was told.
        } else {
            self.content.assets.reload(key, &mut self.content.resources)?;
            let content = &self.content;
            self.world.refresh(key, &content.assets, |layer| content.layer(layer))?;
        }
        let halves = |hash: IdString64| [hash.hash() as u32, (hash.hash() >> 32) as u32];
        let event = ResourceChanged { type_hash: halves(key.type_hash), name: halves(key.name) };
        self.world.send(event)
    }

    /// Replaces all entities by those of the level.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the level names what cannot be loaded, or there is no memory; the entities that were there stay.
    pub fn restart(&mut self, logic: &mut dyn Logic<'m>) -> Result<(), EngineError> {
        self.content.load_models()?;
        let Self { content, world, .. } = self;
        world.replace_all(|world| content.spawn(world))?;
        self.start(logic);
        Ok(())
    }

    /// Loads a script anew; `false` if it is none.
    #[cfg(feature = "script")]
    fn take_in_script(&mut self, key: ResourceKey) -> Result<bool, EngineError> {
        if !crate::scripts::Modules::is_script(key) {
            return Ok(false);
        }
        let Self { content, world, scripts, log, .. } = self;
        if let (Some(script), Some(scripts)) = (content.resources.get(key), scripts) {
            world.modules.put(key, script.payload())?;
            scripts.reload(world, key, log);
        }
        Ok(true)
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "with scripts it may fail")]
    fn take_in_script(&mut self, _: ResourceKey) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Has frames drawn by a new description, if it is one: what is wrong with it was told when it was compiled.
    fn take_in_frame(&mut self) -> Result<(), EngineError> {
        let Self { content, world, memory, .. } = self;
        let Some(frame) = content.resources.get(content.settings.frame) else { return Ok(()) };
        let render = room(memory, "render");
        if let Err(error) = FrameDescription::try_read_in(frame.payload(), render) {
            return Err(EngineError::Render(crate::renderer::wrong_frame(&error)));
        }
        content.assets.put_frame(frame.payload())?;
        content.read_layers()?;
        world.refresh_layers(&content.assets, |layer| content.layer(layer))
    }
}
