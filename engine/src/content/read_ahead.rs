//! What a game starts with, read on all threads before it is loaded.

use loligo_containers::Array;
use loligo_entities::EntityResource;
use loligo_render::MaterialResource;
use loligo_resources::{LoadRequest, Loaded, ResourceKey};
use loligo_tasks::Worker;

use super::Content;
use crate::components::{MODEL, Model};
use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// A file that is to be read, and what was in it.
type Read<'e, 'm> = (LoadRequest<'e>, Option<Loaded<'e, SharedAllocator<'m>>>);

/// Resources by type and name, some of them several times.
type Keys<'m> = Array<'m, ResourceKey, SharedAllocator<'m>>;

impl<'m: 'e, 'e> Content<'e, 'm> {
    /// Reads what the level, the frame and the game's settings name, on all threads that have
    /// nothing else to do, so that loading finds it read. What cannot be read is left out: whatever
    /// loads it names it in its error.
    pub(super) fn read_ahead(&mut self, worker: &Worker<'_>) -> Result<(), EngineError> {
        let mut keys = Array::new_in(self.layers.memory());
        let settings = &self.settings;
        keys.try_push(settings.frame)?;
        keys.try_extend_from_slice(&settings.materials)?;
        for (_, material) in &*settings.full_screen {
            keys.try_push(*material)?;
        }
        self.add_models(&mut keys)?;
        self.read_all(&mut keys, worker)?;
        // What these name is known once they are read.
        let mut named = Array::new_in(self.layers.memory());
        for key in &*keys {
            let Some(resource) = self.resources.get(*key) else { continue };
            if let Ok(material) = MaterialResource::open(resource.payload()) {
                named.try_push(material.shader)?;
                named.try_extend_from_slice(material.texture.as_slice())?;
            }
        }
        self.read_all(&mut named, worker)
    }

    /// Adds what the level's models are made of.
    fn add_models(&self, keys: &mut Keys<'_>) -> Result<(), EngineError> {
        let Some(level) = self.resources.get(self.settings.level) else { return Ok(()) };
        let level = EntityResource::open(level.payload())?;
        let words = level.part(MODEL.name).map_or(&[][..], |part| part.data);
        // What is no model is refused when it is loaded.
        for model in bytemuck::try_cast_slice::<u32, Model>(words).unwrap_or_default() {
            keys.try_extend_from_slice(&[model.mesh(), model.material()])?;
        }
        Ok(())
    }

    /// Reads each resource that is not loaded, once.
    fn read_all(&mut self, keys: &mut Keys<'_>, worker: &Worker<'_>) -> Result<(), EngineError> {
        keys.sort_unstable();
        let memory = self.layers.memory();
        let mut reads: Array<'_, Read<'e, 'm>, _> = Array::new_in(memory);
        let mut last = None;
        for key in &**keys {
            if last.replace(*key) == Some(*key) || self.resources.get(*key).is_some() {
                continue;
            }
            if let Ok(request) = self.resources.request(*key) {
                reads.try_push((request, None))?;
            }
        }
        let memory = self.resources.memory();
        worker.parallel_for_each_mut(&"read", &mut reads, 1, |_, reads| {
            for (request, loaded) in reads {
                *loaded = request.read(memory).ok();
            }
        })?;
        while let Some((_, loaded)) = reads.pop() {
            loaded.map_or(Ok(()), |loaded| self.resources.insert(loaded))?;
        }
        Ok(())
    }
}
