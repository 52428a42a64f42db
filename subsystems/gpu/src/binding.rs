//! What shaders see in addition to vertices: groups of buffers, textures and samplers.

use core::array;

use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};
use crate::texture::{Sampler, Texture};

/// The most slots of a group.
pub const SLOTS_MAX: usize = 32;

/// What a slot of a group holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A buffer of constants.
    Uniform,
    /// A buffer that shaders read as an array.
    Storage,
    /// A buffer that shaders without a pass write as an array.
    Written,
    /// A texture of colors, which a sampler may mix.
    Texture,
    /// A texture of floats of 32 bits, which no sampler mixes.
    TextureUnmixed,
    /// A texture of depths.
    Depth,
    /// A sampler that mixes.
    Sampler,
    /// A sampler that takes the nearest pixel.
    SamplerUnmixed,
    /// A sampler that compares depths.
    SamplerCompare,
}

/// What the slots of a group hold, in the order of their bindings.
#[derive(Debug)]
pub struct BindLayout {
    pub(crate) layout: Kept<wgpu::BindGroupLayout>,
}

/// What is put into a slot.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'b> {
    /// A buffer, whole.
    Buffer(&'b Buffer),
    /// A texture, all levels.
    Texture(&'b Texture),
    /// A sampler.
    Sampler(&'b Sampler),
}

/// Buffers, textures and samplers that are bound together. It keeps them: the program may drop its
/// own.
#[derive(Debug)]
pub struct BindGroup {
    pub(crate) group: Kept<wgpu::BindGroup>,
}

impl Gpu {
    /// Says what the slots of a group hold.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`] for more than [`SLOTS_MAX`]; [`GpuError::Refused`] for more than the
    /// graphics card has.
    pub fn try_bind_layout(&self, name: &str, slots: &[Slot]) -> Result<BindLayout, GpuError> {
        few(slots.len())?;
        let entry = |number: usize| wgpu::BindGroupLayoutEntry {
            binding: number as u32,
            visibility: match slots.contains(&Slot::Written) {
                true => wgpu::ShaderStages::COMPUTE,
                false => wgpu::ShaderStages::VERTEX_FRAGMENT,
            },
            ty: slots.get(number).copied().unwrap_or(Slot::Sampler).wgpu(),
            count: None,
        };
        let entries: [_; SLOTS_MAX] = array::from_fn(entry);
        let description =
            wgpu::BindGroupLayoutDescriptor { label: Some(name), entries: &entries[..slots.len()] };
        let layout = self.checked(&format_args!("the layout {name}"), || {
            self.device.create_bind_group_layout(&description)
        })?;
        Ok(BindLayout { layout: Kept::new(layout) })
    }

    /// Binds buffers, textures and samplers together, one for each slot of a layout.
    ///
    /// # Errors
    ///
    /// [`GpuError::Refused`] if a slot is to hold something else.
    pub fn try_bind_group(
        &self,
        name: &str,
        layout: &BindLayout,
        bound: &[Bound<'_>],
    ) -> Result<BindGroup, GpuError> {
        few(bound.len())?;
        let Some(first) = bound.first() else { return self.group(name, layout, &[]) };
        let entry = |number: usize| wgpu::BindGroupEntry {
            binding: number as u32,
            resource: bound.get(number).unwrap_or(first).wgpu(),
        };
        let entries: [_; SLOTS_MAX] = array::from_fn(entry);
        self.group(name, layout, &entries[..bound.len()])
    }

    fn group(
        &self,
        name: &str,
        layout: &BindLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> Result<BindGroup, GpuError> {
        let description =
            wgpu::BindGroupDescriptor { label: Some(name), layout: &layout.layout, entries };
        let group = self.checked(&format_args!("the group {name}"), || {
            self.device.create_bind_group(&description)
        })?;
        Ok(BindGroup { group: Kept::new(group) })
    }
}

impl Slot {
    fn wgpu(self) -> wgpu::BindingType {
        let buffer = |ty| wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = |sample_type| wgpu::BindingType::Texture {
            sample_type,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        match self {
            Self::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Self::Storage => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
            Self::Written => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
            Self::Texture => texture(wgpu::TextureSampleType::Float { filterable: true }),
            Self::TextureUnmixed => texture(wgpu::TextureSampleType::Float { filterable: false }),
            Self::Depth => texture(wgpu::TextureSampleType::Depth),
            Self::Sampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            Self::SamplerUnmixed => {
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering)
            }
            Self::SamplerCompare => {
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)
            }
        }
    }
}

impl Bound<'_> {
    fn wgpu(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => scope(|| buffer.buffer.as_entire_binding()),
            Self::Texture(texture) => wgpu::BindingResource::TextureView(&texture.view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(&sampler.sampler),
        }
    }
}

/// Refuses more slots than there are.
fn few(slots: usize) -> Result<(), GpuError> {
    if slots <= SLOTS_MAX {
        return Ok(());
    }
    let (wanted, limit) = (slots as u64, SLOTS_MAX as u64);
    Err(GpuError::Size { what: "slots of a group", wanted, limit })
}
