//! How the pixels of textures are stored, and how much of them there is.

/// The most pixels that a side may have.
pub const TEXTURE_SIDE_MAX: u32 = 8192;

/// The longest side of the levels that are read with a texture; larger ones are in its tail.
pub const TEXTURE_FRONT_SIDE: u32 = 64;

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
    /// ASTC: blocks of 4 by 4 pixels in 16 bytes, with opacity, for the cards of phones.
    Astc,
}

/// Which blocks a card reads as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardBlocks {
    /// Those of BC1, BC3 and BC5.
    pub bc: bool,
    /// Those of ASTC.
    pub astc: bool,
}

impl CardBlocks {
    /// A card that reads all of them.
    pub const ALL: Self = Self { bc: true, astc: true };
}

impl TexturePacking {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Plain, Self::Colors, Self::ColorsAndOpacity, Self::Normals, Self::Astc];

    /// Returns how a card stores what is stored so: blocks that it does not read become pixels.
    #[must_use]
    pub const fn on_card(self, reads: CardBlocks) -> Self {
        let is_read = match self {
            Self::Plain => true,
            Self::Colors | Self::ColorsAndOpacity | Self::Normals => reads.bc,
            Self::Astc => reads.astc,
        };
        if is_read { self } else { Self::Plain }
    }

    /// Returns whether a card can have this level of a picture as its largest: blocks are whole.
    #[must_use]
    pub const fn begins(self, [width, height]: [u32; 2], level: u32) -> bool {
        matches!(self, Self::Plain)
            || (side_of(width, level).is_multiple_of(4) && side_of(height, level).is_multiple_of(4))
    }

    /// Returns the first level that is read with a picture of this size: the largest with sides of
    /// up to [`TEXTURE_FRONT_SIDE`], or the smallest that a card can begin with.
    #[must_use]
    pub fn first_level(self, [width, height]: [u32; 2]) -> u32 {
        let longest = if width > height { width } else { height };
        let mut level = 0;
        while longest >> level > TEXTURE_FRONT_SIDE && self.begins([width, height], level + 1) {
            level += 1;
        }
        if self.begins([width, height], 0) { level } else { 0 }
    }

    /// Returns how many bytes the levels of a picture of this size have, from one on.
    #[must_use]
    pub fn bytes_from(self, [width, height]: [u32; 2], level: u32) -> u64 {
        let sides = |level| [width, height].map(|side| side_of(side, level));
        (level..levels_of(width, height))
            .map(|level| {
                let [width, height] = sides(level);
                self.bytes(width, height)
            })
            .sum()
    }

    /// Returns how many bytes a picture of this size has.
    #[must_use]
    pub const fn bytes(self, width: u32, height: u32) -> u64 {
        // Of any numbers, which may be wrong.
        let blocks = width.div_ceil(4) as u64 * height.div_ceil(4) as u64;
        match self {
            Self::Plain => (width as u64 * height as u64).saturating_mul(4),
            Self::Colors => blocks.saturating_mul(8),
            Self::ColorsAndOpacity | Self::Normals | Self::Astc => blocks.saturating_mul(16),
        }
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
