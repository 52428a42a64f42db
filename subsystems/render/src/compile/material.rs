//! Materials.

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_diagnostics::context;
use loligo_ids::IdString64;
use std::vec::Vec;

use super::build;
use super::gltf_material::GltfMaterial;
use crate::material::{MATERIAL_VERSION, MaterialImage, MaterialTexture};
use crate::shader::SHADER_TYPE;
use crate::texture::TEXTURE_TYPE;

/// Compiles materials: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `shader` | | the shader that draws it; required without a `file` |
/// | `file` | none | path of a glTF 2.0 file, `.gltf` or `.glb`: what its material says is the default of the keys below; the shader is `core/shaders/standard` then |
/// | `material` | the only one | the name of the material in that file |
/// | `texture` | none | its colors multiply `color` |
/// | `target` | none | a target of the frame that it shows in place of `texture`: a mirror, a screen |
/// | `normal_texture` | none | which way the surface looks: x right, y up, z out; a linear texture |
/// | `surface_texture` | none | red: how much light from all around arrives; green, blue: multiply `roughness`, `metallic`; linear |
/// | `emission_texture` | none | its colors multiply what shines by itself |
/// | `color` | `[ 1 1 1 1 ]` | red, green, blue, opacity from 0 to 1, linear |
/// | `roughness` | 0.8 | from 0, a mirror, to 1 |
/// | `metallic` | 0 | from 0 to 1, a metal |
/// | `emission` | 0 | how many times its color it shines by itself |
/// | `cutout` | 0 | from 0 to 1: where the opacity is less, nothing is drawn and no shadow is cast |
/// | `two_sided` | `false` | whether backs are drawn as fronts are |
/// | `custom` | `[ 0 0 0 0 ]` | what shaders of the game read |
/// | `casts_shadow` | `true` | whether it casts shadow |
/// | `layer` | `"opaque"` | the layer of the frame that it is drawn in |
///
/// Of a glTF file are taken: base color, roughness, metal and emission, factors and textures; normals;
/// occlusion that is in the picture of roughness and metal; `MASK` with its cutoff, `BLEND` as the
/// layer `glass`; both sides. Its pictures are PNGs in the project, each a texture of its name. What
/// it says and is not supported is an error that names it.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialCompiler;

const KEYS: [&str; 17] = [
    "shader",
    "file",
    "material",
    "target",
    MaterialTexture::Color.key(),
    MaterialTexture::Normal.key(),
    MaterialTexture::Surface.key(),
    MaterialTexture::Emission.key(),
    "color",
    "roughness",
    "metallic",
    "emission",
    "cutout",
    "two_sided",
    "custom",
    "casts_shadow",
    "layer",
];

/// The shader of a material of a glTF file that names none.
const STANDARD: &str = "core/shaders/standard";

/// The layer of a material that names none.
const LAYER: &str = "opaque";

impl Compiler for MaterialCompiler {
    fn version(&self) -> u32 {
        MATERIAL_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let source = Property::read(&source)?;
        source.allow(&KEYS)?;
        let gltf = match (source.get("file"), source.get("material")) {
            (Some(file), name) => Some((GltfMaterial::read(context, file, name)?, file.place())),
            (None, Some(name)) => {
                let reason = "a material of a file is named, and no file";
                return Err(name.error(reason, "name it: `file = \"door.glb\"`"));
            }
            (None, None) => None,
        };
        let shader = shader_of(context, &source, gltf.as_ref())?;
        let (textures, has_textures) = textures_of(context, &source, gltf.as_ref())?;
        let target = source.get("target").map(|name| {
            let found = name.string()?;
            match source.get(MaterialTexture::Color.key()) {
                Some(_) => {
                    let reason = "it shows a texture and a target";
                    Err(name.error(reason, "leave one of both out"))
                }
                None => Ok(context.name(found)),
            }
        });
        let target = target.transpose()?.unwrap_or_default();
        let gltf = gltf.map_or(GltfMaterial::PLAIN, |(gltf, _)| gltf);
        let layer =
            source.get("layer").map_or(Ok(gltf.layer.unwrap_or(LAYER)), Property::string)?;
        let layer = context.name(layer);
        let color = source.numbers_or("color", 0.0..=1.0, gltf.color)?;
        let custom = source.numbers_or("custom", f32::MIN..=f32::MAX, [0.0; 4])?;
        let roughness = source.number_or("roughness", 0.0..=1.0, gltf.roughness)?;
        let metallic = source.number_or("metallic", 0.0..=1.0, gltf.metallic)?;
        let emission = source.number_or("emission", 0.0..=f32::MAX, gltf.emission)?;
        let cutout = source.number_or("cutout", 0.0..=1.0, gltf.cutout)?;
        let casts_shadow = source.bool_or("casts_shadow", true)?;
        let two_sided = source.bool_or("two_sided", gltf.two_sided)?;
        build(|heap| {
            let mut builder = BlobBuilder::<MaterialImage, _>::try_new_in(context.endian(), heap)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(MaterialImage, shader)), shader);
            builder.set(root.at(blob_field!(MaterialImage, textures)), textures);
            builder.set(root.at(blob_field!(MaterialImage, layer)), layer);
            builder.set(root.at(blob_field!(MaterialImage, target)), target);
            builder.set(root.at(blob_field!(MaterialImage, color)), color);
            builder.set(root.at(blob_field!(MaterialImage, custom)), custom);
            builder.set(root.at(blob_field!(MaterialImage, roughness)), roughness);
            builder.set(root.at(blob_field!(MaterialImage, metallic)), metallic);
            builder.set(root.at(blob_field!(MaterialImage, emission)), emission);
            builder.set(root.at(blob_field!(MaterialImage, cutout)), cutout);
            builder.set(root.at(blob_field!(MaterialImage, has_textures)), has_textures);
            builder.set(root.at(blob_field!(MaterialImage, casts_shadow)), casts_shadow.into());
            builder.set(root.at(blob_field!(MaterialImage, two_sided)), two_sided.into());
            Ok(builder.finish().to_vec())
        })
    }
}

/// A material of a file, and where the source names the file.
type Placed = (GltfMaterial, (u32, u32));

fn shader_of(
    context: &mut Context<'_>,
    source: &Property,
    gltf: Option<&Placed>,
) -> Result<IdString64, CompileError> {
    match (gltf, source.get("shader")) {
        (Some((_, place)), None) => Ok(context.refer(SHADER_TYPE, STANDARD, *place).name),
        _ => {
            let remedy = "name one: `shader = \"shaders/standard\"`";
            refer(context, SHADER_TYPE, source.need("shader", remedy)?)
        }
    }
}

/// Returns the textures by their numbers, and a bit for each that there is.
fn textures_of(
    context: &mut Context<'_>,
    source: &Property,
    gltf: Option<&Placed>,
) -> Result<([IdString64; 4], u32), CompileError> {
    let (mut textures, mut has_textures) = ([IdString64::default(); 4], 0);
    for which in MaterialTexture::ALL {
        let of_file = gltf.and_then(|(gltf, place)| {
            gltf.textures[which as usize].as_ref().map(|name| (name, *place))
        });
        textures[which as usize] = match (source.get(which.key()), of_file) {
            (Some(name), _) => refer(context, TEXTURE_TYPE, name)?,
            // A target is in its place.
            (None, Some(_))
                if which == MaterialTexture::Color && source.get("target").is_some() =>
            {
                continue;
            }
            (None, Some((name, place))) => context.refer(TEXTURE_TYPE, name, place).name,
            (None, None) => continue,
        };
        has_textures |= 1 << which as u32;
    }
    Ok((textures, has_textures))
}

/// Names a resource that the material leads to.
fn refer(
    context: &mut Context<'_>,
    type_name: &str,
    name: &Property,
) -> Result<IdString64, CompileError> {
    context!("In the key", name.key());
    let text = name.string()?;
    if text.is_empty() {
        return Err(name.error("the name is empty", "name a resource, or leave the key out"));
    }
    Ok(context.refer(type_name, text, name.place()).name)
}
