//! Textures.

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_diagnostics::context;
use loligo_formats::Picture;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{build, mips};
use crate::texture::{TEXTURE_SIDE_MAX, TEXTURE_VERSION, TextureImage, TextureWrap, levels_of};

/// Compiles textures: a PNG as it is, or an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `image` | the PNG in the same folder with its name | path of the PNG in the project |
/// | `color` | `"srgb"` | `"linear"` for normals, roughness, masks |
/// | `wrap` | `"repeat"` | beyond the edges: `"repeat"`, `"clamp"` or `"mirror"` |
///
/// Grey becomes three equal colors, what has no opacity is opaque, and 16 bits become 8. Smaller
/// levels are averages of light, so those of sRGB are computed in linear numbers, and pixels count
/// by their opacity.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextureCompiler;

impl Compiler for TextureCompiler {
    fn version(&self) -> u32 {
        TEXTURE_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let path = context.source_path();
        let (image, is_linear, wrap) = if path.ends_with(".png") {
            (path.to_string(), false, TextureWrap::default())
        } else {
            read(context)?
        };
        let picture = {
            context!("In the picture", image);
            let bytes = context.read(&image)?;
            Picture::read(&bytes, TEXTURE_SIDE_MAX).map_err(|error| error.in_file(&*image))?
        };
        let levels = levels_of(picture.width, picture.height);
        let pixels = mips::all_levels(&picture, levels, is_linear);
        build(|heap| {
            let mut builder = BlobBuilder::<TextureImage, _>::try_new_in(context.endian(), heap)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(TextureImage, width)), picture.width);
            builder.set(root.at(blob_field!(TextureImage, height)), picture.height);
            builder.set(root.at(blob_field!(TextureImage, levels)), levels);
            builder.set(root.at(blob_field!(TextureImage, wrap)), wrap as u32);
            builder.set(root.at(blob_field!(TextureImage, is_linear)), is_linear.into());
            builder.numbers(root.at(blob_field!(TextureImage, pixels)), &pixels)?;
            Ok(builder.finish().to_vec())
        })
    }
}

/// Reads a source: the path of the picture, whether it is linear, how it goes on.
fn read(context: &mut Context<'_>) -> Result<(String, bool, TextureWrap), CompileError> {
    let source = context.source()?;
    let source = Property::read(&source)?;
    source.allow(&["image", "color", "wrap"])?;
    let is_linear =
        source.get("color").map_or(Ok(0), |value| value.word_index(&["srgb", "linear"]))?;
    let wraps = TextureWrap::ALL.map(TextureWrap::name);
    let wrap = source.get("wrap").map_or(Ok(0), |value| value.word_index(&wraps))?;
    let image = match source.get("image") {
        Some(image) => {
            let path = image.string()?;
            if context.try_read(path).map_err(|error| placed(error, image))?.is_none() {
                let remedy = "give its path from the project's folder on";
                return Err(image.error(format!("there is no file `{path}`"), remedy));
            }
            path.to_string()
        }
        None => {
            let path = context.source_path();
            let beside = format!("{}.png", path.strip_suffix(".texture").unwrap_or(path));
            if context.try_read(&beside)?.is_none() {
                let reason = format!("no `image` is named, and there is no `{beside}`");
                return Err(source.error(reason, "name a PNG: `image = \"textures/stone.png\"`"));
            }
            beside
        }
    };
    Ok((image, is_linear == 1, TextureWrap::ALL[wrap]))
}

/// Returns the place of a value that led to an error.
pub(super) fn placed(error: CompileError, value: &Property) -> CompileError {
    let (line, column) = value.place();
    error.at(line, column)
}
