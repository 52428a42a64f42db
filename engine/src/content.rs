//! What a game is made of: its resources, its settings, and what of them is drawn with.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_diagnostics::{Log, context, log};
use loligo_entities::EntityResource;
use loligo_ids::IdString64;
use loligo_render::{
    FrameDescription, MATERIAL_TYPE, MATERIAL_VERSION, MESH_TYPE, MESH_VERSION, SHADER_TYPE,
    SHADER_VERSION, TEXTURE_TYPE, TEXTURE_VERSION,
};
use loligo_resources::{DataFolder, ResourceKey, Resources};
use loligo_tasks::Worker;

use crate::assets::Assets;
use crate::back_end::BackEnd;
use crate::boot::memory_of;
use crate::components::{MODEL, Model};
use crate::error::EngineError;
use crate::memory::{Memory, SharedAllocator};
use crate::renderer::{Renderer, wrong_frame};
use crate::settings::{GameSettings, SETTINGS};
use crate::subsystems::Room;
use crate::world::World;

mod read_ahead;

/// The type of resources of entities that are no levels.
pub(crate) const ENTITY_TYPE: &str = "entity";

/// Resources, settings and what is drawn with.
pub(crate) struct Content<'e, 'm> {
    pub(crate) resources: Resources<'e, SharedAllocator<'m>>,
    pub(crate) settings: GameSettings<'m, SharedAllocator<'m>>,
    pub(crate) assets: Assets<'m, SharedAllocator<'m>>,
    /// The layers of the frame: hashes of their names, by number.
    pub(crate) layers: Array<'m, IdString64, SharedAllocator<'m>>,
    is_drawn: bool,
}

impl<'e, 'm> Content<'e, 'm> {
    /// Opens a data folder and loads what the game starts with; what is drawn with is read on all
    /// threads that have nothing else to do.
    pub(crate) fn try_load(
        folder: DataFolder<'e>,
        is_drawn: bool,
        memory: &Memory<'m>,
        worker: &Worker<'_>,
    ) -> Result<Self, EngineError>
    where
        'm: 'e,
    {
        let engine = memory_of(memory, Room::Engine);
        let mut resources = Resources::try_open_in(folder, memory_of(memory, Room::Resources))?;
        for (name, version) in [
            (MESH_TYPE, MESH_VERSION),
            (MATERIAL_TYPE, MATERIAL_VERSION),
            (SHADER_TYPE, SHADER_VERSION),
            (TEXTURE_TYPE, TEXTURE_VERSION),
        ] {
            resources.try_expect_version(IdString64::new(name), version)?;
        }
        resources.load(SETTINGS)?;
        let payload = resources.get(SETTINGS).map_or(&[][..], |game| game.payload());
        let settings = GameSettings::try_read_in(payload, engine)?;
        let assets = Assets::try_new_in(memory_of(memory, Room::Render))?;
        let layers = Array::new_in(engine);
        let mut content = Self { resources, settings, assets, layers, is_drawn };
        content.resources.load(content.settings.level)?;
        if is_drawn {
            content.read_ahead(worker)?;
            content.load_drawn()?;
        }
        Ok(content)
    }

    /// Makes the renderer of the game's frame.
    pub(crate) fn try_renderer(
        &self,
        back_end: BackEnd<'m>,
        memory: SharedRef<'m>,
    ) -> Result<Renderer<'m>, EngineError> {
        let mut full = Array::new_in(memory);
        for (layer, key) in &*self.settings.full_screen {
            if let Some(material) = self.assets.material(*key) {
                full.try_push((*layer, material.state))?;
            }
        }
        let text = self.resources.get(self.settings.frame).map_or(&[][..], |frame| frame.payload());
        Ok(Renderer::try_new(text, &full, back_end, memory)?)
    }

    /// Loads all scripts, so that each can be asked for by name. They are text, and small.
    #[cfg(feature = "script")]
    pub(crate) fn load_scripts(&mut self, world: &mut World<'m>) -> Result<(), EngineError> {
        let mut keys = Array::new_in(self.layers.memory());
        for entry in self.resources.table().entries() {
            if crate::scripts::Modules::is_script(entry.key) && keys.last() != Some(&entry.key) {
                keys.try_push(entry.key)?;
            }
        }
        for key in &*keys {
            self.resources.load(*key)?;
            if let Some(script) = self.resources.get(*key) {
                world.modules.put(*key, script.payload())?;
            }
        }
        Ok(())
    }

    /// Updates the texts of scripts that have changed, and adds new ones.
    #[cfg(feature = "script")]
    pub(crate) fn update_scripts(
        &mut self,
        world: &mut World<'m>,
        changed: &[ResourceKey],
        memory: &crate::memory::FrameMemory<'m>,
    ) -> Result<(), EngineError> {
        let mut keys = Array::new_in(memory);
        for entry in self.resources.table().entries() {
            let key = entry.key;
            let is_other = changed.contains(&key) || self.resources.get(key).is_none();
            if crate::scripts::Modules::is_script(key) && is_other && keys.last() != Some(&key) {
                keys.try_push(key)?;
            }
        }
        for key in &*keys {
            if self.resources.get(*key).is_none() {
                self.resources.load(*key)?;
            }
            if let Some(script) = self.resources.get(*key) {
                world.modules.put(*key, script.payload())?;
            }
        }
        Ok(())
    }

    /// Loads the resources that subsystems own, and hands each to its owner. One that cannot be used
    /// is logged, and is not there.
    pub(crate) fn load_owned(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let keys = self.not_loaded(|type_hash| world.joined().owns(type_hash))?;
        for key in &*keys {
            self.resources.load(*key)?;
            if let Some(resource) = self.resources.get(*key) {
                world.joined_mut().take_resource(&resource, false, log);
            }
        }
        Ok(())
    }

    /// Loads all resources of entities, with what their models name, so that each can be spawned by
    /// name. One of which something is missing is logged, and is not there.
    pub(crate) fn load_kinds(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let keys = self.not_loaded(|type_hash| type_hash == IdString64::new(ENTITY_TYPE))?;
        for key in &*keys {
            let loaded = self.resources.load(*key).map_err(EngineError::from);
            if let Err(error) = loaded.and_then(|()| self.put_kind(*key, world)) {
                log!(log, Error, "{error}; it cannot be spawned");
                // Tried again at the next reload: what is missing may have come.
                self.resources.unload(*key);
            }
        }
        if keys.is_empty() { Ok(()) } else { self.show_materials(world) }
    }

    /// Returns the resources of some types that are not loaded.
    fn not_loaded(
        &self,
        is_wanted: impl Fn(IdString64) -> bool,
    ) -> Result<Array<'m, ResourceKey, SharedAllocator<'m>>, GrowError> {
        let mut keys = Array::new_in(self.layers.memory());
        for entry in self.resources.table().entries() {
            let key = entry.key;
            let is_new = self.resources.get(key).is_none() && keys.last() != Some(&key);
            if is_new && is_wanted(key.type_hash) {
                keys.try_push(key)?;
            }
        }
        Ok(keys)
    }

    /// Adds a resource of entities that is loaded to those that can be spawned by name.
    pub(crate) fn put_kind(
        &mut self,
        key: ResourceKey,
        world: &mut World<'m>,
    ) -> Result<(), EngineError> {
        self.load_models_of(key)?;
        let Some(kind) = self.resources.get(key) else { return Ok(()) };
        EntityResource::open(kind.payload())?;
        world.kinds_mut().put(key.name, kind.payload())
    }

    /// Shows the world which materials are loaded.
    pub(crate) fn show_materials(&self, world: &mut World<'m>) -> Result<(), EngineError> {
        world.learn(&self.assets, |layer| self.layer(layer))
    }

    /// Returns the number of a layer by the hash of its name.
    pub(crate) fn layer(&self, name: IdString64) -> Option<u32> {
        layer_of(&self.layers, name)
    }

    /// Returns the hashes of the names of all layers of the frame.
    pub(crate) fn layers(&self) -> &[IdString64] {
        &self.layers
    }

    /// Spawns the level.
    pub(crate) fn spawn(&self, world: &mut World<'m>) -> Result<(), EngineError> {
        self.show_materials(world)?;
        let Some(level) = self.resources.get(self.settings.level) else { return Ok(()) };
        context!("When spawning level", level.debug_name());
        world.spawn(&EntityResource::open(level.payload())?, &[loligo_entities::Pose::IDENTITY])?;
        Ok(())
    }

    /// Loads the meshes and materials that the level's models name.
    pub(crate) fn load_models(&mut self) -> Result<(), EngineError> {
        self.load_models_of(self.settings.level)
    }

    /// Loads the meshes and materials that the models of a resource of entities name.
    fn load_models_of(&mut self, key: ResourceKey) -> Result<(), EngineError> {
        if !self.is_drawn {
            return Ok(());
        }
        let Some(level) = self.resources.get(key) else { return Ok(()) };
        let level = EntityResource::open(level.payload())?;
        let words = level.part(MODEL.name).map_or(&[][..], |part| part.data);
        let Ok(models) = bytemuck::try_cast_slice::<u32, Model>(words) else {
            // The manager says so, too, when they are spawned.
            return Err(EngineError::Wrong { key, what: "its models are none" });
        };
        // They are in a resource, which loading others moves.
        let models = Array::try_from_slice_in(models, self.layers.memory())?;
        self.load_models_named(&models)
    }

    /// Loads the meshes and materials of models.
    pub(crate) fn load_models_named(&mut self, models: &[Model]) -> Result<(), EngineError> {
        let Self { resources, assets, is_drawn, .. } = self;
        if *is_drawn {
            for model in models {
                assets.load_mesh(model.mesh(), resources)?;
                assets.load_material(model.material(), resources)?;
            }
        }
        Ok(())
    }

    /// Sends the render thread the description of the frame that was recompiled, and reads its
    /// layers: both, or none where that fails.
    pub(crate) fn replace_frame(&mut self) -> Result<(), EngineError> {
        let Self { resources, settings, assets, layers, .. } = self;
        read_layers(resources, settings.frame, layers, |text| assets.put_frame(text))
    }

    /// Loads materials in addition to those of the level, where anything is drawn.
    pub(crate) fn load_materials(&mut self, materials: &[ResourceKey]) -> Result<(), EngineError> {
        if self.is_drawn {
            for material in materials {
                self.assets.load_material(*material, &mut self.resources)?;
            }
        }
        Ok(())
    }

    fn load_drawn(&mut self) -> Result<(), EngineError> {
        let frame = self.settings.frame;
        if self.resources.get(frame).is_none() {
            self.resources.load(frame)?;
        }
        read_layers(&self.resources, self.settings.frame, &mut self.layers, |_| Ok(()))?;
        let full_screen = self.settings.full_screen.iter().map(|(_, material)| material);
        for material in full_screen.chain(&*self.settings.materials) {
            self.assets.load_material(*material, &mut self.resources)?;
        }
        self.load_models()
    }
}

/// Returns the number of a layer by the hash of its name.
pub(crate) fn layer_of(layers: &[IdString64], name: IdString64) -> Option<u32> {
    let at = layers.iter().position(|layer| *layer == name)?;
    u32::try_from(at).ok()
}

/// Reads the layers of a frame, after `accept` took its text: where that fails, or the text is not
/// a frame, they stay as they were.
fn read_layers<'m>(
    resources: &Resources<'_, SharedAllocator<'m>>,
    key: ResourceKey,
    layers: &mut Array<'m, IdString64, SharedAllocator<'m>>,
    accept: impl FnOnce(&[u8]) -> Result<(), GrowError>,
) -> Result<(), EngineError> {
    let Some(frame) = resources.get(key) else { return Ok(()) };
    let text = frame.payload();
    let frame = FrameDescription::try_read_in(text, layers.memory())
        .map_err(|error| EngineError::Render(wrong_frame(&error)))?;
    layers.try_reserve(frame.layers().len())?;
    accept(text)?;
    layers.clear();
    // There is room.
    layers.extend(frame.layers().map(|layer| IdString64::new(layer.name)));
    Ok(())
}
