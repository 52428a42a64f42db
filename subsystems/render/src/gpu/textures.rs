//! The textures.

use loligo_gpu::{Format, Gpu, Texture, TextureDescription};

use crate::gpu::data::TextureData;
use crate::gpu::error::GpuRenderError;

/// The most levels: those of a texture of 65 536 pixels each way.
const LEVELS_MAX: u32 = 17;

/// Makes a texture and fills it.
pub(super) fn try_texture(
    gpu: &Gpu,
    name: &str,
    from: &TextureData<'_>,
) -> Result<Texture, GpuRenderError> {
    let TextureData { pixels, is_srgb, levels, data, .. } = *from;
    let level_bytes = |level: u32| {
        let [width, height] = pixels.map(|pixels| u64::from((pixels >> level).max(1)));
        width.saturating_mul(height).saturating_mul(4)
    };
    let expected = (0..levels.min(LEVELS_MAX)).map(level_bytes).fold(0, u64::saturating_add);
    let bytes = data.len() as u64;
    let longest = pixels[0].max(pixels[1]);
    let is_whole = pixels.iter().all(|pixels| *pixels > 0)
        && (1..=LEVELS_MAX).contains(&levels)
        && longest >> (levels - 1) > 0;
    if bytes != expected || !is_whole {
        return Err(GpuRenderError::Texture { bytes, expected });
    }
    let format = if is_srgb { Format::Rgba8Srgb } else { Format::Rgba8 };
    let description =
        TextureDescription { name, pixels, levels, samples: 1, format, is_target: false };
    let texture = gpu.try_texture(&description)?;
    let mut rest = data;
    for level in 0..levels {
        // All together are as long as the data.
        let (own, behind) = rest.split_at(level_bytes(level) as usize);
        gpu.try_write_texture(&texture, level, own)?;
        rest = behind;
    }
    Ok(texture)
}
