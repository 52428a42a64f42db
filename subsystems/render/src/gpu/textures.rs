//! The textures.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{Format, Gpu, Texture, TextureDescription};

use crate::gpu::data::{TextureData, TextureLevels};
use crate::gpu::error::GpuRenderError;
use crate::texture_packing::TexturePacking;

/// The most levels: those of a texture of 65 536 pixels each way.
const LEVELS_MAX: u32 = 17;

/// Makes a texture and fills it.
pub(super) fn try_texture<A: Allocator + ?Sized>(
    gpu: &Gpu,
    name: &str,
    from: &TextureData<'_>,
    memory: &A,
) -> Result<Texture, GpuRenderError> {
    let TextureData { pixels, is_srgb, levels, packing, data, .. } = *from;
    let kind = Kind { is_srgb, packing };
    let texture = try_empty(gpu, name, kind, (pixels, levels))?;
    try_fill(gpu, &texture, kind, (pixels, levels), data, memory)?;
    Ok(texture)
}

/// What the pixels of a texture are.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) is_srgb: bool,
    pub(super) packing: TexturePacking,
}

/// Makes a texture with other large levels than one has, and the small ones that both have.
pub(super) fn try_resized<A: Allocator + ?Sized>(
    gpu: &Gpu,
    old: &Texture,
    kind: Kind,
    levels: &TextureLevels<'_>,
    memory: &A,
) -> Result<Texture, GpuRenderError> {
    let TextureLevels { pixels, levels, data } = *levels;
    let texture = try_empty(gpu, "texture", kind, (pixels, levels))?;
    let new = levels.saturating_sub(old.levels());
    try_fill(gpu, &texture, kind, (pixels, new), data, memory)?;
    gpu.try_copy_levels(old, &texture)?;
    Ok(texture)
}

/// Makes a texture that is not filled.
fn try_empty(
    gpu: &Gpu,
    name: &str,
    Kind { is_srgb, packing }: Kind,
    (pixels, levels): ([u32; 2], u32),
) -> Result<Texture, GpuRenderError> {
    let longest = pixels[0].max(pixels[1]);
    let is_whole = pixels.iter().all(|pixels| *pixels > 0)
        && (1..=LEVELS_MAX).contains(&levels)
        && longest >> (levels - 1) > 0;
    if !is_whole {
        return Err(GpuRenderError::Texture { bytes: 0, expected: 0 });
    }
    let stored = if is_unpacked(gpu, packing) { TexturePacking::Plain } else { packing };
    let format = format(stored, is_srgb);
    let description =
        TextureDescription { name, pixels, levels, samples: 1, format, is_target: false };
    Ok(gpu.try_texture(&description)?)
}

/// Returns whether a card reads pixels in place of blocks.
fn is_unpacked(gpu: &Gpu, packing: TexturePacking) -> bool {
    packing != TexturePacking::Plain && !gpu.has_blocks()
}

/// Fills the first levels of a texture.
fn try_fill<A: Allocator + ?Sized>(
    gpu: &Gpu,
    texture: &Texture,
    Kind { packing, .. }: Kind,
    (pixels, levels): ([u32; 2], u32),
    data: &[u8],
    memory: &A,
) -> Result<(), GpuRenderError> {
    let sides = |level: u32| pixels.map(|pixels| (pixels >> level).max(1));
    let level_bytes = |level: u32| {
        let [width, height] = sides(level);
        packing.bytes(width, height)
    };
    let expected = (0..levels.min(LEVELS_MAX)).map(level_bytes).fold(0, u64::saturating_add);
    let bytes = data.len() as u64;
    if bytes != expected {
        return Err(GpuRenderError::Texture { bytes, expected });
    }
    let is_unpacked = is_unpacked(gpu, packing);
    let mut plain = Array::new_in(memory);
    let mut rest = data;
    for level in 0..levels {
        // All together are as long as the data.
        let (own, after) = rest.split_at(level_bytes(level) as usize);
        if is_unpacked {
            try_unpack(packing, own, sides(level), &mut plain)?;
            gpu.try_write_texture(texture, level, &plain)?;
        } else {
            gpu.try_write_texture(texture, level, own)?;
        }
        rest = after;
    }
    Ok(())
}

/// Returns how the card is to read pixels.
const fn format(packing: TexturePacking, is_srgb: bool) -> Format {
    match (packing, is_srgb) {
        (TexturePacking::Plain, true) => Format::Rgba8Srgb,
        (TexturePacking::Plain, false) => Format::Rgba8,
        (TexturePacking::Colors, true) => Format::Bc1Srgb,
        (TexturePacking::Colors, false) => Format::Bc1,
        (TexturePacking::ColorsAndOpacity, true) => Format::Bc3Srgb,
        (TexturePacking::ColorsAndOpacity, false) => Format::Bc3,
        (TexturePacking::Normals, _) => Format::Bc5,
    }
}

/// Makes pixels of blocks.
fn try_unpack<A: Allocator + ?Sized>(
    packing: TexturePacking,
    blocks: &[u8],
    [width, height]: [u32; 2],
    pixels: &mut Array<'_, u8, A>,
) -> Result<(), GpuRenderError> {
    let blocks_of = match packing {
        TexturePacking::Normals => texpresso::Format::Bc5,
        TexturePacking::ColorsAndOpacity => texpresso::Format::Bc3,
        TexturePacking::Colors | TexturePacking::Plain => texpresso::Format::Bc1,
    };
    pixels.clear();
    pixels.try_resize(TexturePacking::Plain.bytes(width, height) as usize, 0)?;
    blocks_of.decompress(blocks, width as usize, height as usize, pixels);
    Ok(())
}

#[cfg(test)]
mod tests {
    use loligo_allocators::PageAllocator;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn blocks_become_pixels_for_cards_that_do_not_read_them() {
        let pages = PageAllocator::new("pages");
        // One color in each block, of which the right ones are cut.
        let pixel = |at: u8| [if at % 6 < 4 { 250 } else { 20 }, at / 24 * 200, 90, 130];
        let plain: Vec<u8> = (0..6 * 8).flat_map(pixel).collect();
        for (packing, format, parts) in [
            (TexturePacking::Colors, texpresso::Format::Bc1, 3),
            (TexturePacking::ColorsAndOpacity, texpresso::Format::Bc3, 4),
            (TexturePacking::Normals, texpresso::Format::Bc5, 2),
        ] {
            let mut blocks = std::vec![0; packing.bytes(6, 8) as usize];
            format.compress(&plain, 6, 8, texpresso::Params::default(), &mut blocks);
            let mut pixels = Array::new_in(&pages);
            try_unpack(packing, &blocks, [6, 8], &mut pixels).expect("memory");
            assert_eq!(pixels.len(), plain.len(), "{packing:?}");
            for (found, wanted) in pixels.chunks(4).zip(plain.chunks(4)) {
                // What has no opacity is opaque.
                let far = (0..parts).map(|at| found[at].abs_diff(wanted[at])).max();
                assert!(far < Some(9), "{packing:?}: {found:?} is not {wanted:?}");
            }
        }
    }
}
