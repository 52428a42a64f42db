//! Compiled materials, read in place.

use loligo_containers::{Blob, blob_struct};
use loligo_ids::IdString64;
use loligo_resources::DataError;
use loligo_resources::ResourceKey;

use crate::shader::SHADER_TYPE;
use crate::texture::TEXTURE_TYPE;

/// The type of materials.
pub const MATERIAL_TYPE: &str = "material";

/// The version of materials that is compiled and read here.
pub const MATERIAL_VERSION: u32 = 2;

/// What a material has textures for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum MaterialTexture {
    /// Its colors are multiplied by the material's.
    Color,
    /// Where normals point to: x along the texture's rows, y up its columns, z out of the surface.
    Normal,
    /// Red: how much of the light from all around arrives; green and blue are multiplied by
    /// roughness and metallic.
    Surface,
    /// Its colors are multiplied by the material's and its emission.
    Emission,
}

impl MaterialTexture {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Color, Self::Normal, Self::Surface, Self::Emission];

    /// Returns the key of sources that names it.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Color => "texture",
            Self::Normal => "normal_texture",
            Self::Surface => "surface_texture",
            Self::Emission => "emission_texture",
        }
    }
}

blob_struct! {
    /// A material as it is saved: a blob of 168 bytes. [`MaterialResource`] reads it.
    pub struct MaterialImage {
        /// The hash of the shader's name.
        pub shader: IdString64,
        /// The hashes of the textures' names, in the order of [`MaterialTexture`], 0 for none.
        pub textures: [IdString64; 4],
        /// The hash of the layer's name.
        pub layer: IdString64,
        /// The hash of the name of the target that it shows, 0 for none.
        pub target: IdString64,
        /// Red, green, blue, opacity; linear.
        pub color: [f32; 4],
        /// What the game's own shaders read.
        pub custom: [f32; 4],
        /// From 0, a mirror, to 1.
        pub roughness: f32,
        /// From 0 to 1, a metal.
        pub metallic: f32,
        /// How many times its color it shines by itself.
        pub emission: f32,
        /// The opacity below which nothing is drawn, or 0.
        pub cutout: f32,
        /// 1 where there is a texture of color, 2 of normals, 4 of surface, 8 of emission.
        pub has_textures: u32,
        /// 1 where it casts shadow.
        pub casts_shadow: u32,
        /// 1 where backs are drawn as fronts are.
        pub two_sided: u32,
        /// Zero.
        pub zero: u32,
    }
}

/// A material that was opened.
///
/// # Memory
///
/// Plain data, copied out of the blob.
///
/// # Examples
///
/// ```
/// use loligo_render::MaterialResource;
///
/// let error = MaterialResource::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled material: "), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialResource {
    /// The shader that draws it.
    pub shader: ResourceKey,
    /// Its textures, in the order of [`MaterialTexture`].
    pub textures: [Option<ResourceKey>; 4],
    /// Red, green, blue, opacity; linear.
    pub color: [f32; 4],
    /// From 0, a mirror, to 1.
    pub roughness: f32,
    /// From 0 to 1, a metal.
    pub metallic: f32,
    /// How many times its color it shines by itself.
    pub emission: f32,
    /// What the game's own shaders read.
    pub custom: [f32; 4],
    /// The opacity below which nothing is drawn, or 0.
    pub cutout: f32,
    /// Whether it casts shadow.
    pub casts_shadow: bool,
    /// Whether backs are drawn as fronts are.
    pub two_sided: bool,
    /// The hash of the name of the layer of the frame that it is drawn in.
    pub layer: IdString64,
    /// The hash of the name of the target of the frame that it shows in place of its first texture.
    pub target: Option<IdString64>,
}

impl MaterialResource {
    /// Opens the payload of a resource of type `material`. It must be at a multiple of 16, as that
    /// of a loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(1). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &[u8]) -> Result<Self, DataError> {
        let blob = Blob::<MaterialImage>::open_structure(payload)
            .map_err(|error| DataError::blob(MATERIAL_TYPE, error))?;
        let image = blob.root();
        let flags = [
            ("has_textures", image.has_textures, 15, "from 0 to 15"),
            ("casts_shadow", image.casts_shadow, 1, "0 or 1"),
            ("two_sided", image.two_sided, 1, "0 or 1"),
            ("zero", image.zero, 0, "0"),
        ];
        for (field, flag, max, must) in flags {
            if flag > max {
                return Err(DataError::part(MATERIAL_TYPE, field, must, flag.into()));
            }
        }
        let material = Self {
            shader: key(SHADER_TYPE, image.shader),
            textures: MaterialTexture::ALL.map(|which| {
                let has_one = image.has_textures >> which as u32 & 1 == 1;
                has_one.then(|| key(TEXTURE_TYPE, image.textures[which as usize]))
            }),
            color: image.color,
            roughness: image.roughness,
            metallic: image.metallic,
            emission: image.emission,
            custom: image.custom,
            cutout: image.cutout,
            casts_shadow: image.casts_shadow == 1,
            two_sided: image.two_sided == 1,
            layer: image.layer,
            target: (image.target != IdString64::default()).then_some(image.target),
        };
        if let Some(number) = material.numbers().find(|number| !number.is_finite()) {
            let found = u64::from(number.to_bits());
            return Err(DataError::part(MATERIAL_TYPE, "color", "finite, as all numbers", found));
        }
        Ok(material)
    }

    /// Asserts that all numbers are finite.
    ///
    /// # Panics
    ///
    /// If one is not.
    pub fn validate(&self) {
        assert!(self.numbers().all(f32::is_finite), "{self:?}");
    }

    fn numbers(&self) -> impl Iterator<Item = f32> + use<> {
        let single = [self.roughness, self.metallic, self.emission, self.cutout];
        self.color.into_iter().chain(self.custom).chain(single)
    }
}

const _: () = assert!(size_of::<MaterialImage>() == 120, "with its header 168: its doc states it");

const fn key(type_name: &str, name: IdString64) -> ResourceKey {
    ResourceKey { type_hash: IdString64::new(type_name), name }
}
