//! The large levels of a texture, which are read apart.

use loligo_ids::murmur2_64a;

use crate::texture_packing::{CardBlocks, TEXTURE_SIDE_MAX, TexturePacking, side_of};

/// The most levels of a tail: of all levels of the largest texture, all but the last.
pub(crate) const TAIL_LEVELS_MAX: usize = TEXTURE_SIDE_MAX.ilog2() as usize;

/// What is known of the large levels of a texture that are the tail of its file: they are there one
/// after the other, the largest first, up to the end of the file.
///
/// # Memory
///
/// 120 bytes, plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureTail {
    pub(crate) sides: [u32; 2],
    pub(crate) packing: TexturePacking,
    pub(crate) first: u32,
    pub(crate) sums: [u64; TAIL_LEVELS_MAX],
}

impl TextureTail {
    /// Returns how wide and how high a level is.
    #[must_use]
    pub fn sides(&self, level: u32) -> [u32; 2] {
        self.sides.map(|side| side_of(side, level))
    }

    /// Returns how the pixels are stored.
    #[must_use]
    pub const fn packing(&self) -> TexturePacking {
        self.packing
    }

    /// Returns how many levels the tail has; it is the number of the first level after it.
    #[must_use]
    pub const fn levels(&self) -> u32 {
        self.first
    }

    /// Returns how many bytes there are from the beginning of a level to the end of the tail, which
    /// is that of the file; none for levels after it.
    #[must_use]
    pub fn from_end(&self, level: u32) -> u64 {
        (level..self.first).map(|level| self.bytes_of(level)).sum()
    }

    /// Returns the coarsest level, up to the first after the tail, whose longer side has at least so
    /// many pixels; the finest where none has.
    #[must_use]
    pub fn level_for(&self, pixels: f32) -> u32 {
        let is_enough = |level: &u32| {
            let [width, height] = self.sides(*level);
            width.max(height) as f32 >= pixels
        };
        (0..=self.first).rev().find(is_enough).unwrap_or(0)
    }

    /// Returns how many bytes a card holds for the levels from one on, which reads these blocks as they
    /// are and has pixels in place of others.
    #[must_use]
    pub fn card_bytes(&self, level: u32, reads: CardBlocks) -> u64 {
        self.packing.on_card(reads).bytes_from(self.sides, level)
    }

    /// Returns whether bytes are those levels of the tail of which the first is `level`: as many
    /// whole ones as there are bytes.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    #[must_use]
    pub fn are_right(&self, level: u32, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        for level in level..self.first {
            if rest.is_empty() {
                break;
            }
            let Some((own, after)) = rest.split_at_checked(self.bytes_of(level) as usize) else {
                return false;
            };
            if self.sums.get(level as usize) != Some(&murmur2_64a(own, 0)) {
                return false;
            }
            rest = after;
        }
        rest.is_empty()
    }

    fn bytes_of(&self, level: u32) -> u64 {
        let [width, height] = self.sides(level);
        self.packing.bytes(width, height)
    }
}

const _: () = assert!(size_of::<TextureTail>() == 120, "its doc states it");
