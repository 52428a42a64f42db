//! What the render thread was given of resources: where each mesh is in the shared buffers, which
//! number each material has.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Allocator, HeapOffsets, OffsetBlock};
use loligo_containers::{Array, Event, EventStream, GrowError, SortedMap};
use loligo_ids::IdString64;
use loligo_render::{
    Geometry, MATERIAL_TYPE, MESH_TYPE, MaterialResource, MeshResource, ShaderResource,
    TextureResource,
};
use loligo_resources::{DebugName, Resource, ResourceKey, Resources};

use crate::error::EngineError;

/// The number of no texture.
pub(crate) const NO_TEXTURE: u32 = u32::MAX;

/// Makes a plain struct an event that describes the bytes after it.
macro_rules! uploads {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
        #[repr(C)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)+
        }
    )+};
}

uploads! {
    /// A mesh: the words of its vertices follow, and after them its indices. Its place in the
    /// buffers is known already.
    MeshData {
        mesh: u32, vertex_words: u32, index_count: u32, first_index: u32, base_vertex: i32,
    }
    /// All levels of a texture follow.
    TextureData {
        texture: u32, width: u32, height: u32, levels: u32, wrap: u32, is_linear: u32,
    }
    /// The text of a shader follows; its name is what errors call it.
    ShaderData { shader: u32, name: [u8; 32], }
    /// A material, whose number is the state of draws.
    MaterialData {
        state: u32, shader: u32, texture: u32, casts_shadow: u32, values: [[f32; 4]; 3],
    }
    /// The description of the frame follows, as text.
    FrameData { zero: u32, }
}

/// How many vertices and indices all meshes together may have: as many as the graphics card is
/// given room for.
const VERTICES_MAX: u64 = 1 << 19;
const INDICES_MAX: u64 = 1 << 21;

/// A mesh that was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshAsset {
    /// Its number.
    number: u32,
    pub(crate) geometry: Geometry,
    pub(crate) sphere: [f32; 4],
    place: Place,
}

/// What a mesh has of the two buffers.
#[derive(Clone, Copy, Debug)]
struct Place {
    vertices: OffsetBlock,
    indices: OffsetBlock,
}

/// A material that was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaterialAsset {
    /// Its number.
    pub(crate) state: u32,
    /// The layer's name, hashed.
    pub(crate) layer: IdString64,
    /// The end of its name.
    pub(crate) debug_name: DebugName,
}

/// What was loaded, and the uploads that the render thread has not received yet.
pub(crate) struct Assets<'a, A: Allocator + ?Sized> {
    meshes: SortedMap<'a, ResourceKey, MeshAsset, A>,
    materials: SortedMap<'a, ResourceKey, MaterialAsset, A>,
    textures: SortedMap<'a, ResourceKey, u32, A>,
    shaders: SortedMap<'a, ResourceKey, u32, A>,
    /// The owners of the parts of the buffers that all meshes share. The graphics card's side
    /// places meshes by the same rule, in the same order, and looks whether it comes to the same.
    vertex_room: HeapOffsets<'a, A>,
    index_room: HeapOffsets<'a, A>,
    uploads: EventStream<'a, A>,
}

impl<'a, A: Allocator + ?Sized> Assets<'a, A> {
    pub(crate) fn try_new_in(memory: &'a A) -> Result<Self, EngineError> {
        let room =
            |name, max| HeapOffsets::new_in(name, 0..max, 0, memory).map_err(EngineError::Boot);
        Ok(Self {
            meshes: SortedMap::new_in(memory),
            materials: SortedMap::new_in(memory),
            textures: SortedMap::new_in(memory),
            shaders: SortedMap::new_in(memory),
            vertex_room: room("vertices of meshes", VERTICES_MAX)?,
            index_room: room("indices of meshes", INDICES_MAX)?,
            uploads: EventStream::new_in(memory),
        })
    }

    pub(crate) fn mesh(&self, key: ResourceKey) -> Option<&MeshAsset> {
        self.meshes.get(&key)
    }

    pub(crate) fn material(&self, key: ResourceKey) -> Option<&MaterialAsset> {
        self.materials.get(&key)
    }

    /// Returns all materials, sorted by the hashes of their names.
    pub(crate) fn materials(&self) -> impl ExactSizeIterator<Item = (IdString64, &MaterialAsset)> {
        self.materials.keys().iter().map(|key| key.name).zip(self.materials.values())
    }

    /// Loads a mesh, unless it was.
    pub(crate) fn load_mesh<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        resources: &mut Resources<'_, B>,
    ) -> Result<(), EngineError> {
        if self.meshes.contains_key(&key) {
            return Ok(());
        }
        let resource = loaded(key, resources)?;
        self.put_mesh(&resource)
    }

    /// Loads a material, and the shader and the texture that it names, unless they were.
    pub(crate) fn load_material<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        resources: &mut Resources<'_, B>,
    ) -> Result<(), EngineError> {
        if self.materials.contains_key(&key) {
            return Ok(());
        }
        let resource = loaded(key, resources)?;
        let name = DebugName::new(resource.debug_name());
        let material = MaterialResource::open(resource.payload());
        self.put_material(key, name, &material.map_err(|error| bad(key, error))?, resources)
    }

    /// Replaces a resource that was recompiled; returns whether it was one that is drawn with.
    pub(crate) fn reload<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        resources: &mut Resources<'_, B>,
    ) -> Result<bool, EngineError> {
        let Some(resource) = resources.get(key) else { return Ok(false) };
        let type_hash = key.type_hash;
        if type_hash == IdString64::new(MESH_TYPE) && self.meshes.contains_key(&key) {
            self.put_mesh(&resource)?;
        } else if type_hash == IdString64::new(MATERIAL_TYPE) && self.materials.contains_key(&key) {
            let name = DebugName::new(resource.debug_name());
            let material = MaterialResource::open(resource.payload());
            self.put_material(key, name, &material.map_err(|error| bad(key, error))?, resources)?;
        } else if let Some(texture) = self.textures.get(&key).copied() {
            self.put_texture(texture, &resource)?;
        } else if let Some(shader) = self.shaders.get(&key).copied() {
            self.put_shader(shader, &resource)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Sends the render thread the description of a frame.
    pub(crate) fn put_frame(&mut self, text: &[u8]) -> Result<(), GrowError> {
        self.uploads.try_push_with_tail(FrameData { zero: 0 }, text)
    }

    /// Hands over the uploads for the render thread, in exchange for an empty stream.
    pub(crate) const fn exchange(&mut self, empty: EventStream<'a, A>) -> EventStream<'a, A> {
        core::mem::replace(&mut self.uploads, empty)
    }

    /// A mesh that changes stays where it is, if it fits there.
    fn put_mesh(&mut self, resource: &Resource<'_>) -> Result<(), EngineError> {
        let key = resource.key();
        let mesh = MeshResource::open(resource.payload()).map_err(|error| bad(key, error))?;
        let (vertices, indices) = (mesh.vertices().len() as u64, mesh.indices().len() as u64);
        let old = self.meshes.get(&key).copied();
        let kept = old.filter(|old| {
            vertices <= self.vertex_room.len_of(old.place.vertices)
                && indices <= self.index_room.len_of(old.place.indices)
        });
        let mut words = Array::new_in(self.uploads.memory());
        words.try_extend_from_slice(bytemuck::cast_slice(mesh.vertices()))?;
        let vertex_words = words.len() as u32;
        words.try_extend_from_slice(mesh.indices())?;
        self.meshes.try_reserve(1)?;
        let place = match kept {
            Some(old) => old.place,
            None => self.place(vertices, indices)?,
        };
        // Both rooms are smaller than that.
        let base_vertex = place.vertices.offset() as i32;
        let first_index = place.indices.offset() as u32;
        let index_count = indices as u32;
        let geometry = Geometry { index_count, first_index, base_vertex };
        let number = old.map_or(self.meshes.len() as u32, |old| old.number);
        let asset = MeshAsset { number, geometry, sphere: mesh.sphere(), place };
        let data = MeshData { mesh: number, vertex_words, index_count, first_index, base_vertex };
        if let Err(error) = self.uploads.try_push_with_tail(data, &words) {
            // The render thread does not know the new place, so it can be freed.
            if kept.is_none() {
                self.free(&asset);
            }
            return Err(error.into());
        }
        // There is room.
        self.meshes.insert(key, asset);
        if let Some(old) = old.filter(|_| kept.is_none()) {
            self.free(&old);
        }
        Ok(())
    }

    fn place(&self, vertices: u64, indices: u64) -> Result<Place, EngineError> {
        let vertices = self.vertex_room.allocate(vertices, 1).map_err(|_| EngineError::MeshRoom)?;
        let Ok(indices) = self.index_room.allocate(indices, 1) else {
            self.vertex_room.free(vertices);
            return Err(EngineError::MeshRoom);
        };
        Ok(Place { vertices, indices })
    }

    fn free(&self, mesh: &MeshAsset) {
        self.vertex_room.free(mesh.place.vertices);
        self.index_room.free(mesh.place.indices);
    }

    fn put_material<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        debug_name: DebugName,
        material: &MaterialResource,
        resources: &mut Resources<'_, B>,
    ) -> Result<(), EngineError> {
        let shader = self.shader(material.shader, resources)?;
        let texture = match material.texture {
            Some(texture) => self.texture(texture, resources)?,
            None => NO_TEXTURE,
        };
        self.materials.try_reserve(1)?;
        let (next, layer) = (self.materials.len() as u32, material.layer);
        let state = self.materials.get(&key).map_or(next, |known| known.state);
        let MaterialResource { color, roughness, metallic, emission, custom, .. } = *material;
        let values = [color, [roughness, metallic, emission, 0.0], custom];
        let casts_shadow = material.casts_shadow.into();
        let data = MaterialData { state, shader, texture, casts_shadow, values };
        self.uploads.try_push(data)?;
        // There is room.
        self.materials.insert(key, MaterialAsset { state, layer, debug_name });
        Ok(())
    }

    fn shader<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        resources: &mut Resources<'_, B>,
    ) -> Result<u32, EngineError> {
        if let Some(shader) = self.shaders.get(&key) {
            return Ok(*shader);
        }
        let (resource, shader) = (loaded(key, resources)?, self.shaders.len() as u32);
        self.put_shader(shader, &resource)?;
        self.shaders.try_insert(key, shader)?;
        Ok(shader)
    }

    fn texture<B: Allocator + ?Sized>(
        &mut self,
        key: ResourceKey,
        resources: &mut Resources<'_, B>,
    ) -> Result<u32, EngineError> {
        if let Some(texture) = self.textures.get(&key) {
            return Ok(*texture);
        }
        let (resource, texture) = (loaded(key, resources)?, self.textures.len() as u32);
        self.put_texture(texture, &resource)?;
        self.textures.try_insert(key, texture)?;
        Ok(texture)
    }

    fn put_shader(&mut self, shader: u32, resource: &Resource<'_>) -> Result<(), EngineError> {
        let view = ShaderResource::open(resource.payload());
        let text = view.map_err(|error| bad(resource.key(), error))?.text;
        let mut name = [0; 32];
        let told = resource.debug_name().as_bytes();
        name[..told.len()].copy_from_slice(told);
        Ok(self.uploads.try_push_with_tail(ShaderData { shader, name }, text.as_bytes())?)
    }

    fn put_texture(&mut self, texture: u32, resource: &Resource<'_>) -> Result<(), EngineError> {
        let view = TextureResource::open(resource.payload());
        let view = view.map_err(|error| bad(resource.key(), error))?;
        let data = TextureData {
            texture,
            width: view.width(),
            height: view.height(),
            levels: view.levels().len() as u32,
            wrap: view.wrap() as u32,
            is_linear: view.is_linear().into(),
        };
        Ok(self.uploads.try_push_with_tail(data, view.pixels())?)
    }
}

impl<A: Allocator + ?Sized> Drop for Assets<'_, A> {
    fn drop(&mut self) {
        // The rooms report what is never given back.
        self.meshes.values().iter().for_each(|mesh| self.free(mesh));
    }
}

fn loaded<'r, B: Allocator + ?Sized>(
    key: ResourceKey,
    resources: &'r mut Resources<'_, B>,
) -> Result<Resource<'r>, EngineError> {
    // It may have been read ahead.
    if resources.count(key) == 0 {
        resources.load(key)?;
    }
    resources.get(key).ok_or(EngineError::Wrong { key, what: "it was loaded and is gone" })
}

const fn bad(key: ResourceKey, error: loligo_render::ContentError) -> EngineError {
    EngineError::Content { key, error }
}
