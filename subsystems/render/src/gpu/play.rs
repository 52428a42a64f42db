//! A frame on its way to the graphics card.

use loligo_allocators::Allocator;
use loligo_gpu::{Encoder, Gpu, Pass};
use loligo_ids::id32;

use crate::backend::Backend;
use crate::context::Job;
use crate::draw::IndirectArgs;
use crate::frame::{LayerRef, PassRef, part_of};
use crate::gpu::data::SeenView;
use crate::gpu::error::GpuRenderError;
use crate::gpu::instances::Instances;
use crate::gpu::materials::Materials;
use crate::gpu::meshes::Meshes;
use crate::gpu::shaders::{Drawn, Layouts, Shaders};
use crate::gpu::sums::GpuSums;
use crate::gpu::targets::Targets;

/// The job that draws a material over the whole screen: a sky, or what brings a target to the
/// window. Its data are the number of the material, 4 bytes in the machine's order.
pub const FULLSCREEN: u32 = id32!("fullscreen").hash();

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
    pub(super) views: &'p [SeenView<'p>],
    pub(super) encoder: Encoder,
    pub(super) pass: Option<Pass>,
    pub(super) is_shadow: bool,
    pub(super) layer: u8,
    pub(super) bound: Bindings,
    pub(super) sums: GpuSums,
}

/// What is bound: equal things are not bound again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Bindings {
    material: u32,
    shader: u32,
    drawn: Drawn,
}

impl Bindings {
    pub(super) const NONE: Self = Self { material: NONE, shader: NONE, drawn: Drawn::Meshes };
}

impl<A: Allocator + ?Sized> Playing<'_, '_, A> {
    /// Binds a material; returns whether it is to be drawn in this pass.
    #[inline]
    fn bind(&mut self, state: u32, drawn: Drawn) -> Result<bool, GpuRenderError> {
        let material = self.materials.expect(state)?;
        let shader = material.data.shader;
        if self.is_shadow && !(material.data.casts_shadow && self.shaders.casts_shadow(shader)?) {
            return Ok(false);
        }
        let Some(pass) = &mut self.pass else { unreachable!("draws come within a pass") };
        let wanted = Bindings { material: state, shader, drawn };
        if (wanted.shader, wanted.drawn) != (self.bound.shader, self.bound.drawn) {
            let layouts =
                Layouts { frame: &self.instances.layout, material: &self.materials.layout };
            let (targets, layer) = (self.targets, self.layer);
            let pipeline =
                self.shaders.try_pipeline(self.gpu, layouts, targets, shader, layer, drawn)?;
            pass.set_pipeline(pipeline);
            self.sums.pipelines += 1;
        }
        if wanted.material != self.bound.material {
            pass.set_group(1, &material.group);
            self.sums.materials += 1;
        }
        self.bound = wanted;
        Ok(true)
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
        begun.set_mesh_buffers(&self.meshes.vertices, &self.meshes.indices);
        begun.set_group(0, self.instances.group(pass.view).ok_or_else(fault)?);
        begun.set_group(2, &own.reads);
        self.is_shadow = own.is_shadow();
        self.pass = Some(begun);
        self.bound = Bindings::NONE;
        Ok(())
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
        if !self.bind(state, Drawn::Meshes)? {
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
        let (kind, bytes) = (job.kind, job.data.len());
        let Some(state) = <[u8; 4]>::try_from(job.data).ok().filter(|_| kind == FULLSCREEN) else {
            return Err(GpuRenderError::Job { kind, bytes });
        };
        if self.bind(u32::from_ne_bytes(state), Drawn::FullScreen)? {
            let Some(pass) = &mut self.pass else { unreachable!("jobs come within a pass") };
            pass.draw(3);
            self.sums.draws += 1;
        }
        Ok(())
    }

    fn end_pass(&mut self, _: &PassRef<'_>) -> Result<(), GpuRenderError> {
        self.pass = None;
        Ok(())
    }
}
