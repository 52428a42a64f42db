//! Printable text with a given hash and length.
//!
//! A block of the hash is a permutation, so that of all characters but one block the block is
//! computed, not searched:
//!
//! ```text
//! 32 bits, 11 characters     aaaa  ????  bca        the block before the tail is solved for
//!                            ^^^^        ^^^
//!                            the last few of these are counted through until the block is printable
//! ```
//!
//! One of 55 blocks of 4 bytes consists of visible characters, one of 3 026 blocks of 8.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "lengths below those of slices, numbers below 95^4, and bytes whose top bit was \
              cleared before"
)]

use super::inverse::{
    block_between_32, block_between_64, unfinish_32, unfinish_64, untail_32, untail_64,
};
use super::murmur::{begin_32, begin_64, step_32, step_64};

#[cfg(test)]
mod tests;

/// The 94 visible characters of ASCII, those first that names are made of.
const ALPHABET: [u8; 94] =
    *b"abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ-/.!\"#$%&'()*+,:;<=>?@[\\]^`{|}~";

/// How many characters are counted through at most: 830 584 tries.
const COUNTED_MAX: usize = 3;

/// Writes text of visible ASCII whose [`murmur2_32`](crate::murmur2_32) under `seed` is `hash` over
/// `text`, as long as `text` is.
///
/// The same call gives the same text. `None` means that no such text exists: with 6 characters or
/// more one always does for all practical purposes (the chance that none is found is below e^-160),
/// with 5 characters for 82 % of all hashes, with 4 for 1.8 %, with fewer hardly ever. `text` is
/// then undefined.
///
/// # Complexity
///
/// O(length), and 55 tries in the mean of some ten instructions each; 830 584 at most. Allocates
/// nothing.
///
/// # Examples
///
/// A name for a hash of which nothing else is known:
///
/// ```
/// use loligo_ids::{murmur2_32, preimage_32};
///
/// let mut text = [0; 12];
/// let name = preimage_32(0x5e43_bd96, 0, &mut text).expect("12 characters are enough");
/// assert_eq!(murmur2_32(name, 0), murmur2_32("root_point", 0));
/// assert!(name.chars().all(|c| c.is_ascii_graphic()));
/// ```
pub fn preimage_32(hash: u32, seed: u32, text: &mut [u8]) -> Option<&str> {
    let begin = begin_32(text.len(), seed);
    let end = unfinish_32(hash);
    let (blocks, tail) = text.as_chunks_mut::<4>();
    match blocks.split_last_mut() {
        None if tail.is_empty() => {
            if begin != end {
                return None;
            }
        }
        None => fill_tail(tail, untail_32(end, begin).into())?,
        Some((solved, before)) => {
            let (fixed, counted) = before.split_at_mut(before.len().saturating_sub(1));
            fixed.as_flattened_mut().fill(ALPHABET[0]);
            let block = u32::from_le_bytes([ALPHABET[0]; 4]);
            let begin = fixed.iter().fold(begin, |h, _| step_32(h, block));
            search(counted.as_flattened_mut(), tail, |counted, tail| {
                let block = counted.first_chunk().map(|&block| u32::from_le_bytes(block));
                let state = block.map_or(begin, |block| step_32(begin, block));
                let goal = if tail.is_empty() { end } else { untail_32(end, value(tail) as u32) };
                let block = block_between_32(state, goal);
                *solved = block.to_le_bytes();
                is_visible_word(u64::from(block) << 32 | u64::from(block))
            })?;
        }
    }
    str::from_utf8(text).ok()
}

/// Writes text of visible ASCII whose [`murmur2_64a`](crate::murmur2_64a) under `seed` is `hash`
/// over `text`, as long as `text` is.
///
/// The same call gives the same text. `None` means that no such text exists: with 11 characters or
/// more one always does for all practical purposes (the chance that none is found is below e^-270),
/// with 10 characters for 95 % of all hashes, with 9 for 3 %, with fewer hardly ever. `text` is
/// then undefined.
///
/// # Complexity
///
/// O(length), and 3 026 tries in the mean of some ten instructions each; 830 584 at most. Allocates
/// nothing.
///
/// # Examples
///
/// ```
/// use loligo_ids::{murmur2_64a, preimage_64};
///
/// let mut text = [0; 16];
/// let name = preimage_64(0x3e72_8af1_0245_bc71, 0, &mut text).expect("16 characters are enough");
/// assert_eq!(murmur2_64a(name, 0), 0x3e72_8af1_0245_bc71);
/// ```
pub fn preimage_64(hash: u64, seed: u64, text: &mut [u8]) -> Option<&str> {
    let begin = begin_64(text.len(), seed);
    let end = unfinish_64(hash);
    let (blocks, tail) = text.as_chunks_mut::<8>();
    match blocks.split_last_mut() {
        None if tail.is_empty() => {
            if begin != end {
                return None;
            }
        }
        None => fill_tail(tail, untail_64(end, begin))?,
        Some((solved, before)) => {
            let (fixed, counted) = before.split_at_mut(before.len().saturating_sub(1));
            fixed.as_flattened_mut().fill(ALPHABET[0]);
            let block = u64::from_le_bytes([ALPHABET[0]; 8]);
            let begin = fixed.iter().fold(begin, |h, _| step_64(h, block));
            search(counted.as_flattened_mut(), tail, |counted, tail| {
                let block = counted.first_chunk().map(|&block| u64::from_le_bytes(block));
                let state = block.map_or(begin, |block| step_64(begin, block));
                let goal = if tail.is_empty() { end } else { untail_64(end, value(tail)) };
                let block = block_between_64(state, goal);
                *solved = block.to_le_bytes();
                is_visible_word(block)
            })?;
        }
    }
    str::from_utf8(text).ok()
}

/// Counts through the last characters of `counted` and `tail`, those of the tail first, until
/// `solved` says that these are the ones.
fn search(
    counted: &mut [u8],
    tail: &mut [u8],
    mut solved: impl FnMut(&[u8], &[u8]) -> bool,
) -> Option<()> {
    counted.fill(ALPHABET[0]);
    tail.fill(ALPHABET[0]);
    let of_tail = tail.len().min(COUNTED_MAX);
    let of_counted = counted.len().min(COUNTED_MAX - of_tail);
    for number in 0..ALPHABET.len().pow((of_tail + of_counted) as u32) {
        let mut digits = number;
        let last = tail.iter_mut().rev().take(of_tail);
        for place in last.chain(counted.iter_mut().rev().take(of_counted)) {
            *place = ALPHABET[digits % ALPHABET.len()];
            digits /= ALPHABET.len();
        }
        if solved(counted, tail) {
            return Some(());
        }
    }
    None
}

/// Writes a tail that is known as a number; `None` if it is longer than that, or not visible.
fn fill_tail(tail: &mut [u8], value: u64) -> Option<()> {
    let bytes = value.to_le_bytes();
    let (head, rest) = bytes.split_at(tail.len());
    tail.copy_from_slice(head);
    (is_visible(tail) && rest.iter().all(|&byte| byte == 0)).then_some(())
}

/// Returns fewer than 8 bytes as a number, the first one lowest.
fn value(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn is_visible(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_graphic)
}

/// As [`is_visible`] of the 8 bytes of a word: none is above `~`, nor below `!`.
#[inline]
const fn is_visible_word(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    // Each byte with its top bit set is greater than what is taken from it, and one without it that
    // is at most 0x7f takes one more: no byte reaches into the next.
    let too_great = word | ((word & !TOPS) + ONES);
    let great_enough = (word | TOPS) - 0x21 * ONES;
    (too_great | !great_enough) & TOPS == 0
}
