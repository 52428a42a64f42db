//! Blocks of pixels, in formats that graphics cards read as they are.

use std::borrow::Cow;
use std::format;
use std::vec;

use loligo_compiler::CompileError;
use texpresso::{Algorithm, Format, Params};

use crate::texture_packing::{TexturePacking, levels_of, side_of};

/// Returns the pixels of all levels of a texture, stored as it is wanted.
pub(super) fn pack<'p>(
    pixels: &'p [u8],
    [width, height]: [u32; 2],
    wanted: TexturePacking,
    is_linear: bool,
) -> Result<(TexturePacking, Cow<'p, [u8]>), CompileError> {
    if wanted == TexturePacking::Plain {
        return Ok((wanted, Cow::Borrowed(pixels)));
    }
    if !(width.is_multiple_of(4) && height.is_multiple_of(4)) {
        let reason = format!("{width} by {height} pixels are no whole blocks of 4 by 4");
        let remedy = "make both sides multiples of 4, or leave `compress` out";
        return Err(CompileError::new(reason, remedy));
    }
    let levels = levels_of(width, height);
    let sides = |level: u32| [width, height].map(|side| side_of(side, level));
    let bytes = |packing: TexturePacking, level: u32| {
        let [width, height] = sides(level);
        packing.bytes(width, height) as usize
    };
    let mut packed = vec![0; (0..levels).map(|level| bytes(wanted, level)).sum()];
    let (mut from, mut to) = (pixels, &mut packed[..]);
    for level in 0..levels {
        let (plain, rest) = from.split_at(bytes(TexturePacking::Plain, level));
        let (blocks, after) = to.split_at_mut(bytes(wanted, level));
        compress(wanted, is_linear, plain, sides(level), blocks)?;
        (from, to) = (rest, after);
    }
    Ok((wanted, Cow::Owned(packed)))
}

/// Packs one level.
fn compress(
    wanted: TexturePacking,
    is_linear: bool,
    plain: &[u8],
    sides: [u32; 2],
    blocks: &mut [u8],
) -> Result<(), CompileError> {
    let format = match wanted {
        TexturePacking::Colors | TexturePacking::Plain => Format::Bc1,
        TexturePacking::ColorsAndOpacity => Format::Bc3,
        TexturePacking::Normals => Format::Bc5,
        TexturePacking::Astc => return astc(is_linear, plain, sides, blocks),
    };
    // The best that does not take many times as long.
    let params = Params { algorithm: Algorithm::ClusterFit, ..Params::default() };
    let [width, height] = sides.map(|side| side as usize);
    format.compress(plain, width, height, params, blocks);
    Ok(())
}

#[cfg(feature = "astc")]
use super::astc::compress as astc;

/// Without the encoder a texture of ASTC was refused when its source was read.
#[cfg(not(feature = "astc"))]
fn astc(_: bool, _: &[u8], _: [u32; 2], _: &mut [u8]) -> Result<(), CompileError> {
    Err(CompileError::new("there is no encoder of ASTC", "build with the feature `astc`"))
}
