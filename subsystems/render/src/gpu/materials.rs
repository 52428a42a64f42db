//! The materials: what draws' state numbers name.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{
    BindGroup, BindLayout, Bound, Buffer, BufferUse, Gpu, Sampler, SamplerKind, Slot, Texture,
};

use crate::gpu::data::{MaterialData, TextureData, TextureLevels};
use crate::gpu::drawn::Drawn;
use crate::gpu::error::GpuRenderError;
use crate::gpu::slots::Slots;
use crate::gpu::targets::Targets;
use crate::gpu::textures::{Kind, try_resized, try_texture};
use crate::material::MaterialTexture;
use crate::texture::TextureWrap;
use crate::texture_packing::TexturePacking;

/// What shaders see of each material: numbers, color, and how textures are read.
const SLOTS: [Slot; 3] = [Slot::Uniform, Slot::Texture, Slot::Sampler];

/// And of those that have one of them: normals, surface, emission. They are apart, since whatever is
/// in a group costs processor time each time that the group is bound.
const MAP_SLOTS: [Slot; 3] = [Slot::Texture; 3];

/// Textures and materials by number.
pub(super) struct Materials<'a, A: Allocator + ?Sized> {
    pub(super) layout: BindLayout,
    pub(super) maps_layout: BindLayout,
    /// For materials without maps.
    pub(super) no_maps: BindGroup,
    /// One for each [`TextureWrap`].
    samplers: [Sampler; 3],
    /// For materials without a texture: white, and normals that look out of the surface.
    white: Texture,
    straight: Texture,
    textures: Slots<'a, Wrapped, A>,
    slots: Slots<'a, Material, A>,
}

/// A texture, and what is beyond its edges.
struct Wrapped {
    texture: Texture,
    wrap: TextureWrap,
    kind: Kind,
}

pub(super) struct Material {
    pub(super) data: MaterialData,
    /// How its meshes are drawn.
    pub(super) drawn: Drawn,
    /// The number of the target that it shows.
    pub(super) shown: Option<u16>,
    pub(super) groups: Groups,
    constants: Buffer,
}

/// What is bound for a material.
pub(super) struct Groups {
    pub(super) own: BindGroup,
    /// Those of its maps, if it has any.
    pub(super) maps: Option<BindGroup>,
}

impl<'a, A: Allocator + ?Sized> Materials<'a, A> {
    pub(super) fn try_new_in(gpu: &Gpu, memory: &'a A) -> Result<Self, GpuRenderError> {
        let pixel = |name, data: &[u8; 4]| {
            let wrap = TextureWrap::Repeat;
            let packing = TexturePacking::Plain;
            let (pixels, is_srgb, levels) = ([1, 1], false, 1);
            let pixel = TextureData { pixels, is_srgb, levels, wrap, packing, data };
            try_texture(gpu, name, &pixel, memory)
        };
        let white = pixel("white", &[255; 4])?;
        let straight = pixel("straight", &[128, 128, 255, 255])?;
        let maps_layout = gpu.try_bind_layout("maps", &MAP_SLOTS)?;
        let none = [&straight, &white, &white].map(Bound::Texture);
        Ok(Self {
            layout: gpu.try_bind_layout("material", &SLOTS)?,
            no_maps: gpu.try_bind_group("no maps", &maps_layout, &none)?,
            maps_layout,
            samplers: [
                gpu.try_sampler(SamplerKind::Repeat)?,
                gpu.try_sampler(SamplerKind::Edge)?,
                gpu.try_sampler(SamplerKind::Mirror)?,
            ],
            white,
            straight,
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
        targets: Option<&Targets<'_, A>>,
    ) -> Result<(), GpuRenderError> {
        self.slots.try_reserve(number)?;
        for texture in data.textures.iter().flatten() {
            self.textures.expect(*texture)?;
        }
        let seen = data.seen();
        let bytes: &[u8] = bytemuck::cast_slice(&seen);
        // Where only numbers differ, the group stays as it is.
        if let Some(old) = self.slots.get_mut(number)
            && (old.data.textures, old.data.target) == (data.textures, data.target)
        {
            gpu.try_write_buffer(&old.constants, 0, bytes)?;
            (old.data, old.drawn) = (*data, Drawn::of(data));
            return Ok(());
        }
        let constants = gpu.try_buffer("material", BufferUse::Uniform, bytes.len() as u64)?;
        gpu.try_write_buffer(&constants, 0, bytes)?;
        let shown = shown(data, targets);
        let groups = self.try_groups(gpu, &constants, data, None, shown)?;
        let (drawn, shown) = (Drawn::of(data), shown.map(|(number, _)| number));
        self.slots.replace(number, Material { data: *data, drawn, shown, groups, constants });
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
        targets: Option<&Targets<'_, A>>,
    ) -> Result<(), GpuRenderError> {
        self.textures.try_reserve(number)?;
        let TextureData { is_srgb, packing, wrap, .. } = *data;
        let texture = try_texture(gpu, "texture", data, self.slots.memory())?;
        let texture = Wrapped { texture, wrap, kind: Kind { is_srgb, packing } };
        self.try_put_texture(gpu, number, texture, targets)
    }

    /// Gives a texture other large levels; where that fails, it stays as it is.
    pub(super) fn try_resize_texture(
        &mut self,
        gpu: &Gpu,
        number: u32,
        levels: &TextureLevels<'_>,
        targets: Option<&Targets<'_, A>>,
    ) -> Result<(), GpuRenderError> {
        let Wrapped { texture, wrap, kind } = self.textures.expect(number)?;
        let (wrap, kind) = (*wrap, *kind);
        let texture = try_resized(gpu, texture, kind, levels, self.slots.memory())?;
        self.try_put_texture(gpu, number, Wrapped { texture, wrap, kind }, targets)
    }

    /// Puts a texture in place, for whose number there is room.
    fn try_put_texture(
        &mut self,
        gpu: &Gpu,
        number: u32,
        texture: Wrapped,
        targets: Option<&Targets<'_, A>>,
    ) -> Result<(), GpuRenderError> {
        let named = |material: &Material| material.data.textures.contains(&Some(number));
        let mut groups = Array::new_in(self.slots.memory());
        for Material { data, constants, .. } in self.slots.iter().filter(|slot| named(slot)) {
            let (changed, shown) = (Some((number, &texture)), shown(data, targets));
            groups.try_push(self.try_groups(gpu, constants, data, changed, shown)?)?;
        }
        let materials = self.slots.iter_mut().filter(|material| named(material));
        for (material, groups) in materials.zip(groups) {
            material.groups = groups;
        }
        self.textures.replace(number, texture);
        Ok(())
    }

    /// Binds the targets that materials show again, as they are others now.
    pub(super) fn try_show(
        &mut self,
        gpu: &Gpu,
        targets: &Targets<'_, A>,
    ) -> Result<(), GpuRenderError> {
        let shows = |material: &&Material| material.data.target.is_some();
        let mut groups = Array::new_in(self.slots.memory());
        for Material { data, constants, .. } in self.slots.iter().filter(shows) {
            let shown = shown(data, Some(targets));
            let made = self.try_groups(gpu, constants, data, None, shown)?;
            groups.try_push((made, shown.map(|(number, _)| number)))?;
        }
        let materials = self.slots.iter_mut().filter(|material| material.data.target.is_some());
        for (material, (groups, shown)) in materials.zip(groups) {
            (material.groups, material.shown) = (groups, shown);
        }
        Ok(())
    }

    /// Binds the textures of a material, one of which may be another than the one that is there.
    fn try_groups(
        &self,
        gpu: &Gpu,
        constants: &Buffer,
        data: &MaterialData,
        changed: Option<(u32, &Wrapped)>,
        shown: Option<(u16, &Texture)>,
    ) -> Result<Groups, GpuRenderError> {
        let mut found = [&self.white, &self.straight, &self.white, &self.white];
        let mut wrap = None;
        for (at, number) in data.textures.iter().enumerate() {
            let Some(number) = *number else { continue };
            let own = match changed {
                Some((changed, texture)) if changed == number => Some(texture),
                _ => self.textures.get(number),
            };
            // One that is gone shows what a material without it does.
            let Some(own) = own else { continue };
            found[at] = &own.texture;
            wrap.get_or_insert(own.wrap);
        }
        if let Some((_, target)) = shown {
            found[MaterialTexture::Color as usize] = target;
        }
        let [color, normal, surface, emission] = found.map(Bound::Texture);
        let sampler = Bound::Sampler(&self.samplers[wrap.unwrap_or_default() as usize]);
        let bound = [Bound::Buffer(constants), color, sampler];
        let own = gpu.try_bind_group("material", &self.layout, &bound)?;
        let maps = [normal, surface, emission];
        let has_maps = data.textures[1..].iter().any(Option::is_some);
        let maps = has_maps.then(|| gpu.try_bind_group("maps", &self.maps_layout, &maps));
        Ok(Groups { own, maps: maps.transpose()? })
    }
}

/// Returns the number of the target that a material shows, and its picture.
fn shown<'t, A: Allocator + ?Sized>(
    data: &MaterialData,
    targets: Option<&'t Targets<'_, A>>,
) -> Option<(u16, &'t Texture)> {
    targets?.shown(data.target?)
}
