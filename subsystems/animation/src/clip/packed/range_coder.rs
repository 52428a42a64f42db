//! A range coder for bits of known probability: the last few bytes of a number between 0 and 1, as a whole
//! block of bits is one interval of it.
//!
//! After G. Nigel N. Martin, "Range encoding: an algorithm for removing redundancy from a digitised message"
//! (1979), in the byte order of Igor Pavlov's LZMA. Change: zeros at the end of a block are not written.

/// What a bit is coded by: a reader, which does not know it, or a writer, which does.
pub(crate) trait BitCoder {
    /// Codes a bit that is 1 with a probability of `one` in 32768, from 1 to 32767. A reader ignores `bit`.
    /// Returns it.
    fn code(&mut self, one: u32, bit: bool) -> bool;
}

/// Below that the range is made 256 times as long.
const SHORT: u32 = 1 << 24;

/// The bits of a probability.
const PART_BITS: u32 = 15;

/// Reads bits. Bytes that are missing are 0, so any bytes are bits of some kind.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'b> {
    bytes: &'b [u8],
    code: u32,
    range: u32,
}

impl<'b> BitReader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        let mut reader = Self { bytes, code: 0, range: u32::MAX };
        for _ in 0..4 {
            reader.take_byte();
        }
        reader
    }

    #[inline]
    fn take_byte(&mut self) {
        let (next, rest) = self.bytes.split_first().unwrap_or((&0, &[]));
        self.bytes = rest;
        self.code = self.code << 8 | u32::from(*next);
    }
}

impl BitCoder for BitReader<'_> {
    #[inline]
    fn code(&mut self, one: u32, _: bool) -> bool {
        let bound = (self.range >> PART_BITS) * one;
        let bit = self.code < bound;
        if bit {
            self.range = bound;
        } else {
            self.code = self.code.wrapping_sub(bound);
            self.range -= bound;
        }
        while self.range < SHORT {
            self.range <<= 8;
            self.take_byte();
        }
        bit
    }
}

/// Writes bits.
#[cfg(feature = "compile")]
#[derive(Clone, Debug)]
pub(crate) struct BlockWriter {
    bytes: std::vec::Vec<u8>,
    /// The lower end of the interval; the 33rd bit is carried into what is written last.
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and how many of 255 follow it.
    held: Option<u8>,
    full: usize,
}

#[cfg(feature = "compile")]
impl BlockWriter {
    pub(crate) const fn new() -> Self {
        Self { bytes: std::vec::Vec::new(), low: 0, range: u32::MAX, held: None, full: 0 }
    }

    /// Returns the bytes of a block.
    pub(crate) fn finish(mut self) -> std::vec::Vec<u8> {
        // Of all numbers of the interval the one that ends in the most zeros.
        let step = u64::from(SHORT);
        self.low = self.low.next_multiple_of(step);
        for _ in 0..5 {
            self.shift();
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }

    /// Moves the highest byte of the lower end to those that are written.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry != 0 || self.low < 0xff00_0000 {
            if let Some(held) = self.held {
                self.bytes.push(held.wrapping_add(carry));
            }
            self.bytes.extend(core::iter::repeat_n(0xff_u8.wrapping_add(carry), self.full));
            self.held = Some((self.low >> 24) as u8);
            self.full = 0;
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

#[cfg(feature = "compile")]
impl BitCoder for BlockWriter {
    fn code(&mut self, one: u32, bit: bool) -> bool {
        let bound = (self.range >> PART_BITS) * one;
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < SHORT {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

#[cfg(all(test, feature = "compile"))]
mod tests {
    //! Bits of all probabilities, and intervals whose carry runs through many bytes.

    use std::vec::Vec;

    use super::{BitCoder, BitReader, BlockWriter};

    fn round_trip(bits: &[(u32, bool)]) -> usize {
        let mut writer = BlockWriter::new();
        bits.iter().for_each(|(one, bit)| {
            writer.code(*one, *bit);
        });
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        for (at, (one, bit)) in bits.iter().enumerate() {
            assert_eq!(reader.code(*one, false), *bit, "bit {at} of {}", bits.len());
        }
        bytes.len()
    }

    #[test]
    fn bits_come_back_whatever_their_probability() {
        let mut state = 272_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32
        };
        for length in [0, 1, 2, 7, 100, 5_000] {
            for shape in 0..4 {
                let bits: Vec<(u32, bool)> = (0..length)
                    .map(|_| {
                        let one = match shape {
                            0 => 1 + random() % 32_767,
                            1 => 32_767,
                            2 => 1,
                            _ => 16_384,
                        };
                        let is_one = random() % 32_768 < one;
                        // What is unlikely comes now and then as well.
                        (one, is_one != (shape < 3 && random().is_multiple_of(50)))
                    })
                    .collect();
                round_trip(&bits);
            }
        }
    }

    #[test]
    fn a_carry_runs_through_full_bytes() {
        // The lower end comes to just below a multiple of 2^24 again and again, and over it at last.
        for tail in 0..64 {
            let mut bits: Vec<(u32, bool)> = (0..200).map(|_| (1, false)).collect();
            bits.extend((0..tail).map(|_| (32_767, false)));
            bits.push((16_384, tail % 2 == 0));
            round_trip(&bits);
        }
    }

    #[test]
    fn likely_bits_cost_little() {
        let bits: Vec<(u32, bool)> = (0..10_000).map(|_| (32_700, true)).collect();
        assert!(round_trip(&bits) < 40, "0.003 bits each");
    }
}
