//! Finding a key among those of a store.
//!
//! The keys are 32-bit hashes in ascending order. A store has few of them, and comparing sixteen
//! takes four instructions with vectors of four, so all are compared and the processor has no
//! branch to guess wrong; only where there are many more are they halved first.

/// Up to this many keys are all compared.
const SCANNED: usize = 48;

/// Returns the place of `key` if it is among the first sixteen of `count` keys, which are the first
/// of these words.
#[inline(always)]
pub(super) fn find_in_sixteen(sixteen: &[u32; 16], count: usize, key: u32) -> Option<usize> {
    let found = lanes::equal_16(sixteen, key);
    if found == 0 {
        return None;
    }
    // A word after the keys can be equal, too. Then no key is, as the first equal word counts.
    below(count, found.trailing_zeros() as usize)
}

/// Returns the place of `key` among the first `count` of `words`, however many those are.
#[inline(never)]
pub(super) fn find_in_other(words: &[u32], count: usize, key: u32) -> Option<usize> {
    if count > SCANNED {
        return words[..count].binary_search(&key).ok();
    }
    // Vectors read up to three words beyond the keys, which the values fill, but for a single key.
    let Some(keys) = words.get(..count.next_multiple_of(4)) else {
        return words.get(..count)?.iter().position(|&other| other == key);
    };
    let (sixteens, rest) = keys.as_chunks();
    for (number, sixteen) in sixteens.iter().enumerate() {
        let found = lanes::equal_16(sixteen, key);
        if found != 0 {
            return below(count, number * 16 + found.trailing_zeros() as usize);
        }
    }
    let (fours, _) = rest.as_chunks();
    let mut found = 1 << 16;
    for (number, four) in fours.iter().enumerate() {
        found |= lanes::equal_4(four, key) << (4 * number);
    }
    below(count, sixteens.len() * 16 + found.trailing_zeros() as usize)
}

/// Returns the place of `key` among ascending `keys`, or the place where it would be.
pub(super) fn place_of(keys: &[u32], key: u32) -> Result<usize, usize> {
    keys.binary_search(&key)
}

#[inline(always)]
fn below(count: usize, place: usize) -> Option<usize> {
    // The first equal word is a key if any key is equal, as keys come before the rest.
    (place < count).then_some(place)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod lanes {
    //! With the vectors that every processor of the architecture has.

    use core::arch::x86_64::{
        __m128i, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8,
        _mm_movemask_ps, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32,
    };

    /// Returns a bit for each of the words, set where it is `key`.
    #[inline(always)]
    pub(super) fn equal_16(words: &[u32; 16], key: u32) -> u32 {
        // SAFETY: this module is there only where the whole program may use these vectors.
        unsafe { bits_16(words, key) }
    }

    /// Returns a bit for each of the words, set where it is `key`.
    #[inline(always)]
    pub(super) fn equal_4(words: &[u32; 4], key: u32) -> u32 {
        // SAFETY: as above.
        unsafe { bits_4(words, key) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits_16(words: &[u32; 16], key: u32) -> u32 {
        let (fours, _) = words.as_chunks();
        let (a, b) = (equal(&fours[0], key), equal(&fours[1], key));
        let (c, d) = (equal(&fours[2], key), equal(&fours[3], key));
        let bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_movemask_epi8(bytes).cast_unsigned()
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits_4(words: &[u32; 4], key: u32) -> u32 {
        _mm_movemask_ps(_mm_castsi128_ps(equal(words, key))).cast_unsigned()
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn equal(words: &[u32; 4], key: u32) -> __m128i {
        // SAFETY: the array is 16 bytes long and may be at any address.
        let words = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
        _mm_cmpeq_epi32(words, _mm_set1_epi32(key.cast_signed()))
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use portable as lanes;

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod portable {
    //! For all other processors; compilers make vectors of it where there are some.

    /// Returns a bit for each of the words, set where it is `key`.
    #[inline(always)]
    pub(super) fn equal_16(words: &[u32; 16], key: u32) -> u32 {
        bits(words, key)
    }

    /// Returns a bit for each of the words, set where it is `key`.
    #[inline(always)]
    pub(super) fn equal_4(words: &[u32; 4], key: u32) -> u32 {
        bits(words, key)
    }

    #[inline(always)]
    fn bits<const COUNT: usize>(words: &[u32; COUNT], key: u32) -> u32 {
        let mut bits = 0;
        for (place, &word) in words.iter().enumerate() {
            bits |= u32::from(word == key) << place;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    //! Both kinds of lanes against the plain loop, and keys at every place.

    use std::vec::Vec;

    use super::*;
    use crate::testing::test_memory::Random;

    #[test]
    fn lanes_agree_with_each_other() {
        let mut random = Random::new(1);
        for _ in 0..1_000 {
            let words: [u32; 16] =
                core::array::from_fn(|_| (random.below(3) as u32).wrapping_mul(0x8000_0001));
            for key in [0, 1, 0x8000_0001, 2, u32::MAX] {
                assert_eq!(lanes::equal_16(&words, key), portable::equal_16(&words, key));
                let four = words.first_chunk().expect("it has sixteen");
                assert_eq!(lanes::equal_4(four, key), portable::equal_4(four, key));
            }
        }
    }

    #[test]
    fn keys_are_found_at_every_place_and_nothing_behind_them() {
        for count in 0..200_usize {
            let mut words: Vec<u32> = (0..count as u32).map(|key| key * 3 + 1).collect();
            // What follows looks like keys that are not there, as values may.
            words.extend((0..count as u32 + 1).map(|value| value * 3 + 2));
            for key in 0..count as u32 * 3 + 8 {
                let wanted = words[..count].iter().position(|&other| other == key);
                assert_eq!(find_in_other(&words, count, key), wanted, "{key} among {count}");
                if let Some(sixteen) = words.first_chunk() {
                    let wanted = wanted.filter(|&place| place < 16);
                    let found = find_in_sixteen(sixteen, count, key);
                    assert_eq!(found, wanted, "{key} among {count}, of the first sixteen");
                }
            }
        }
        assert_eq!(find_in_other(&[7, 9, 1], 1, 7), Some(0));
        assert_eq!(find_in_other(&[7, 9, 1], 1, 9), None);
        assert_eq!(find_in_other(&[], 0, 9), None);
    }
}
