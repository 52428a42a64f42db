//! The two words of a core block's header.
//!
//! Each is a number of granules, scaled and salted by its place, so that a word that was written
//! over states a number that is out of range, and a check needs no bits of its own.

/// Size of a block and of the one before it, in granules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::heaps::size_class_heap) struct Header {
    pub(in crate::heaps::size_class_heap) size: u32,
    pub(in crate::heaps::size_class_heap) prev: u32,
}

/// Headers' words are sizes times this. A word of which one byte was changed then states a size that
/// is at least 250 MiB off, which has no room in a region of at most that size; one of which one
/// bit was changed, at least 500 MiB.
const SCALE: u32 = 0xdf8b_a2d1;
/// What brings a word back to its size.
const UNSCALE: u32 = 0x5501_f631;
/// What a word has from its place, a granule, so that a header that was copied is noticed.
const SALT: u32 = 0x9e37_79b1;
/// What the word of the size before differs by.
const OTHER: u32 = 0x85eb_ca6b;

const _: () = assert!(SCALE.wrapping_mul(UNSCALE) == 1, "a word is brought back to its size");

/// The word of a header that states the block's size.
#[inline]
pub(super) const fn word_of_size(size: u32, block: u32) -> u32 {
    size.wrapping_mul(SCALE).wrapping_add(block.wrapping_mul(SALT))
}

/// The size that a word states; any number where the word is not ours.
#[inline]
pub(in crate::heaps::size_class_heap) const fn size_of_word(word: u32, block: u32) -> u32 {
    word.wrapping_sub(block.wrapping_mul(SALT)).wrapping_mul(UNSCALE)
}

/// The word of a header that states the size of the block before.
#[inline]
pub(super) const fn word_of_prev(prev: u32, block: u32) -> u32 {
    word_of_size(prev, block).wrapping_add(OTHER)
}

/// The size of the block before that a word states; any number where the word is not ours.
#[inline]
pub(super) const fn prev_of_word(word: u32, block: u32) -> u32 {
    size_of_word(word.wrapping_sub(OTHER), block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Granules of 250 MiB.
    const FAR: u32 = 250 << 16;

    #[test]
    fn words_state_what_they_were_made_of() {
        for block in [0, 1, 255, 256, 65_537, (1 << 28) - 1] {
            for size in [0, 1, 2, 31, 1 << 20, (1 << 28) - 1] {
                assert_eq!(size_of_word(word_of_size(size, block), block), size, "at {block}");
                assert_eq!(prev_of_word(word_of_prev(size, block), block), size, "at {block}");
            }
        }
    }

    #[test]
    fn a_word_with_another_byte_or_bit_states_a_size_that_is_far_off() {
        let word = word_of_size(1000, 77);
        let off = |changed: u32| {
            let by = size_of_word(changed, 77).wrapping_sub(1000);
            by.min(by.wrapping_neg())
        };
        for byte in 0..4 {
            for change in 1..=0xff {
                let changed = word.wrapping_add(change << (8 * byte));
                assert!(off(changed) >= FAR, "{change:#x} added to byte {byte}");
                let changed = word.wrapping_sub(change << (8 * byte));
                assert!(off(changed) >= FAR, "{change:#x} taken from byte {byte}");
            }
        }
        for bit in 0..32 {
            assert!(off(word ^ 1 << bit) >= 2 * FAR, "bit {bit}");
        }
    }

    #[test]
    fn a_header_that_was_copied_is_not_sound_elsewhere() {
        let most = 1 << 22;
        let word = word_of_size(10, 5000);
        let elsewhere = (0..most).filter(|&block| block != 5000);
        let believed = elsewhere.filter(|&block| size_of_word(word, block) < most).count();
        assert!(believed < most as usize / 500, "{believed} of {most} places would believe it");
        assert_ne!(word_of_size(10, 5000), word_of_prev(10, 5000), "the two words differ");
    }
}
