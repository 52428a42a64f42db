//! Blocks of ASTC, by ARM's encoder.

use std::format;
use std::vec::Vec;

use ctt_astcenc::bindings::{astcenc_image, astcenc_type_ASTCENC_TYPE_U8};
use ctt_astcenc::{Context, Error, Flags, Preset, Profile, Swizzle, config_init};
use loligo_compiler::CompileError;

/// Packs the pixels of one level: a block of 16 bytes for each 4 by 4 of them.
pub(super) fn compress(
    is_linear: bool,
    pixels: &[u8],
    [width, height]: [u32; 2],
    blocks: &mut [u8],
) -> Result<(), CompileError> {
    let failed = |error: Error| {
        let reason = format!("the encoder of ASTC refuses {width} by {height} pixels: {error}");
        CompileError::new(reason, "write `compress = \"colors\"`")
    };
    let profile = if is_linear { Profile::Ldr } else { Profile::LdrSrgb };
    let config = config_init(profile, 4, 4, 1, Preset::Medium, Flags::empty()).map_err(failed)?;
    let mut context = Context::new(&config).map_err(failed)?;
    // It takes what it reads as if it were to be written.
    let mut pixels: Vec<u8> = pixels.to_vec();
    let mut slice = pixels.as_mut_ptr().cast();
    let mut image = astcenc_image {
        dim_x: width,
        dim_y: height,
        dim_z: 1,
        data_type: astcenc_type_ASTCENC_TYPE_U8,
        data: &raw mut slice,
    };
    context.compress(&mut image, Swizzle::IDENTITY, blocks).map_err(failed)
}
