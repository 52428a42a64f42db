//! What moves the vertices of meshes by bones and targets.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{
    BindGroup, BindLayout, Bound, Buffer, BufferUse, ComputePipeline, Encoder, GROUPS_MAX, Gpu,
    Slot,
};

use crate::gpu::error::GpuRenderError;
use crate::gpu::meshes::{Meshes, Moved};
use crate::skinned::{MOVED_BY_NONE, SkinnedMesh, Skinning};
use crate::state::Transform;

const SHADER: &str = include_str!("skin.wgsl");

/// The bytes of weights that there is room for at first.
const WEIGHTS_FIRST: u64 = 256;

/// The vertices that a group of threads moves.
const BLOCK: u32 = 64;

/// Vertices next to each other: what a group of threads moves, as the shader reads it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Block {
    source: u32,
    moved: u32,
    count: u32,
    bone: u32,
    firsts: u32,
    deltas: u32,
    weight: u32,
    unused: u32,
}

/// The pipeline, made when it is needed for the first time, and its buffers.
pub(super) struct Skinner<'a, A: Allocator + ?Sized> {
    made: Option<Made>,
    blocks: Array<'a, Block, A>,
}

struct Made {
    layout: BindLayout,
    pipeline: ComputePipeline,
    bones: Buffer,
    blocks: Buffer,
    weights: Buffer,
    /// None where a buffer is another one than it was.
    group: Option<BindGroup>,
}

impl<'a, A: Allocator + ?Sized> Skinner<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { made: None, blocks: Array::new_in(memory) }
    }

    /// Has the card move the vertices of a frame, before anything else of it.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Skin`] for a mesh that has none, or bones that are not there.
    pub(super) fn try_skin(
        &mut self,
        gpu: &Gpu,
        meshes: &mut Meshes<'_, A>,
        encoder: &mut Encoder,
        skinning: &Skinning<'_>,
    ) -> Result<(), GpuRenderError> {
        let is_another = meshes.try_reserve_moved(gpu, encoder, skinning.vertices())?;
        self.list(meshes, skinning)?;
        let columns = (self.blocks.len() as u32).min(GROUPS_MAX);
        let rows = (self.blocks.len() as u32).div_ceil(columns.max(1));
        // Blocks of no vertices, so that all rows are as long.
        self.blocks.try_resize(columns as usize * rows as usize, Block::default())?;
        let parts = [
            bytemuck::cast_slice(skinning.bones),
            bytemuck::cast_slice(&self.blocks),
            bytemuck::cast_slice(skinning.weights),
        ];
        let made = match &mut self.made {
            Some(made) => made,
            none => none.insert(Made::try_new(gpu)?),
        };
        if is_another || meshes.take_is_changed() {
            made.group = None;
        }
        made.try_write(gpu, parts)?;
        // Without any skin, or any target, nothing reads what is in its place.
        let skins = meshes.skins.as_ref().unwrap_or(&made.bones);
        let morphs = meshes.morphs.buffer().unwrap_or(&made.weights);
        let group = match &made.group {
            Some(group) => group,
            None => {
                let Made { bones, blocks, weights, .. } = &*made;
                let bound = [&meshes.vertices, skins, bones, blocks, morphs, weights];
                let bound = bound.map(Bound::Buffer);
                made.group.insert(gpu.try_bind_group("skin", &made.layout, &bound)?)
            }
        };
        encoder.compute(&made.pipeline, group, [columns, rows]);
        Ok(())
    }

    /// Cuts the meshes of a frame into blocks.
    fn list(
        &mut self,
        meshes: &Meshes<'_, A>,
        skinning: &Skinning<'_>,
    ) -> Result<(), GpuRenderError> {
        self.blocks.clear();
        let first_moved = meshes.first_moved() as u32;
        for mesh in skinning.meshes {
            let found = meshes.moved(mesh.mesh).filter(|moved| is_right(mesh, moved, skinning));
            let found = found.ok_or(GpuRenderError::Skin { mesh: mesh.mesh })?;
            let morph = found.morph.filter(|_| mesh.first_weight != MOVED_BY_NONE);
            for start in (0..mesh.vertices).step_by(BLOCK as usize) {
                self.blocks.try_push(Block {
                    source: found.first + start,
                    moved: first_moved + mesh.first_vertex + start,
                    count: (mesh.vertices - start).min(BLOCK),
                    bone: mesh.first_bone,
                    firsts: morph.map_or(MOVED_BY_NONE, |morph| morph.first + start),
                    deltas: morph.map_or(0, |morph| morph.first + mesh.vertices + 1),
                    weight: mesh.first_weight,
                    unused: 0,
                })?;
            }
        }
        Ok(())
    }
}

/// Returns whether a mesh has the vertices that are to be moved, and what moves them is there.
fn is_right(mesh: &SkinnedMesh, found: &Moved, skinning: &Skinning<'_>) -> bool {
    let has_bones = found.is_skinned && (mesh.first_bone as usize) < skinning.bones.len();
    let end = |targets: u32| u64::from(mesh.first_weight) + u64::from(targets);
    let is_within = |targets: u32| end(targets) <= skinning.weights.len() as u64;
    let has_weights = found.morph.is_some_and(|morph| is_within(morph.targets));
    let [bones, weights] = [mesh.first_bone, mesh.first_weight].map(|first| first != MOVED_BY_NONE);
    mesh.vertices == found.vertices
        && (bones || weights)
        && (has_bones || !bones)
        && (has_weights || !weights)
}

impl Made {
    fn try_new(gpu: &Gpu) -> Result<Self, GpuRenderError> {
        let read = Slot::Storage;
        let slots = [Slot::Written, read, read, read, read, read];
        let layout = gpu.try_bind_layout("skin", &slots)?;
        let shader = gpu.try_shader("skin.wgsl", SHADER)?;
        let pipeline = gpu.try_compute_pipeline(&shader, "skin", &layout)?;
        let bones = gpu.try_buffer("bones", BufferUse::Storage, size_of::<Transform>() as u64)?;
        let blocks = gpu.try_buffer("blocks", BufferUse::Storage, size_of::<Block>() as u64)?;
        let weights = gpu.try_buffer("weights", BufferUse::Storage, WEIGHTS_FIRST)?;
        Ok(Self { layout, pipeline, bones, blocks, weights, group: None })
    }

    /// Writes bones, blocks and weights, into larger buffers where they do not fit.
    fn try_write(
        &mut self,
        gpu: &Gpu,
        [bones, blocks, weights]: [&[u8]; 3],
    ) -> Result<(), GpuRenderError> {
        for (name, buffer, bytes) in [
            ("bones", &mut self.bones, bones),
            ("blocks", &mut self.blocks, blocks),
            ("weights", &mut self.weights, weights),
        ] {
            if bytes.len() as u64 > buffer.bytes() {
                let larger = (bytes.len() as u64).next_power_of_two();
                *buffer = gpu.try_buffer(name, BufferUse::Storage, larger)?;
                self.group = None;
            }
            gpu.try_write_buffer(buffer, 0, bytes)?;
        }
        Ok(())
    }
}
