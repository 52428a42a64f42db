//! The messages from the world to the render thread: what has moved, what is new, what is gone,
//! what looks different.
//!
//! After "State reflection" by the makers of Stingray. A message for which there was no memory is
//! made up for in the next frame that has some: then everything is sent again, since it is not
//! known what was lost.

use glam::{Affine3A, Vec3A};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_entities::{Entity, TransformPiece};
use loligo_ids::{IdString32, IdString64};
use loligo_render::{
    InstanceParameters, MESH_HIDDEN, Mesh, MorphWeight, RecordError, RenderHandle, StateRecorder,
    Transform,
};
use loligo_resources::{DebugName, ResourceKey};
use loligo_tasks::Worker;

use super::World;
use super::components::{Model, PointLight};
use super::managers::Managers;
use super::stages::on_stage;
use crate::assets::Assets;
use crate::error::EngineError;
use crate::memory::SharedAllocator;

impl<'m> World<'m> {
    /// Shows or hides an entity; `false` if it has no model.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory for the message to the render thread, which is sent in
    /// the next frame then.
    pub fn set_visible(&mut self, entity: Entity, is_visible: bool) -> Result<bool, EngineError> {
        let Some(model) = self.managers.models.get_mut(entity) else { return Ok(false) };
        model.flags = if is_visible { 0 } else { MESH_HIDDEN };
        let (handle, flags) = (model.handle(), model.flags);
        self.tell(handle, |recorder, handle| recorder.set_flags(handle, flags))?;
        Ok(true)
    }

    /// Gives an entity's model another material, by the hash of its name; `false` if it has no
    /// model.
    ///
    /// Loaded are the materials of the models of levels and entities that are loaded, those of packages,
    /// and those that the game's settings name.
    ///
    /// # Complexity
    ///
    /// O(log materials).
    ///
    /// # Errors
    ///
    /// [`EngineError::Wrong`] if no such material is loaded, and nothing has changed;
    /// [`EngineError`] if there is no memory for the message to the render thread, which is sent in
    /// the next frame then.
    pub fn set_material(&mut self, entity: Entity, name: IdString64) -> Result<bool, EngineError> {
        let Some(model) = self.managers.models.get_mut(entity) else { return Ok(false) };
        let style = self.styles.get(name).copied();
        if style.is_none() && self.recorder.is_some() {
            let key = ResourceKey { name, ..model.material() };
            return Err(EngineError::Wrong { key, what: NOT_LOADED });
        }
        model.set_material(name);
        let handle = model.handle();
        if let Some(style) = style {
            let layer = on_stage(self.stages.of(entity), style.layer);
            self.tell(handle, |recorder, handle| {
                recorder.set_material(handle, style.state, layer)
            })?;
        }
        Ok(true)
    }

    /// Returns what an entity's model has for shaders besides its material; `None` if it has no model.
    #[must_use]
    pub fn parameters(&self, entity: Entity) -> Option<InstanceParameters> {
        self.managers.models.get(entity)?;
        Some(self.managers.parameters.get(entity).copied().unwrap_or_default())
    }

    /// Changes what an entity's model has for shaders besides its material; `false` if it has no model.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, and nothing has changed, or none for the message to
    /// the render thread, which is sent in the next frame then.
    pub fn change_parameters(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut InstanceParameters),
    ) -> Result<bool, EngineError> {
        let Some(mut parameters) = self.parameters(entity) else { return Ok(false) };
        change(&mut parameters);
        self.managers.parameters.try_insert(entity, parameters)?;
        let handle = self.managers.models.get(entity).and_then(Model::handle);
        self.tell(handle, |recorder, handle| recorder.set_parameters(handle, &parameters))?;
        Ok(true)
    }

    /// Returns how much there is of a target of an entity's mesh: what was set, or what the mesh has
    /// at rest. `None` if it has no model.
    #[must_use]
    pub fn weight(&self, entity: Entity, target: IdString32) -> Option<f32> {
        let model = self.managers.models.get(entity)?;
        let own = self.managers.weights.get(entity).and_then(|weights| weights.get(target));
        let rest = || self.styles.rest_weight(model.mesh().name, target);
        own.or_else(rest).or(Some(0.0))
    }

    /// Sets how much there is of a target of an entity's mesh, for this entity alone; `false` if it
    /// has no model.
    ///
    /// # Complexity
    ///
    /// O(targets of all meshes + weights of the entity).
    ///
    /// # Errors
    ///
    /// [`EngineError::Wrong`] if its mesh is not loaded or has no such target,
    /// [`EngineError::TooManyWeights`] if 64 others were set, and nothing has changed;
    /// [`EngineError`] if there is no memory, and nothing has changed, or none for the message to
    /// the render thread, which is sent in the next frame then.
    pub fn set_weight(
        &mut self,
        entity: Entity,
        target: IdString32,
        weight: f32,
    ) -> Result<bool, EngineError> {
        let Some(model) = self.managers.models.get(entity) else { return Ok(false) };
        let (key, handle) = (model.mesh(), model.handle());
        if self.recorder.is_some() && self.styles.rest_weight(key.name, target).is_none() {
            return Err(EngineError::Wrong { key, what: NO_TARGET });
        }
        let mut weights = self.managers.weights.get(entity).copied().unwrap_or_default();
        if !weights.set(target, weight) {
            return Err(EngineError::TooManyWeights);
        }
        self.managers.weights.try_insert(entity, weights)?;
        let weight = MorphWeight { target: target.hash(), weight };
        self.tell(handle, |recorder, handle| recorder.set_weight(handle, weight))?;
        Ok(true)
    }

    /// Returns the end of the name of an entity's material, as its resource keeps it: empty where
    /// that keeps none, and where nothing is drawn.
    #[must_use]
    pub fn material_name(&self, entity: Entity) -> Option<DebugName> {
        let model = self.managers.models.get(entity)?;
        let style = self.styles.get(model.material().name);
        Some(style.map_or_else(DebugName::default, |style| style.debug_name))
    }

    /// Returns the point light of an entity.
    #[must_use]
    pub fn light(&self, entity: Entity) -> Option<&PointLight> {
        self.managers.lights.get(entity)
    }

    /// Returns the entities that have a point light.
    #[must_use]
    pub fn lights(&self) -> &[Entity] {
        self.managers.lights.entities()
    }

    /// Changes the point light of an entity; `false` if it has none.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory for the message to the render thread, which is sent in
    /// the next frame then.
    pub fn change_light(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut PointLight),
    ) -> Result<bool, EngineError> {
        let Managers { transforms, lights, .. } = &mut self.managers;
        let Some(light) = lights.get_mut(entity) else { return Ok(false) };
        change(light);
        let at = transforms.world(entity).map_or(Vec3A::ZERO, |matrix| matrix.translation);
        let (handle, placed) = (light.handle(), light.placed(at));
        let stage = self.stages.of(entity);
        self.tell(handle, |recorder, handle| recorder.set_light_on(handle, stage, &placed))?;
        Ok(true)
    }

    /// Ends a frame: computes the matrices of what has moved, on all threads that have nothing else
    /// to do, and records what became of render objects. `layer` finds the number of a layer by the
    /// hash of its name.
    pub(crate) fn end(
        &mut self,
        assets: &Assets<'m, SharedAllocator<'m>>,
        layer: impl Fn(IdString64) -> Option<u32>,
        worker: &Worker<'_>,
    ) -> Result<(), EngineError> {
        // A piece that fails on another thread has panicked, and that was reported.
        let mut stopped = None;
        let run = |pieces: &mut [TransformPiece<'_>]| {
            let compute = |_, pieces: &mut [TransformPiece<'_>]| {
                pieces.iter_mut().for_each(TransformPiece::compute);
            };
            let done = worker.parallel_for_each_mut(&"transforms of a depth", pieces, 1, compute);
            stopped = done.err().or(stopped);
        };
        let Managers { transforms, models, parameters, weights, lights, .. } = &mut self.managers;
        let mut hear = self.joined.moved();
        let mut unheard = Ok(());
        let mut hear = |entity: Entity, matrix: &Affine3A| {
            if let Some(hear) = &mut hear {
                unheard = unheard.and(hear(entity, matrix));
            }
        };
        // Where nothing is drawn no object was made, so none is gone.
        let Some(recorder) = &mut self.recorder else {
            transforms.update_in_pieces(run, hear);
            unheard?;
            return stopped.map_or(Ok(()), |error| Err(error.into()));
        };
        models.flush_removed(recorder)?;
        lights.flush_removed(recorder)?;
        // The table of materials may be older than what was loaded, too.
        let learned = if self.is_behind { self.styles.learn(assets, &layer) } else { Ok(()) };
        let (has_lights, mut failed) = (!lights.is_empty(), learned.err());
        let (missing, stages) = (&mut self.missing, &self.stages);
        let mut report = |entity: Entity, matrix: &Affine3A, is_behind: bool| {
            if let Some(model) = models.get_mut(entity) {
                if model.handle().is_none() && !assets.has_both(model.mesh(), model.material()) {
                    self.has_placeholders = true;
                    note_missing(model, assets, missing);
                }
                let stage = stages.of(entity);
                let is_new = is_behind || model.handle().is_none();
                let sent = tell_model(model, matrix, stage, is_behind, assets, &layer, recorder);
                let sent = sent.and_then(|()| match (model.handle(), parameters.get(entity)) {
                    (Some(handle), Some(own)) if is_new => {
                        Ok(recorder.set_parameters(handle, own)?)
                    }
                    _ => Ok(()),
                });
                let sent = sent.and_then(|()| match (model.handle(), weights.get(entity)) {
                    (Some(handle), Some(own)) if is_new => {
                        let mut all = own.as_slice().iter();
                        Ok(all.try_for_each(|weight| recorder.set_weight(handle, *weight))?)
                    }
                    _ => Ok(()),
                });
                failed = sent.err().or(failed.take());
            }
            if has_lights && let Some(light) = lights.get_mut(entity) {
                let told = tell_light(light, matrix, stages.of(entity), recorder);
                failed = told.err().or(failed.take());
            }
        };
        transforms.update_in_pieces(run, |entity, matrix| {
            hear(entity, matrix);
            report(entity, matrix, false);
        });
        if self.is_behind {
            for (entities, matrices) in transforms.worlds() {
                entities.iter().zip(matrices).for_each(|(entity, matrix)| {
                    report(*entity, matrix, true);
                });
            }
        }
        self.is_behind = failed.is_some();
        let failed = failed.or(stopped.map(EngineError::from));
        failed.map_or(Ok(unheard?), Err)
    }

    /// Rebuilds the table of materials and of their layers.
    pub(crate) fn learn(
        &mut self,
        assets: &Assets<'m, SharedAllocator<'m>>,
        layer: impl Fn(IdString64) -> Option<u32>,
    ) -> Result<(), EngineError> {
        self.styles.learn(assets, layer)
    }

    /// Sends the render thread how models look whose mesh or material is one of some, sorted; if
    /// there is no memory for it, everything is sent again in the next frame.
    pub(crate) fn refresh(
        &mut self,
        keys: &[ResourceKey],
        assets: &Assets<'m, SharedAllocator<'m>>,
        layer: impl Fn(IdString64) -> Option<u32>,
    ) -> Result<(), EngineError> {
        let is_one = |key| keys.binary_search(&key).is_ok();
        self.send_again(assets, &layer, |model, handle, stage, recorder| {
            match is_one(model.mesh()) || is_one(model.material()) {
                true => send_look(model, handle, stage, assets, &layer, recorder),
                false => Ok(()),
            }
        })
    }

    /// Returns `true` if a model may be drawn by placeholders.
    pub(crate) const fn has_placeholders(&self) -> bool {
        self.has_placeholders
    }

    /// Sends the render thread the layers of all models, because their numbers have changed; if
    /// there is no memory for it, everything is sent again in the next frame.
    pub(crate) fn refresh_layers(
        &mut self,
        assets: &Assets<'m, SharedAllocator<'m>>,
        layer: impl Fn(IdString64) -> Option<u32>,
    ) -> Result<(), EngineError> {
        self.send_again(assets, &layer, |model, handle, stage, recorder| {
            send_look(model, handle, stage, assets, &layer, recorder)
        })
    }

    /// Rebuilds the table of materials, and sends a message about each model that has a render
    /// object.
    fn send_again(
        &mut self,
        assets: &Assets<'m, SharedAllocator<'m>>,
        layer: impl Fn(IdString64) -> Option<u32>,
        mut send: impl FnMut(
            &Model,
            RenderHandle,
            u8,
            &mut StateRecorder<'m, SharedAllocator<'m>>,
        ) -> Result<(), RecordError>,
    ) -> Result<(), EngineError> {
        let sent = self.styles.learn(assets, layer).and_then(|()| {
            let Some(recorder) = &mut self.recorder else { return Ok(()) };
            let models = &self.managers.models;
            for (entity, model) in models.entities().iter().zip(models.values()) {
                if let Some(handle) = model.handle() {
                    send(model, handle, self.stages.of(*entity), recorder)?;
                }
            }
            Ok(())
        });
        // The render thread has what was there before, of which nothing may be left.
        self.is_behind |= sent.is_err();
        sent
    }

    /// Sends a message about a render object, if the object exists; if there is no memory for it,
    /// everything is sent again in the next frame.
    fn tell(
        &mut self,
        handle: Option<RenderHandle>,
        what: impl FnOnce(
            &mut StateRecorder<'m, SharedAllocator<'m>>,
            RenderHandle,
        ) -> Result<(), RecordError>,
    ) -> Result<(), EngineError> {
        let (Some(recorder), Some(handle)) = (&mut self.recorder, handle) else { return Ok(()) };
        let told = what(recorder, handle);
        self.is_behind |= told.is_err();
        Ok(told?)
    }
}

/// The most resources that are missing and logged.
const MISSING_MAX: usize = 64;

/// What to do about a material that is not there.
pub(crate) const NOT_LOADED: &str = "the material is not loaded; name it in a package, in a model of the level, or among `materials` in game.config";

/// What to do about a target that is not there.
pub(crate) const NO_TARGET: &str = "the mesh is not loaded, or has no target of that name; `targetNames` of its glTF file has their names";

/// Reports where a model is, and makes its render object if it has none; all of it where something
/// was lost.
fn tell_model<A: Allocator + ?Sized>(
    model: &mut Model,
    matrix: &Affine3A,
    stage: u8,
    is_behind: bool,
    assets: &Assets<'_, A>,
    layer: impl Fn(IdString64) -> Option<u32>,
    recorder: &mut StateRecorder<'_, A>,
) -> Result<(), EngineError> {
    let Some(handle) = model.handle() else {
        return create(model, matrix, stage, assets, layer, recorder);
    };
    recorder.set_transform(handle, &Transform::from(*matrix))?;
    if is_behind {
        recorder.set_flags(handle, model.flags)?;
        send_look(model, handle, stage, assets, layer, recorder)?;
    }
    Ok(())
}

/// Reports which mesh and which material a model has, or what is in their place.
fn send_look<A: Allocator + ?Sized>(
    model: &Model,
    handle: RenderHandle,
    stage: u8,
    assets: &Assets<'_, A>,
    layer: impl Fn(IdString64) -> Option<u32>,
    recorder: &mut StateRecorder<'_, A>,
) -> Result<(), RecordError> {
    let Some(look) = assets.look(model.mesh(), model.material()) else { return Ok(()) };
    recorder.set_shape(handle, look.geometry, look.sphere, look.details)?;
    recorder.set_material(handle, look.state, on_stage(stage, look.layer(layer)))
}

/// Makes the render object of a model whose entity has a matrix now.
fn create<A: Allocator + ?Sized>(
    model: &mut Model,
    matrix: &Affine3A,
    stage: u8,
    assets: &Assets<'_, A>,
    layer: impl Fn(IdString64) -> Option<u32>,
    recorder: &mut StateRecorder<'_, A>,
) -> Result<(), EngineError> {
    let Some(look) = assets.look(model.mesh(), model.material()) else { return Ok(()) };
    let object = Mesh {
        transform: Transform::from(*matrix),
        sphere: look.sphere,
        geometry: look.geometry,
        state: look.state,
        layer: on_stage(stage, look.layer(layer)),
        flags: model.flags,
        details: look.details,
    };
    let handle: RenderHandle = recorder.create_mesh(&object)?;
    model.handle = handle.to_bits();
    Ok(())
}

/// Takes notice of what a model names that is not loaded, to be logged once.
fn note_missing<'m>(
    model: &Model,
    assets: &Assets<'m, SharedAllocator<'m>>,
    missing: &mut Array<'m, ResourceKey, SharedAllocator<'m>>,
) {
    for key in [model.mesh(), model.material()] {
        if missing.len() < MISSING_MAX && !assets.has(key) && !missing.contains(&key) {
            // Without memory it is not logged.
            let _ = missing.try_push(key);
        }
    }
}

/// Reports where a light is and how it shines, and makes its render object if it has none.
fn tell_light<A: Allocator + ?Sized>(
    light: &mut PointLight,
    matrix: &Affine3A,
    stage: u8,
    recorder: &mut StateRecorder<'_, A>,
) -> Result<(), EngineError> {
    let placed = light.placed(matrix.translation);
    match light.handle() {
        Some(handle) => recorder.set_light_on(handle, stage, &placed)?,
        None => light.handle = recorder.create_light_on(stage, &placed)?.to_bits(),
    }
    Ok(())
}
