//! What moves the vertices of meshes by bones.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{
    BindGroup, BindLayout, Bound, Buffer, BufferUse, ComputePipeline, Encoder, GROUPS_MAX, Gpu,
    Slot,
};

use crate::gpu::error::GpuRenderError;
use crate::gpu::meshes::Meshes;
use crate::skinned::Skinning;
use crate::state::Transform;

const SHADER: &str = include_str!("skin.wgsl");

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
        let (bones, blocks) = (skinning.bones, &*self.blocks);
        let made = match &mut self.made {
            Some(made) => made,
            none => none.insert(Made::try_new(gpu)?),
        };
        if is_another {
            made.group = None;
        }
        made.try_write(gpu, bytemuck::cast_slice(bones), bytemuck::cast_slice(blocks))?;
        let Some(skins) = &meshes.skins else { return Ok(()) };
        let group = match &made.group {
            Some(group) => group,
            None => {
                let bound = [&meshes.vertices, skins, &made.bones, &made.blocks].map(Bound::Buffer);
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
            let wrong = GpuRenderError::Skin { mesh: mesh.mesh };
            let Some((first, skinned)) = meshes.skinned(mesh.mesh) else { return Err(wrong) };
            if mesh.vertices != skinned || mesh.first_bone as usize >= skinning.bones.len() {
                return Err(wrong);
            }
            for start in (0..mesh.vertices).step_by(BLOCK as usize) {
                self.blocks.try_push(Block {
                    source: first + start,
                    moved: first_moved + mesh.first_vertex + start,
                    count: (mesh.vertices - start).min(BLOCK),
                    bone: mesh.first_bone,
                })?;
            }
        }
        Ok(())
    }
}

impl Made {
    fn try_new(gpu: &Gpu) -> Result<Self, GpuRenderError> {
        let slots = [Slot::Written, Slot::Storage, Slot::Storage, Slot::Storage];
        let layout = gpu.try_bind_layout("skin", &slots)?;
        let shader = gpu.try_shader("skin.wgsl", SHADER)?;
        let pipeline = gpu.try_compute_pipeline(&shader, "skin", &layout)?;
        let bones = gpu.try_buffer("bones", BufferUse::Storage, size_of::<Transform>() as u64)?;
        let blocks = gpu.try_buffer("blocks", BufferUse::Storage, size_of::<Block>() as u64)?;
        Ok(Self { layout, pipeline, bones, blocks, group: None })
    }

    /// Writes bones and blocks, into larger buffers where they do not fit.
    fn try_write(&mut self, gpu: &Gpu, bones: &[u8], blocks: &[u8]) -> Result<(), GpuRenderError> {
        for (name, buffer, bytes) in
            [("bones", &mut self.bones, bones), ("blocks", &mut self.blocks, blocks)]
        {
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
