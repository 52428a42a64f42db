//! Compiled shaders, read in place.

use loligo_containers::{Blob, BlobStr, blob_struct};
use loligo_resources::DataError;

use crate::shader_text::check_shader_text;

/// The type of shaders.
pub const SHADER_TYPE: &str = "shader";

/// The version of shaders that is compiled and read here.
pub const SHADER_VERSION: u32 = 1;

blob_struct! {
    /// A shader as it is saved: a blob. [`ShaderResource`] reads it.
    pub struct ShaderImage {
        /// WGSL, which was checked.
        pub text: BlobStr,
        /// 1 where it has the entry point `vs_shadow`.
        pub has_shadow: u32,
    }
}

/// A shader that was opened: WGSL with the entry points `vs_main` and `fs_main`, and perhaps
/// `vs_shadow`.
///
/// The text was checked when it was compiled. Users check it again, as bytes may be forged.
///
/// # Examples
///
/// ```
/// use loligo_render::ShaderResource;
///
/// let error = ShaderResource::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled shader: "), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderResource<'b> {
    /// The text, in WGSL.
    pub text: &'b str,
    /// Whether it has the entry point `vs_shadow`, which places vertices where only depth is drawn.
    pub has_shadow: bool,
}

impl<'b> ShaderResource<'b> {
    /// The entry point of the vertices.
    pub const VERTEX: &'static str = "vs_main";
    /// The entry point of the pixels.
    pub const FRAGMENT: &'static str = "fs_main";
    /// The entry point of the vertices where only depth is drawn.
    pub const SHADOW: &'static str = "vs_shadow";

    /// Opens the payload of a resource of type `shader`. It must be at a multiple of 16, as that of
    /// a loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing and believes no length.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<ShaderImage>::open_structure(payload)
            .map_err(|error| DataError::blob(SHADER_TYPE, error))?;
        let image = blob.root();
        if image.has_shadow > 1 {
            let found = image.has_shadow.into();
            return Err(DataError::part(SHADER_TYPE, "has_shadow", "0 or 1", found));
        }
        let text = blob.str(&image.text);
        // It was checked when it was compiled, but the bytes may be forged.
        if let Err(error) = check_shader_text(text) {
            let must = "a text that no reader goes deep in";
            return Err(DataError::part(SHADER_TYPE, "text", must, error.at as u64));
        }
        Ok(Self { text, has_shadow: image.has_shadow == 1 })
    }
}
