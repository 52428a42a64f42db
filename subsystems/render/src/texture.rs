//! Compiled textures, read in place.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root      | width | height | levels | first | wrap | is linear | packing | pixels | sums | 44 bytes
//! pixels    | level `first`: rows from the top, red green blue opacity, or blocks | one half as large | ..
//! sums      | that of level 0 | .. | that of the last before `first`          8 bytes each
//! tail      | level 0 | .. | the last before `first`         not a part of the blob, and read apart
//! ```
//!
//! The large levels are the tail of the file: a program with a budget for textures reads them when
//! an object is large in the picture. Small textures have none.

use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_resources::DataError;

use crate::texture_packing::{TEXTURE_SIDE_MAX, TexturePacking, levels_of, side_of};
use crate::texture_tail::{TAIL_LEVELS_MAX, TextureTail};

/// The type of textures.
pub const TEXTURE_TYPE: &str = "texture";

/// The version of textures that is compiled and read here.
pub const TEXTURE_VERSION: u32 = 3;

blob_struct! {
    /// A texture as it is saved: a blob. [`TextureResource`] reads it.
    pub struct TextureImage {
        /// Pixels in a row of the largest level.
        pub width: u32,
        /// Rows of the largest level.
        pub height: u32,
        /// How many levels there are: down to one pixel.
        pub levels: u32,
        /// The first level that is in the blob: those before are the tail.
        pub first: u32,
        /// A [`TextureWrap`].
        pub wrap: u32,
        /// 1 where the bytes are linear, 0 where they are sRGB.
        pub is_linear: u32,
        /// A [`TexturePacking`].
        pub packing: u32,
        /// Four bytes a pixel or blocks, one level after the other, the largest first.
        pub pixels: BlobArray<u8>,
        /// The sums of the levels in the tail, the largest first: murmur2 of their bytes.
        pub sums: BlobArray<u64>,
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
/// The bytes are borrowed and used in place. The object is two slices and six numbers.
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
/// 3. There are as many bytes as the pixels of the levels from `first` on take, and no others, and
///    a sum for each level before.
/// 4. The levels up to `first`, if it is not 0, are of whole blocks: each can be a card's largest.
#[derive(Clone, Copy, Debug)]
pub struct TextureResource<'b> {
    width: u32,
    height: u32,
    levels: u32,
    first: u32,
    wrap: TextureWrap,
    is_linear: bool,
    packing: TexturePacking,
    pixels: &'b [u8],
    sums: &'b [u64],
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
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<TextureImage>::open_structure(payload)
            .map_err(|error| DataError::blob(TEXTURE_TYPE, error))?;
        let wrong = |field, must, found| DataError::part(TEXTURE_TYPE, field, must, found);
        let image = blob.root();
        for (field, side) in [("width", image.width), ("height", image.height)] {
            if !(1..=TEXTURE_SIDE_MAX).contains(&side) {
                return Err(wrong(field, "from 1 to 8192", side.into()));
            }
        }
        if image.levels != levels_of(image.width, image.height) {
            return Err(wrong("levels", "so many that the last is one pixel", image.levels.into()));
        }
        let (first, sides) = (image.first, [image.width, image.height]);
        let is_whole =
            |level| packing_of(&image.packing).is_none_or(|packing| packing.begins(sides, level));
        if first >= image.levels || (first > 0 && !(0..=first).all(is_whole)) {
            return Err(wrong("first", "a level of whole blocks, as those before", first.into()));
        }
        let Some(wrap) = TextureWrap::ALL.get(image.wrap as usize) else {
            return Err(wrong("wrap", "0, 1 or 2", image.wrap.into()));
        };
        if image.is_linear > 1 {
            return Err(wrong("is_linear", "0 or 1", image.is_linear.into()));
        }
        let Some(packing) = packing_of(&image.packing) else {
            return Err(wrong("packing", "from 0 to 3", image.packing.into()));
        };
        let (pixels, sums) = (blob.array(&image.pixels), blob.array(&image.sums));
        let texture = Self {
            width: image.width,
            height: image.height,
            levels: image.levels,
            first,
            wrap: *wrap,
            is_linear: image.is_linear == 1,
            packing,
            pixels,
            sums,
        };
        let wanted: usize = (first..image.levels).map(|level| texture.bytes_of(level)).sum();
        if pixels.len() != wanted {
            return Err(wrong("pixels", "as many as its levels take", pixels.len() as u64));
        }
        if sums.len() != first as usize {
            return Err(wrong("sums", "one for each level of the tail", sums.len() as u64));
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

    /// Returns how many levels there are, those of the tail too.
    #[must_use]
    pub const fn level_count(&self) -> u32 {
        self.levels
    }

    /// Returns the first level that is here: those before are the tail of the resource's file.
    #[must_use]
    pub const fn first_level(&self) -> u32 {
        self.first
    }

    /// Returns what is known of the levels that are the tail of the resource's file.
    #[must_use]
    pub fn tail(&self) -> TextureTail {
        let mut sums = [0; TAIL_LEVELS_MAX];
        for (own, sum) in sums.iter_mut().zip(self.sums) {
            *own = *sum;
        }
        let sides = [self.width, self.height];
        TextureTail { sides, packing: self.packing, first: self.first, sums }
    }

    /// Returns the pixels of the levels that are here, one after the other, the largest first.
    #[must_use]
    pub const fn pixels(&self) -> &'b [u8] {
        self.pixels
    }

    /// Returns the levels that are here, the largest first.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = TextureLevel<'b>> + use<'b> {
        let texture = *self;
        let mut rest = self.pixels;
        (texture.first..texture.levels).map(move |level| {
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

/// Returns the packing of a number.
fn packing_of(number: &u32) -> Option<TexturePacking> {
    TexturePacking::ALL.get(*number as usize).copied()
}
