//! The shaders, and the pipelines that were made of each.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{
    BindLayout, Blend, DepthUse, Gpu, Pipeline, PipelineDescription, Shader, VertexAttribute,
    VertexLayout,
};

use crate::gpu::data::VERTEX_BYTES;
use crate::gpu::drawn::Drawn;
use crate::gpu::error::GpuRenderError;
use crate::gpu::slots::Slots;
use crate::gpu::targets::Targets;
use crate::key::Order;

/// The entry points.
const VERTEX: &str = "vs_main";
const PIXEL: &str = "fs_main";
const SHADOW: &str = "vs_shadow";
const FULL_SCREEN: &str = "vs_full_screen";
const CUTOUT: &str = "fs_cutout";
const SHADOW_CUTOUT: &str = "vs_shadow_cutout";
const SHADOW_CUTOUT_PIXEL: &str = "fs_shadow_cutout";

/// The number of the group of a material's maps.
const MAPS: u32 = 3;

/// How many pipelines a layer has.
const KINDS: usize = Drawn::ALL.len();

/// How far depths of a shadow map are moved away, or surfaces would be in their own shadow.
const SHADOW_BIAS: i32 = 2;

/// The layout of vertices.
const VERTICES: VertexLayout<'_> = VertexLayout {
    stride: VERTEX_BYTES as u32,
    attributes: &[
        VertexAttribute { floats: 3, offset: 0 },
        VertexAttribute { floats: 3, offset: 12 },
        VertexAttribute { floats: 2, offset: 24 },
    ],
};

/// The groups that all pipelines see besides that of their pass.
#[derive(Clone, Copy)]
pub(super) struct Layouts<'l> {
    pub(super) frame: &'l BindLayout,
    pub(super) material: &'l BindLayout,
    /// After that of the pass.
    pub(super) maps: &'l BindLayout,
}

/// The shaders by number.
pub(super) struct Shaders<'a, A: Allocator + ?Sized> {
    slots: Slots<'a, ShaderSlot<'a, A>, A>,
}

/// A shader, and a pipeline for each layer and kind of draw for which one was needed.
struct ShaderSlot<'a, A: Allocator + ?Sized> {
    shader: Shader,
    pipelines: Array<'a, Option<Pipeline>, A>,
}

impl<'a, A: Allocator + ?Sized> Shaders<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { slots: Slots::new_in("shader", memory) }
    }

    /// Sets a shader. Pipelines that the one before had are made of the new one at once: where one
    /// cannot be made, that one stays.
    pub(super) fn try_set(
        &mut self,
        gpu: &Gpu,
        layouts: Layouts<'_>,
        targets: Option<&Targets<'a, A>>,
        number: u32,
        shader: Shader,
    ) -> Result<(), GpuRenderError> {
        self.slots.try_reserve(number)?;
        let mut pipelines = Array::new_in(self.slots.memory());
        let known = self.slots.get(number).map_or(&[][..], |old| &old.pipelines);
        pipelines.try_reserve(known.len())?;
        for (at, old) in known.iter().enumerate() {
            let made = match (old, targets) {
                (Some(_), Some(targets)) => {
                    let drawn = Drawn::ALL[at % KINDS];
                    Some(try_pipeline(gpu, layouts, targets, &shader, at / KINDS, drawn)?)
                }
                _ => None,
            };
            pipelines.push(made);
        }
        self.slots.replace(number, ShaderSlot { shader, pipelines });
        Ok(())
    }

    /// Returns `true` if there is a shader of that number.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.slots.get(number).is_some()
    }

    /// Removes a shader, and its pipelines.
    pub(super) fn remove(&mut self, number: u32) {
        self.slots.take(number);
    }

    /// Forgets all pipelines: the frame is another one.
    pub(super) fn forget_pipelines(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.pipelines.clear());
    }

    /// Returns `true` if a shader can draw into shadow maps.
    pub(super) fn casts_shadow(&self, number: u32) -> Result<bool, GpuRenderError> {
        Ok(self.slots.expect(number)?.shader.has_entry(SHADOW))
    }

    /// Returns the pipeline by which a shader draws in a layer, and makes it if it is needed for
    /// the first time.
    #[inline]
    pub(super) fn try_pipeline(
        &mut self,
        gpu: &Gpu,
        layouts: Layouts<'_>,
        targets: &Targets<'a, A>,
        number: u32,
        layer: u8,
        drawn: Drawn,
    ) -> Result<&Pipeline, GpuRenderError> {
        self.slots.expect(number)?;
        let Some(slot) = self.slots.get_mut(number) else { unreachable!("it was just found") };
        let at = usize::from(layer) * KINDS + drawn.number();
        if !matches!(slot.pipelines.get(at), Some(Some(_))) {
            let made = try_pipeline(gpu, layouts, targets, &slot.shader, layer.into(), drawn)?;
            let more = (targets.layer_count() * KINDS).saturating_sub(slot.pipelines.len());
            slot.pipelines.try_reserve(more)?;
            (0..more).for_each(|_| slot.pipelines.push(None));
            slot.pipelines[at] = Some(made);
        }
        match &slot.pipelines[at] {
            Some(pipeline) => Ok(pipeline),
            None => unreachable!("it was just made"),
        }
    }
}

#[cold]
fn try_pipeline<A: Allocator + ?Sized>(
    gpu: &Gpu,
    layouts: Layouts<'_>,
    targets: &Targets<'_, A>,
    shader: &Shader,
    layer: usize,
    drawn: Drawn,
) -> Result<Pipeline, GpuRenderError> {
    let Some((pass, order)) = targets.layer(layer) else {
        return Err(GpuRenderError::Frame { pass: u16::MAX });
    };
    let is_shadow = pass.is_shadow();
    let is_blended = order == Order::BackToFront;
    let entries = entries(shader, is_shadow, drawn);
    // A group that a shader does not see would be bound again with each material.
    let groups = [layouts.frame, layouts.material, &pass.reads_layout, layouts.maps];
    let is_mesh = drawn != Drawn::FullScreen;
    let is_two_sided = matches!(drawn, Drawn::Meshes { is_two_sided: true, .. });
    let depth = DepthUse {
        is_written: is_mesh && !is_blended,
        bias: if is_shadow { SHADOW_BIAS } else { 0 },
    };
    Ok(gpu.try_pipeline(&PipelineDescription {
        shader,
        vertex_entry: entries.0,
        pixel_entry: entries.1,
        vertices: is_mesh.then_some(VERTICES),
        culls_backs: is_mesh && !is_two_sided,
        groups: &groups[..if shader.has_group(MAPS) { 4 } else { 3 }],
        colors: pass.colors(),
        samples: pass.samples,
        blend: if is_blended { Blend::Alpha } else { Blend::Replace },
        depth: pass.has_depth.then_some(depth),
    })?)
}

/// Returns the entry points for vertices and for pixels.
fn entries(shader: &Shader, is_shadow: bool, drawn: Drawn) -> (&'static str, Option<&'static str>) {
    let is_cut_out = matches!(drawn, Drawn::Meshes { is_cut_out: true, .. });
    if is_shadow {
        let can_cut = shader.has_entry(SHADOW_CUTOUT) && shader.has_entry(SHADOW_CUTOUT_PIXEL);
        return match is_cut_out && can_cut {
            true => (SHADOW_CUTOUT, Some(SHADOW_CUTOUT_PIXEL)),
            false => (SHADOW, None),
        };
    }
    let is_full_screen = drawn == Drawn::FullScreen && shader.has_entry(FULL_SCREEN);
    let is_cut_out = is_cut_out && shader.has_entry(CUTOUT);
    (
        if is_full_screen { FULL_SCREEN } else { VERTEX },
        Some(if is_cut_out { CUTOUT } else { PIXEL }),
    )
}
