//! The meshes: one buffer of vertices and one of indices.

use loligo_allocators::{Allocator, HeapOffsets, OffsetBlock};
use loligo_gpu::{Buffer, BufferUse, Encoder, Gpu};

use crate::draw::Geometry;
use crate::gpu::data::VERTEX_BYTES;
use crate::gpu::error::GpuRenderError;
use crate::gpu::morphs::{MorphPart, MorphPlace, Morphs};
use crate::gpu::slots::Slots;
use crate::mesh::SkinVertex;
use crate::morph::Morph;
use crate::skinned::MOVED_VERTICES_MAX;

/// The vertices that bones move that there is room for at first.
const MOVED_FIRST: u64 = 1 << 14;

/// The buffers, the owners of their parts, and what is where.
pub(super) struct Meshes<'a, A: Allocator + ?Sized> {
    pub(super) vertices: Buffer,
    pub(super) indices: Buffer,
    vertex_room: HeapOffsets<'a, A>,
    index_room: HeapOffsets<'a, A>,
    vertices_max: u64,
    indices_max: u64,
    slots: Slots<'a, Part, A>,
    /// Two words for each vertex that meshes may have; there is none before the first mesh that
    /// bones move.
    pub(super) skins: Option<Buffer>,
    /// The targets of meshes that have some.
    pub(super) morphs: Morphs<'a, A>,
    /// The vertices after those of meshes that there is room for: those that bones moved.
    moved_max: u64,
}

/// What a mesh has of both buffers: its first vertex, its first index and how many indices.
#[derive(Clone, Copy)]
struct Part {
    vertex: OffsetBlock,
    index: OffsetBlock,
    indices: u64,
    vertices: u32,
    is_skinned: bool,
    morph: Option<MorphPart>,
}

/// What moves the vertices of a mesh.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    /// The number of its first vertex.
    pub(super) first: u32,
    pub(super) vertices: u32,
    pub(super) is_skinned: bool,
    pub(super) morph: Option<MorphPlace>,
}

impl Part {
    const fn geometry(self) -> Geometry {
        Geometry {
            index_count: self.indices as u32,
            first_index: self.index.offset() as u32,
            base_vertex: self.vertex.offset() as i32,
        }
    }
}

impl<'a, A: Allocator + ?Sized> Meshes<'a, A> {
    pub(super) fn try_new_in(
        gpu: &Gpu,
        vertices_max: u32,
        indices_max: u32,
        memory: &'a A,
    ) -> Result<Self, GpuRenderError> {
        let [vertices_max, indices_max] =
            [vertices_max, indices_max].map(|max| u64::from(max).clamp(1, 1 << 31));
        let no_room = |what, limit| GpuRenderError::Full { what, wanted: limit, limit };
        let vertex_bytes = vertices_max * VERTEX_BYTES as u64;
        Ok(Self {
            vertices: gpu.try_buffer("vertices", BufferUse::Vertices, vertex_bytes)?,
            indices: gpu.try_buffer("indices", BufferUse::Indices, indices_max * 4)?,
            vertex_room: HeapOffsets::new_in("vertices of meshes", 0..vertices_max, 0, memory)
                .map_err(|_| no_room("vertices", vertices_max))?,
            index_room: HeapOffsets::new_in("indices of meshes", 0..indices_max, 0, memory)
                .map_err(|_| no_room("indices", indices_max))?,
            vertices_max,
            indices_max,
            slots: Slots::new_in("mesh", memory),
            skins: None,
            morphs: Morphs::try_new_in(memory)?,
            moved_max: 0,
        })
    }

    /// Returns the number of the first vertex that bones moved: after those of all meshes.
    pub(super) const fn first_moved(&self) -> u64 {
        self.vertices_max
    }

    /// Returns what moves the vertices of a mesh.
    pub(super) fn moved(&self, number: u32) -> Option<Moved> {
        let Part { vertex, vertices, is_skinned, morph, .. } = *self.slots.get(number)?;
        let (first, morph) = (vertex.offset() as u32, morph.map(MorphPart::place));
        Some(Moved { first, vertices, is_skinned, morph })
    }

    /// Returns `true` if the buffer of skins or that of targets is another one than the last time.
    pub(super) const fn take_is_changed(&mut self) -> bool {
        core::mem::replace(&mut self.morphs.is_changed, false)
    }

    /// Makes room for vertices that bones move. Returns `true` if the buffer is another one.
    pub(super) fn try_reserve_moved(
        &mut self,
        gpu: &Gpu,
        encoder: &mut Encoder,
        vertices: u64,
    ) -> Result<bool, GpuRenderError> {
        if vertices <= self.moved_max {
            return Ok(false);
        }
        if vertices > u64::from(MOVED_VERTICES_MAX) {
            let (what, limit) = ("vertices that bones move", MOVED_VERTICES_MAX.into());
            return Err(GpuRenderError::Full { what, wanted: vertices, limit });
        }
        let moved_max = vertices.next_power_of_two().max(MOVED_FIRST);
        let bytes = (self.vertices_max + moved_max) * VERTEX_BYTES as u64;
        let larger = gpu.try_buffer("vertices", BufferUse::Vertices, bytes)?;
        encoder.copy(&self.vertices, &larger, self.vertices_max * VERTEX_BYTES as u64);
        (self.vertices, self.moved_max) = (larger, moved_max);
        Ok(true)
    }

    /// Writes which bones move the vertices of a mesh.
    fn try_write_skin(
        &mut self,
        gpu: &Gpu,
        part: Part,
        skin: &[SkinVertex],
    ) -> Result<(), GpuRenderError> {
        if skin.is_empty() {
            return Ok(());
        }
        let size = size_of::<SkinVertex>() as u64;
        if self.skins.is_none() {
            let bytes = self.vertices_max * size;
            self.skins = Some(gpu.try_buffer("skins", BufferUse::Storage, bytes)?);
            self.morphs.is_changed = true;
        }
        if let Some(skins) = &self.skins {
            gpu.try_write_buffer(skins, part.vertex.offset() * size, bytemuck::cast_slice(skin))?;
        }
        Ok(())
    }

    /// Uploads a mesh, in the place of the one of that number where it fits there.
    pub(super) fn try_set(
        &mut self,
        gpu: &Gpu,
        number: u32,
        vertices: &[u8],
        indices: &[u32],
        (skin, morph): (&[SkinVertex], &Morph<'_>),
    ) -> Result<Geometry, GpuRenderError> {
        check(vertices, indices)?;
        if !skin.is_empty() && skin.len() != vertices.len() / VERTEX_BYTES {
            let why = "its skin is not of all its vertices";
            return Err(GpuRenderError::Mesh { why, at: skin.len() as u64 });
        }
        if !morph.targets.is_empty() && morph.firsts.len() != vertices.len() / VERTEX_BYTES + 1 {
            let why = "its targets are not of all its vertices";
            return Err(GpuRenderError::Mesh { why, at: morph.firsts.len() as u64 });
        }
        self.slots.try_reserve(number)?;
        let (vertex_count, index_count) =
            ((vertices.len() / VERTEX_BYTES) as u64, indices.len() as u64);
        let old = self.slots.get(number).copied();
        let part = match old {
            Some(old) if self.fits(old, vertex_count, index_count) => {
                Part { indices: index_count, morph: None, ..old }
            }
            _ => self.try_place(vertex_count, index_count)?,
        };
        let (vertices_own, is_skinned) = (vertex_count as u32, !skin.is_empty());
        let mut part = Part { vertices: vertices_own, is_skinned, ..part };
        let written = gpu
            .try_write_buffer(&self.vertices, part.vertex.offset() * VERTEX_BYTES as u64, vertices)
            .and_then(|()| {
                let indices = bytemuck::cast_slice(indices);
                gpu.try_write_buffer(&self.indices, part.index.offset() * 4, indices)
            });
        let written = written.map_err(GpuRenderError::from);
        let written = written.and_then(|()| self.try_write_skin(gpu, part, skin));
        let written = written.and_then(|()| self.morphs.try_add(gpu, morph));
        let is_elsewhere =
            old.is_none_or(|old| old.vertex != part.vertex || old.index != part.index);
        match written {
            Ok(morph) => part.morph = morph,
            Err(error) => {
                if is_elsewhere {
                    self.free(part);
                }
                return Err(error);
            }
        }
        if let Some(old) = self.slots.replace(number, part) {
            match is_elsewhere {
                true => self.free(old),
                false => old.morph.into_iter().for_each(|morph| self.morphs.free(morph)),
            }
        }
        Ok(part.geometry())
    }

    /// Gives the room of a mesh back.
    pub(super) fn remove(&mut self, number: u32) {
        if let Some(part) = self.slots.take(number) {
            self.free(part);
        }
    }

    /// Returns where the triangles of a mesh are.
    pub(super) fn geometry(&self, number: u32) -> Option<Geometry> {
        self.slots.get(number).map(|part| part.geometry())
    }

    /// Returns how many indices the buffer has.
    pub(super) const fn indices_max(&self) -> u64 {
        self.indices_max
    }

    fn fits(&self, part: Part, vertices: u64, indices: u64) -> bool {
        vertices <= self.vertex_room.len_of(part.vertex)
            && indices <= self.index_room.len_of(part.index)
    }

    fn try_place(&self, vertices: u64, indices: u64) -> Result<Part, GpuRenderError> {
        let Ok(vertex) = self.vertex_room.allocate(vertices, 1) else {
            let limit = self.vertices_max;
            return Err(GpuRenderError::Full { what: "vertices", wanted: vertices, limit });
        };
        let Ok(index) = self.index_room.allocate(indices, 1) else {
            self.vertex_room.free(vertex);
            let limit = self.indices_max;
            return Err(GpuRenderError::Full { what: "indices", wanted: indices, limit });
        };
        let (vertices, is_skinned, morph) = (0, false, None);
        Ok(Part { vertex, index, indices, vertices, is_skinned, morph })
    }

    fn free(&self, part: Part) {
        self.vertex_room.free(part.vertex);
        self.index_room.free(part.index);
        part.morph.into_iter().for_each(|morph| self.morphs.free(morph));
    }
}

impl<A: Allocator + ?Sized> Drop for Meshes<'_, A> {
    fn drop(&mut self) {
        // The rooms report what is never given back.
        self.slots.iter().for_each(|part| self.free(*part));
    }
}

/// Checks that a mesh is valid, and that every index refers to one of its vertices.
fn check(vertices: &[u8], indices: &[u32]) -> Result<(), GpuRenderError> {
    let fault = |why, at: usize| Err(GpuRenderError::Mesh { why, at: at as u64 });
    if vertices.is_empty() || !vertices.len().is_multiple_of(VERTEX_BYTES) {
        return fault("its vertices are no whole number of 32 bytes each", vertices.len());
    }
    if indices.is_empty() || !indices.len().is_multiple_of(3) {
        return fault("its indices are no whole number of triangles", indices.len());
    }
    let count = vertices.len() / VERTEX_BYTES;
    match indices.iter().position(|index| *index as usize >= count) {
        None => Ok(()),
        Some(at) => fault("an index names no vertex", at),
    }
}
