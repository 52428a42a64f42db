//! Runs of bytes of one kind, eight bytes at a time.
//!
//! A loop over bytes ends in a branch that is predicted wrongly for most runs, as they are of many
//! lengths. In a word of eight bytes the first that does not belong to the run is found without
//! one. Whether all eight belong to it is a branch nevertheless: where it is predicted, the next
//! word is loaded before this one is searched.

#[cfg(test)]
mod tests;

/// 1 in each byte, and its highest bit.
const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// Returns where a run of bytes ends that have no meaning between quotes: all but quotes,
/// backslashes and what is less than a blank. It also ends where the text does.
#[inline]
pub(super) fn plain_end(text: &[u8], mut at: usize) -> usize {
    loop {
        let word = word_at(text, at);
        // A byte borrows from the next one only if it is less than what is subtracted, and then it
        // is itself one that is looked for: the first of these is right.
        let less = |bytes: u64, than: u8| bytes.wrapping_sub(ONES * u64::from(than)) & !bytes;
        let quote = less(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = less(word ^ (ONES * u64::from(b'\\')), 1);
        let others = (quote | backslash | less(word, b' ')) & HIGH;
        if others != 0 {
            return at + bytes_before(others);
        }
        at += 8;
    }
}

/// Returns where a run of digits ends, and `number` with them appended, which wraps around where 64
/// bits are too few.
#[inline]
pub(super) fn digits_end(text: &[u8], mut at: usize, mut number: u64) -> (usize, u64) {
    loop {
        let values = word_at(text, at) ^ (ONES * u64::from(b'0'));
        // A byte that is no digit may carry into those after it, but not into those before it.
        let others = (values.wrapping_add(ONES * 0x76) | values) & HIGH;
        if others != 0 {
            let count = bytes_before(others);
            // Zeros move in before the first digit, eight of them where there is none.
            let digits = values << (56 - 8 * count) << 8;
            number = number.wrapping_mul(TENS[count]).wrapping_add(eight(digits));
            return (at + count, number);
        }
        number = number.wrapping_mul(100_000_000).wrapping_add(eight(values));
        at += 8;
    }
}

const TENS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Returns the number of eight digits, of which the first is the lowest byte: pairs of digits are
/// joined, then pairs of these, and again.
#[inline]
const fn eight(digits: u64) -> u64 {
    let twos = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(100).wrapping_add(twos >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// Returns the eight bytes from `at` on, the first one lowest; zeros where the text has ended, which
/// belong to no run.
#[inline]
fn word_at(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_word(text, at),
    }
}

#[cold]
fn last_word(text: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    let rest = text.get(at..).unwrap_or_default();
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}

/// Returns how many bytes come before the first whose highest bit is set, of which there is one.
#[inline]
const fn bytes_before(word: u64) -> usize {
    (word.trailing_zeros() / 8) as usize & 7
}
