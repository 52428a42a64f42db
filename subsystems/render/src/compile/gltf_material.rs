//! What the materials of glTF files say, as keys of ours.

use loligo_compiler::{CompileError, Context, Property, PropertyValue};
use loligo_diagnostics::context;
use loligo_formats::gltf::image::Source;
use loligo_formats::gltf::material::AlphaMode;
use loligo_formats::gltf::texture::WrappingMode;
use loligo_formats::gltf::{Material, Texture};
use loligo_formats::{GltfFile, Picture};
use std::borrow::ToOwned;
use std::format;
use std::string::String;
use std::vec::Vec;

use crate::material::MaterialTexture;
use crate::texture_packing::TEXTURE_SIDE_MAX;

/// The layer of what is blended.
const BLENDED: &str = "glass";

/// The opacity below which a mask is clear, where the file does not say.
const CUTOFF: f32 = 0.5;

/// What a material of a file says.
#[derive(Debug)]
pub(super) struct GltfMaterial {
    pub(super) color: [f32; 4],
    pub(super) roughness: f32,
    pub(super) metallic: f32,
    pub(super) emission: f32,
    pub(super) cutout: f32,
    pub(super) two_sided: bool,
    /// Where it is blended, the layer for that.
    pub(super) layer: Option<&'static str>,
    /// The names of its textures, in the order of [`MaterialTexture`].
    pub(super) textures: [Option<String>; 4],
}

impl GltfMaterial {
    /// What materials are without a file.
    pub(super) const PLAIN: Self = Self {
        color: [1.0; 4],
        roughness: 0.8,
        metallic: 0.0,
        emission: 0.0,
        cutout: 0.0,
        two_sided: false,
        layer: None,
        textures: [const { None }; 4],
    };

    /// Reads the material that `name` names, or the only one of the file.
    pub(super) fn read(
        context: &mut Context<'_>,
        file: &Property,
        name: Option<&Property>,
    ) -> Result<Self, CompileError> {
        let path = file.string()?;
        context!("In the model", path);
        let placed = |error: CompileError, value: &Property| {
            let (line, column) = value.place();
            error.at(line, column)
        };
        let bytes = context.try_read(path).map_err(|error| placed(error, file))?;
        let Some(bytes) = bytes else {
            let remedy = "give its path from the project's folder on";
            return Err(file.error(format!("there is no file `{path}`"), remedy));
        };
        let gltf = GltfFile::read(context, path, &bytes)?;
        let all = || gltf.document().materials();
        let names = || all().filter_map(|found| found.name().map(ToOwned::to_owned));
        let found = match name {
            Some(name) => {
                let text = name.string()?;
                let unnamed = || gltf.unnamed("material", text, &names().collect::<Vec<_>>());
                let found = all().find(|found| found.name() == Some(text));
                found.ok_or_else(|| placed(unnamed(), name))?
            }
            None => match (all().next(), all().len()) {
                (Some(only), 1) => only,
                (_, count) => {
                    let reason = format!("`{path}` has {count} materials");
                    return Err(file.error(reason, "name one: `material = \"Wood\"`"));
                }
            },
        };
        Reader { context, gltf: &gltf, path, material: &found }.read()
    }
}

/// Reads one material.
struct Reader<'r, 'c> {
    context: &'r mut Context<'c>,
    gltf: &'r GltfFile,
    path: &'r str,
    material: &'r Material<'r>,
}

impl Reader<'_, '_> {
    fn read(mut self) -> Result<GltfMaterial, CompileError> {
        let metal = self.material.pbr_metallic_roughness();
        let color = metal.base_color_factor();
        let (cutout, layer) = match self.material.alpha_mode() {
            AlphaMode::Opaque => (0.0, None),
            AlphaMode::Mask => (self.material.alpha_cutoff().unwrap_or(CUTOFF), None),
            AlphaMode::Blend => (0.0, Some(BLENDED)),
        };
        let mut textures = [const { None }; 4];
        if let Some(info) = metal.base_color_texture() {
            let of = (MaterialTexture::Color, info.tex_coord());
            textures[MaterialTexture::Color as usize] = Some(self.texture(&info.texture(), of)?);
        }
        if let Some(info) = self.material.normal_texture() {
            if info.scale() != 1.0 {
                let reason = format!("scales its normals by {}", info.scale());
                return Err(self.unsupported(&reason, "scale them in the picture"));
            }
            let of = (MaterialTexture::Normal, info.tex_coord());
            textures[MaterialTexture::Normal as usize] = Some(self.texture(&info.texture(), of)?);
        }
        textures[MaterialTexture::Surface as usize] = self.surface()?;
        if let Some(info) = self.material.emissive_texture() {
            let of = (MaterialTexture::Emission, info.tex_coord());
            textures[MaterialTexture::Emission as usize] = Some(self.texture(&info.texture(), of)?);
        }
        let emission = self.emission(color)?;
        let has = |which: MaterialTexture| textures[which as usize].is_some();
        if emission > 0.0 && has(MaterialTexture::Color) && !has(MaterialTexture::Emission) {
            let remedy = "give it a picture of that as well, a white one perhaps";
            return Err(self.unsupported("shines, and has a picture of its color alone", remedy));
        }
        Ok(GltfMaterial {
            color,
            roughness: metal.roughness_factor(),
            metallic: metal.metallic_factor(),
            emission,
            cutout,
            two_sided: self.material.double_sided(),
            layer,
            textures,
        })
    }

    /// Returns how many times its color it shines by itself.
    fn emission(&self, [r, g, b, _]: [f32; 4]) -> Result<f32, CompileError> {
        let factor = self.material.emissive_factor();
        let strongest =
            [r, g, b].into_iter().zip(factor).max_by(|one, other| one.0.total_cmp(&other.0));
        let (color, light) = strongest.unwrap_or((1.0, 0.0));
        let times = if color > 0.0 { light / color } else { 0.0 };
        let is_alike = |(color, light): (f32, f32)| (color * times - light).abs() <= 2e-3;
        match [r, g, b].into_iter().zip(factor).all(is_alike) {
            true => Ok(times),
            false => {
                let reason = format!("shines in {factor:?}, which is not the color of its base");
                Err(self.unsupported(
                    &reason,
                    "give both one color, and the difference to the pictures",
                ))
            }
        }
    }

    /// Returns the texture of roughness, metal and light from around, which are in one picture.
    fn surface(&mut self) -> Result<Option<String>, CompileError> {
        let metal = self.material.pbr_metallic_roughness().metallic_roughness_texture();
        let around = self.material.occlusion_texture();
        let remedy = "put occlusion into the red of the picture of roughness and metal, and name it for both";
        let Some(info) = metal else {
            return match around {
                None => Ok(None),
                Some(_) => Err(self.unsupported("has occlusion in a separate picture", remedy)),
            };
        };
        let image = info.texture().source().index();
        match around {
            Some(around) if around.texture().source().index() != image => {
                return Err(self.unsupported("has occlusion in a separate picture", remedy));
            }
            Some(around) if around.strength() != 1.0 => {
                let reason = format!("weakens its occlusion to {}", around.strength());
                return Err(self.unsupported(&reason, "weaken it in the picture"));
            }
            _ => {}
        }
        let of = (MaterialTexture::Surface, info.tex_coord());
        let name = self.texture(&info.texture(), of)?;
        if self.material.occlusion_texture().is_none() {
            let png = format!("{name}.png");
            let bytes = self.context.read(&png)?;
            let picture = Picture::read(&bytes, TEXTURE_SIDE_MAX);
            let picture = picture.map_err(|error| error.in_file(&*png))?;
            if picture.pixels.chunks_exact(4).any(|pixel| pixel[0] != 255) {
                let reason = format!("has no occlusion, and the red of `{png}` is not white");
                return Err(
                    self.unsupported(&reason, "make it white, or name the picture as occlusion")
                );
            }
        }
        Ok(Some(name))
    }

    /// Returns the name of a texture: a PNG in the project, which is read as the file says.
    fn texture(
        &mut self,
        texture: &Texture<'_>,
        (which, places): (MaterialTexture, u32),
    ) -> Result<String, CompileError> {
        if places != 0 {
            let reason = format!("has the places of its `{}` in set {places}", which.key());
            return Err(self.unsupported(&reason, "use the first places in a texture"));
        }
        let uri = match texture.source().source() {
            Source::Uri { uri, .. } if !uri.starts_with("data:") => uri.replace("%20", " "),
            _ => {
                let reason = format!("has its `{}` within the file", which.key());
                return Err(self.unsupported(&reason, "export pictures as files, PNG"));
            }
        };
        let png = match self.path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{uri}"),
            None => uri,
        };
        let Some(name) = png.strip_suffix(".png").map(ToOwned::to_owned) else {
            return Err(
                self.unsupported(&format!("names the picture `{png}`"), "export pictures as PNG")
            );
        };
        if self.context.try_read(&png)?.is_none() {
            let reason = format!("names the picture `{png}`, which is not there");
            return Err(self.unsupported(&reason, "add that file to the project"));
        }
        let sampler = texture.sampler();
        self.check_source(&name, which, [sampler.wrap_s(), sampler.wrap_t()])?;
        Ok(name)
    }

    /// Checks that a texture is compiled as the file says: a PNG alone is repeated colors in sRGB.
    fn check_source(
        &mut self,
        name: &str,
        which: MaterialTexture,
        wraps: [WrappingMode; 2],
    ) -> Result<(), CompileError> {
        let path = format!("{name}.texture");
        let bytes = self.context.try_read(&path)?;
        let source = bytes.map(|bytes| Property::read(&bytes)).transpose();
        let source = source.map_err(|error| error.in_file(&*path))?;
        let word = |key: &str, default: &'static str| -> String {
            let found = source.as_ref().and_then(|source| source.get(key));
            match found.map(Property::value) {
                Some(PropertyValue::String(word)) => word.clone(),
                _ => default.to_owned(),
            }
        };
        let wrap = match wraps[0] {
            WrappingMode::Repeat => "repeat",
            WrappingMode::ClampToEdge => "clamp",
            WrappingMode::MirroredRepeat => "mirror",
        };
        if wraps[0] != wraps[1] {
            let reason = format!("repeats `{name}` otherwise along rows than along columns");
            return Err(self.unsupported(&reason, "use one of both"));
        }
        if word("wrap", "repeat") != wrap {
            let reason = format!("has `{name}` with the wrap {wrap}");
            return Err(
                self.unsupported(&reason, &format!("write `wrap = \"{wrap}\"` in `{path}`"))
            );
        }
        let is_color = matches!(which, MaterialTexture::Color | MaterialTexture::Emission);
        let is_linear = word("color", "srgb") == "linear"
            || source.as_ref().is_some_and(|source| source.get("normals").is_some());
        match (is_color, is_linear) {
            (true, false) | (false, true) => Ok(()),
            (true, true) => {
                let reason = format!("has colors in `{name}`, which is linear");
                Err(self.unsupported(&reason, &format!("write `color = \"srgb\"` in `{path}`")))
            }
            (false, false) => {
                let reason = format!("has numbers in `{name}`, which is read as colors in sRGB");
                Err(self.unsupported(&reason, &format!("write `color = \"linear\"` in `{path}`")))
            }
        }
    }

    fn unsupported(&self, what: &str, remedy: &str) -> CompileError {
        let name = self.material.name().unwrap_or("without a name");
        let reason = format!("the material `{name}` {what}");
        CompileError { remedy: remedy.to_owned(), ..self.gltf.wrong(&reason) }
    }
}
