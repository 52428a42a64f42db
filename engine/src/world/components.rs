//! The engine's own components: how an entity looks, the camera, and the light.
//!
//! They join entities and rendering, which know nothing of each other.

use bytemuck::{Pod, Zeroable};
use glam::Vec3A;
use loligo_entities::{ComponentType, ResourceWords};
use loligo_ids::IdString64;
use loligo_render::{Light, MATERIAL_TYPE, MESH_HIDDEN, MESH_TYPE, RenderHandle};
use loligo_resources::ResourceKey;

use super::objects::RenderComponent;

/// The component type of [`Model`], spawned after transforms.
pub const MODEL: ComponentType = ComponentType::new("model", 300);

/// The component type of [`InstanceParameters`](loligo_render::InstanceParameters): what a model has for shaders besides its material, a color
/// and four numbers.
pub const PARAMETERS: ComponentType = ComponentType::new("parameters", 305);

/// The component type of [`MorphWeights`](loligo_render::MorphWeights): the weights of targets that a model
/// has and its mesh has not.
pub const WEIGHTS: ComponentType = ComponentType::new("weights", 306);

/// The component type of [`Camera`].
pub const CAMERA: ComponentType = ComponentType::new("camera", 310);

/// The component type of [`Sun`].
pub const SUN: ComponentType = ComponentType::new("sun", 320);

/// The component type of [`PointLight`].
pub const LIGHT: ComponentType = ComponentType::new("light", 330);

/// The type of resources of entities that are no levels.
pub(crate) const ENTITY_TYPE: &str = "entity";

/// The type of levels.
pub(crate) const LEVEL_TYPE: &str = "level";

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

    pub(crate) const fn set_material(&mut self, name: IdString64) {
        self.material = ResourceWords::of(name);
    }

    pub(crate) fn handle(&self) -> Option<RenderHandle> {
        RenderHandle::from_bits(self.handle)
    }
}

impl RenderComponent for Model {
    const COMPONENT: ComponentType = MODEL;

    fn handle_bits(&self) -> u32 {
        self.handle
    }

    fn forget_handle(&mut self) {
        self.handle = 0;
        self.flags &= MESH_HIDDEN;
    }
}

/// A light that shines from its entity's place into all directions: a lamp, a fire.
///
/// A view is lit by the 1 024 strongest of those that reach into what its camera sees
/// ([`FrameLights`](loligo_render::FrameLights)); the frame's text says how many were left out. They throw
/// no shadows.
///
/// # Memory
///
/// 24 bytes; in a resource its handle is 0.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PointLight {
    /// Its color, linear.
    pub color: [f32; 3],
    /// How bright it is.
    pub intensity: f32,
    /// How far it shines, in metres: beyond there is nothing of it.
    pub range: f32,
    /// The bits of its render object's handle, 0 for none.
    pub(crate) handle: u32,
}

impl PointLight {
    /// Returns a light.
    #[must_use]
    pub const fn new(color: [f32; 3], intensity: f32, range: f32) -> Self {
        Self { color, intensity, range, handle: 0 }
    }

    pub(crate) fn handle(&self) -> Option<RenderHandle> {
        RenderHandle::from_bits(self.handle)
    }

    /// Returns it as it is rendered.
    pub(crate) fn placed(&self, at: Vec3A) -> Light {
        let Self { color, intensity, range, .. } = *self;
        Light { position: at.to_array(), range, color, intensity }
    }
}

impl Default for PointLight {
    /// As bright and as warm as a lantern, for some eight metres around.
    fn default() -> Self {
        Self::new([1.0, 0.82, 0.6], 10.0, 8.0)
    }
}

impl RenderComponent for PointLight {
    const COMPONENT: ComponentType = LIGHT;

    fn handle_bits(&self) -> u32 {
        self.handle
    }

    fn forget_handle(&mut self) {
        self.handle = 0;
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

/// The light of the sun, which shines along its entity's -z, that of the sky, and the air. Colors
/// are linear.
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
