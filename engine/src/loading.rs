//! What a game is made of: its resources, its settings, and what of them is drawn with.

use core::ops::RangeBounds;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_diagnostics::{Log, context};
use loligo_entities::EntityResource;
use loligo_ids::IdString64;
use loligo_interface::{ListNeeds, ListResourceNeeds, SubsystemRow};
use loligo_render::{
    FrameDescription, LayerTakes, MATERIAL_TYPE, MATERIAL_VERSION, MESH_TYPE, MESH_VERSION,
    SHADER_TYPE, SHADER_VERSION, TEXTURE_TYPE, TEXTURE_VERSION,
};
use loligo_resources::{DataFolder, PreferenceOrder, ResourceKey, Resources};
use loligo_tasks::Worker;

use crate::assets::Assets;
use crate::drawing::{BackEnd, Renderer};
use crate::error::{EngineError, wrong_frame};
use crate::memory::{Memory, Room, SharedAllocator, memory_of};
use crate::options::{GameSettings, SETTINGS};
use crate::world::{ENTITY_TYPE, FrameView, Model, Want, World};

mod reader;
mod store;
mod streamed_textures;
mod streaming;
mod tail_request;
mod tails;

pub(crate) use reader::{ClosingReader, READERS, Reader};
pub(crate) use store::Stage;
pub(crate) use streamed_textures::StreamedTextures;
pub use streamed_textures::TextureMemory;
pub(crate) use streaming::Owners;
use tails::Tails;

use store::Store;

/// Resources, settings and what is drawn with.
pub(crate) struct Content<'e, 'm> {
    folder: DataFolder<'e>,
    pub(crate) resources: Resources<'e, SharedAllocator<'m>>,
    pub(crate) settings: GameSettings<'m, SharedAllocator<'m>>,
    pub(crate) assets: Assets<'m, SharedAllocator<'m>>,
    /// The hashes of the names of the frame's layers, by their numbers.
    pub(crate) layers: Array<'m, IdString64, SharedAllocator<'m>>,
    /// The views of the frame.
    views: Array<'m, FrameView, SharedAllocator<'m>>,
    /// What is wanted.
    pub(crate) store: Store<'m>,
    /// What the settings name: wanted for as long as the game runs.
    kept: Array<'m, Want, SharedAllocator<'m>>,
    /// The materials of the frame's layers, and the `materials` of the settings: both may change.
    styles: Array<'m, Want, SharedAllocator<'m>>,
    materials: Array<'m, Want, SharedAllocator<'m>>,
    /// What the entities of a saved game are made of: wanted until the level changes.
    pub(crate) saved: Array<'m, Want, SharedAllocator<'m>>,
    pub(crate) level: Option<Want>,
    /// Reads in the background, and how many files are under way there.
    pub(crate) reader: Option<&'e Reader<'m>>,
    under_way: usize,
    /// What the table does not have, to be taken notice of.
    lost: Array<'m, (Want, EngineError), SharedAllocator<'m>>,
    /// Meshes and materials that look different since the world has been shown them.
    looks: Array<'m, ResourceKey, SharedAllocator<'m>>,
    are_materials_changed: bool,
    /// What is loaded already, and has changed.
    renewed: Option<ResourceKey>,
    /// The large levels of textures, where there is a budget for them.
    pub(crate) textures: Option<StreamedTextures<'m>>,
    /// The parts of files that subsystems want.
    tails: Tails<'m>,
    is_drawn: bool,
    /// What lists the resources that components of subsystems need.
    needs: Array<'m, ListNeeds, SharedAllocator<'m>>,
    /// And what lists those that resources of subsystems need.
    resource_needs: Array<'m, ListResourceNeeds, SharedAllocator<'m>>,
}

impl<'m: 'e, 'e> Content<'e, 'm> {
    /// Opens a data folder and loads what the game starts with; what is drawn with is read on all
    /// threads that have nothing else to do.
    pub(crate) fn try_load(
        folder: DataFolder<'e>,
        (is_drawn, texture_budget, prefer): (bool, Option<u64>, Option<PreferenceOrder>),
        rows: impl Iterator<Item = SubsystemRow>,
        memory: &Memory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        worker: &Worker<'_>,
    ) -> Result<Self, EngineError> {
        let [engine, files, render] =
            [Room::Engine, Room::Resources, Room::Render].map(|room| memory_of(memory, room));
        let mut resources = Resources::try_open_in(folder, files)?;
        for (name, version) in [
            (MESH_TYPE, MESH_VERSION),
            (MATERIAL_TYPE, MATERIAL_VERSION),
            (SHADER_TYPE, SHADER_VERSION),
            (TEXTURE_TYPE, TEXTURE_VERSION),
        ] {
            resources.try_expect_version(IdString64::new(name), version)?;
        }
        if let Some(order) = prefer {
            resources.try_set_preference_order(order.hashes(), &mut |_| {})?;
        }
        resources.load(SETTINGS)?;
        let mut settings = read_settings(&resources, engine)?;
        match prefer {
            Some(order) => settings.prefer = order,
            None => {
                // The settings may have a variant themselves, which has no say in what is preferred.
                let order = settings.prefer;
                resources.try_set_preference_order(order.hashes(), &mut |_| {})?;
                settings = GameSettings { prefer: order, ..read_settings(&resources, engine)? };
            }
        }
        let mut content = Self {
            folder,
            resources,
            settings,
            assets: Assets::try_new_in(render)?,
            layers: Array::new_in(engine),
            views: Array::new_in(engine),
            store: Store::new_in(files),
            kept: Array::new_in(engine),
            styles: Array::new_in(engine),
            materials: Array::new_in(engine),
            saved: Array::new_in(engine),
            level: None,
            reader: None,
            under_way: 0,
            lost: Array::new_in(files),
            looks: Array::new_in(engine),
            are_materials_changed: true,
            renewed: None,
            textures: None,
            tails: Tails::new_in(files),
            is_drawn,
            needs: Array::new_in(engine),
            resource_needs: Array::new_in(engine),
        };
        let budget = texture_budget.or(content.settings.texture_budget);
        if let Some(budget) = budget.filter(|_| is_drawn) {
            content.textures = Some(StreamedTextures::new_in(budget, engine));
        }
        for row in rows {
            content.needs.try_extend(row.needs())?;
            content.resource_needs.try_extend(row.resource_needs())?;
        }
        content.load_first(&mut Owners { world: None, log }, worker)?;
        Ok(content)
    }

    /// Loads what the settings name.
    fn load_first(
        &mut self,
        owners: &mut Owners<'_, '_, 'm>,
        worker: &Worker<'_>,
    ) -> Result<(), EngineError> {
        if self.is_drawn {
            self.assets.make_placeholder()?;
            self.resources.load(self.settings.frame)?;
            self.read_frame(|_, _| Ok(()))?;
            let mut keys = Array::new_in(self.layers.memory());
            keys.try_extend_from_slice(&self.settings.materials)?;
            self.replace_materials(&keys)?;
        }
        // A level that is missing is an error, and one that is wrong as well.
        let key = self.settings.level;
        self.resources.load(key)?;
        let level = self.resources.get(key).map_or(&[][..], |level| level.payload());
        EntityResource::open(level)?;
        let level = self.want_now(key, owners, worker);
        self.resources.unload(key);
        self.level = Some(level?);
        Ok(())
    }

    /// Makes the renderer of the game's frame.
    pub(crate) fn try_renderer(
        &self,
        back_end: BackEnd<'m>,
        memory: SharedRef<'m>,
    ) -> Result<Renderer<'m>, EngineError> {
        let text = self.resources.get(self.settings.frame).map_or(&[][..], |frame| frame.payload());
        Ok(Renderer::try_new(text, back_end, memory)?)
    }

    /// Loads all scripts, so that each can be asked for by name. They are text, and small.
    #[cfg(feature = "script")]
    pub(crate) fn load_scripts(&mut self, world: &mut World<'m>) -> Result<(), EngineError> {
        let mut keys = Array::new_in(self.layers.memory());
        for entry in self.resources.table().entries() {
            if crate::world::Modules::is_script(entry.key) && keys.last() != Some(&entry.key) {
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
            if crate::world::Modules::is_script(key) && is_other && keys.last() != Some(&key) {
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

    /// Loads what can be spawned by name and what subsystems own: all that there is of it in a game
    /// that names no packages, else what is in those. What cannot be used is logged, and is not
    /// there.
    pub(crate) fn load_all(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        worker: &Worker<'_>,
    ) -> Result<(), EngineError> {
        if self.settings.packages.is_none() {
            let entity = IdString64::new(ENTITY_TYPE);
            let mut keys = Array::new_in(self.layers.memory());
            for entry in self.resources.table().entries() {
                let key = entry.key;
                let is_wanted = key.type_hash == entity || world.joined().owns(key.type_hash);
                let is_new = self.store.find(key).is_none() && keys.last() != Some(&key);
                if is_wanted && is_new {
                    keys.try_push(key)?;
                }
            }
            self.want_all(&keys, |content| &mut content.kept)?;
        }
        self.finish(&mut Owners { world: Some(world), log }, worker)
    }

    /// Hands a world what was loaded before it was there.
    pub(crate) fn hand_over(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        for key in self.store.all_complete() {
            if let Some(resource) = self.resources.get(key) {
                world.take_resource(&resource, false, log)?;
            }
        }
        self.settle(&mut Owners { world: Some(world), log })
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
        let Some(level) = self.resources.get(self.settings.level) else { return Ok(()) };
        context!("When spawning level", level.debug_name());
        world.spawn(&EntityResource::open(level.payload())?, &[loligo_entities::Pose::IDENTITY])?;
        Ok(())
    }

    /// Returns the views of the frame; none where nothing is drawn.
    pub(crate) fn views(&self) -> &[FrameView] {
        &self.views
    }

    /// Sends the render thread the description of the frame that was recompiled, reads its layers
    /// and views, and wants their materials: all of it, or nothing where that fails.
    pub(crate) fn replace_frame(&mut self) -> Result<(), EngineError> {
        self.read_frame(|assets, text| assets.put_frame(text))
    }

    /// Reads the layers and views of the frame, after `accept` took its text: where that fails, or
    /// the text is not a frame, they stay as they were.
    fn read_frame(
        &mut self,
        accept: impl FnOnce(&mut Assets<'m, SharedAllocator<'m>>, &[u8]) -> Result<(), GrowError>,
    ) -> Result<(), EngineError> {
        let Some(text) = self.resources.get(self.settings.frame) else { return Ok(()) };
        let frame = FrameDescription::try_read_in(text.payload(), self.layers.memory())
            .map_err(|error| EngineError::Render(wrong_frame(&error)))?;
        let mut keys = Array::new_in(self.layers.memory());
        let names = frame.layers().filter_map(|layer| Some(layer.material?.len()));
        keys.try_reserve(names.count())?;
        for name in frame.layers().filter_map(|layer| layer.material) {
            keys.push(ResourceKey::new(MATERIAL_TYPE, name));
        }
        self.layers.try_reserve(frame.layer_names().len())?;
        self.views.try_reserve(frame.views().len())?;
        let held = self.styles.len();
        self.want_all(&keys, |content| &mut content.styles)?;
        let Self { resources, settings, assets, layers, views, styles, store, .. } = self;
        let text = resources.get(settings.frame).map_or(&[][..], |frame| frame.payload());
        let accepted = accept(assets, text);
        let unwanted = if accepted.is_ok() { 0..held } else { held..styles.len() };
        styles.drain(unwanted).for_each(|material| store.release(material));
        accepted?;
        layers.clear();
        views.clear();
        // There is room.
        layers.extend(frame.layer_names().map(IdString64::new));
        views.extend(frame.views().map(|view| FrameView::of(&view)));
        // The first that has meshes, as far as that can be known.
        let first = frame.layers().find(|layer| layer.takes == LayerTakes::Own);
        assets.set_placeholder_layer(first.map_or(u32::MAX, |layer| layer.name_number.into()));
        Ok(())
    }

    /// Returns whether a layer of the frame names a material, by the hash of its name.
    pub(crate) fn is_style(&self, name: IdString64) -> bool {
        let key = ResourceKey { type_hash: IdString64::new(MATERIAL_TYPE), name };
        self.store.find(key).is_some_and(|want| self.styles.contains(&want))
    }

    /// Wants what models are made of, for as long as the level of a saved game is there.
    pub(crate) fn want_models(&mut self, models: &[Model]) -> Result<(), EngineError> {
        if self.is_drawn {
            for model in models {
                let keys = [model.mesh(), model.material()];
                self.want_all(&keys, |content| &mut content.saved)?;
            }
        }
        Ok(())
    }

    /// Wants what components of subsystems need, for as long as the level of a saved game is there.
    pub(crate) fn want_needs(&mut self, world: &World<'m>) -> Result<(), EngineError> {
        let mut keys = Array::new_in(self.layers.memory());
        let mut pushed = Ok(());
        for (_, subsystem) in world.joined().all() {
            subsystem.needs(&mut |type_name, name| {
                if is_needed(type_name, self.is_drawn) {
                    let type_hash = IdString64::new(type_name);
                    pushed = pushed.and_then(|()| keys.try_push(ResourceKey { type_hash, name }));
                }
            });
        }
        pushed?;
        Ok(self.want_all(&keys, |content| &mut content.saved)?)
    }

    /// Wants some of what the models of saved games are made of no more.
    pub(crate) fn release_saved(&mut self, range: impl RangeBounds<usize>) {
        let Self { saved, store, .. } = self;
        saved.drain(range).for_each(|wanted| store.release(wanted));
    }

    /// Wants materials in place of those that the settings have named, where anything is drawn.
    pub(crate) fn replace_materials(
        &mut self,
        materials: &[ResourceKey],
    ) -> Result<(), EngineError> {
        if !self.is_drawn {
            return Ok(());
        }
        let held = self.materials.len();
        let wanted = self.want_all(materials, |content| &mut content.materials);
        let unwanted = if wanted.is_ok() { 0..held } else { held..self.materials.len() };
        let Self { materials, store, .. } = self;
        materials.drain(unwanted).for_each(|material| store.release(material));
        Ok(wanted?)
    }
}

/// Reads the settings of a game, which are loaded.
fn read_settings<'m>(
    resources: &Resources<'_, SharedAllocator<'m>>,
    memory: SharedRef<'m>,
) -> Result<GameSettings<'m, SharedAllocator<'m>>, EngineError> {
    let payload = resources.get(SETTINGS).map_or(&[][..], |game| game.payload());
    GameSettings::try_read_in(payload, memory)
}

/// Returns whether a resource of a type that a component names is to be loaded: where nothing is drawn,
/// what is drawn with is not.
fn is_needed(type_name: &str, is_drawn: bool) -> bool {
    is_drawn || ![MESH_TYPE, MATERIAL_TYPE].contains(&type_name)
}

/// Returns the number of a layer by the hash of its name.
pub(crate) fn layer_of(layers: &[IdString64], name: IdString64) -> Option<u32> {
    let at = layers.iter().position(|layer| *layer == name)?;
    u32::try_from(at).ok()
}
