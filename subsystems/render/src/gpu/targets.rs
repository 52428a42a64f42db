//! The targets of a frame and the groups by which its passes read them.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_gpu::{
    BindGroup, BindLayout, Bound, ColorTarget, DepthTarget, Format, Gpu, PassTargets, Sampler,
    SamplerKind, Slot, Texture, TextureDescription,
};
use loligo_ids::IdString64;

use crate::frame::{COLORS_MAX, FrameDescription, PassRef, TargetFormat, TargetRef};
use crate::gpu::error::GpuRenderError;
use crate::key::Order;

/// What a frame draws into, made for one size of the window.
pub(super) struct Targets<'a, A: Allocator + ?Sized> {
    pub(super) window: [u32; 2],
    textures: Array<'a, Target, A>,
    passes: Array<'a, Pass<'a, A>, A>,
    layers: Array<'a, Layer, A>,
}

struct Target {
    /// The hash of its name.
    name: IdString64,
    texture: Texture,
    /// The means of its samples, which is what passes read.
    resolved: Option<Texture>,
}

/// What a pass draws, as pipelines must know it.
pub(super) struct Pass<'a, A: Allocator + ?Sized> {
    pub(super) reads: BindGroup,
    pub(super) reads_layout: BindLayout,
    slots: Array<'a, Slot, A>,
    formats: [Format; COLORS_MAX],
    color_count: usize,
    pub(super) has_depth: bool,
    pub(super) samples: u32,
    /// How large its targets are.
    pub(super) pixels: [u32; 2],
}

impl<A: Allocator + ?Sized> Pass<'_, A> {
    pub(super) fn colors(&self) -> &[Format] {
        &self.formats[..self.color_count]
    }

    /// Returns `true` if what draws in the other draws in this one.
    fn is_like(&self, other: &Self) -> bool {
        self.colors() == other.colors()
            && (self.has_depth, self.samples) == (other.has_depth, other.samples)
            && *self.slots == *other.slots
    }

    /// Returns `true` if it draws depths and nothing else.
    pub(super) const fn is_shadow(&self) -> bool {
        self.color_count == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Layer {
    pass: u8,
    order: Order,
}

/// How targets are read: one sampler of each kind.
pub(super) struct Samplers {
    clamp: Sampler,
    nearest: Sampler,
    compare: Sampler,
}

impl Samplers {
    pub(super) fn try_new(gpu: &Gpu) -> Result<Self, GpuRenderError> {
        Ok(Self {
            clamp: gpu.try_sampler(SamplerKind::Clamp)?,
            nearest: gpu.try_sampler(SamplerKind::Nearest)?,
            compare: gpu.try_sampler(SamplerKind::Compare)?,
        })
    }
}

impl<'a, A: Allocator + ?Sized> Targets<'a, A> {
    /// Makes the targets of a frame.
    pub(super) fn try_new_in<B: Allocator + ?Sized>(
        gpu: &Gpu,
        samplers: &Samplers,
        frame: &FrameDescription<'_, B>,
        window: [u32; 2],
        memory: &'a A,
    ) -> Result<Self, GpuRenderError> {
        let mut targets = Self {
            window: window.map(|pixels| pixels.max(1)),
            textures: Array::new_in(memory),
            passes: Array::new_in(memory),
            layers: Array::new_in(memory),
        };
        for target in frame.targets() {
            let target = targets.try_target(gpu, &target)?;
            targets.textures.try_push(target)?;
        }
        for pass in frame.passes() {
            let pass = targets.try_pass(gpu, samplers, &pass)?;
            targets.passes.try_push(pass)?;
        }
        for layer in frame.layers() {
            targets.layers.try_push(Layer { pass: layer.pass, order: layer.order })?;
        }
        Ok(targets)
    }

    /// Returns the picture that the player sees.
    pub(super) fn window_texture(&self) -> &Texture {
        &self.textures[0].texture
    }

    /// Returns the number of a target that materials may show, and its picture.
    pub(super) fn shown(&self, name: IdString64) -> Option<(u16, &Texture)> {
        let mut numbered = (0..).zip(&*self.textures);
        let (number, target) = numbered.find(|(_, target)| target.name == name)?;
        let texture = target.resolved.as_ref().unwrap_or(&target.texture);
        let can_be_mixed = !matches!(texture.format(), Format::Depth32F | Format::R32F);
        can_be_mixed.then_some((number, texture))
    }

    /// Returns `true` if pipelines that draw into the others draw into these: they differ in size
    /// at most.
    pub(super) fn are_like(&self, other: &Self) -> bool {
        *self.layers == *other.layers
            && self.passes.len() == other.passes.len()
            && self.passes.iter().zip(&*other.passes).all(|(own, other)| own.is_like(other))
    }

    pub(super) fn pass(&self, number: u16) -> Result<&Pass<'a, A>, GpuRenderError> {
        self.passes.get(usize::from(number)).ok_or(GpuRenderError::Frame { pass: number })
    }

    pub(super) fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// Returns the pass of a layer, and its order.
    pub(super) fn layer(&self, number: usize) -> Option<(&Pass<'a, A>, Order)> {
        let layer = self.layers.get(number)?;
        Some((self.passes.get(usize::from(layer.pass))?, layer.order))
    }

    /// Calls `work` with the targets of a pass.
    pub(super) fn with_targets<R>(
        &self,
        pass: &PassRef<'_>,
        work: impl FnOnce(&PassTargets<'_>) -> R,
    ) -> Result<R, GpuRenderError> {
        let find = |number: u16| {
            let fault = GpuRenderError::Frame { pass: pass.number };
            self.textures.get(usize::from(number)).ok_or(fault)
        };
        let window = find(0)?;
        let mut colors = [(); COLORS_MAX].map(|()| ColorTarget {
            texture: &window.texture,
            resolved: None,
            clear: pass.clear.color,
        });
        for (color, number) in colors.iter_mut().zip(pass.colors) {
            let target = find(*number)?;
            (color.texture, color.resolved) = (&target.texture, target.resolved.as_ref());
        }
        let depth = match pass.depth {
            None => None,
            Some(number) => {
                let texture = &find(number)?.texture;
                Some(DepthTarget { texture, clear: pass.clear.depth })
            }
        };
        let colors = &colors[..pass.colors.len().min(COLORS_MAX)];
        Ok(work(&PassTargets { name: pass.name, colors, depth }))
    }

    fn try_target(&self, gpu: &Gpu, target: &TargetRef<'_>) -> Result<Target, GpuRenderError> {
        let format = target.format.map_or(Format::Rgba8Srgb, format);
        let description = TextureDescription {
            name: target.name,
            pixels: target.size.pixels(self.window),
            levels: 1,
            samples: target.samples,
            format,
            is_target: true,
        };
        let texture = gpu.try_texture(&description)?;
        let has_mean = target.samples > 1 && !format.is_depth();
        let resolved = has_mean
            .then(|| gpu.try_texture(&TextureDescription { samples: 1, ..description }))
            .transpose()?;
        Ok(Target { name: IdString64::new(target.name), texture, resolved })
    }

    fn try_pass(
        &self,
        gpu: &Gpu,
        samplers: &Samplers,
        pass: &PassRef<'_>,
    ) -> Result<Pass<'a, A>, GpuRenderError> {
        let memory = self.textures.memory();
        let mut slots: Array<'a, Slot, A> = Array::new_in(memory);
        let mut bound: Array<'_, Bound<'_>, A> = Array::new_in(memory);
        for number in pass.reads {
            let target = &self.textures[usize::from(*number)];
            self.try_read(target, samplers, &mut slots, &mut bound)?;
        }
        let reads_layout = gpu.try_bind_layout(pass.name, &slots)?;
        let reads = gpu.try_bind_group(pass.name, &reads_layout, &bound)?;
        let mut formats = [Format::Rgba8Srgb; COLORS_MAX];
        let drawn = |number: &u16| &self.textures[usize::from(*number)].texture;
        for (format, number) in formats.iter_mut().zip(pass.colors) {
            *format = drawn(number).format();
        }
        let first = pass.colors.first().or(pass.depth.as_ref());
        Ok(Pass {
            reads,
            reads_layout,
            slots,
            formats,
            color_count: pass.colors.len().min(COLORS_MAX),
            has_depth: pass.depth.is_some(),
            samples: first.map_or(1, |number| drawn(number).samples()),
            pixels: first.map_or([1; 2], |number| drawn(number).pixels()),
        })
    }

    /// Adds the two slots by which a target is read.
    fn try_read<'t>(
        &self,
        target: &'t Target,
        samplers: &'t Samplers,
        slots: &mut Array<'_, Slot, A>,
        bound: &mut Array<'_, Bound<'t>, A>,
    ) -> Result<(), GrowError> {
        let read = target.resolved.as_ref().unwrap_or(&target.texture);
        let (kinds, sampler) = match read.format() {
            Format::Depth32F => ([Slot::Depth, Slot::SamplerCompare], &samplers.compare),
            Format::R32F => ([Slot::TextureUnmixed, Slot::SamplerUnmixed], &samplers.nearest),
            _ => ([Slot::Texture, Slot::Sampler], &samplers.clamp),
        };
        slots.try_extend_from_slice(&kinds)?;
        bound.try_extend_from_slice(&[Bound::Texture(read), Bound::Sampler(sampler)])
    }
}

/// Returns what a target's pixel is on the graphics card.
const fn format(format: TargetFormat) -> Format {
    match format {
        TargetFormat::R8 => Format::R8,
        TargetFormat::Rgba8 => Format::Rgba8,
        TargetFormat::Rgba8Srgb => Format::Rgba8Srgb,
        TargetFormat::Rg16F => Format::Rg16F,
        TargetFormat::Rgba16F => Format::Rgba16F,
        TargetFormat::R32F => Format::R32F,
        TargetFormat::Depth32F => Format::Depth32F,
    }
}
