//! Textures.

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_diagnostics::context;
use loligo_formats::Picture;
use loligo_ids::murmur2_64a;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{blocks, build, faces, heights, mips};
use crate::texture::{TEXTURE_VERSION, TextureImage, TextureWrap};
use crate::texture_packing::{TEXTURE_SIDE_MAX, TexturePacking, levels_of, side_of};

/// Compiles textures: a PNG as it is, or an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `image` | the PNG in the same folder with its name | path of the PNG in the project |
/// | `faces` | none | in place of `image`: the paths of six PNGs around a place, `front`, `right`, `back`, `left`, `up`, `down`; they become one picture of all directions |
/// | `color` | `"srgb"` | `"linear"` for normals, roughness, masks |
/// | `wrap` | `"repeat"` | beyond the edges: `"repeat"`, `"clamp"` or `"mirror"` |
/// | `compress` | none | blocks of a quarter of the size or less: `"colors"`, `"normals"`, or `"astc"`; sides are multiples of 4 then |
/// | `side` | 8192 | its longer side at the most: larger levels are left out |
/// | `normals` | none | its brightness is height, white is this many pixels high: the texture is its normals, and linear |
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
        let source = if path.ends_with(".png") {
            Source { image: path.to_string(), ..Source::default() }
        } else {
            read(context)?
        };
        let Source { image, panorama, is_linear, wrap, normals, compress, side } = source;
        let picture = match panorama {
            Some(picture) => picture,
            None => {
                context!("In the picture", image);
                let bytes = context.read(&image)?;
                Picture::read(&bytes, TEXTURE_SIDE_MAX).map_err(|error| error.in_file(&*image))?
            }
        };
        let picture = match normals {
            Some(height) => heights::normals(&picture, height, wrap),
            None => picture,
        };
        let all = levels_of(picture.width, picture.height);
        let pixels = mips::all_levels(&picture, all, is_linear);
        // Larger ones are left out.
        let longest = picture.width.max(picture.height);
        let skipped = (0..all).find(|level| side == 0 || longest >> level <= side).unwrap_or(0);
        let (width, height) = (side_of(picture.width, skipped), side_of(picture.height, skipped));
        let levels = all - skipped;
        let plain = |level: u32| {
            let sides = [picture.width, picture.height].map(|side| side_of(side, level));
            TexturePacking::Plain.bytes(sides[0], sides[1]) as usize
        };
        let pixels = &pixels[(0..skipped).map(plain).sum::<usize>()..];
        let (packing, pixels) =
            blocks::pack(pixels, [width, height], compress.wanted(pixels), is_linear)
                .map_err(|error| error.in_file(&*image))?;
        let first = packing.first_level([width, height]);
        let front = packing.bytes_from([width, height], first) as usize;
        let (tail, pixels) = pixels.split_at(pixels.len() - front);
        context.set_tail(tail.len() as u64);
        let mut sums = Vec::new();
        let mut rest = tail;
        for level in 0..first {
            let [width, height] = [width, height].map(|side| side_of(side, level));
            let (own, after) = rest.split_at(packing.bytes(width, height) as usize);
            sums.push(murmur2_64a(own, 0));
            rest = after;
        }
        let mut payload = build(|heap| {
            let mut builder = BlobBuilder::<TextureImage, _>::try_new_in(context.endian(), heap)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(TextureImage, width)), width);
            builder.set(root.at(blob_field!(TextureImage, height)), height);
            builder.set(root.at(blob_field!(TextureImage, levels)), levels);
            builder.set(root.at(blob_field!(TextureImage, first)), first);
            builder.set(root.at(blob_field!(TextureImage, wrap)), wrap as u32);
            builder.set(root.at(blob_field!(TextureImage, is_linear)), is_linear.into());
            builder.set(root.at(blob_field!(TextureImage, packing)), packing as u32);
            builder.numbers(root.at(blob_field!(TextureImage, pixels)), pixels)?;
            builder.numbers(root.at(blob_field!(TextureImage, sums)), &sums)?;
            Ok(builder.finish().to_vec())
        })?;
        payload.extend_from_slice(tail);
        Ok(payload)
    }
}

/// What a source says.
#[derive(Default)]
struct Source {
    /// The path of the picture, or of the source where it is made of six.
    image: String,
    panorama: Option<Picture>,
    is_linear: bool,
    wrap: TextureWrap,
    /// How many pixels high white is, where normals are made of heights.
    normals: Option<f32>,
    compress: Compress,
    /// The most pixels of a side, 0 for as many as there are.
    side: u32,
}

/// How pixels are stored.
#[derive(Clone, Copy, Default)]
enum Compress {
    #[default]
    None,
    Colors,
    Normals,
    Astc,
}

fn read(context: &mut Context<'_>) -> Result<Source, CompileError> {
    let source = context.source()?;
    let source = Property::read(&source)?;
    source.allow(&["image", "faces", "color", "wrap", "normals", "compress", "side"])?;
    let is_linear =
        source.get("color").map_or(Ok(0), |value| value.word_index(&["srgb", "linear"]))?;
    let normals = match source.get("normals") {
        Some(_) => Some(source.number_or("normals", -256.0..=256.0, 0.0)?),
        None => None,
    };
    if let (Some(color), Some(_), 0) = (source.get("color"), normals, is_linear) {
        return Err(color.error("normals are no colors in sRGB", "leave the key out"));
    }
    let compress = match source.get("compress") {
        None => Compress::None,
        Some(word) => {
            let all = [Compress::Colors, Compress::Normals, Compress::Astc];
            let wanted = all[word.word_index(&["colors", "normals", "astc"])?];
            if let (Compress::Astc, false) = (wanted, cfg!(feature = "astc")) {
                return Err(without_astc(context, word));
            }
            wanted
        }
    };
    let side = source.number_or("side", 1.0..=TEXTURE_SIDE_MAX as f32, 0.0)? as u32;
    let wraps = TextureWrap::ALL.map(TextureWrap::name);
    let wrap = source.get("wrap").map_or(Ok(0), |value| value.word_index(&wraps))?;
    let faces = source.get("faces");
    if let (Some(faces), Some(_)) = (faces, source.get("image").or(source.get("normals"))) {
        let reason = "six faces are neither an image nor normals";
        return Err(faces.error(reason, "leave the other key out"));
    }
    let panorama =
        faces.map(|faces| faces::panorama(context, faces, is_linear == 1)).transpose()?;
    let image = match source.get("image") {
        None if panorama.is_some() => context.source_path().to_string(),
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
    let is_linear = is_linear == 1 || normals.is_some();
    let wrap = TextureWrap::ALL[wrap];
    Ok(Source { image, panorama, is_linear, wrap, normals, compress, side })
}

/// Returns the error that this program writes no ASTC.
fn without_astc(context: &mut Context<'_>, word: &Property) -> CompileError {
    let (path, platform) = (context.source_path().to_string(), context.platform());
    let reason = format!(
        "`{path}` is to be of ASTC for the platform `{platform}`, and this program was built \
         without its encoder"
    );
    let remedy = "build it with the feature `astc`, or write `compress = \"colors\"` in the \
                  texture of that platform";
    word.error(reason, remedy)
}

impl Compress {
    /// Returns how pixels are to be stored.
    fn wanted(self, pixels: &[u8]) -> TexturePacking {
        let is_opaque = || pixels.chunks_exact(4).all(|pixel| pixel[3] == 255);
        match self {
            Self::None => TexturePacking::Plain,
            Self::Normals => TexturePacking::Normals,
            Self::Astc => TexturePacking::Astc,
            Self::Colors if is_opaque() => TexturePacking::Colors,
            Self::Colors => TexturePacking::ColorsAndOpacity,
        }
    }
}

/// Returns the place of a value that led to an error.
pub(super) fn placed(error: CompileError, value: &Property) -> CompileError {
    let (line, column) = value.place();
    error.at(line, column)
}
