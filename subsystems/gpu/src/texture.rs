//! Pictures on the graphics card: textures, targets, samplers, and reading them back.

use core::fmt;
use std::sync::mpsc;

use crate::error::{GpuError, Message};
use crate::format::Format;
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};

/// What a texture is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDescription<'d> {
    /// What errors and debuggers call it.
    pub name: &'d str,
    /// How wide and how high, in pixels.
    pub pixels: [u32; 2],
    /// How many levels, each half as wide and as high as the one before.
    pub levels: u32,
    /// How many samples a pixel has: 1 or 4.
    pub samples: u32,
    /// What a pixel is.
    pub format: Format,
    /// Returns `true` if passes draw into it.
    pub is_target: bool,
}

/// A picture on the graphics card.
#[derive(Debug)]
pub struct Texture {
    texture: Kept<wgpu::Texture>,
    pub(crate) view: Kept<wgpu::TextureView>,
    pixels: [u32; 2],
    levels: u32,
    samples: u32,
    format: Format,
}

impl Texture {
    /// Returns how wide and how high it is.
    #[must_use]
    pub const fn pixels(&self) -> [u32; 2] {
        self.pixels
    }

    /// Returns how many levels it has.
    #[must_use]
    pub const fn levels(&self) -> u32 {
        self.levels
    }

    /// Returns how many samples a pixel has.
    #[must_use]
    pub const fn samples(&self) -> u32 {
        self.samples
    }

    /// Returns what a pixel is.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns how many bytes a level has, its rows one after the other without gaps.
    #[must_use]
    pub fn level_bytes(&self, level: u32) -> u64 {
        let side = self.format.block_side();
        let [columns, rows] = self.level_pixels(level).map(|pixels| pixels.div_ceil(side));
        u64::from(columns) * u64::from(rows) * u64::from(self.format.block_bytes())
    }

    fn level_pixels(&self, level: u32) -> [u32; 2] {
        self.pixels.map(|pixels| (pixels >> level.min(31)).max(1))
    }
}

/// How shaders read pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerKind {
    /// Mixed from pixels and levels around, without an end: for textures of meshes.
    Repeat,
    /// The same up to the edge, whose pixels go on without an end.
    Edge,
    /// The same, and every other time mirrored.
    Mirror,
    /// Mixed from pixels around, up to the edge: for targets.
    Clamp,
    /// The nearest pixel.
    Nearest,
    /// The share of the four surrounding depths that are not nearer than a reference: for shadow
    /// maps.
    Compare,
}

/// What reads pixels for a shader.
#[derive(Debug)]
pub struct Sampler {
    pub(crate) sampler: Kept<wgpu::Sampler>,
}

impl Gpu {
    /// Makes a texture.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`], [`GpuError::Memory`], or [`GpuError::Refused`] for what no card can,
    /// such as five samples.
    pub fn try_texture(&self, description: &TextureDescription<'_>) -> Result<Texture, GpuError> {
        let TextureDescription { name, pixels, levels, samples, format, is_target } = *description;
        let limit = u64::from(self.texture_pixels_max());
        if let Some(wanted) = pixels.iter().map(|pixels| u64::from(*pixels)).find(|p| *p > limit) {
            return Err(GpuError::Size { what: "pixels of a texture each way", wanted, limit });
        }
        let mut usage = wgpu::TextureUsages::TEXTURE_BINDING;
        if is_target {
            usage |= wgpu::TextureUsages::RENDER_ATTACHMENT;
        }
        if samples == 1 {
            usage |= wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST;
        }
        let [width, height] = pixels;
        let description = wgpu::TextureDescriptor {
            label: Some(name),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: levels,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format: format.wgpu(),
            usage,
            view_formats: &[],
        };
        let (texture, view) = self.checked(&format_args!("the texture {name}"), || {
            let texture = self.device.create_texture(&description);
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            (texture, view)
        })?;
        let (texture, view) = (Kept::new(texture), Kept::new(view));
        Ok(Texture { texture, view, pixels, levels, samples, format })
    }

    /// Fills a level of a texture: its rows one after the other without gaps.
    ///
    /// # Complexity
    ///
    /// O(bytes): they are copied.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`] if there are more or fewer bytes than the level has;
    /// [`GpuError::Memory`].
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub fn try_write_texture(
        &self,
        texture: &Texture,
        level: u32,
        data: &[u8],
    ) -> Result<(), GpuError> {
        let levels = texture.levels;
        assert!(level < levels, "level {level} of a texture that has {levels}");
        let (wanted, limit) = (data.len() as u64, texture.level_bytes(level));
        if wanted != limit {
            return Err(GpuError::Size { what: "bytes of a texture's level", wanted, limit });
        }
        // A block is written whole, also where the level ends within it.
        let (side, block) = (texture.format.block_side(), texture.format.block_bytes());
        let [width, height] = texture.level_pixels(level).map(|p| p.next_multiple_of(side));
        let mut target = scope(|| texture.texture.as_image_copy());
        target.mip_level = level;
        self.checked(&"writing a texture", || {
            let layout = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(width / side * block),
                rows_per_image: None,
            };
            let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            self.queue.write_texture(target, data, layout, size);
        })
    }

    /// Copies the last levels of a texture into those of another that has the same last levels: as
    /// many as the one has that has fewer.
    ///
    /// # Complexity
    ///
    /// O(levels) calls; the card copies after all that was submitted.
    ///
    /// # Errors
    ///
    /// [`GpuError::Refused`] if their last levels are not alike; [`GpuError::Memory`],
    /// [`GpuError::Lost`].
    pub fn try_copy_levels(&self, from: &Texture, to: &Texture) -> Result<(), GpuError> {
        let count = from.levels.min(to.levels);
        let (first_from, first_to) = (from.levels - count, to.levels - count);
        let are_alike =
            from.format == to.format && from.level_pixels(first_from) == to.level_pixels(first_to);
        if !are_alike {
            let (what, why) = ("copying levels of a texture", "the levels are not alike");
            return Err(GpuError::Refused { what: Message::new(&what), why: Message::new(&why) });
        }
        let mut encoder = self.encoder();
        let (source, target) = scope(|| (from.texture.as_image_copy(), to.texture.as_image_copy()));
        for level in 0..count {
            let (mut source, mut target) = (source, target);
            (source.mip_level, target.mip_level) = (first_from + level, first_to + level);
            // A block is copied whole, also where the level ends within it.
            let side = to.format.block_side();
            let [width, height] =
                to.level_pixels(first_to + level).map(|p| p.next_multiple_of(side));
            let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            scope(|| encoder.wgpu().copy_texture_to_texture(source, target, size));
        }
        self.try_submit(encoder)
    }

    /// Makes a sampler.
    ///
    /// # Errors
    ///
    /// [`GpuError::Memory`].
    pub fn try_sampler(&self, kind: SamplerKind) -> Result<Sampler, GpuError> {
        use SamplerKind::{Edge, Mirror, Repeat};
        let has_levels = matches!(kind, Repeat | Edge | Mirror);
        let address = match kind {
            Repeat => wgpu::AddressMode::Repeat,
            Mirror => wgpu::AddressMode::MirrorRepeat,
            _ => wgpu::AddressMode::ClampToEdge,
        };
        let filter = match kind {
            SamplerKind::Nearest => wgpu::FilterMode::Nearest,
            _ => wgpu::FilterMode::Linear,
        };
        let description = wgpu::SamplerDescriptor {
            label: None,
            address_mode_u: address,
            address_mode_v: address,
            mag_filter: filter,
            min_filter: filter,
            mipmap_filter: if has_levels {
                wgpu::MipmapFilterMode::Linear
            } else {
                wgpu::MipmapFilterMode::Nearest
            },
            compare: (kind == SamplerKind::Compare).then_some(wgpu::CompareFunction::LessEqual),
            // Mesa's driver that computes reads mirrored pixels wrongly where it looks along slopes.
            anisotropy_clamp: if has_levels && kind != Mirror { 4 } else { 1 },
            ..Default::default()
        };
        let sampler = self.checked(&"a sampler", || self.device.create_sampler(&description))?;
        Ok(Sampler { sampler: Kept::new(sampler) })
    }

    /// Reads the largest level of a texture, rows one after the other, once all that was submitted
    /// is done.
    ///
    /// # Complexity
    ///
    /// O(bytes), and waits for the graphics card.
    ///
    /// # Memory
    ///
    /// A buffer on the card, as large as the texture, its rows rounded up to 256 bytes.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`] if `into` has more or fewer bytes than the texture; [`GpuError::Refused`]
    /// if the texture has several samples a pixel or is of blocks; [`GpuError::Memory`], [`GpuError::Lost`].
    pub fn try_read_texture(&self, texture: &Texture, into: &mut [u8]) -> Result<(), GpuError> {
        let (wanted, limit) = (into.len() as u64, texture.level_bytes(0));
        if wanted != limit {
            return Err(GpuError::Size { what: "bytes for a texture's pixels", wanted, limit });
        }
        if texture.format.block_side() > 1 {
            let (what, why) = ("reading a texture back", "it is of blocks");
            return Err(GpuError::Refused { what: Message::new(&what), why: Message::new(&why) });
        }
        if into.is_empty() {
            return Ok(());
        }
        let [width, height] = texture.pixels;
        let row = width * texture.format.block_bytes();
        let stride = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let description = wgpu::BufferDescriptor {
            label: Some("what is read back"),
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        };
        let what = "reading a texture back";
        let buffer = Kept::new(self.checked(&what, || {
            let buffer = self.device.create_buffer(&description);
            let encoder = wgpu::CommandEncoderDescriptor { label: None };
            let mut encoder = self.device.create_command_encoder(&encoder);
            let layout = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(stride),
                rows_per_image: None,
            };
            encoder.copy_texture_to_buffer(
                texture.texture.as_image_copy(),
                wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
                wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            );
            self.queue.submit([encoder.finish()]);
            buffer
        })?);
        self.map(&buffer)?;
        scope(|| {
            let lost = |why: &dyn fmt::Display| GpuError::Lost { what, why: Message::new(why) };
            let mapped = buffer.get_mapped_range(..).map_err(|why| lost(&why))?;
            let rows = mapped.chunks_exact(stride as usize).map(|line| &line[..row as usize]);
            for (to, from) in into.chunks_exact_mut(row as usize).zip(rows) {
                to.copy_from_slice(from);
            }
            Ok(())
        })
    }

    /// Waits until a buffer can be read.
    fn map(&self, buffer: &wgpu::Buffer) -> Result<(), GpuError> {
        scope(|| {
            let (sender, receiver) = mpsc::channel();
            buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                // Nobody waits any more where this fails.
                let _unheard = sender.send(result);
            });
            self.try_wait()?;
            let what = "reading a texture back";
            match receiver.try_recv() {
                Ok(Ok(())) => Ok(()),
                Ok(Err(why)) => Err(GpuError::Lost { what, why: Message::new(&why) }),
                Err(why) => Err(GpuError::Lost { what, why: Message::new(&why) }),
            }
        })
    }
}
