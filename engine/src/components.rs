//! The engine's own components: what an entity looks like, who looks at it, and the light that it is seen by.
//!
//! They join entities and rendering, which know nothing of each other.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::{
    Batch, ComponentError, ComponentManager, ComponentType, Entity, Plain, ResourceWords,
};
use loligo_ids::IdString64;
use loligo_render::{MATERIAL_TYPE, MESH_TYPE, RenderHandle};
use loligo_resources::ResourceKey;

/// The component type of [`Model`], spawned after transforms.
pub const MODEL: ComponentType = ComponentType::new("model", 300);

/// The component type of [`Camera`].
pub const CAMERA: ComponentType = ComponentType::new("camera", 310);

/// The component type of [`Sun`].
pub const SUN: ComponentType = ComponentType::new("sun", 320);

/// What an entity looks like: a mesh and a material, each a resource.
///
/// # Memory
///
/// 24 bytes; in a resource its handle is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Model {
    mesh: ResourceWords,
    material: ResourceWords,
    /// [`MESH_HIDDEN`](loligo_render::MESH_HIDDEN), or 0.
    pub(crate) flags: u32,
    /// The bits of its render object's handle, 0 for none.
    pub(crate) handle: u32,
}

impl Model {
    /// How many words a model has in a resource.
    pub const WORDS: usize = size_of::<Self>() / 4;

    /// Returns a model of a mesh and a material, by the hashes of their names.
    #[must_use]
    pub const fn new(mesh: ResourceWords, material: ResourceWords, flags: u32) -> Self {
        Self { mesh, material, flags, handle: 0 }
    }

    /// Returns the mesh.
    #[must_use]
    pub const fn mesh(&self) -> ResourceKey {
        key(MESH_TYPE, self.mesh)
    }

    /// Returns the material.
    #[must_use]
    pub const fn material(&self) -> ResourceKey {
        key(MATERIAL_TYPE, self.material)
    }

    pub(crate) fn handle(&self) -> Option<RenderHandle> {
        RenderHandle::from_bits(self.handle)
    }
}

/// Returns the key of a resource; without a name, that of the empty one.
const fn key(type_name: &str, name: ResourceWords) -> ResourceKey {
    let name = match name.name() {
        Some(name) => name,
        None => IdString64::new(""),
    };
    ResourceKey { type_hash: IdString64::new(type_name), name }
}

/// How a camera projects: it is where its entity is, and looks along its -z.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Camera {
    /// From the lower edge of the picture to the upper, in radians.
    pub field_of_view: f32,
    /// The nearest that is seen, in metres.
    pub near: f32,
    /// The farthest.
    pub far: f32,
}

impl Default for Camera {
    /// 60 degrees, from 10 cm to 1 km.
    fn default() -> Self {
        Self { field_of_view: core::f32::consts::FRAC_PI_3, near: 0.1, far: 1000.0 }
    }
}

/// The light of the sun, which shines along its entity's -z, that of the sky, and the air. Colors are linear.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Sun {
    /// The sun's color.
    pub color: [f32; 3],
    /// How bright it is.
    pub intensity: f32,
    /// The light from above.
    pub sky: [f32; 3],
    /// The light from below.
    pub ground: [f32; 3],
    /// What is far away.
    pub fog: [f32; 3],
    /// How much of it a metre of air is.
    pub fog_density: f32,
    /// How far around what the camera looks at shadows are drawn, in metres.
    pub shadow_distance: f32,
}

impl Default for Sun {
    /// Warm, in a bluish sky over sand, in clear air.
    fn default() -> Self {
        Self {
            color: [1.0, 0.95, 0.86],
            intensity: 3.0,
            sky: [0.36, 0.46, 0.62],
            ground: [0.2, 0.17, 0.13],
            fog: [0.62, 0.7, 0.8],
            fog_density: 0.0,
            shadow_distance: 80.0,
        }
    }
}

/// All models, and which render objects are still to be made or destroyed.
///
/// The manager of entities spawns and removes; what that means for render objects is told to the recorder by the world
/// afterwards, since a manager knows no other.
///
/// # Invariants
///
/// 1. There is room in `gone` for the handle of every model, so that removal takes no memory.
pub(crate) struct Models<'a, A: Allocator + ?Sized> {
    plain: Plain<'a, Model, A>,
    gone: Array<'a, RenderHandle, A>,
}

impl<'a, A: Allocator + ?Sized> Models<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { plain: Plain::new_in(MODEL, memory), gone: Array::new_in(memory) }
    }

    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<&Model> {
        self.plain.get(entity)
    }

    pub(crate) fn get_mut(&mut self, entity: Entity) -> Option<&mut Model> {
        self.plain.get_mut(entity)
    }

    pub(crate) fn entities(&self) -> &[Entity] {
        self.plain.entities()
    }

    pub(crate) fn values(&self) -> &[Model] {
        self.plain.values()
    }

    /// Returns a handle whose model is gone.
    pub(crate) fn take_gone(&mut self) -> Option<RenderHandle> {
        self.gone.pop()
    }

    fn reserve(&mut self, more: usize) -> Result<(), GrowError> {
        // One more for each that is there, and what waits already lies in front.
        self.gone.try_reserve(self.plain.len() + more)
    }
}

impl<A: Allocator + ?Sized> ComponentManager for Models<'_, A> {
    fn component(&self) -> ComponentType {
        MODEL
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let Ok(models) = bytemuck::try_cast_slice::<u32, Model>(batch.data()) else {
            return Err(ComponentError::data(batch.len(), "the data are no whole models"));
        };
        if let Some(at) = models.iter().position(|model| model.handle != 0) {
            return Err(ComponentError::data(at, "a model has a render object already"));
        }
        self.reserve(batch.len() * batch.copies())?;
        self.plain.spawn(batch)
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities {
            if let Some(handle) = self.plain.get(*entity).and_then(Model::handle) {
                self.gone.push(handle);
            }
        }
        self.plain.remove(entities);
    }
}
