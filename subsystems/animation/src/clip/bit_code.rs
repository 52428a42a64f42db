//! Numbers of few bits that can be read from either end, for the differences of dense clips.
//!
//! After Robert Rice, "Some Practical Universal Noiseless Coding Techniques" (1979). Change: the part
//! in unary is a palindrome, so that where a number ends, it can be read backwards as well, at no cost.
//!
//! ```text
//! number      | signs folded: 0, -1, 1, -2 .. are 0, 1, 2, 3 ..
//! its upper   | 0: `0`, 1: `11`, 2: `101`, 3: `1001` ..        all but the lower bits
//! its lower   | as they are                                    as many as the block says
//! ```
//!
//! Bits are taken from the lowest of a byte on.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// The most lower bits of a number.
pub(crate) const LOWER_MAX: u8 = 13;

/// The code of a block in which all numbers are zero, and have no bits.
pub(crate) const ALL_ZERO: u8 = 15;

/// The largest upper part that is written, so that a number has 55 bits at the most and one look at
/// memory is enough.
pub(crate) const UPPER_MAX: u32 = 40;

/// Returns the number that begins at a bit, and how many bits it has.
#[inline]
pub(crate) fn read_forward(bytes: &[u8], at: u32, lower: u8) -> (i16, u32) {
    let bits = word_from(bytes, (at / 8) as usize) >> (at % 8);
    let (upper, length) = match bits & 1 {
        0 => (0, 1),
        _ => {
            let zeros = (bits >> 1).trailing_zeros().min(UPPER_MAX);
            (zeros + 1, zeros + 2)
        }
    };
    let low = bits >> length & ((1 << lower) - 1);
    (unfolded(upper << lower | low as u32), length + u32::from(lower))
}

/// Returns the number that ends before a bit, and how many bits it has.
#[inline]
pub(crate) fn read_backward(bytes: &[u8], end: u32, lower: u8) -> (i16, u32) {
    let bits = word_before(bytes, end);
    // A shift by all 64 bits would be one by none.
    let low = bits >> 1 >> (63 - u32::from(lower));
    let bits = bits << lower;
    let (upper, length) = match bits >> 63 {
        0 => (0, 1),
        _ => {
            let zeros = (bits << 1).leading_zeros().min(UPPER_MAX);
            (zeros + 1, zeros + 2)
        }
    };
    (unfolded(upper << lower | low as u32), length + u32::from(lower))
}

/// Returns the bits of a number.
pub(crate) const fn bits_of(number: i16, lower: u8) -> u32 {
    let upper = folded(number) >> lower;
    lower as u32 + upper + 1
}

/// Returns the upper part of a number.
pub(crate) const fn upper_of(number: i16, lower: u8) -> u32 {
    folded(number) >> lower
}

/// Returns `count` bits from one on.
#[inline]
pub(crate) fn read_bits(bytes: &[u8], at: u32, count: u32) -> u16 {
    let bits = word_from(bytes, (at / 8) as usize) >> (at % 8);
    (bits & ((1 << count) - 1)) as u16
}

/// Eight bytes from one on; those that are missing are 0.
#[inline]
fn word_from(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    let mut word = [0; 8];
    match rest.first_chunk::<8>() {
        Some(chunk) => word = *chunk,
        None => word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from),
    }
    u64::from_le_bytes(word)
}

/// The bits before one, of which the last is the highest; at least 56 of them. Those that are missing are 0.
#[inline]
fn word_before(bytes: &[u8], end: u32) -> u64 {
    let (byte, over) = (end.div_ceil(8) as usize, end.div_ceil(8) * 8 - end);
    let before = bytes.get(..byte).unwrap_or_default();
    let mut word = [0; 8];
    match before.last_chunk::<8>() {
        Some(chunk) => word = *chunk,
        None => word[8 - before.len()..].copy_from_slice(before),
    }
    u64::from_le_bytes(word) << over
}

const fn folded(number: i16) -> u32 {
    let number = number as i32;
    ((number << 1) ^ (number >> 31)) as u32 & 0xffff
}

#[inline]
const fn unfolded(folded: u32) -> i16 {
    (folded >> 1) as i16 ^ -((folded & 1) as i16)
}

/// Bits that are written one after the other.
pub(crate) struct BitWriter<'a, A: Allocator + ?Sized> {
    bytes: Array<'a, u8, A>,
    bits: u32,
}

impl<'a, A: Allocator + ?Sized> BitWriter<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { bytes: Array::new_in(memory), bits: 0 }
    }

    /// Returns how many there are.
    pub(crate) const fn len(&self) -> u32 {
        self.bits
    }

    /// Writes the lower `count` bits of a word.
    pub(crate) fn try_bits(&mut self, mut word: u64, mut count: u32) -> Result<(), GrowError> {
        while count > 0 {
            let used = self.bits % 8;
            if used == 0 {
                self.bytes.try_push(0)?;
            }
            let taken = count.min(8 - used);
            if let Some(byte) = self.bytes.last_mut() {
                *byte |= ((word & ((1 << taken) - 1)) << used) as u8;
            }
            word >>= taken;
            count -= taken;
            self.bits += taken;
        }
        Ok(())
    }

    /// Writes a number.
    pub(crate) fn try_number(&mut self, number: i16, lower: u8) -> Result<(), GrowError> {
        match upper_of(number, lower) {
            0 => self.try_bits(0, 1)?,
            upper => self.try_bits(1 | 1 << upper, upper + 1)?,
        }
        self.try_bits(u64::from(folded(number)), u32::from(lower))
    }

    /// Leaves the rest of the last byte zero.
    pub(crate) fn fill_byte(&mut self) {
        self.bits = 8 * self.bytes.len() as u32;
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    //! Numbers of all sizes, read from both ends.

    use loligo_allocators::StaticHeap;

    use super::{BitWriter, LOWER_MAX, UPPER_MAX, bits_of, read_backward, read_forward, upper_of};

    static HEAP: StaticHeap<262_144> = StaticHeap::new("bits");

    #[test]
    fn numbers_are_read_from_both_ends() {
        for lower in 0..=LOWER_MAX {
            let mut writer = BitWriter::new_in(&HEAP);
            let numbers: std::vec::Vec<i16> = (-300..300)
                .chain([i16::MIN, i16::MAX, 4_000, -4_001, 0, 1])
                .filter(|number| upper_of(*number, lower) <= UPPER_MAX)
                .collect();
            for number in &numbers {
                writer.try_number(*number, lower).expect("memory");
            }
            let end = writer.len();
            let bytes = writer.bytes();
            let mut at = 0;
            for number in &numbers {
                let (found, bits) = read_forward(bytes, at, lower);
                assert_eq!((found, bits), (*number, bits_of(*number, lower)), "{lower} lower bits");
                at += bits;
            }
            assert_eq!(at, end, "{lower} lower bits");
            for number in numbers.iter().rev() {
                let (found, bits) = read_backward(bytes, at, lower);
                assert_eq!((found, bits), (*number, bits_of(*number, lower)), "{lower} backwards");
                at -= bits;
            }
            assert_eq!(at, 0, "{lower} lower bits backwards");
        }
    }
}
