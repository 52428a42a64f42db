//! The textures.

use astc_decode::{Footprint, astc_decode_block};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{Format, Gpu, Texture, TextureDescription};

use crate::gpu::data::{TextureData, TextureLevels};
use crate::gpu::error::GpuRenderError;
use crate::texture_packing::{CardBlocks, TexturePacking};

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
    let format = format(packing.on_card(blocks_of(gpu)), is_srgb);
    let description =
        TextureDescription { name, pixels, levels, samples: 1, format, is_target: false };
    Ok(gpu.try_texture(&description)?)
}

/// Returns which blocks a card reads.
pub(super) fn blocks_of(gpu: &Gpu) -> CardBlocks {
    CardBlocks { bc: gpu.has_blocks(), astc: gpu.has_astc() }
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
    let is_unpacked = packing.on_card(blocks_of(gpu)) != packing;
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
        (TexturePacking::Astc, true) => Format::AstcSrgb,
        (TexturePacking::Astc, false) => Format::Astc,
    }
}

/// Makes pixels of blocks.
fn try_unpack<A: Allocator + ?Sized>(
    packing: TexturePacking,
    blocks: &[u8],
    [width, height]: [u32; 2],
    pixels: &mut Array<'_, u8, A>,
) -> Result<(), GpuRenderError> {
    pixels.clear();
    pixels.try_resize(TexturePacking::Plain.bytes(width, height) as usize, 0)?;
    let blocks_of = match packing {
        TexturePacking::Normals => texpresso::Format::Bc5,
        TexturePacking::ColorsAndOpacity => texpresso::Format::Bc3,
        TexturePacking::Colors | TexturePacking::Plain => texpresso::Format::Bc1,
        TexturePacking::Astc => {
            unpack_astc(blocks, [width, height], pixels);
            return Ok(());
        }
    };
    blocks_of.decompress(blocks, width as usize, height as usize, pixels);
    Ok(())
}

/// Makes pixels of blocks of ASTC, of which there is one for each 4 by 4 pixels.
fn unpack_astc(blocks: &[u8], [width, height]: [u32; 2], pixels: &mut [u8]) {
    let columns = width.div_ceil(4) as usize;
    let (width, height) = (width as usize, height as usize);
    for (number, block) in blocks.as_chunks::<16>().0.iter().enumerate() {
        let (left, top) = (number % columns * 4, number / columns * 4);
        // A damaged block is one color, as on a card.
        astc_decode_block(block, Footprint::new(4, 4), |x, y, pixel| {
            let (x, y) = (left + x as usize, top + y as usize);
            if x < width && y < height {
                let at = (y * width + x) * 4;
                pixels[at..at + 4].copy_from_slice(&pixel);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use loligo_allocators::PageAllocator;
    use std::vec::Vec;

    use super::*;

    /// A block of one color: its head, then 16 bits a part.
    fn one_color(pixel: [u8; 4]) -> [u8; 16] {
        let head = [0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        let parts = pixel.map(|part| u16::from(part) * 257);
        let parts = parts.into_iter().flat_map(u16::to_le_bytes);
        let mut all = head.into_iter().chain(parts);
        core::array::from_fn(|_| all.next().unwrap_or_default())
    }

    #[test]
    fn blocks_of_astc_become_pixels_for_cards_that_do_not_read_them() {
        let pages = PageAllocator::new("pages");
        let colors = [[250, 0, 90, 130], [20, 0, 90, 130], [250, 200, 9, 1], [20, 200, 9, 1]];
        let blocks = colors.map(one_color);
        let mut pixels = Array::new_in(&pages);
        let packing = TexturePacking::Astc;
        try_unpack(packing, blocks.as_flattened(), [6, 8], &mut pixels).expect("memory");
        assert_eq!(pixels.len(), 6 * 8 * 4);
        for (at, pixel) in pixels.chunks(4).enumerate() {
            let block = at / 6 / 4 * 2 + at % 6 / 4;
            assert_eq!(pixel, colors[block], "pixel {at}");
        }
    }

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
