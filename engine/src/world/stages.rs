//! Stages: worlds within the world of a game, of which a view sees one.
//!
//! An inventory in which the player turns, a level under a menu, a preview: their entities are
//! made and stepped as all others are, and are seen, lit and shadowed among themselves alone.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_entities::Entity;
use loligo_render::{STAGES_MAX, StateRecorder};

use super::World;
use crate::error::{EngineError, SavedGameError};
use crate::memory::SharedAllocator;
use crate::saved::number;

/// The bytes of an entity in a saved game.
const SAVED_BYTES: usize = 8;

/// The stage of each entity, by the entity's index; what is beyond the end is on the first. A game
/// with one stage has none of this.
pub(super) struct Stages<'m>(Array<'m, u8, SharedAllocator<'m>>);

impl<'m> Stages<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self(Array::new_in(memory))
    }

    /// Returns the stage of an entity.
    #[inline]
    pub(super) fn of(&self, entity: Entity) -> u8 {
        self.0.get(entity.index() as usize).copied().unwrap_or(0)
    }

    /// Puts an entity onto a stage; nothing has changed where there is no memory.
    pub(super) fn try_set(&mut self, entity: Entity, stage: u8) -> Result<(), GrowError> {
        let index = entity.index() as usize;
        if index >= self.0.len() && stage != 0 {
            self.0.try_resize(index + 1, 0)?;
        }
        if let Some(own) = self.0.get_mut(index) {
            *own = stage;
        }
        Ok(())
    }

    /// Puts new entities onto the first stage, whatever was in their place before.
    pub(super) fn forget(&mut self, entities: &[Entity]) {
        if !self.0.is_empty() {
            for entity in entities {
                if let Some(own) = self.0.get_mut(entity.index() as usize) {
                    *own = 0;
                }
            }
        }
    }

    /// Appends the entities that are not on the first stage.
    pub(super) fn try_save(
        &self,
        entities: impl Iterator<Item = Entity>,
        out: &mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for entity in entities.filter(|entity| self.of(*entity) != 0) {
            out.try_extend_from_slice(&entity.to_bits().to_ne_bytes())?;
            out.try_extend_from_slice(&u32::from(self.of(entity)).to_ne_bytes())?;
        }
        Ok(())
    }

    /// Returns what was saved. `is_alive` knows which entities there are.
    pub(super) fn try_load(
        bytes: &[u8],
        is_alive: impl Fn(Entity) -> bool,
        memory: SharedRef<'m>,
    ) -> Result<Self, SavedGameError> {
        let mut stages = Self::new_in(memory);
        if !bytes.len().is_multiple_of(SAVED_BYTES) {
            return Err(SavedGameError::File { what: "the section `stages` is of another length" });
        }
        for saved in bytes.chunks_exact(SAVED_BYTES) {
            let entity = Entity::from_bits(number(saved, 0)).filter(|entity| is_alive(*entity));
            let stage = u8::try_from(number(saved, 4)).ok();
            let stage = stage.filter(|stage| usize::from(*stage) < STAGES_MAX);
            let (Some(entity), Some(stage)) = (entity, stage) else {
                let what = "a stage is none, or of an entity that is not there";
                return Err(SavedGameError::File { what });
            };
            stages.try_set(entity, stage)?;
        }
        Ok(stages)
    }
}

impl<'m> World<'m> {
    /// Returns the stage that an entity is on; 0 unless it was moved to another.
    #[must_use]
    pub fn stage(&self, entity: Entity) -> u8 {
        self.stages.of(entity)
    }

    /// Moves an entity and all that is below it to a stage, 0 to 15: views of that stage see it,
    /// and others do not. Returns how many entities that are, 0 if there is no such entity or
    /// stage.
    ///
    /// # Complexity
    ///
    /// O(entities moved).
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory: for the list, and nothing has changed, or for the
    /// messages to the render thread, which are sent in the next frame then.
    pub fn move_to_stage(&mut self, entity: Entity, stage: u8) -> Result<usize, EngineError> {
        if usize::from(stage) >= STAGES_MAX || !self.entities.is_alive(entity) {
            return Ok(0);
        }
        let mut all = Array::new_in(self.names.memory());
        all.try_push(entity)?;
        let mut next = 0;
        while let Some(parent) = all.get(next).copied() {
            all.try_extend(self.managers.transforms.children(parent))?;
            next += 1;
        }
        let last = all.iter().map(|entity| entity.index()).max().unwrap_or(0) as usize;
        if stage != 0 {
            self.stages.0.try_reserve((last + 1).saturating_sub(self.stages.0.len()))?;
        }
        for entity in &all {
            self.stages.try_set(*entity, stage)?;
        }
        let sent = all.iter().try_for_each(|entity| self.send_stage(*entity, stage));
        self.is_behind |= sent.is_err();
        sent.map(|()| all.len())
    }

    /// Sends the render thread the stage of what it has of an entity.
    fn send_stage(&mut self, entity: Entity, stage: u8) -> Result<(), EngineError> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let recorder: &mut StateRecorder<'m, SharedAllocator<'m>> = recorder;
        if let Some(model) = self.managers.models.get(entity)
            && let Some(handle) = model.handle()
        {
            match self.styles.get(model.material().name) {
                Some(style) => {
                    let layer = on_stage(stage, style.layer);
                    recorder.set_material(handle, style.state, layer)?;
                }
                // It is drawn by a placeholder, which the next frame sends with all else.
                None => self.is_behind = true,
            }
        }
        if let Some(light) = self.managers.lights.get(entity)
            && let Some(handle) = light.handle()
        {
            let at = self.managers.transforms.world(entity);
            let at = at.map_or(glam::Vec3A::ZERO, |matrix| matrix.translation);
            recorder.set_light_on(handle, stage, &light.placed(at))?;
        }
        Ok(())
    }
}

/// Returns a layer as meshes of a stage have it, or the same where it is none.
pub(super) fn on_stage(stage: u8, layer: u32) -> u32 {
    u8::try_from(layer).map_or(layer, |layer| loligo_render::layer_on(stage, layer))
}
