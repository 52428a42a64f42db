//! What goes to the render thread of resources, and what is made ready for it on any thread.

use core::ops::Range;

use bytemuck::{AnyBitPattern, NoUninit};
use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, Event, EventStream, GrowError};
use loligo_ids::IdString64;
use loligo_render::{
    Geometry, Lod, MESH_TYPE, MeshResource, MeshVertex, Morph, SkinVertex, TEXTURE_TYPE,
    TextureResource, TextureTail, Transform,
};
use loligo_resources::{DataFolder, FileRequest, ResourceKey};

use crate::error::EngineError;
use crate::memory::Library;

/// The number of no texture.
pub(crate) const NO_TEXTURE: u32 = u32::MAX;

/// Makes a plain struct an event.
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
    /// A mesh: its block of words has its vertices and after them its indices; where bones move it,
    /// then its skin, two words a vertex, the bones' names, two words each, and twelve words a bone
    /// of what leads to it; then its coarser levels, two words each; then, where targets move it, their
    /// names and weights, a word each, where the deltas of each vertex begin, and seven words a delta.
    /// Its place in the buffers is
    /// known already. Of its indices, `finest` are those of the finest level.
    MeshData {
        mesh: u32, vertex_words: u32, index_count: u32, first_index: u32, base_vertex: i32,
        name: [u32; 2], bones: u32, finest: u32, lods: u32, targets: u32, hysteresis: f32,
        occluder: [[f32; 3]; 2],
    }
    /// A texture: its block of words has its levels. With all of them its largest would be as `whole`.
    TextureData {
        texture: u32, width: u32, height: u32, levels: u32, wrap: u32, is_linear: u32,
        packing: u32, whole: [u32; 2],
    }
    /// Other large levels of a texture that is there: its block of words has those that it does not
    /// have yet.
    TextureLevels { texture: u32, width: u32, height: u32, levels: u32, }
    /// The text of a shader follows; its name is what errors call it.
    ShaderData { shader: u32, name: [u8; 32], }
    /// A material, whose number is the state of draws.
    MaterialData {
        state: u32, shader: u32, textures: [u32; 4], casts_shadow: u32, two_sided: u32,
        values: [[f32; 4]; 3], target: [u32; 2],
        name: [u32; 2], layer: [u32; 2],
    }
    /// The description of the frame follows, as text.
    FrameData { zero: u32, }
    /// Something is gone; its number is used again.
    Removed { what: u32, number: u32, }
}

/// The parts of a mesh's block of words.
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "a card reads it"))]
pub(crate) struct MeshParts<'w> {
    pub(crate) vertices: &'w [u32],
    pub(crate) indices: &'w [u32],
    pub(crate) skin: &'w [SkinVertex],
    /// The hashes of the bones' names, in two words each, the lower half first.
    pub(crate) names: &'w [[u32; 2]],
    pub(crate) rests: &'w [Transform],
    pub(crate) lods: &'w [Lod],
    pub(crate) morph: Morph<'w>,
}

impl MeshData {
    /// Takes a block apart.
    pub(crate) fn parts<'w>(&self, block: &'w [u32]) -> MeshParts<'w> {
        let (vertices, rest) = cut(block, self.vertex_words as usize);
        let (indices, rest) = cut(rest, self.index_count as usize);
        let count = size_of_val(vertices) / size_of::<MeshVertex>();
        let skin_words = if self.bones == 0 { 0 } else { 2 * count };
        let (skin, rest) = cut(rest, skin_words);
        let (names, rest) = cut(rest, 2 * self.bones as usize);
        let names = names.as_chunks().0;
        let (rests, rest) = cut(rest, TRANSFORM_WORDS * self.bones as usize);
        let (lods, rest) = cut(rest, LOD_WORDS * self.lods as usize);
        let (targets, rest) = cut(rest, self.targets as usize);
        let (weights, rest) = cut(rest, self.targets as usize);
        let (firsts, deltas) = cut(rest, if self.targets == 0 { 0 } else { count + 1 });
        let (weights, deltas) = (bytemuck::cast_slice(weights), bytemuck::cast_slice(deltas));
        let morph = Morph { targets, weights, firsts, deltas };
        let (skin, rests) = (bytemuck::cast_slice(skin), bytemuck::cast_slice(rests));
        let lods = bytemuck::cast_slice(lods);
        MeshParts { vertices, indices, skin, names, rests, lods, morph }
    }

    /// Returns the triangles of the finest level.
    pub(crate) const fn geometry(&self) -> Geometry {
        let Self { finest, first_index, base_vertex, .. } = *self;
        Geometry { index_count: finest, first_index, base_vertex }
    }

    /// Returns the corners of the box that hides what it covers, if there is one.
    pub(crate) fn occluder(&self) -> Option<[Vec3; 2]> {
        let [low, high] = self.occluder;
        (low != high).then(|| [low, high].map(Vec3::from_array))
    }

    /// Returns the triangles of all levels.
    pub(crate) const fn all(&self) -> Geometry {
        Geometry { index_count: self.index_count, ..self.geometry() }
    }
}

const TRANSFORM_WORDS: usize = size_of::<Transform>() / size_of::<u32>();
const LOD_WORDS: usize = size_of::<Lod>() / size_of::<u32>();

/// Cuts words in two, the first `at` words long if there are as many.
fn cut(words: &[u32], at: usize) -> (&[u32], &[u32]) {
    words.split_at(at.min(words.len()))
}

/// What has numbers on the render thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Numbered {
    Mesh,
    Material,
    Texture,
    Shader,
}

impl Numbered {
    pub(crate) const ALL: [Self; 4] = [Self::Mesh, Self::Material, Self::Texture, Self::Shader];
}

/// Returns the hash of a name in two words, the lower half first.
pub(crate) const fn words_of(name: IdString64) -> [u32; 2] {
    [name.hash() as u32, (name.hash() >> 32) as u32]
}

/// Returns the hash of a name from two words.
pub(crate) const fn name_of([low, high]: [u32; 2]) -> IdString64 {
    IdString64::from_hash(low as u64 | (high as u64) << 32)
}

/// What the render thread is to receive: records, and the blocks of words of meshes and textures in
/// the order of their records. Blocks move; they are copied where they are made, on any thread.
pub(crate) struct Uploads<'a, A: Allocator + ?Sized> {
    /// How many were handed over before.
    pub(crate) number: u64,
    pub(crate) records: EventStream<'a, A>,
    pub(crate) blocks: Array<'a, Array<'a, u32, A>, A>,
}

impl<'a, A: Allocator + ?Sized> Uploads<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { number: 0, records: EventStream::new_in(memory), blocks: Array::new_in(memory) }
    }

    /// Appends a record with its block: both, or nothing.
    pub(crate) fn try_push<E: Event>(
        &mut self,
        record: E,
        block: Array<'a, u32, A>,
    ) -> Result<(), GrowError> {
        self.blocks.try_reserve(1)?;
        self.records.try_push(record)?;
        // There is room.
        self.blocks.push(block);
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.blocks.clear();
    }
}

/// How much there is of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshCounts {
    pub(crate) vertices: u32,
    /// Those of all levels.
    pub(crate) indices: u32,
    /// Those of the finest level.
    pub(crate) finest: u32,
    /// How many bones move it.
    pub(crate) bones: u32,
    /// How many coarser levels it has, and by which share of a limit a size must be past it.
    pub(crate) lods: u32,
    /// How many targets move it.
    pub(crate) targets: u32,
    pub(crate) hysteresis: f32,
    /// The corners of a box that hides what it covers; both the same without one.
    pub(crate) occluder: [[f32; 3]; 2],
}

/// What the render thread needs of a resource, made ready.
pub(crate) enum Prepared<'a, A: Allocator + ?Sized> {
    Mesh {
        words: Array<'a, u32, A>,
        counts: MeshCounts,
        sphere: [f32; 4],
    },
    Texture {
        words: Array<'a, u32, A>,
        data: TextureData,
        tail: TextureTail,
    },
    /// It needs nothing that takes long.
    Other,
}

impl<'a, A: Allocator + ?Sized> Prepared<'a, A> {
    /// Checks a resource and copies what the graphics card gets of it; the tail of a texture is read
    /// where it is not streamed.
    ///
    /// # Errors
    ///
    /// [`EngineError::Content`] if it is not what its type says, [`EngineError::Load`] if its tail
    /// cannot be read, or there is no memory.
    pub(crate) fn try_new(
        key: ResourceKey,
        payload: &[u8],
        file: &TailFile<'_, '_>,
        memory: &'a A,
    ) -> Result<Self, EngineError> {
        let bad = |error| EngineError::Content { key, error };
        if key.type_hash == IdString64::new(MESH_TYPE) {
            let mesh = MeshResource::open(payload).map_err(bad)?;
            Self::of_mesh(mesh.vertices(), mesh.all_indices(), mesh.sphere(), Some(&mesh), memory)
        } else if key.type_hash == IdString64::new(TEXTURE_TYPE) {
            let texture = TextureResource::open(payload).map_err(bad)?;
            let tail = texture.tail();
            let first = if file.is_streamed { tail.levels() } else { 0 };
            let mut words = file.try_read(key, &tail, first..tail.levels(), memory)?;
            append_bytes(&mut words, texture.pixels())?;
            let [width, height] = tail.sides(first);
            let data = TextureData {
                texture: 0,
                width,
                height,
                levels: texture.level_count() - first,
                wrap: texture.wrap() as u32,
                is_linear: texture.is_linear().into(),
                packing: texture.packing() as u32,
                whole: tail.sides(0),
            };
            Ok(Self::Texture { words, data, tail })
        } else {
            Ok(Self::Other)
        }
    }

    pub(crate) fn of_mesh(
        vertices: &[MeshVertex],
        indices: &[u32],
        sphere: [f32; 4],
        mesh: Option<&MeshResource<'_>>,
        memory: &'a A,
    ) -> Result<Self, EngineError> {
        let mut words = Array::new_in(memory);
        let vertex_words = bytemuck::cast_slice::<MeshVertex, u32>(vertices);
        let skinned = mesh.filter(|mesh| !mesh.skin().is_empty());
        let parts: [&[u32]; 3] = skinned.map_or([&[]; 3], |mesh| {
            let (skin, rests) = (mesh.skin(), mesh.rests());
            let names = bytemuck::cast_slice(mesh.bones());
            [bytemuck::cast_slice(skin), names, bytemuck::cast_slice(rests)]
        });
        let lods = mesh.map_or(&[][..], |mesh| bytemuck::cast_slice(mesh.lods()));
        let Morph { targets, weights, firsts, deltas } =
            mesh.map_or_else(Morph::default, MeshResource::morph);
        let (weights, deltas) = (bytemuck::cast_slice(weights), bytemuck::cast_slice(deltas));
        let parts = parts.into_iter().chain([lods, targets, weights, firsts, deltas]);
        let more = parts.clone().map(<[u32]>::len).sum::<usize>();
        words.try_reserve(vertex_words.len() + indices.len() + more)?;
        words.extend_from_slice(vertex_words);
        words.extend_from_slice(indices);
        parts.for_each(|part| words.extend_from_slice(part));
        let counts = MeshCounts {
            vertices: vertices.len() as u32,
            indices: indices.len() as u32,
            finest: mesh.map_or(indices.len(), |mesh| mesh.indices().len()) as u32,
            bones: skinned.map_or(0, |mesh| mesh.bones().len()) as u32,
            lods: mesh.map_or(0, |mesh| mesh.lods().len()) as u32,
            targets: targets.len() as u32,
            hysteresis: mesh.map_or(0.0, MeshResource::hysteresis),
            occluder: mesh.and_then(MeshResource::occluder).unwrap_or_default(),
        };
        Ok(Self::Mesh { words, counts, sphere })
    }
}

/// Appends bytes in words: what is less than a word is left out.
pub(crate) fn append_bytes<A: Allocator + ?Sized>(
    words: &mut Array<'_, u32, A>,
    bytes: &[u8],
) -> Result<(), GrowError> {
    let (before, more) = (words.len(), bytes.len() / 4);
    words.try_resize(before + more, 0)?;
    bytemuck::cast_slice_mut(&mut words.as_mut_slice()[before..])
        .copy_from_slice(&bytes[..more * 4]);
    Ok(())
}

/// The file that the tail of a texture is read from, and whether it is read later.
#[derive(Clone, Copy)]
pub(crate) struct TailFile<'t, 'p> {
    pub(crate) file: FileRequest,
    pub(crate) folder: &'t DataFolder<'p>,
    pub(crate) is_streamed: bool,
}

impl TailFile<'_, '_> {
    /// Reads and checks some levels of a tail.
    ///
    /// # Errors
    ///
    /// [`EngineError::Load`] if they cannot be read, [`EngineError::Wrong`] if they are damaged, or
    /// there is no memory.
    pub(crate) fn try_read<'a, A: Allocator + ?Sized>(
        &self,
        key: ResourceKey,
        tail: &TextureTail,
        levels: Range<u32>,
        memory: &'a A,
    ) -> Result<Array<'a, u32, A>, EngineError> {
        let from_end = tail.from_end(levels.start);
        let bytes = from_end - tail.from_end(levels.end);
        let mut words: Array<'a, u32, A> = Array::new_in(memory);
        if bytes == 0 {
            return Ok(words);
        }
        words.try_resize((bytes / 4) as usize, 0)?;
        let into: &mut [u8] = bytemuck::cast_slice_mut(words.as_mut_slice());
        // Paths are on the global heap.
        let read = || self.file.read_tail(self.folder, from_end, into, memory);
        Library::Std.run(read)?;
        if !tail.are_right(levels.start, bytemuck::cast_slice(&words)) {
            return Err(EngineError::Wrong { key, what: "the file is damaged; compile it again" });
        }
        Ok(words)
    }
}
