//! Materials.

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_diagnostics::context;
use loligo_ids::IdString64;
use std::vec::Vec;

use super::build;
use crate::material::{MATERIAL_VERSION, MaterialImage, MaterialTexture};
use crate::shader::SHADER_TYPE;
use crate::texture::TEXTURE_TYPE;

/// Compiles materials: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `shader` | | the shader that draws it; required |
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
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialCompiler;

const KEYS: [&str; 15] = [
    "shader",
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
        let shader = source.need("shader", "name one: `shader = \"shaders/standard\"`")?;
        let shader = refer(context, SHADER_TYPE, shader)?;
        let (mut textures, mut has_textures) = ([IdString64::default(); 4], 0);
        for which in MaterialTexture::ALL {
            if let Some(name) = source.get(which.key()) {
                textures[which as usize] = refer(context, TEXTURE_TYPE, name)?;
                has_textures |= 1 << which as u32;
            }
        }
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
        let layer = source.get("layer").map_or(Ok(LAYER), Property::string)?;
        let layer = context.name(layer);
        let color = source.numbers_or("color", 0.0..=1.0, [1.0; 4])?;
        let custom = source.numbers_or("custom", f32::MIN..=f32::MAX, [0.0; 4])?;
        let roughness = source.number_or("roughness", 0.0..=1.0, 0.8)?;
        let metallic = source.number_or("metallic", 0.0..=1.0, 0.0)?;
        let emission = source.number_or("emission", 0.0..=f32::MAX, 0.0)?;
        let cutout = source.number_or("cutout", 0.0..=1.0, 0.0)?;
        let casts_shadow = source.bool_or("casts_shadow", true)?;
        let two_sided = source.bool_or("two_sided", false)?;
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
