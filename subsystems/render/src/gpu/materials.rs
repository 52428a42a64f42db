//! The materials: what draws' state numbers name.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{
    BindGroup, BindLayout, Bound, Buffer, BufferUse, Gpu, Sampler, SamplerKind, Slot, Texture,
};

use crate::gpu::data::{MaterialData, TextureData};
use crate::gpu::error::GpuRenderError;
use crate::gpu::slots::Slots;
use crate::gpu::textures::try_texture;

/// Textures and materials by number.
pub(super) struct Materials<'a, A: Allocator + ?Sized> {
    pub(super) layout: BindLayout,
    sampler: Sampler,
    /// For materials without a texture.
    white: Texture,
    textures: Slots<'a, Texture, A>,
    slots: Slots<'a, Material, A>,
}

pub(super) struct Material {
    pub(super) data: MaterialData,
    pub(super) group: BindGroup,
    constants: Buffer,
}

impl<'a, A: Allocator + ?Sized> Materials<'a, A> {
    pub(super) fn try_new_in(gpu: &Gpu, memory: &'a A) -> Result<Self, GpuRenderError> {
        let white = TextureData { pixels: [1, 1], is_srgb: false, levels: 1, data: &[255; 4] };
        Ok(Self {
            layout: gpu
                .try_bind_layout("material", &[Slot::Uniform, Slot::Texture, Slot::Sampler])?,
            sampler: gpu.try_sampler(SamplerKind::Repeat)?,
            white: try_texture(gpu, "white", &white)?,
            textures: Slots::new_in("texture", memory),
            slots: Slots::new_in("material", memory),
        })
    }

    #[inline]
    pub(super) fn expect(&self, number: u32) -> Result<&Material, GpuRenderError> {
        self.slots.expect(number)
    }

    /// Sets a material; one that it replaces stays where this one cannot be made.
    pub(super) fn try_set(
        &mut self,
        gpu: &Gpu,
        number: u32,
        data: &MaterialData,
    ) -> Result<(), GpuRenderError> {
        self.slots.try_reserve(number)?;
        let seen = data.seen();
        let bytes: &[u8] = bytemuck::cast_slice(&seen);
        // Where only numbers differ, the group stays as it is.
        if let Some(old) = self.slots.get_mut(number)
            && old.data.texture == data.texture
        {
            gpu.try_write_buffer(&old.constants, 0, bytes)?;
            old.data = *data;
            return Ok(());
        }
        let constants = gpu.try_buffer("material", BufferUse::Uniform, bytes.len() as u64)?;
        gpu.try_write_buffer(&constants, 0, bytes)?;
        let texture = match data.texture {
            None => &self.white,
            Some(number) => self.textures.expect(number)?,
        };
        let group = self.try_group(gpu, &constants, texture)?;
        self.slots.replace(number, Material { data: *data, group, constants });
        Ok(())
    }

    /// Removes a material.
    pub(super) fn remove(&mut self, number: u32) {
        self.slots.take(number);
    }

    /// Returns `true` if there is a texture of that number.
    pub(super) fn has_texture(&self, number: u32) -> bool {
        self.textures.get(number).is_some()
    }

    /// Removes a texture; materials that name it show what they have bound.
    pub(super) fn remove_texture(&mut self, number: u32) {
        self.textures.take(number);
    }

    /// Sets a texture, and binds it for all materials that name it; where that fails, all stay with
    /// the one before.
    pub(super) fn try_set_texture(
        &mut self,
        gpu: &Gpu,
        number: u32,
        data: &TextureData<'_>,
    ) -> Result<(), GpuRenderError> {
        self.textures.try_reserve(number)?;
        let texture = try_texture(gpu, "texture", data)?;
        let named = |material: &Material| material.data.texture == Some(number);
        let mut groups = Array::new_in(self.slots.memory());
        for material in self.slots.iter().filter(|material| named(material)) {
            groups.try_push(self.try_group(gpu, &material.constants, &texture)?)?;
        }
        let materials = self.slots.iter_mut().filter(|material| named(material));
        for (material, group) in materials.zip(groups) {
            material.group = group;
        }
        self.textures.replace(number, texture);
        Ok(())
    }

    fn try_group(
        &self,
        gpu: &Gpu,
        constants: &Buffer,
        texture: &Texture,
    ) -> Result<BindGroup, GpuRenderError> {
        let bound =
            [Bound::Buffer(constants), Bound::Texture(texture), Bound::Sampler(&self.sampler)];
        Ok(gpu.try_bind_group("material", &self.layout, &bound)?)
    }
}
