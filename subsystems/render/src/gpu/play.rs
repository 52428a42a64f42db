//! A frame on its way to the graphics card.

use loligo_allocators::Allocator;
use loligo_gpu::{Encoder, Gpu, JobPass, Pass};
use loligo_ids::id32;

use crate::backend::Backend;
use crate::context::Job;
use crate::draw::IndirectArgs;
use crate::frame::{COLORS_MAX, LayerRef, PassRef, part_of};
use crate::gpu::data::{SeenView, VERTEX_BYTES};
use crate::gpu::drawn::Drawn;
use crate::gpu::error::GpuRenderError;
use crate::gpu::instances::Instances;
use crate::gpu::jobs::Jobs;
use crate::gpu::materials::Materials;
use crate::gpu::meshes::Meshes;
use crate::gpu::shaders::{Layouts, Shaders};
use crate::gpu::sums::GpuSums;
use crate::gpu::targets::Targets;
use crate::gpu::triangles::Triangles;

/// The job that draws a material over the whole screen: a sky, or what brings a target to the
/// window. Its data are the number of the material, 4 bytes in the machine's order.
pub const FULLSCREEN: u32 = id32!("fullscreen").hash();

/// The job that draws triangles which are made for the frame. Its data are the number of the
/// material, 4 bytes in the machine's order, and vertices of
/// [`VERTEX_BYTES`](crate::gpu::VERTEX_BYTES), three a triangle, in places of the world.
pub const TRIANGLES: u32 = id32!("triangles").hash();

/// The bytes of a triangle.
const TRIANGLE: usize = 3 * VERTEX_BYTES;

/// Nothing is bound.
const NONE: u32 = u32::MAX;

/// Encodes the commands of a frame.
pub(super) struct Playing<'p, 'a, A: Allocator + ?Sized> {
    pub(super) gpu: &'p Gpu,
    pub(super) meshes: &'p Meshes<'a, A>,
    pub(super) materials: &'p Materials<'a, A>,
    pub(super) instances: &'p Instances<'a, A>,
    pub(super) shaders: &'p mut Shaders<'a, A>,
    pub(super) targets: &'p Targets<'a, A>,
    pub(super) triangles: &'p mut Triangles<'a, A>,
    pub(super) jobs: &'p mut Jobs<'a, A>,
    /// The number of the pass.
    pub(super) number: u16,
    /// The number of its view.
    pub(super) view: u8,
    pub(super) views: &'p [SeenView<'p>],
    pub(super) encoder: Encoder,
    pub(super) pass: Option<Pass>,
    /// The targets that the pass draws.
    pub(super) drawn: [u16; COLORS_MAX],
    pub(super) is_shadow: bool,
    pub(super) layer: u8,
    pub(super) bound: Bindings,
    pub(super) sums: GpuSums,
}

/// What is bound: equal things are not bound again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Bindings {
    material: u32,
    /// The material whose maps are bound.
    maps: u32,
    shader: u32,
    drawn: Drawn,
}

impl Bindings {
    pub(super) const NONE: Self =
        Self { material: NONE, maps: NONE, shader: NONE, drawn: Drawn::FullScreen };
}

impl<A: Allocator + ?Sized> Playing<'_, '_, A> {
    /// Binds a material, for meshes or for the whole screen; returns whether it is to be drawn in
    /// this pass.
    #[inline]
    fn bind(&mut self, state: u32, is_mesh: bool) -> Result<bool, GpuRenderError> {
        let material = self.materials.expect(state)?;
        let drawn = if is_mesh { material.drawn } else { Drawn::FullScreen };
        let shader = material.data.shader;
        if self.is_shadow && !(material.data.casts_shadow && self.shaders.casts_shadow(shader)?) {
            return Ok(false);
        }
        // What is drawn into a target cannot show it.
        if let Some(shown) = material.shown
            && self.drawn.contains(&shown)
        {
            return Ok(false);
        }
        let Some(pass) = &mut self.pass else { unreachable!("draws come within a pass") };
        let maps = if material.groups.maps.is_some() { state } else { NONE };
        let wanted = Bindings { material: state, maps, shader, drawn };
        if (wanted.shader, wanted.drawn) != (self.bound.shader, self.bound.drawn) {
            let Materials { layout: material, maps_layout: maps, .. } = self.materials;
            let layouts = Layouts { frame: &self.instances.layout, material, maps };
            let (targets, layer) = (self.targets, self.layer);
            let pipeline =
                self.shaders.try_pipeline(self.gpu, layouts, targets, shader, layer, drawn)?;
            pass.set_pipeline(pipeline);
            self.sums.pipelines += 1;
        }
        if wanted.material != self.bound.material {
            pass.set_group(1, &material.groups.own);
            self.sums.materials += 1;
        }
        if wanted.maps != self.bound.maps {
            pass.set_group(3, material.groups.maps.as_ref().unwrap_or(&self.materials.no_maps));
        }
        self.bound = wanted;
        Ok(true)
    }
}

impl<A: Allocator + ?Sized> Playing<'_, '_, A> {
    /// Sets what all draws of a pass have, at its beginning and after work of others.
    fn set_up(&mut self) -> Result<(), GpuRenderError> {
        let fault = || GpuRenderError::Frame { pass: self.number };
        let group = self.instances.group(self.view).ok_or_else(fault)?;
        let reads = &self.targets.pass(self.number)?.reads;
        let Some(pass) = &mut self.pass else { unreachable!("it comes within a pass") };
        pass.set_mesh_buffers(&self.meshes.vertices, &self.meshes.indices);
        pass.set_group(0, group);
        pass.set_group(2, reads);
        pass.set_group(3, &self.materials.no_maps);
        self.bound = Bindings::NONE;
        Ok(())
    }

    /// Draws triangles that were made for the frame.
    fn draw_triangles(&mut self, state: u32, vertices: &[u8]) -> Result<(), GpuRenderError> {
        if vertices.is_empty() || !self.bind(state, true)? {
            return Ok(());
        }
        let (buffer, start) = self.triangles.try_put(self.gpu, vertices)?;
        let Some(pass) = &mut self.pass else { unreachable!("jobs come in a pass") };
        let bytes = vertices.len() as u64;
        pass.set_vertices(buffer, start..start + bytes);
        pass.draw_part(0..(bytes / VERTEX_BYTES as u64) as u32, self.instances.identity());
        pass.set_mesh_buffers(&self.meshes.vertices, &self.meshes.indices);
        self.sums.draws += 1;
        Ok(())
    }

    /// Has work done by who knows its kind.
    fn play_job(&mut self, job: Job<'_>, fault: GpuRenderError) -> Result<(), GpuRenderError> {
        let layout = &self.instances.layout;
        let own = self.targets.pass(self.number)?;
        let (Some(player), Some(frame), Some(pass)) =
            (self.jobs.get(job.kind), self.instances.group(self.view), &mut self.pass)
        else {
            return Err(fault);
        };
        player.play(JobPass {
            gpu: self.gpu,
            pass,
            layer: self.layer,
            colors: own.colors(),
            has_depth: own.has_depth,
            samples: own.samples,
            frame_layout: layout,
            frame,
            data: job.data,
        })?;
        self.sums.jobs += 1;
        self.set_up()
    }
}

impl<A: Allocator + ?Sized> Backend for Playing<'_, '_, A> {
    type Error = GpuRenderError;

    fn begin_pass(&mut self, pass: &PassRef<'_>) -> Result<(), GpuRenderError> {
        let own = self.targets.pass(pass.number)?;
        let encoder = &mut self.encoder;
        let mut begun = self.targets.with_targets(pass, |targets| encoder.begin_pass(targets))?;
        let fault = || GpuRenderError::Frame { pass: pass.number };
        let view = self.views.get(usize::from(pass.view)).ok_or_else(fault)?;
        if view.rectangle != [0.0, 0.0, 1.0, 1.0] {
            begun.set_part(part_of(view.rectangle, own.pixels));
        }
        self.drawn = [u16::MAX; COLORS_MAX];
        for (slot, number) in self.drawn.iter_mut().zip(pass.colors) {
            *slot = *number;
        }
        self.is_shadow = own.is_shadow();
        self.pass = Some(begun);
        (self.number, self.view) = (pass.number, pass.view);
        self.set_up()
    }

    fn begin_layer(&mut self, layer: &LayerRef<'_>) -> Result<(), GpuRenderError> {
        self.layer = layer.number;
        // A pipeline is of one layer; materials are of all.
        self.bound.shader = NONE;
        Ok(())
    }

    fn draw(
        &mut self,
        state: u32,
        first: u32,
        args: &[IndirectArgs],
    ) -> Result<(), GpuRenderError> {
        if !self.bind(state, true)? {
            return Ok(());
        }
        let Some(pass) = &mut self.pass else { unreachable!("draws come within a pass") };
        let offset = u64::from(first) * size_of::<IndirectArgs>() as u64;
        pass.draw_indirect(&self.instances.records, offset, args.len() as u32);
        self.sums.draws += 1;
        self.sums.records += args.len() as u64;
        Ok(())
    }

    fn job(&mut self, job: Job<'_>) -> Result<(), GpuRenderError> {
        let fault = GpuRenderError::Job { kind: job.kind, bytes: job.data.len() };
        let state = job.data.split_first_chunk::<4>();
        match (job.kind, state) {
            (FULLSCREEN, Some((state, []))) => {
                if self.bind(u32::from_ne_bytes(*state), false)? {
                    let Some(pass) = &mut self.pass else { unreachable!("jobs come in a pass") };
                    pass.draw(3);
                    self.sums.draws += 1;
                }
                Ok(())
            }
            (TRIANGLES, Some((state, vertices))) if vertices.len().is_multiple_of(TRIANGLE) => {
                self.draw_triangles(u32::from_ne_bytes(*state), vertices)
            }
            (FULLSCREEN | TRIANGLES, _) => Err(fault),
            _ => self.play_job(job, fault),
        }
    }

    fn end_pass(&mut self, _: &PassRef<'_>) -> Result<(), GpuRenderError> {
        self.pass = None;
        Ok(())
    }
}
