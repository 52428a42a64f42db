//! Every step of the hashes backwards, and the key of one block that a hash comes from.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "counts of bits, at most twice the width of a word"
)]

use super::murmur::{M_32, M_64, R_32, R_64, begin_32, begin_64};

#[cfg(test)]
mod tests;

/// The multiplicative inverse of [`M_32`] modulo 2^32.
const M_32_INVERSE: u32 = inverse_64(M_32 as u64) as u32;
/// The multiplicative inverse of [`M_64`] modulo 2^64.
const M_64_INVERSE: u64 = inverse_64(M_64);

/// Returns the key of 4 bytes whose [`murmur2_32`](crate::murmur2_32) under `seed` is `hash`.
///
/// There is exactly one: over keys of one block the hash is a permutation.
///
/// # Complexity
///
/// O(1): three multiplications. Allocates nothing.
///
/// # Examples
///
/// ```
/// use loligo_ids::{murmur2_32, murmur2_32_inverse};
///
/// let key = murmur2_32_inverse(0x5e43_bd96, 0);
/// assert_eq!(murmur2_32(&key, 0), murmur2_32("root_point", 0));
/// assert_eq!(murmur2_32_inverse(murmur2_32("tree", 7), 7), *b"tree");
/// ```
#[inline]
#[must_use]
pub const fn murmur2_32_inverse(hash: u32, seed: u32) -> [u8; 4] {
    block_between_32(begin_32(4, seed), unfinish_32(hash)).to_le_bytes()
}

/// Returns the key of 8 bytes whose [`murmur2_64a`](crate::murmur2_64a) under `seed` is `hash`.
///
/// There is exactly one: over keys of one block the hash is a permutation.
///
/// # Complexity
///
/// O(1): four multiplications. Allocates nothing.
///
/// # Examples
///
/// ```
/// use loligo_ids::{murmur2_64a, murmur2_64a_inverse};
///
/// assert_eq!(murmur2_64a_inverse(murmur2_64a("rootpart", 7), 7), *b"rootpart");
/// ```
#[inline]
#[must_use]
pub const fn murmur2_64a_inverse(hash: u64, seed: u64) -> [u8; 8] {
    block_between_64(begin_64(8, seed), unfinish_64(hash)).to_le_bytes()
}

/// The state before the final mix.
#[inline]
pub(super) const fn unfinish_32(hash: u32) -> u32 {
    let mut h = unshift_32(hash, 15);
    h = h.wrapping_mul(M_32_INVERSE);
    unshift_32(h, 13)
}

/// The block that leads from the state `before` to the state `after`.
#[inline]
pub(super) const fn block_between_32(before: u32, after: u32) -> u32 {
    let k = (before.wrapping_mul(M_32) ^ after).wrapping_mul(M_32_INVERSE);
    unshift_32(k, R_32).wrapping_mul(M_32_INVERSE)
}

/// The tail that leads from the state `before` to the state `after`; the same function gives the
/// state before from the tail.
#[inline]
pub(super) const fn untail_32(after: u32, before_or_tail: u32) -> u32 {
    after.wrapping_mul(M_32_INVERSE) ^ before_or_tail
}

/// The state before the final mix.
#[inline]
pub(super) const fn unfinish_64(hash: u64) -> u64 {
    // Twice 47 is more than 64: the shift undoes itself.
    let h = (hash ^ hash >> R_64).wrapping_mul(M_64_INVERSE);
    h ^ h >> R_64
}

/// The block that leads from the state `before` to the state `after`.
#[inline]
pub(super) const fn block_between_64(before: u64, after: u64) -> u64 {
    let k = (after.wrapping_mul(M_64_INVERSE) ^ before).wrapping_mul(M_64_INVERSE);
    (k ^ k >> R_64).wrapping_mul(M_64_INVERSE)
}

/// As [`untail_32`].
#[inline]
pub(super) const fn untail_64(after: u64, before_or_tail: u64) -> u64 {
    after.wrapping_mul(M_64_INVERSE) ^ before_or_tail
}

/// Undoes `h ^= h >> shift` for shifts of at least 11: the upper `shift` bits are already right,
/// and each round corrects `shift` more.
#[inline]
const fn unshift_32(shifted: u32, shift: u32) -> u32 {
    let once = shifted ^ shifted >> shift;
    if 2 * shift >= 32 { once } else { once ^ shifted >> (2 * shift) }
}

/// Returns the inverse of an odd number modulo 2^64, by Newton's iteration: an odd number is its
/// own inverse in the lowest 3 bits, and each round doubles how many are right.
const fn inverse_64(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}
