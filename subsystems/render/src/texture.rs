//! Compiled textures, read in place.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root      | width | height | levels | wrap | is linear | packing | pixels: offset, count | 32 bytes
//! pixels    | level 0: rows from the top, red green blue opacity, or blocks | level 1, half as large | ..
//! ```

use loligo_containers::{Blob, BlobArray, blob_struct};

use crate::resource_error::ContentError;

/// The type of textures.
pub const TEXTURE_TYPE: &str = "texture";

/// The version of textures that is compiled and read here.
pub const TEXTURE_VERSION: u32 = 2;

/// The most pixels that a side may have.
pub const TEXTURE_SIDE_MAX: u32 = 8192;

blob_struct! {
    /// A texture as it is saved: a blob. [`TextureResource`] reads it.
    pub struct TextureImage {
        /// Pixels in a row of the largest level.
        pub width: u32,
        /// Rows of the largest level.
        pub height: u32,
        /// How many levels there are: down to one pixel.
        pub levels: u32,
        /// A [`TextureWrap`].
        pub wrap: u32,
        /// 1 where the bytes are linear, 0 where they are sRGB.
        pub is_linear: u32,
        /// A [`TexturePacking`].
        pub packing: u32,
        /// Four bytes a pixel or blocks, one level after the other, the largest first.
        pub pixels: BlobArray<u8>,
    }
}

/// What is seen beyond the edges of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum TextureWrap {
    /// The texture again.
    #[default]
    Repeat,
    /// The pixels at the edge.
    Clamp,
    /// The texture, mirrored.
    Mirror,
}

impl TextureWrap {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Repeat, Self::Clamp, Self::Mirror];

    /// Returns what sources call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Clamp => "clamp",
            Self::Mirror => "mirror",
        }
    }
}

/// How the pixels of a texture are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum TexturePacking {
    /// Red, green, blue and opacity of each, a byte each.
    #[default]
    Plain,
    /// BC1: blocks of 4 by 4 pixels in 8 bytes, without opacity.
    Colors,
    /// BC3: blocks of 4 by 4 pixels in 16 bytes, with opacity.
    ColorsAndOpacity,
    /// BC5: blocks of 4 by 4 pixels in 16 bytes, red and green alone.
    Normals,
}

impl TexturePacking {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Colors, Self::ColorsAndOpacity, Self::Normals];

    /// Returns how many bytes a picture of this size has.
    #[must_use]
    pub const fn bytes(self, width: u32, height: u32) -> u64 {
        // Of any numbers, which may be wrong.
        let blocks = width.div_ceil(4) as u64 * height.div_ceil(4) as u64;
        match self {
            Self::Plain => (width as u64 * height as u64).saturating_mul(4),
            Self::Colors => blocks.saturating_mul(8),
            Self::ColorsAndOpacity | Self::Normals => blocks.saturating_mul(16),
        }
    }
}

/// A level of a texture: rows from the top, four bytes a pixel or blocks, no gaps between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLevel<'b> {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, opacity, a byte each; or blocks.
    pub pixels: &'b [u8],
}

/// A texture that was opened.
///
/// # Memory
///
/// The bytes are borrowed and used in place. The object is a slice and five numbers.
///
/// # Examples
///
/// ```
/// use loligo_render::TextureResource;
///
/// let error = TextureResource::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled texture: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. Both sides are from 1 to [`TEXTURE_SIDE_MAX`].
/// 2. Levels halve both sides, rounded down but not below 1, and the last one is a single pixel.
/// 3. There are as many bytes as the pixels of all levels take, and no others.
#[derive(Clone, Copy, Debug)]
pub struct TextureResource<'b> {
    width: u32,
    height: u32,
    levels: u32,
    wrap: TextureWrap,
    is_linear: bool,
    packing: TexturePacking,
    pixels: &'b [u8],
}

impl<'b> TextureResource<'b> {
    /// Opens the payload of a resource of type `texture`. It must be at a multiple of 16, as that
    /// of a loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(levels). Allocates nothing and believes no length.
    ///
    /// # Errors
    ///
    /// [`ContentError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, ContentError> {
        let blob = Blob::<TextureImage>::open_structure(payload)
            .map_err(|error| ContentError::blob(TEXTURE_TYPE, error))?;
        let wrong = |field, must, found| ContentError::part(TEXTURE_TYPE, field, must, found);
        let image = blob.root();
        for (field, side) in [("width", image.width), ("height", image.height)] {
            if !(1..=TEXTURE_SIDE_MAX).contains(&side) {
                return Err(wrong(field, "from 1 to 8192", side.into()));
            }
        }
        if image.levels != levels_of(image.width, image.height) {
            return Err(wrong("levels", "so many that the last is one pixel", image.levels.into()));
        }
        let Some(wrap) = TextureWrap::ALL.get(image.wrap as usize) else {
            return Err(wrong("wrap", "0, 1 or 2", image.wrap.into()));
        };
        if image.is_linear > 1 {
            return Err(wrong("is_linear", "0 or 1", image.is_linear.into()));
        }
        let Some(packing) = TexturePacking::ALL.get(image.packing as usize) else {
            return Err(wrong("packing", "from 0 to 3", image.packing.into()));
        };
        let pixels = blob.array(&image.pixels);
        let texture = Self {
            width: image.width,
            height: image.height,
            levels: image.levels,
            wrap: *wrap,
            is_linear: image.is_linear == 1,
            packing: *packing,
            pixels,
        };
        let wanted: usize = (0..image.levels).map(|level| texture.bytes_of(level)).sum();
        if pixels.len() != wanted {
            return Err(wrong("pixels", "as many as all levels take", pixels.len() as u64));
        }
        Ok(texture)
    }

    /// Returns how many pixels a row of the largest level has.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Returns how many rows the largest level has.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Returns `true` if the bytes are linear; else their colors are sRGB. Opacity is always
    /// linear.
    #[must_use]
    pub const fn is_linear(&self) -> bool {
        self.is_linear
    }

    /// Returns what is seen beyond the edges.
    #[must_use]
    pub const fn wrap(&self) -> TextureWrap {
        self.wrap
    }

    /// Returns how the pixels are stored.
    #[must_use]
    pub const fn packing(&self) -> TexturePacking {
        self.packing
    }

    /// Returns the pixels of all levels, one after the other, the largest first.
    #[must_use]
    pub const fn pixels(&self) -> &'b [u8] {
        self.pixels
    }

    /// Returns the levels, the largest first.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = TextureLevel<'b>> + use<'b> {
        let texture = *self;
        let mut rest = self.pixels;
        (0..texture.levels).map(move |level| {
            let (pixels, behind) = rest.split_at(texture.bytes_of(level));
            rest = behind;
            TextureLevel {
                width: side_of(texture.width, level),
                height: side_of(texture.height, level),
                pixels,
            }
        })
    }

    /// Asserts the invariants.
    ///
    /// # Panics
    ///
    /// If one does not hold.
    pub fn validate(&self) {
        let (width, height) = (self.width, self.height);
        let sides = 1..=TEXTURE_SIDE_MAX;
        assert!(sides.contains(&width) && sides.contains(&height), "{width} by {height}");
        let bytes: usize = self.levels().map(|level| level.pixels.len()).sum();
        assert_eq!(bytes, self.pixels.len(), "all pixels are those of levels");
        let last = self.levels().last().map(|level| (level.width, level.height));
        assert_eq!(last, Some((1, 1)), "levels go down to one pixel");
    }

    /// Returns the bytes of a level: 256 MiB at the most.
    fn bytes_of(&self, level: u32) -> usize {
        self.packing.bytes(side_of(self.width, level), side_of(self.height, level)) as usize
    }
}

/// Returns how many levels a picture of this size has.
pub(crate) const fn levels_of(width: u32, height: u32) -> u32 {
    let longer = if width > height { width } else { height };
    longer.ilog2() + 1
}

/// Returns the side of a level.
pub(crate) const fn side_of(side: u32, level: u32) -> u32 {
    let half = side >> level;
    if half == 0 { 1 } else { half }
}
