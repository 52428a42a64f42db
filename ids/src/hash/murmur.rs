//! MurmurHash2 for 32 bits and MurmurHash64A, the same on every machine and while compiling.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "counts of bytes of a word, and offsets below a slice's length; the hash itself \
              wraps where it says so"
)]

use super::key::{Key, bytes_of};

#[cfg(test)]
mod tests;

/// The multiplier of the 32-bit hash, and how far its blocks are shifted onto themselves.
pub(super) const M_32: u32 = 0x5bd1_e995;
pub(super) const R_32: u32 = 24;

/// The multiplier of the 64-bit hash, and its shift.
pub(super) const M_64: u64 = 0xc6a4_a793_5bd1_e995;
pub(super) const R_64: u32 = 47;

/// Hashes a key to 32 bits: MurmurHash2 by Austin Appleby.
///
/// Blocks are read in little-endian order on every machine, so the values may be stored and sent.
/// With seed 0 it is the hash of [`IdString32`](crate::IdString32). Keys of 4 GiB and more enter
/// with their length modulo 2^32, which the original, whose length is an `int`, does not define.
///
/// # Complexity
///
/// O(bytes), one multiplication in the chain for each 4 bytes. Allocates nothing.
///
/// # When not to use it
///
/// Against people: names with a wanted hash are made at will, and some pairs collide under every
/// seed. For global names of a large project use [`murmur2_64a`]: among 65 000 names two share a
/// 32-bit hash with a chance of 39 %.
///
/// # Examples
///
/// ```
/// use loligo_ids::murmur2_32;
///
/// const ROOT_POINT: u32 = murmur2_32("root_point", 0);
/// assert_eq!(ROOT_POINT, 0x5e43_bd96);
/// ```
#[inline]
#[must_use]
pub const fn murmur2_32<K: Key + ?Sized>(key: &K, seed: u32) -> u32 {
    hash_32(bytes_of(key), seed)
}

/// Hashes a key to 64 bits: MurmurHash64A by Austin Appleby.
///
/// Blocks are read in little-endian order on every machine, so the values may be stored and sent.
/// With seed 0 it is the hash of [`IdString64`](crate::IdString64).
///
/// # Complexity
///
/// O(bytes), one multiplication in the chain for each 8 bytes. Allocates nothing.
///
/// # When not to use it
///
/// Against people, as [`murmur2_32`].
///
/// # Examples
///
/// ```
/// use loligo_ids::murmur2_64a;
///
/// const LARCH: u64 = murmur2_64a("vegetation/trees/larch_3.mesh", 0);
/// assert_ne!(LARCH, murmur2_64a("vegetation/trees/larch_4.mesh", 0));
/// ```
#[inline]
#[must_use]
pub const fn murmur2_64a<K: Key + ?Sized>(key: &K, seed: u64) -> u64 {
    hash_64(bytes_of(key), seed)
}

const fn hash_32(key: &[u8], seed: u32) -> u32 {
    let mut h = begin_32(key.len(), seed);
    let mut rest = key;
    while let Some((block, after)) = rest.split_first_chunk::<4>() {
        h = step_32(h, u32::from_le_bytes(*block));
        rest = after;
    }
    if !rest.is_empty() {
        h = tail_step_32(h, tail_32(key, rest));
    }
    finish_32(h)
}

const fn hash_64(key: &[u8], seed: u64) -> u64 {
    let mut h = begin_64(key.len(), seed);
    let mut rest = key;
    while let Some((block, after)) = rest.split_first_chunk::<8>() {
        h = step_64(h, u64::from_le_bytes(*block));
        rest = after;
    }
    if !rest.is_empty() {
        h = tail_step_64(h, tail_64(key, rest));
    }
    finish_64(h)
}

/// Returns the 1 to 3 bytes that `key` ends with, and that are `rest`, as a number, the first one
/// lowest.
#[inline]
const fn tail_32(key: &[u8], rest: &[u8]) -> u32 {
    match key.last_chunk::<4>() {
        // The block that ends with the key holds the tail in its upper bytes.
        Some(last) => u32::from_le_bytes(*last) >> (8 * (4 - rest.len())),
        None => few(rest),
    }
}

/// As [`tail_32`], of 1 to 7 bytes.
#[inline]
const fn tail_64(key: &[u8], rest: &[u8]) -> u64 {
    if let Some(last) = key.last_chunk::<8>() {
        return u64::from_le_bytes(*last) >> (8 * (8 - rest.len()));
    }
    match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            // The two overlap, and are the same where they do.
            let last = (u32::from_le_bytes(*last) as u64) << (8 * (rest.len() - 4));
            u32::from_le_bytes(*first) as u64 | last
        }
        _ => few(rest) as u64,
    }
}

/// Returns 1 to 3 bytes as a number, the first one lowest.
#[inline]
const fn few(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => a as u32,
        [a, b] => u16::from_le_bytes([a, b]) as u32,
        [a, b, c, ..] => u32::from_le_bytes([a, b, c, 0]),
        [] => 0,
    }
}

/// The state before the first block.
#[inline]
pub(super) const fn begin_32(bytes: usize, seed: u32) -> u32 {
    seed ^ bytes as u32
}

/// Mixes a block of 4 bytes into the hash.
#[inline]
pub(super) const fn step_32(h: u32, block: u32) -> u32 {
    let mut k = block.wrapping_mul(M_32);
    k ^= k >> R_32;
    h.wrapping_mul(M_32) ^ k.wrapping_mul(M_32)
}

/// Mixes the last 1 to 3 bytes into the hash.
#[inline]
pub(super) const fn tail_step_32(h: u32, tail: u32) -> u32 {
    (h ^ tail).wrapping_mul(M_32)
}

/// Mixes the last bytes into all bits.
#[inline]
const fn finish_32(mut h: u32) -> u32 {
    h ^= h >> 13;
    h = h.wrapping_mul(M_32);
    h ^ h >> 15
}

/// The state before the first block.
#[inline]
pub(super) const fn begin_64(bytes: usize, seed: u64) -> u64 {
    seed ^ (bytes as u64).wrapping_mul(M_64)
}

/// Mixes a block of 8 bytes into the hash.
#[inline]
pub(super) const fn step_64(h: u64, block: u64) -> u64 {
    let mut k = block.wrapping_mul(M_64);
    k ^= k >> R_64;
    (h ^ k.wrapping_mul(M_64)).wrapping_mul(M_64)
}

/// Mixes the last 1 to 7 bytes into the hash.
#[inline]
pub(super) const fn tail_step_64(h: u64, tail: u64) -> u64 {
    (h ^ tail).wrapping_mul(M_64)
}

/// Mixes the last bytes into all bits.
#[inline]
const fn finish_64(mut h: u64) -> u64 {
    h ^= h >> R_64;
    h = h.wrapping_mul(M_64);
    h ^ h >> R_64
}
