//! Dense clips: a key in each frame, as differences of differences.
//!
//! ```text
//! codes         | for each block of 32 keys and each track: lower bits of x, y, z | ..   4 bits each
//! states        | for each track: bits of a number and of its difference, x, y, z | ..   4 bits each
//! values        | for each frame from the third on, each track: x, y, z | ..             1 to 55 bits each
//! jump frames   | frame | bit in values | .. and for each track | x, its difference | .. | .. |
//! ```
//!
//! A number that follows from two before it and a difference also follows backwards from two after it,
//! so a dense clip is read in both directions as well. The beginning is a jump frame.

use super::bit_code::{ALL_ZERO, LOWER_MAX, read_bits};
use super::key::Key;

/// The keys of a block, which have one code.
pub(crate) const BLOCK: u32 = 32;

/// How many bits the numbers of a track have in a jump frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateBits([u8; 3]);

impl StateBits {
    pub(crate) const fn new(axes: [u8; 3]) -> Self {
        Self(axes)
    }

    /// Returns those that hold numbers and differences of 1 to 16 bits each.
    #[cfg(feature = "compile")]
    pub(crate) fn pack(bits: [(u32, u32); 3]) -> [u8; 3] {
        bits.map(|(value, difference)| (value - 1) as u8 | ((difference - 1) as u8) << 4)
    }

    /// Returns the bits of a number and of its difference.
    #[inline]
    pub(crate) fn of_axis(self, axis: usize) -> (u32, u32) {
        (u32::from(self.0[axis] & 15) + 1, u32::from(self.0[axis] >> 4) + 1)
    }

    /// Returns all its bits.
    pub(crate) fn sum(self) -> u32 {
        (0..3).map(|axis| self.of_axis(axis)).map(|(value, difference)| value + difference).sum()
    }

    /// Returns two keys, one after the other, that begin at a bit.
    #[inline]
    pub(crate) fn read(self, bytes: &[u8], mut at: u32) -> [Key; 2] {
        let numbers: [[u16; 2]; 3] = core::array::from_fn(|axis| {
            let (value, difference) = self.of_axis(axis);
            let first = extended(read_bits(bytes, at, value), value);
            let step = extended(read_bits(bytes, at + value, difference), difference);
            at += value + difference;
            [first, first.wrapping_add(step)]
        });
        [0, 1].map(|key| numbers.map(|number| number[key]))
    }
}

/// Returns a signed number of that many bits.
#[inline]
const fn extended(word: u16, bits: u32) -> u16 {
    let shift = 16 - bits;
    ((word << shift) as i16 >> shift) as u16
}

/// Returns the code of an axis, of all axes of all tracks of all blocks.
#[inline]
pub(crate) fn code_at(codes: &[u8], at: usize) -> u8 {
    codes.get(at / 2).map_or(ALL_ZERO, |pair| pair >> (4 * (at % 2)) & 15)
}

/// Returns `true` for a code that there is.
pub(crate) const fn is_code(code: u8) -> bool {
    code <= LOWER_MAX || code == ALL_ZERO
}

/// Returns the bytes of codes that a clip has.
pub(crate) const fn code_bytes(tracks: usize, last_frame: u32) -> usize {
    let blocks = (last_frame / BLOCK + 1) as usize;
    (blocks * tracks * 3).div_ceil(2)
}
